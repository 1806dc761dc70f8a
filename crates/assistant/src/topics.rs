//! Topics that a chatbot does not discuss: those blocked by the owner, those named in critical rules, and
//! advice on sensitive topics.
//!
//! All of them are recognized by words. An owner's topic matches if all its content words occur, in any order
//! and inflection. Sensitive topics match phrases that ask for advice in eight languages. This misses
//! paraphrases and sometimes catches an innocent question; a model adds its own judgement.
//!
//! Sensitive topics are about advice, not about words: what the website itself says may be repeated, so a law
//! firm's chatbot may answer when one needs a lawyer if a page says so.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Passage, analyze, detect_language};

use crate::settings::{SensitiveTopic, Settings};
use frontdesk_knowledge::{Words, fold_text};

mod business;
mod rules;
mod sensitive;

pub(crate) use business::is_subject_of as is_about_business;

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    sensitive::patterns().chain(business::patterns())
}

/// The topics that one chatbot does not discuss.
#[derive(Debug)]
pub(crate) struct Topics {
    named: Vec<Topic>,
    sensitive: Vec<SensitiveTopic>,
    chatbot_language: Option<Language>,
}

/// A topic in the owner's words.
#[derive(Debug)]
struct Topic {
    normal: String,
    /// Stems of its content words in each language.
    terms: Vec<(Language, BTreeSet<String>)>,
}

impl Topic {
    fn new(text: &str) -> Option<Self> {
        let normal = fold_text(text).trim().to_owned();
        let terms = Language::ALL
            .into_iter()
            .map(|language| (language, analyze(text, Some(language.tag())).into_iter().collect()))
            .collect();
        (!normal.is_empty()).then_some(Self { normal, terms })
    }
}

impl Topics {
    pub(crate) fn of(settings: &Settings) -> Self {
        let critical = settings.instructions.iter().filter(|rule| rule.is_critical);
        let forbidden = critical.flat_map(|rule| rules::forbidden_mentions(&rule.text));
        let named = settings.blocked_topics.iter().cloned().chain(forbidden);
        Self {
            named: named.filter_map(|topic| Topic::new(&topic)).collect(),
            sensitive: SensitiveTopic::ALL
                .into_iter()
                .filter(|topic| !settings.allowed_sensitive_topics.contains(topic))
                .collect(),
            chatbot_language: settings.language.as_deref().and_then(Language::from_tag),
        }
    }

    /// Returns whether a text is about a topic that the owner blocked. Questions and answers are checked.
    pub(crate) fn names(&self, text: &str) -> bool {
        if self.named.is_empty() {
            return false;
        }
        let mut languages = vec![Language::English];
        languages.extend(self.chatbot_language);
        languages.extend(detect_language(text));
        languages.sort_unstable();
        languages.dedup();
        let texts: Vec<(Language, BTreeSet<String>)> = languages
            .into_iter()
            .map(|language| (language, analyze(text, Some(language.tag())).into_iter().collect()))
            .collect();
        let words = format!(" {} ", Words::of(text).joined());
        self.named.iter().any(|topic| {
            let inflected = topic.terms.iter().any(|(language, terms)| {
                !terms.is_empty()
                    && texts.iter().any(|(other, text)| other == language && terms.is_subset(text))
            });
            inflected || words.contains(&format!(" {} ", Words::of(&topic.normal).joined()))
        })
    }

    /// Returns the sensitive topic on which a question asks for advice that the owner has not allowed.
    pub(crate) fn asks_for_advice(&self, question: &str) -> Option<SensitiveTopic> {
        let words = Words::of(question);
        let language = detect_language(question).or(self.chatbot_language).unwrap_or(Language::English);
        self.sensitive.iter().copied().find(|topic| {
            words.has_any(sensitive::advice(*topic))
                || (words.has_any(sensitive::subjects(*topic)) && !business::is_subject_of(&words, language))
        })
    }
}

