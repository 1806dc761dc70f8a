//! Analysis of text into index terms: words, stop words, stems, identifiers and CJK bigrams.
//!
//! Training content and questions are analyzed by the same function, so that the same word gives the same
//! term.

pub(crate) mod conjugation;
mod detect;
mod language;
mod morphology;
mod stop_words;
mod tokens;

use snowball_stemmers_rs::Stemmer;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

pub use detect::detect_language;
pub(crate) use detect::likely_language;
pub use language::{Language, UnsupportedLanguage};
pub(crate) use morphology::Morphology;
pub(crate) use stop_words::is_stop_word;
use stop_words::{is_anaphor, is_filler};
use tokens::{Token, TokenKind};

/// Longest term kept, in characters; longer runs are encoded data rather than words.
const MAX_TERM_CHARS: usize = 64;

/// Returns the index terms of `text` in reading order, repeated as often as they occur.
///
/// Words are lower-cased, stop words are removed, and the rest is stemmed by the language's Snowball
/// algorithm and loses its diacritics. Identifiers and numbers (`npm_token`, `EACCES`, `11.15.0`) stay whole,
/// and also give their parts if they consist of words. Runs of Chinese, Japanese, Korean or Thai script give
/// overlapping character pairs.
///
/// `language` is a BCP 47 tag; only its primary subtag counts. A language without a stemmer is only
/// lower-cased; `None` means English.
///
/// ```
/// let terms = frontdesk_knowledge::analyze("How do I publish the packages?", Some("en"));
/// assert_eq!(terms, ["publish", "packag"]);
/// ```
pub fn analyze(text: &str, language: Option<&str>) -> Vec<String> {
    terms(text, language).into_iter().map(|term| term.text).collect()
}

/// Returns the terms of [`analyze`] that name a topic, without words that phrase a question about any topic
/// (`want`, `please`).
pub fn topic_terms(text: &str, language: Option<&str>) -> Vec<String> {
    let topical = terms(text, language).into_iter().filter(|term| !term.filler && !term.alias);
    topical.map(|term| term.text).collect()
}

/// An analyzed term, and its properties that the ranking uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    /// The form in the index.
    pub(crate) text: String,
    /// An additional spelling of its neighbors (`two-factor` → `twofactor`); its absence from a text is not
    /// significant.
    pub(crate) alias: bool,
    /// The word as typed is hardly related to the topic (`want`, `please`).
    pub(crate) filler: bool,
}

/// Returns the same terms as [`analyze`], with their properties.
pub(crate) fn terms(text: &str, language: Option<&str>) -> Vec<Term> {
    let morphology = Morphology::of(language.unwrap_or("en"));
    let stemmer = morphology.stemmer();
    let mut terms = Vec::new();
    for token in tokens::tokens(text) {
        push_term(&token, morphology, stemmer.as_ref(), &mut terms);
    }
    terms
}

/// A content word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word as typed, lower-cased.
    pub(crate) typed: String,
    /// Its distinct terms in all languages.
    pub(crate) terms: Vec<Term>,
}

/// Returns the content words of a question with their forms in each of `languages`.
///
/// The first language determines the stop words. A question may be in another language than the content;
/// names and borrowed words still match if they are stemmed like the content.
pub(crate) fn question_words(text: &str, languages: &[Morphology]) -> Vec<Word> {
    let Some(first) = languages.first() else { return Vec::new() };
    let stemmers: Vec<_> = languages.iter().map(|language| (*language, language.stemmer())).collect();
    let mut words = Vec::new();
    for token in tokens::tokens(text) {
        if token.kind == TokenKind::Word && stop_words::is_stop_word(*first, &token.text) {
            continue;
        }
        let mut forms: Vec<Term> = Vec::new();
        for (language, stemmer) in &stemmers {
            let mut form = Vec::new();
            push_term(&token, *language, stemmer.as_ref(), &mut form);
            form.retain(|term| !forms.iter().any(|known| known.text == term.text));
            forms.append(&mut form);
        }
        if !forms.is_empty() {
            words.push(Word { typed: token.text, terms: forms });
        }
    }
    words
}

/// Analyzes single words of a question.
pub(crate) struct WordAnalyzer {
    morphology: Morphology,
    stemmer: Option<Stemmer>,
}

impl WordAnalyzer {
    pub(crate) fn new(morphology: Morphology) -> Self {
        Self { morphology, stemmer: morphology.stemmer() }
    }

    /// Returns the term of a word, or `None` if it has none, such as a stop word.
    pub(crate) fn term(&self, word: &str) -> Option<String> {
        // Hundreds of spellings are tried for a word with a typing error. What consists of letters is one
        // token.
        if word.len() < 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let words = question_words(word, &[self.morphology]);
            return words.into_iter().next()?.terms.into_iter().next().map(|term| term.text);
        }
        let mut terms = Vec::new();
        let token = Token { text: word.to_owned(), kind: TokenKind::Word };
        push_term(&token, self.morphology, self.stemmer.as_ref(), &mut terms);
        terms.into_iter().next().map(|term| term.text)
    }
}

