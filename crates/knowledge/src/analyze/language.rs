//! The languages the analysis knows, and telling them apart.

use rust_stemmers::{Algorithm, Stemmer};

use super::stop_words;

/// Fewest stop words that settle the language of a text.
const MIN_EVIDENCE: usize = 2;

/// Longest prefix read for detection, in bytes; more text does not change the verdict.
const DETECTION_BYTES: usize = 20_000;

/// A language by its primary subtag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Dutch,
    Italian,
    Portuguese,
    /// A language with a stemmer but without a stop word list.
    Stemmed(StemOf),
    Other,
}

/// Languages the analysis only stems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum StemOf {
    Arabic,
    Danish,
    Finnish,
    Greek,
    Hungarian,
    Norwegian,
    Romanian,
    Russian,
    Swedish,
    Tamil,
    Turkish,
}

impl Language {
    /// The languages that have stop word lists, in the order ties are settled.
    pub(super) const WITH_STOP_WORDS: [(Self, &'static str); 7] = [
        (Self::English, "en"),
        (Self::German, "de"),
        (Self::French, "fr"),
        (Self::Spanish, "es"),
        (Self::Dutch, "nl"),
        (Self::Italian, "it"),
        (Self::Portuguese, "pt"),
    ];

    /// The language of a BCP 47 tag.
    pub(crate) fn of(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
        match primary.as_str() {
            "en" => Self::English,
            "de" => Self::German,
            "fr" => Self::French,
            "es" => Self::Spanish,
            "nl" => Self::Dutch,
            "it" => Self::Italian,
            "pt" => Self::Portuguese,
            "ar" => Self::Stemmed(StemOf::Arabic),
            "da" => Self::Stemmed(StemOf::Danish),
            "fi" => Self::Stemmed(StemOf::Finnish),
            "el" => Self::Stemmed(StemOf::Greek),
            "hu" => Self::Stemmed(StemOf::Hungarian),
            "no" | "nb" | "nn" => Self::Stemmed(StemOf::Norwegian),
            "ro" => Self::Stemmed(StemOf::Romanian),
            "ru" => Self::Stemmed(StemOf::Russian),
            "sv" => Self::Stemmed(StemOf::Swedish),
            "ta" => Self::Stemmed(StemOf::Tamil),
            "tr" => Self::Stemmed(StemOf::Turkish),
            _ => Self::Other,
        }
    }

    pub(super) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Dutch => Algorithm::Dutch,
            Self::Italian => Algorithm::Italian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Stemmed(StemOf::Arabic) => Algorithm::Arabic,
            Self::Stemmed(StemOf::Danish) => Algorithm::Danish,
            Self::Stemmed(StemOf::Finnish) => Algorithm::Finnish,
            Self::Stemmed(StemOf::Greek) => Algorithm::Greek,
            Self::Stemmed(StemOf::Hungarian) => Algorithm::Hungarian,
            Self::Stemmed(StemOf::Norwegian) => Algorithm::Norwegian,
            Self::Stemmed(StemOf::Romanian) => Algorithm::Romanian,
            Self::Stemmed(StemOf::Russian) => Algorithm::Russian,
            Self::Stemmed(StemOf::Swedish) => Algorithm::Swedish,
            Self::Stemmed(StemOf::Tamil) => Algorithm::Tamil,
            Self::Stemmed(StemOf::Turkish) => Algorithm::Turkish,
            Self::Other => return None,
        };
        Some(Stemmer::create(algorithm))
    }
}

/// The language of a text by its function words, as a primary subtag; `None` when they do not settle it.
///
/// Knows English, German, French, Spanish, Dutch, Italian and Portuguese.
///
/// ```
/// assert_eq!(frontdesk_knowledge::detect_language("Wie viel Zeit habe ich dafür?"), Some("de"));
/// ```
pub fn detect_language(text: &str) -> Option<&'static str> {
    let prefix = &text[..text.floor_char_boundary(DETECTION_BYTES)];
    let words: Vec<String> = prefix
        .split(|character: char| !character.is_alphabetic())
        .filter(|word| word.len() > 1)
        .map(str::to_lowercase)
        .collect();
    let mut best: Option<(usize, &'static str)> = None;
    let mut tied = false;
    for (language, tag) in Language::WITH_STOP_WORDS {
        let count = words.iter().filter(|word| stop_words::is_stop_word(language, word)).count();
        match best {
            Some((most, _)) if count < most => {}
            Some((most, _)) if count == most => tied = true,
            _ => {
                best = Some((count, tag));
                tied = false;
            }
        }
    }
    best.filter(|(count, _)| *count >= MIN_EVIDENCE && !tied).map(|(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_tell_the_language() {
        let cases = [
            ("What do I have to do when the card was declined?", Some("en")),
            ("Meine Karte wurde abgelehnt. Wie viel Zeit habe ich, sie zu ändern?", Some("de")),
            ("Est-ce que je peux changer la carte dans les paramètres ?", Some("fr")),
            ("¿Cómo puedo cambiar la tarjeta de mi cuenta?", Some("es")),
            ("Hoe kan ik mijn abonnement van het account wijzigen?", Some("nl")),
            ("Come posso cambiare il metodo di pagamento della mia azienda?", Some("it")),
            ("Como posso alterar o cartão da minha conta? Não consigo.", Some("pt")),
            ("npm ERR! EACCES", None),
            ("", None),
            ("価格はいくらですか", None),
        ];
        for (text, expected) in cases {
            assert_eq!(detect_language(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_read_by_their_primary_subtag() {
        for (tag, expected) in [
            ("en-US", Language::English),
            ("DE_at", Language::German),
            ("nb-NO", Language::Stemmed(StemOf::Norwegian)),
            ("xx", Language::Other),
            ("", Language::Other),
        ] {
            assert_eq!(Language::of(tag), expected, "{tag}");
        }
    }
}
