//! Form of a question: whether it names one thing, which an answer has to name as well.
//!
//! "Do you repair shoes?" and "How much is a croissant?" name what they are about in a word or two. A text
//! without that word is about something else, however near it is in meaning: shirts that are cleaned, or
//! bread. A long question or a story is often answered in other words.

use frontdesk_knowledge::{Attribute, Attributes, Words, fold_text};

/// What a question of one clause asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Whether the business has or does something, or whether it is possible or allowed: a yes or a no.
    Offer,
    /// The price of something.
    Price,
    /// Another number: how many, how long, how often.
    Quantity,
    /// What something is: "What is the password?".
    Thing,
    /// Who somebody is, or does something.
    Person,
    /// Anything else, and questions of several clauses.
    Other,
}

/// Most words of a question that names one thing.
const MOST_WORDS: usize = 12;

/// Most words of a greeting before a question.
const GREETING: usize = 2;

/// Words of a question within which its interrogative is: "And how much", "À quelle heure".
const BEGINNING: usize = 3;

/// Interrogatives.
const INTERROGATIVES: &str = "what|which|who|whom|whose|where|when|why|how|whats|whos|wheres|whens|hows|\
    was|wer|wen|wem|wessen|wann|wo|wohin|woher|wie|wieviel|warum|weshalb|wieso|welche|welcher|welches|welchen|womit|wofur|\
    qui|quoi|que|qu|quel|quelle|quels|quelles|quand|ou|comment|combien|pourquoi|\
    quien|quienes|cual|cuales|cuando|donde|como|cuanto|cuanta|cuantos|cuantas|\
    che|chi|cosa|quale|quali|quando|dove|come|quanto|quanta|quanti|quante|perche|\
    wat|waar|wanneer|hoe|hoeveel|waarom|welk|welke|\
    quem|qual|quais|onde|quantos|quantas|\
    co|kto|kogo|kiedy|gdzie|jak|ile|jaki|jaka|jakie|dlaczego|ktory|ktora|ktore";

/// Interrogatives of numbers, in the form of [`Words::matches`].
const OF_NUMBERS: &[&str] = &[
    "how much|many|often|long|old|far|big|large|fast|soon|tall|heavy|wide|deep|high|quickly|frequently|hot|cold",
    "what _ _ cost|costs|price|fee|charge|earn",
    "what|whats the price|cost|fee",
    "wie viel|viele|oft|haufig|lange|weit|alt|gross|hoch|schnell|schwer|teuer",
    "wieviel|wieviele",
    "was kostet|kosten|verdient",
    "combien",
    "quel|quelle est le|la|l prix|tarif|cout|montant",
    "a quelle frequence",
    "cuanto|cuanta|cuantos|cuantas",
    "con que frecuencia",
    "quanto|quanta|quanti|quante",
    "hoeveel",
    "hoe lang|vaak|oud|ver|groot|duur|snel",
    "wat kost|kosten",
    "quantos|quantas",
    "ile",
    "jak dlugo|czesto|daleko",
];

/// How a question of what something is begins.
const OF_THINGS: &[&str] = &[
    "^ what is|are the|your|a|an",
    "^ whats the|your|a|an",
    "^ was ist|sind",
    "^ wie ist|lautet|heisst",
    "^ quel|quelle|quels|quelles est|sont",
    "^ cual|cuales es|son",
    "^ qual|quale|quali e|sono|sao",
    "^ wat is|zijn",
    "^ jaki|jaka|jakie jest|sa",
];

/// How a question of a person begins.
const OF_PERSONS: &[&str] =
    &["^ who|whos|wer|qui|quien|quienes|chi|quem|kto", "^ wie is|zijn|heeft|doet|maakt|geeft"];

/// How a question begins that is answered by a rule for anybody, or by an address, rather than by a name.
const OF_ANYBODY: &[&str] = &[
    "^ who|whos can|could|may|should|must|do|does|pays|needs|has",
    "^ wer kann|darf|muss|soll|zahlt|bezahlt|braucht",
    "^ qui peut|doit|paie|paye",
    "^ quien|quienes puede|pueden|debe|deben|paga",
    "^ chi puo|deve|paga",
    "^ quem pode|deve|paga",
    "^ kto moze|musi|placi",
];