/// Returns whether a question refers to the one before it.
pub(crate) fn is_anaphoric(text: &str, language: Morphology) -> bool {
    tokens::tokens(text).iter().any(|token| is_anaphor(language, &token.text))
}

fn push_term(token: &Token, morphology: Morphology, stemmer: Option<&Stemmer>, terms: &mut Vec<Term>) {
    let lower = &token.text;
    if lower.chars().count() > MAX_TERM_CHARS {
        return;
    }
    if token.kind != TokenKind::Word {
        terms.push(Term { text: fold(lower), alias: token.kind == TokenKind::Alias, filler: false });
        return;
    }
    if stop_words::is_stop_word(morphology, lower) {
        return;
    }
    let filler = is_filler(morphology, lower);
    let text = match stemmer {
        Some(stemmer) => fold(&stemmer.stem(lower)),
        None => fold(lower),
    };
    if !text.is_empty() {
        terms.push(Term { text, alias: false, filler });
    }
}

/// Removes diacritics and spells out Latin letters that have no decomposition.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.nfd().filter(|character| !is_combining_mark(*character)) {
        match character {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            other => folded.push(other),
        }
    }
    folded.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_terms() {
        let cases: &[(&str, Option<&str>, &[&str])] = &[
            ("How do I publish the packages?", Some("en"), &["publish", "packag"]),
            ("Publishing PACKAGES, published.", Some("en-GB"), &["publish", "packag", "publish"]),
            ("the npm_token of npm", Some("en"), &["npm_token", "npm", "token", "npm"]),
            ("Error EACCES: permission denied", Some("en"), &["error", "eacc", "permiss", "deni"]),
            ("npm 11.15.0 or v2.1", Some("en"), &["npm", "11.15.0", "v2.1"]),
            ("two-factor e-mail", Some("en"), &["twofactor", "two", "factor", "email", "mail"]),
            ("the owner's account isn't paid", Some("en"), &["owner", "account", "paid"]),
            ("costs $7, or 1,000 dollars", Some("en"), &["cost", "7", "1000", "dollar"]),
            ("package.json", Some("en"), &["package.json", "packag", "json"]),
            ("Wie kann ich die Karten ändern?", Some("de"), &["kart", "and"]),
            ("Straße", Some("de"), &["strass"]),
            ("l'abonnement de l’équipe", Some("fr"), &["abon", "equip"]),
            ("¿Cómo cancelo mi suscripción?", Some("es"), &["cancel", "suscripcion"]),
            ("¿Dónde está la factura?", Some("es"), &["factur"]),
            ("Kan ik mijn abonnement opzeggen", Some("nl"), &["abonnement", "opzeg"]),
            ("Come posso cambiare la password?", Some("it"), &["camb", "password"]),
            ("Como altero minha senha", Some("pt-BR"), &["alter", "senh"]),
            ("東京都の天気", Some("ja"), &["東京", "京都", "都の", "の天", "天気"]),
            ("npm价格", Some("zh"), &["npm", "价格"]),
            ("価", Some("ja"), &["価"]),
            ("прости пакеты", Some("ru"), &["прост", "пакет"]),
            ("zero\u{200b}width \u{202e}bidi", Some("en"), &["zerowidth", "bidi"]),
            ("", None, &[]),
            ("the of and", None, &[]),
            ("!!! --- ... 🙂", None, &[]),
        ];
        for (text, language, expected) in cases {
            assert_eq!(&analyze(text, *language), expected, "{text:?} in {language:?}");
        }
    }

    #[test]
    fn an_unknown_language_is_only_lower_cased() {
        assert_eq!(analyze("Tere Hommikust", Some("et")), ["tere", "hommikust"]);
    }

    #[test]
    fn a_single_word_has_the_term_of_a_question_of_it() {
        for morphology in [Morphology::of("en"), Morphology::of("de"), Morphology::of("et")] {
            let analyzer = WordAnalyzer::new(morphology);
            for word in
                ["packages", "the", "want", "Karten", "é", "a", "", "npm_token", "e-mail", "11.15", "kk"]
            {
                let words = question_words(word, &[morphology]);
                let term = words.first().map(|word| word.terms[0].text.clone());
                assert_eq!(analyzer.term(word), term, "{word} in {morphology:?}");
            }
        }
    }

    #[test]
    fn encoded_data_is_no_word() {
        let data = "a".repeat(5_000);
        assert!(analyze(&data, None).is_empty());
    }

    #[test]
    fn a_compound_is_marked_as_another_spelling() {
        let aliases: Vec<_> = terms("two-factor", Some("en")).into_iter().map(|term| term.alias).collect();
        assert_eq!(aliases, [true, false, false]);
    }

    #[test]
    fn diacritics_fold() {
        for (text, expected) in
            [("Crème brûlée", "Creme brulee"), ("œuvre", "oeuvre"), ("Łódź", "Łodz"), ("plain", "plain")]
        {
            assert_eq!(fold(text), expected);
        }
    }
}
