//! Conjugation: from the verb forms of a visitor's question to those in which a business speaks of itself.
//!
//! "Livrez-vous ?" is answered by "Nous livrons", "Liefert ihr?" by "Wir liefern". The stemmers of some
//! languages keep such forms apart.

use super::language::Language;

/// Fewest characters of a verb; shorter words are seldom verbs.
const MIN_CHARS: usize = 4;

/// Returns other forms of a word of a question, in lower case, as if it were a verb. For other words they are
/// nonsense, which no text has.
pub(crate) fn of(word: &str, language: Language) -> Vec<String> {
    if word.chars().count() < MIN_CHARS {
        return Vec::new();
    }
    match language {
        // vous livrez, nous livrons; vous mangez, nous mangeons
        Language::French => match word.strip_suffix("ez") {
            Some(stem) => vec![format!("{stem}ons"), format!("{stem}eons")],
            None => Vec::new(),
        },
        // ihr nehmt, wir nehmen; ihr bietet, wir bieten; ihr liefert, wir liefern
        Language::German => match word.strip_suffix('t') {
            Some(stem) if stem.ends_with("er") || stem.ends_with("el") => vec![format!("{stem}n")],
            Some(stem) => vec![format!("{}en", stem.strip_suffix('e').unwrap_or(stem))],
            None => Vec::new(),
        },
        // cierran, cerramos; pueden, podemos
        Language::Spanish => [("ie", "e"), ("ue", "o")]
            .into_iter()
            .filter_map(|(stressed, plain)| {
                let at = word.rfind(stressed)?;
                Some(format!("{}{plain}{}", &word[..at], &word[at + stressed.len()..]))
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::analyze;

    #[test]
    fn what_is_asked_is_found_in_what_is_said() {
        for (language, asked, said) in [
            (Language::French, "livrez", "livrons"),
            (Language::French, "acceptez", "acceptons"),
            (Language::French, "échangez", "échangeons"),
            (Language::German, "liefert", "liefern"),
            (Language::German, "nehmt", "nehmen"),
            (Language::German, "bietet", "bieten"),
            (Language::German, "repariert", "reparieren"),
            (Language::German, "öffnet", "öffnen"),
            (Language::Spanish, "cierran", "cerramos"),
            (Language::Spanish, "vuelven", "volvemos"),
        ] {
            let tag = Some(language.tag());
            let stem = analyze(said, tag);
            let found = of(asked, language).iter().any(|form| analyze(form, tag) == stem);
            assert!(found, "{asked} {said}");
        }
    }

    #[test]
    fn short_words_and_other_endings_are_left_alone() {
        assert!(of("bus", Language::German).is_empty());
        assert!(of("chez", Language::English).is_empty());
        assert!(of("livraison", Language::French).is_empty());
    }
}