/// How a yes-or-no question begins that somebody writes without a question mark.
const OPENERS: &[&str] = &[
    "^ do|does|did|can|could|may|is|are|will|would|have|has you|i|we|they|there|it|the|my|your|a|an",
    "^ habt|hast|kann|konnt|gibt|macht|verkauft|bietet|repariert|darf|ist|sind ihr|ich|man|wir|es|der|die|das",
    "^ haben|konnen|verkaufen|bieten|machen|nehmen|akzeptieren|liefern|sind sie",
    "^ est ce que",
    "^ avez|vendez|faites|proposez|peut|puis|acceptez vous|on|je",
    "^ y a t il",
    "^ teneis|tienen|hay|vendeis|venden|haceis|puedo|podemos",
    "^ se puede",
    "^ avete|fate|vendete|posso|possiamo",
    "^ c|ci e|sono",
    "^ hebben|verkopen|doen|kan|kunnen|mag|is jullie|u|ik|we|er|het|de",
    "^ tem|ha|vendem|fazem|posso|podemos",
    "^ czy",
];

/// Words of offers, prices and numbers that say nothing about what is offered: "Do you sell", "how much
/// does", "can I bring".
const FORMAL: &str = "between|entre|zwischen|tra|fra|tussen|miedzy|before|after|during|\
    sell|sells|selling|stock|carry|offer|offers|provide|got|make|accept|get|buy|serve|available|there|\
    bring|come|go|coming|going|take|taking|possible|allowed|find|anytime|nearby|\
    cost|costs|price|prices|pricing|much|many|often|long|old|far|big|large|fast|soon|tall|heavy|wide|deep|high|quickly|per|charge|charged|pay|\
    verkauft|verkaufen|verkaufst|habt|haben|bietet|bieten|anbieten|fuhrt|fuhren|nehmt|akzeptiert|kaufen|bekommen|\
    bringen|mitbringen|kommen|gehen|abholen|kostet|kosten|preis|preise|pro|viel|viele|wieviel|oft|lange|alt|schnell|\
    vendez|vendre|avez|proposez|proposer|offrez|prenez|acceptez|acheter|trouver|venir|aller|apporter|amener|\
    coute|coutent|prix|tarif|tarifs|montant|\
    vendeis|vende|venden|vender|ofreceis|ofrecen|haceis|hacen|aceptais|aceptan|comprar|dais|ir|traer|llevar|\
    cuesta|cuestan|vale|valen|precio|precios|\
    vendete|vendere|avete|offrite|fate|accettate|prendete|comprare|trovare|venire|andare|portare|costa|costano|prezzo|prezzi|\
    verkopen|verkoopt|bieden|biedt|aanbieden|accepteren|kopen|brengen|meebrengen|komen|laten|kost|prijs|prijzen|\
    vendem|vender|oferecem|fazem|aceitam|trazer|levar|custa|custam|preco|precos|\
    sprzedajecie|sprzedaja|oferujecie|robicie|przyjmujecie|kupic|kosztuje|kosztuja|cena|ceny";

impl Form {
    /// Returns the form of a question that asks for these attributes.
    pub(super) fn of(question: &str, asked: Attributes) -> Self {
        let question = without_greeting(question);
        let words = Words::of(question);
        if words.len() > MOST_WORDS || has_clauses(question) {
            return Self::Other;
        }
        let asks_for_number = || OF_NUMBERS.iter().any(|pattern| begins_with(&words, pattern));
        if !has_interrogative(&words) {
            let is_asked = question.contains('?') && words.len() > 2;
            return if is_asked || words.has_any(OPENERS) { Self::Offer } else { Self::Other };
        }
        if asked.contains(Attribute::Price) && asks_for_number() {
            Self::Price
        } else if asked.contains(Attribute::Quantity) && asks_for_number() {
            Self::Quantity
        } else if words.has_any(OF_PERSONS) && !words.has_any(OF_ANYBODY) {
            Self::Person
        } else if words.has_any(OF_THINGS) {
            Self::Thing
        } else {
            Self::Other
        }
    }
}

