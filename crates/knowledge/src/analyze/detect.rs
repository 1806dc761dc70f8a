//! Detection of a text's language by its function words.

use super::language::Language;
use super::stop_words;

/// Fewest stop words that decide the language of a text.
const MIN_EVIDENCE: usize = 2;

/// Longest prefix read for detection, in bytes; more text does not change the result.
const DETECTION_BYTES: usize = 20_000;

/// Returns the language of a text, or `None` if its function words do not decide it.
///
/// ```
/// use frontdesk_knowledge::{Language, detect_language};
///
/// assert_eq!(detect_language("Wie viel Zeit habe ich dafür?"), Some(Language::German));
/// ```
pub fn detect_language(text: &str) -> Option<Language> {
    let prefix = &text[..text.floor_char_boundary(DETECTION_BYTES)];
    let mut counts = Language::ALL.map(|_| 0_usize);
    let words = prefix.split(|character: char| !character.is_alphabetic()).filter(|word| word.len() > 1);
    for word in words {
        let mut languages = stop_words::languages_of(&word.to_lowercase());
        while languages != 0 {
            counts[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }
    let mut best: Option<(usize, Language)> = None;
    let mut tied = false;
    for (language, count) in Language::ALL.into_iter().zip(counts) {
        match best {
            Some((most, _)) if count < most => {}
            Some((most, _)) if count == most => tied = true,
            _ => {
                best = Some((count, language));
                tied = false;
            }
        }
    }
    best.filter(|(count, _)| *count >= MIN_EVIDENCE && !tied).map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_decide_the_language() {
        let cases = [
            ("What do I have to do when the card was declined?", Some("en")),
            ("Meine Karte wurde abgelehnt. Wie viel Zeit habe ich, sie zu ändern?", Some("de")),
            ("Est-ce que je peux changer la carte dans les paramètres ?", Some("fr")),
            ("¿Cómo puedo cambiar la tarjeta de mi cuenta?", Some("es")),
            ("Hoe kan ik mijn abonnement van het account wijzigen?", Some("nl")),
            ("Come posso cambiare il metodo di pagamento della mia azienda?", Some("it")),
            ("Como posso alterar o cartão da minha conta? Não consigo.", Some("pt")),
            ("Czy mogę zapłacić kartą? Nie mam przy sobie gotówki.", Some("pl")),
            ("npm ERR! EACCES", None),
            ("", None),
            ("価格はいくらですか", None),
        ];
        for (text, expected) in cases {
            assert_eq!(detect_language(text).map(Language::tag), expected, "{text}");
        }
    }
}