/// Returns whether a passage deals with what a question asks about a sensitive topic: it contains the words
/// that made the question sensitive, or others of the same topic.
pub(crate) fn deals_with(passage: &Passage, topic: SensitiveTopic, question: &str) -> bool {
    let text = [passage.title.as_str(), &passage.headings, &passage.text].join("\n");
    let patterns = || sensitive::advice(topic).iter().chain(sensitive::subjects(topic));
    let words = Words::of(&text);
    if patterns().any(|pattern| words.has(pattern)) {
        return true;
    }
    // The patterns have no plurals and compounds, but stems do.
    let language = passage.language.as_deref();
    let stems: BTreeSet<String> = analyze(&text, language).into_iter().collect();
    let asked = Words::of(question);
    patterns().flat_map(|pattern| asked.matches(pattern)).any(|range| {
        let telling: BTreeSet<String> =
            analyze(&asked.slice(range).join(" "), language).into_iter().collect();
        !telling.is_empty() && telling.is_subset(&stems)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::passage;
    use crate::settings::Instruction;

    #[test]
    fn named_topics_match_inflected_words_in_any_order() {
        let settings = Settings {
            blocked_topics: vec![
                "salary".into(),
                "data breach".into(),
                "Entlassungen".into(),
                "賄賂".into(),
                "  ".into(),
                "the".into(),
            ],
            language: Some("de".into()),
            ..Settings::default()
        };
        let topics = Topics::of(&settings);
        for (text, matches) in [
            ("What are the salaries of your team?", true),
            ("Was there a breach of customer data?", true),
            ("Is my data safe?", false),
            ("Gab es bei euch eine Entlassung?", true),
            ("賄賂について", true),
            ("What does it cost?", false),
            ("", false),
        ] {
            assert_eq!(topics.names(text), matches, "{text}");
        }
    }

    #[test]
    fn critical_rules_forbid_mentions_and_others_do_not() {
        let rule = |text: &str, is_critical| Instruction { text: text.into(), is_critical };
        let settings = Settings {
            instructions: vec![
                rule("Never mention discounts or coupons.", true),
                rule("Never mention refunds.", false),
                rule("Always be polite.", true),
            ],
            ..Settings::default()
        };
        let topics = Topics::of(&settings);
        assert!(topics.names("Is there a discount?"));
        assert!(topics.names("Where do I enter the coupon?"));
        assert!(!topics.names("How do refunds work?"));
        assert!(!topics.names("You are polite"));
    }

    #[test]
    fn sensitive_topics_are_refused_until_allowed() {
        use SensitiveTopic::{CompetitorComparison, LegalAdvice, MedicalAdvice, Politics, Religion};
        let cases = [
            ("Who should I vote for in the election?", Politics),
            ("Was hältst du von Politik?", Politics),
            ("Which religion is the right one?", Religion),
            ("Does God exist?", Religion),
            ("Can I sue my landlord?", LegalAdvice),
            ("Brauche ich einen Anwalt?", LegalAdvice),
            ("What are the symptoms of flu?", MedicalAdvice),
            ("Welche Nebenwirkungen hat das Medikament?", MedicalAdvice),
            ("Are you better than your competitors?", CompetitorComparison),
            ("Wie schneidet ihr gegen die Konkurrenz ab?", CompetitorComparison),
        ];
        for (question, topic) in cases {
            assert!(Topics::of(&Settings::default()).asks_for_advice(question).is_some(), "{question}");
            let allowing = Settings { allowed_sensitive_topics: vec![topic], ..Settings::default() };
            assert!(Topics::of(&allowing).asks_for_advice(question).is_none(), "{question}");
            let others = SensitiveTopic::ALL.into_iter().filter(|other| *other != topic).collect();
            let others = Settings { allowed_sensitive_topics: others, ..Settings::default() };
            assert_eq!(Topics::of(&others).asks_for_advice(question), Some(topic), "{question}");
        }
    }

    #[test]
    fn advice_is_recognized_in_every_language() {
        use SensitiveTopic::{CompetitorComparison, LegalAdvice, MedicalAdvice, Politics, Religion};
        let topics = Topics::of(&Settings::default());
        for (question, topic) in [
            ("Should I take ibuprofen with it?", MedicalAdvice),
            ("Can you tell me the symptoms of flu?", MedicalAdvice),
            ("Is it legal to record my neighbour?", LegalAdvice),
            ("What do you think about the election?", Politics),
            ("Soll ich das Medikament absetzen?", MedicalAdvice),
            ("Kann ich meinen Vermieter verklagen?", LegalAdvice),
            ("Quels sont les effets secondaires de ce produit ?", MedicalAdvice),
            ("Puis-je poursuivre en justice mon voisin ?", LegalAdvice),
            ("Croyez-vous en Dieu ?", Religion),
            ("¿Qué efectos secundarios tiene el tratamiento?", MedicalAdvice),
            ("¿Necesito un abogado para divorciarme?", LegalAdvice),
            ("Heb ik een advocaat nodig?", LegalAdvice),
            ("Welke symptomen heeft griep?", MedicalAdvice),
            ("Quali sono gli effetti collaterali di questo farmaco?", MedicalAdvice),
            ("Ho bisogno di un avvocato?", LegalAdvice),
            ("Quais são os efeitos colaterais do tratamento?", MedicalAdvice),
            ("Preciso de um advogado?", LegalAdvice),
            ("Seid ihr besser als die Konkurrenz?", CompetitorComparison),
        ] {
            assert_eq!(topics.asks_for_advice(question), Some(topic), "{question}");
        }
    }

    #[test]
    fn a_passage_deals_with_a_topic_by_its_words_or_those_of_the_question() {
        use SensitiveTopic::{LegalAdvice, MedicalAdvice};
        for (language, text, topic, question, expected) in [
            ("en", "Our lawyers help with divorces.", LegalAdvice, "Do I need a lawyer for a divorce?", true),
            ("en", "Suing your landlord: you can go to court.", LegalAdvice, "Can I sue my landlord?", true),
            ("en", "We open at nine.", LegalAdvice, "Can I sue my landlord?", false),
            (
                "en",
                "Bleaching may cause sensitive teeth.",
                MedicalAdvice,
                "What are the side effects?",
                false,
            ),
            ("de", "Nebenwirkungen sind selten.", MedicalAdvice, "Welche Nebenwirkungen gibt es?", true),
            ("fr", "Les effets secondaires sont rares.", MedicalAdvice, "Quels effets secondaires ?", true),
            (
                "es",
                "Los efectos secundarios son raros.",
                MedicalAdvice,
                "¿Qué efectos secundarios hay?",
                true,
            ),
            ("nl", "Een advocaat is niet verplicht.", LegalAdvice, "Heb ik een advocaat nodig?", true),
            ("it", "Serve un avvocato.", LegalAdvice, "Ho bisogno di un avvocato?", true),
            ("pt", "O advogado é necessário.", LegalAdvice, "Preciso de um advogado?", true),
        ] {
            let passage =
                Passage { language: Some(language.into()), title: String::new(), ..passage("", text) };
            assert_eq!(deals_with(&passage, topic, question), expected, "{question} from {text}");
        }
    }

    #[test]
    fn ordinary_business_questions_are_not_sensitive() {
        let topics = Topics::of(&Settings::default());
        for question in [
            "What is your return policy?",
            "Quelle est votre politique de retour ?",
            "¿Cuál es la política de devoluciones?",
            "Is Pro better than Basic?",
            "What is the difference between Free vs Pro?",
            "How do I diagnose a slow connection?",
            "Can I change the legal name of my company?",
            "Is there a treatment room on Saturdays?",
            "Oh my god, how do I log in?",
            "Where can I vote for a feature?",
            "Gibt es ein vegetarisches Gericht?",
            "How many concurrent users does Pro allow?",
            "Do you run a photo competition?",
            "Are you closed on religious holidays?",
            "Do you have a plan for lawyers?",
            "Is Teams better than your Pro plan?",
            // Questions about the business that contain a word of a sensitive topic.
            "Do you have a lawyer who speaks German?",
            "What does a first appointment with a lawyer cost?",
            "Do you also treat side effects of anaesthesia?",
            "Haben Sie einen Anwalt für Mietrecht?",
            "Was kostet ein Termin beim Anwalt?",
            "Behandeln Sie auch Nebenwirkungen?",
            "Vos médicaments sont-ils livrés ?",
            "¿Tienen ustedes abogados que hablen inglés?",
            "Heeft u een advocaat in dienst?",
            "Avete un avvocato che parla inglese?",
            "Vocês têm advogado de família?",
        ] {
            assert_eq!(topics.asks_for_advice(question), None, "{question}");
        }
    }
}
