//! Topics a bot does not discuss: the owner's own, the sensitive ones, and those named in critical rules.
//!
//! All of this works on words. A topic of the owner matches where all its content words occur, in any order
//! and inflection; sensitive topics match lists of telling phrases in seven languages. That is coarse: it
//! misses paraphrases and catches the odd innocent question. A model adds judgement on top, never instead.

use std::collections::BTreeSet;

use frontdesk_knowledge::analyze;

use crate::language::Language;
use crate::task::{SensitiveTopic, Settings};
use crate::words::{Words, normalize};

mod rules;
mod sensitive;

#[cfg(test)]
pub(crate) use sensitive::patterns;

/// The topics one bot does not discuss.
#[derive(Debug)]
pub(crate) struct Topics {
    named: Vec<Topic>,
    sensitive: Vec<SensitiveTopic>,
    bot_language: Option<Language>,
}

/// A topic in the owner's words.
#[derive(Debug)]
struct Topic {
    normal: String,
    /// Its content words as each language inflects them.
    terms: Vec<(Language, BTreeSet<String>)>,
}

impl Topic {
    fn new(text: &str) -> Option<Self> {
        let normal = normalize(text).trim().to_owned();
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
            bot_language: settings.language.as_deref().and_then(Language::of_tag),
        }
    }

    /// Whether a text touches a topic the owner named. Also applied to what the bot is about to say.
    pub(crate) fn names(&self, text: &str) -> bool {
        if self.named.is_empty() {
            return false;
        }
        let mut languages = vec![Language::English];
        languages.extend(self.bot_language);
        languages.extend(Language::of_text(text));
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

    /// Whether a question is about a sensitive topic the owner has not allowed.
    pub(crate) fn is_sensitive(&self, question: &str) -> bool {
        let words = Words::of(question);
        self.sensitive.iter().any(|topic| words.has_any(sensitive::phrases(*topic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Instruction;

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
            assert!(Topics::of(&Settings::default()).is_sensitive(question), "{question}");
            let allowing = Settings { allowed_sensitive_topics: vec![topic], ..Settings::default() };
            assert!(!Topics::of(&allowing).is_sensitive(question), "{question}");
            let others = SensitiveTopic::ALL.into_iter().filter(|other| *other != topic).collect();
            let others = Settings { allowed_sensitive_topics: others, ..Settings::default() };
            assert!(Topics::of(&others).is_sensitive(question), "{question}");
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
        ] {
            assert!(!topics.is_sensitive(question), "{question}");
        }
    }
}
