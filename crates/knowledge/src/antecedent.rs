//! Sentences that are only understood after the one before them: their subject is a pronoun.

use crate::analyze::Language;
use crate::words::Words;

/// Patterns in the form of [`Words::matches`], for each language, of sentences whose subject is in the
/// sentence before. Pronouns of which no noun is meant ("it is possible", "il faut", "es gibt") and the
/// polite form are none of them.
fn patterns(language: Language) -> (&'static [&'static str], &'static [&'static str]) {
    match language {
        Language::English => (
            &[
                "^ it|its|they|their|he|she|his|her",
                "^ this|that|these|those",
                "^ in|on|at|from _ it|they is|are|has|have",
            ],
            &[
                "^ it is|was possible|important|best|forbidden",
                "^ it is not possible|necessary",
                "^ this way|year|week|month|season|site|website|page",
            ],
        ),
        Language::German => (
            &[
                "^ er|es|dieser|diese|dieses|diesen|diesem|deren|dessen",
                "^ sie ist|hat|kann|wird|muss|kostet|liegt|dauert|findet|schliesst|offnet|bietet|gilt|war",
                "ist|hat|wird|kann|kostet|bleibt|schliesst|offnet er",
                "^ am|an|im|in|vom|von _ ist|hat|wird|sind|haben|werden er|es|sie",
            ],
            &[
                "^ es ist|war|wird|sind kein|keine|moglich|wichtig|verboten|erlaubt|notig",
                "^ es gibt|besteht|bestehen|gelten",
                "^ dieses|diese|diesen|dieser jahr|woche|monat|seite|website",
            ],
        ),
        Language::French => (
            &[
                "^ il|elle|ils|elles|celui|celle|ceux|celles|cela|ce|cet|cette|ces",
                "^ en|le|du|au|a|pendant _ il|elle|ils|elles est|sont|a|ont|reste|ferme|ouvre",
            ],
            &[
                "^ il y|faut|suffit|s|convient",
                "^ il est|sera possible|conseille|interdit|necessaire|important|recommande",
                "^ cette|cet|ce annee|semaine|mois|site|page",
            ],
        ),
        Language::Spanish => (
            &["^ este|esta|estos|estas|esto|ese|esa|esos|esas|eso|ella|ellos|ellas|aquel|aquella"],
            &["^ este|esta|estos|estas ano|semana|mes|dias|pagina|sitio|web"],
        ),
        Language::Italian => (
            &["^ esso|essa|essi|esse|questo|questa|questi|queste|quello|quella|lui|lei|loro"],
            &["^ questo|questa|questi anno|settimana|mese|sito|pagina"],
        ),
        Language::Dutch => (
            &["^ deze|dit|die|hij|zij|ze", "^ het is|kost|heeft|kan|wordt|ligt|duurt|sluit|opent|blijft|was"],
            &[
                "^ het is|was niet? mogelijk|verboden|toegestaan|belangrijk",
                "^ deze|dit week|maand|jaar|site|website|pagina",
            ],
        ),
        Language::Portuguese => (
            &["^ ele|ela|eles|elas|este|esta|estes|estas|esse|essa|esses|essas|isto|isso"],
            &["^ este|esta ano|semana|mes|site|pagina"],
        ),
        Language::Polish => (
            &["^ on|ona|ono|oni|one|ten|ta|to|te|ci", "^ jest|sa|byl|byla|bedzie on|ona|ono|one|oni"],
            &["^ to nie? jest", "^ w tym|ten|te rok|roku|tydzien|tygodniu|miesiac|miesiacu"],
        ),
    }
}

/// The words of a sentence that are looked at.
const FIRST: usize = 9;

/// Returns whether a sentence in a language (BCP 47; English if unknown) is only understood after the one
/// before it.
pub(crate) fn depends_on_previous(sentence: &str, language: Option<&str>) -> bool {
    let Some(language) = language.map_or(Some(Language::English), Language::from_tag) else { return false };
    let (dependent, independent) = patterns(language);
    let start = sentence.char_indices().nth(120).map_or(sentence, |(end, _)| &sentence[..end]);
    let words = Words::of(start).first(FIRST);
    words.has_any(dependent) && !words.has_any(independent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_as_the_subject_needs_the_sentence_before() {
        for (language, sentence) in [
            ("en", "It is closed on Mondays and at weekends."),
            ("en", "They cost £5 each."),
            ("en", "In winter it is closed."),
            ("de", "Es ist montags und dienstags geschlossen."),
            ("de", "Am Heiligabend und an Silvester ist er von 6:30 bis 11:00 geöffnet."),
            ("de", "Sie kostet 5 Euro."),
            ("fr", "Il est fermé pendant les vacances scolaires."),
            ("fr", "En décembre, il est aussi ouvert le lundi."),
            ("es", "Esta cierra los lunes."),
            ("it", "Questa resta chiusa il martedì."),
            ("nl", "Deze is op dinsdag gesloten."),
            ("nl", "Het is op maandag gesloten."),
            ("pt", "Ela está fechada à segunda-feira."),
            ("pl", "Jest on nieczynny w poniedziałki."),
        ] {
            assert!(depends_on_previous(sentence, Some(language)), "{sentence}");
        }
    }

    #[test]
    fn other_sentences_stand_alone() {
        for (language, sentence) in [
            ("en", "The workshop is closed on Mondays."),
            ("en", "It is possible to pay by card."),
            ("en", ""),
            ("de", "Sie können bei uns parken."),
            ("de", "Es gibt keine Parkplätze."),
            ("de", "Das Café öffnet um neun."),
            ("fr", "Il y a un parking."),
            ("fr", "Il est possible de payer par carte."),
            ("nl", "Het restaurant is gesloten."),
            ("pl", "Magiel jest czynny od wtorku."),
            ("et", "It is closed."),
        ] {
            assert!(!depends_on_previous(sentence, Some(language)), "{sentence}");
        }
    }
}
