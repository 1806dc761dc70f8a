//! Detection of a text's language by its function words.

use super::language::Language;
use super::stop_words;

/// Fewest stop words that decide the language of a text.
const MIN_EVIDENCE: usize = 2;

/// Longest prefix read for detection, in bytes; more text does not change the result.
const DETECTION_BYTES: usize = 20_000;

/// Content words of questions to a business that belong to one language. They decide where function words do
/// not: "Was kostet die Lieferung?" has as many Dutch ones as German ones.
const TYPICAL: [(Language, &str); 8] = [
    (Language::English, "cost costs delivery open opening price refund shipping"),
    (
        Language::German,
        "geöffnet geschlossen kosten kostet lieferung liefert offen preis öffnungszeiten verkauft",
    ),
    (Language::French, "coûte coûtent fermé horaires livraison livrez ouvert prix vendez"),
    (Language::Spanish, "abierto cerrado cuesta cuestan envío horario precio vendéis"),
    (Language::Dutch, "bezorgen gesloten kost kosten levering openingstijden prijs verkopen"),
    (Language::Italian, "aperto aperti chiuso consegna costa costano orari prezzo vendete"),
    (Language::Portuguese, "aberto abertos custa custam entrega fechado preço vendem"),
    (Language::Polish, "cena czynne dostawa godziny kosztuje kosztują otwarte sprzedajecie"),
];

/// Characters that only one of the languages has.
const LETTERS: [(Language, &str); 4] = [
    (Language::German, "ß"),
    (Language::Spanish, "¿¡ñ"),
    (Language::Portuguese, "ãõ"),
    (Language::Polish, "ąęłńśźż"),
];

/// How many words and letters of a text speak for each language, in the order of [`Language::ALL`].
struct Evidence([usize; Language::ALL.len()]);

impl Evidence {
    /// Counts function words.
    fn of(text: &str) -> Self {
        let mut counts = Language::ALL.map(|_| 0_usize);
        let prefix = &text[..text.floor_char_boundary(DETECTION_BYTES)];
        for word in words(prefix) {
            let mut languages = stop_words::languages_of(&word.to_lowercase());
            while languages != 0 {
                counts[languages.trailing_zeros() as usize] += 1;
                languages &= languages - 1;
            }
        }
        Self(counts)
    }

    /// Adds typical content words and letters.
    fn add_typical(&mut self, text: &str) {
        let lower = text[..text.floor_char_boundary(DETECTION_BYTES)].to_lowercase();
        for (language, list) in TYPICAL {
            let typical: Vec<&str> = list.split(' ').collect();
            self.0[language as usize] += words(&lower).filter(|word| typical.contains(word)).count();
        }
        for (language, letters) in LETTERS {
            let has_letter = lower.contains(|character: char| letters.contains(character));
            self.0[language as usize] += usize::from(has_letter);
        }
    }

    /// Returns the language with the most evidence if it has at least `least` and no other one has as much.
    fn decided(&self, least: usize) -> Option<Language> {
        let most = self.0.iter().copied().max().filter(|most| *most >= least)?;
        let mut heard = Language::ALL.into_iter().zip(self.0).filter(|(_, count)| *count == most);
        let first = heard.next().map(|(language, _)| language);
        first.filter(|_| heard.next().is_none())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphabetic()).filter(|word| word.len() > 1)
}

/// Returns the language of a text, or `None` if its words do not decide it.
///
/// ```
/// use frontdesk_knowledge::{Language, detect_language};
///
/// assert_eq!(detect_language("Wie viel Zeit habe ich dafür?"), Some(Language::German));
/// ```
pub fn detect_language(text: &str) -> Option<Language> {
    let mut evidence = Evidence::of(text);
    evidence.decided(MIN_EVIDENCE).or_else(|| {
        evidence.add_typical(text);
        evidence.decided(MIN_EVIDENCE)
    })
}

/// Returns the likeliest language of a text, for which a single word is enough. A name or a borrowed word can
/// be that word.
pub(crate) fn likely_language(text: &str) -> Option<Language> {
    let mut evidence = Evidence::of(text);
    evidence.add_typical(text);
    evidence.decided(1)
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
            ("Was kostet die Lieferung?", Some("de")),
            ("Wat kost de levering?", Some("nl")),
            ("¿Hay piscina?", Some("es")),
            ("Sind Hunde erlaubt?", None),
            ("npm ERR! EACCES", None),
            ("", None),
            ("価格はいくらですか", None),
        ];
        for (text, expected) in cases {
            assert_eq!(detect_language(text).map(Language::tag), expected, "{text}");
        }
    }

    #[test]
    fn a_single_word_makes_a_language_likely() {
        for (text, expected) in [
            ("Sind Hunde erlaubt?", Some("de")),
            ("Are dogs welcome?", Some("en")),
            ("Peut-on venir ?", Some("fr")),
            ("EACCES", None),
        ] {
            assert_eq!(likely_language(text).map(Language::tag), expected, "{text}");
        }
    }
}