/// Questions without a verb, which are only understood after the one before them: "What about Sundays?"
const FRAGMENTS: &[&str] = &[
    "^ what|how about",
    "^ what|how _ for|per|on|in|at|with",
    "^ how much|many|long|far|often for|per|on|in|at|with",
    "^ was|wie ist|siehts|steht mit",
    "^ wie sieht|steht es mit",
    "^ wie viel|lange fur|pro|am|im|mit",
    "^ combien pour|par",
    "^ cuanto por|para",
    "^ quanto per|para|por|a",
    "^ hoeveel per|voor",
    "^ ile za|dla",
    "^ que pasa con",
    "^ hoe zit het met",
    "^ co z",
];

/// Words that refer to what was said before, and are nothing else in most questions. "Sie" and "la" are too
/// often a form of address and an article.
const PRONOUNS: &[&str] = &[
    "it|its|they|them|their|that|those|these|he|him|she|her",
    "this|which|the one|ones",
    "this $",
    "ihn|ihm|dies|diese|dieser|dieses|davon|damit|dafur|dabei|dazu|daran|darauf|dort",
    "das|es|er|sie $",
    "was|wie|wann|wo|warum|ist|kann|kostet das|es|er",
    "elle|ils|elles|lui|cela|ca|ceci|celui|celle|ceux|celles",
    "ella|ellos|ellas|eso|esto|ese|esa|esos|esas",
    "hij|hem|dat|dit|deze|daarvan|ermee|ervan",
    "esso|essa|quello|quella|quelli|questo|questa|questi|cio|ne",
    "ele|ela|eles|elas|isso|isto|esse|essa|aquilo|dele|dela",
    "on|ona|ono|oni|jego|jej|tego|tej|to $",
];

/// Returns whether a text is a question that can be understood by itself, with a verb and without a word for
/// what was said before: "Are you open on Sundays?", but neither "And on Sundays?" nor "How much is that?"
pub(crate) fn is_whole(question: &str) -> bool {
    let words = Words::of(without_greeting(question));
    let begins = words.get(0).is_some_and(|first| is_listed(first, INTERROGATIVES)) || words.has_any(OPENERS);
    words.len() > 2 && begins && !words.has_any(FRAGMENTS) && !refers_back(&words)
}

/// Returns whether a question has a word for what was said before.
pub(super) fn refers_back(words: &Words) -> bool {
    words.has_any(PRONOUNS)
}

/// Returns whether a word of a question says nothing about what it is about.
pub(super) fn is_formal(word: &str) -> bool {
    is_listed(&fold_text(word), FORMAL)
}

fn is_listed(word: &str, list: &str) -> bool {
    list.split('|').any(|listed| listed == word)
}

/// Returns a question without the greeting before its first comma.
fn without_greeting(question: &str) -> &str {
    match question.split_once(',') {
        Some((greeting, rest)) if Words::of(greeting).len() <= GREETING => rest.trim_start(),
        _ => question,
    }
}

/// Returns whether a text has punctuation before its end that separates clauses.
fn has_clauses(text: &str) -> bool {
    let text = text.trim_end_matches(|end: char| !end.is_alphanumeric());
    let mut pairs = text.chars().zip(text.chars().skip(1));
    pairs.any(|(stop, next)| {
        matches!(stop, ',' | ';' | ':' | '.' | '!' | '?' | '\n') && (next.is_whitespace() || stop == '\n')
    })
}

fn has_interrogative(words: &Words) -> bool {
    // "Est-ce que" asks for nothing by itself.
    let is_of_est_ce_que = |at: usize, word: &str| word == "que" && at > 0 && words.get(at - 1) == Some("ce");
    words.iter().enumerate().any(|(at, word)| is_listed(word, INTERROGATIVES) && !is_of_est_ce_que(at, word))
}

fn begins_with(words: &Words, pattern: &str) -> bool {
    words.matches(pattern).any(|found| found.start < BEGINNING)
}

#[cfg(test)]
mod tests {
    use frontdesk_knowledge::asked;

    use super::*;

    #[test]
    fn a_short_question_asks_for_an_offer_or_a_number() {
        for (question, expected) in [
            ("Do you repair shoes?", Form::Offer),
            ("do you sell stamps", Form::Offer),
            ("Hello, is there a lift?", Form::Offer),
            ("Repariert ihr auch Schuhe?", Form::Offer),
            ("Est-ce que vous vendez du pain ?", Form::Offer),
            ("¿Tenéis ascensor?", Form::Offer),
            ("Vendete francobolli?", Form::Offer),
            ("Verkopen jullie postzegels?", Form::Offer),
            ("Vendem selos?", Form::Offer),
            ("Czy macie windę?", Form::Offer),
            ("How much is a croissant?", Form::Price),
            ("Was kostet ein Brot?", Form::Price),
            ("Combien coûte un pain ?", Form::Price),
            ("¿Cuánto cuesta un sello?", Form::Price),
            ("Quanto costa un francobollo?", Form::Price),
            ("Hoeveel kost een brood?", Form::Price),
            ("Quanto custa um selo?", Form::Price),
            ("Ile kosztuje chleb?", Form::Price),
            ("How often do you wash the towels?", Form::Quantity),
            ("Wie viele Zimmer habt ihr?", Form::Quantity),
            ("What is the wifi password?", Form::Thing),
            ("Wie lautet das Passwort?", Form::Thing),
            ("Who owns the shop?", Form::Person),
            ("Wie is de eigenaar?", Form::Person),
            ("Who can take part?", Form::Other),
            ("Where are you?", Form::Other),
            ("How do I book a room?", Form::Other),
            ("My shoe is broken. Do you repair it?", Form::Other),
            ("If I come by train, is there a bus?", Form::Other),
            ("Stamps?", Form::Other),
        ] {
            assert_eq!(Form::of(question, asked(question)), expected, "{question}");
        }
    }

    #[test]
    fn a_whole_question_has_a_verb() {
        for question in [
            "are you open on saturdays",
            "Hi, can I bring my dog?",
            "When do you open?",
            "Habt ihr am Sonntag offen?",
            "Wann habt ihr offen?",
            "Est-ce que vous livrez ?",
            "¿Cuándo abrís los sábados?",
            "Quanto costa il taglio?",
            "Is there a lift?",
            "Gibt es einen Aufzug?",
            "Haben Sie am Samstag geöffnet?",
            "Y a-t-il un ascenseur ?",
            "¿Cuánto cuesta la entrada?",
        ] {
            assert!(is_whole(question), "{question}");
        }
        for question in [
            "And on Sundays?",
            "on sundays?",
            "What about Sundays?",
            "How much for children?",
            "Why?",
            "Und am Sonntag?",
            "Wie sieht es mit Sonntag aus?",
            "Et le dimanche ?",
            "Prices?",
            "How much is that?",
            "Can I use it online?",
            "Was kostet das?",
            "Wie teuer ist es?",
            "Combien ça coûte ?",
            "¿Cuánto cuesta eso?",
        ] {
            assert!(!is_whole(question), "{question}");
        }
    }

    #[test]
    fn words_and_patterns_are_in_normal_form() {
        let words = INTERROGATIVES.split('|').chain(FORMAL.split('|'));
        for pattern in words
            .chain(OF_NUMBERS.iter().copied())
            .chain(OF_THINGS.iter().chain(OF_PERSONS).chain(OF_ANYBODY).copied())
            .chain(OPENERS.iter().chain(FRAGMENTS).chain(PRONOUNS).copied())
        {
            assert_eq!(fold_text(pattern), pattern);
            assert!(!pattern.contains("  ") && !pattern.contains('\''), "{pattern}");
        }
    }
}
