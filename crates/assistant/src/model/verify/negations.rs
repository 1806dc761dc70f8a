//! Words of negation in each language, in the form of [`Words`](frontdesk_knowledge::Words).

use frontdesk_knowledge::Language;

/// Words of one language by which a statement is negated or limited.
pub(super) struct Negations {
    /// Words that negate.
    pub(super) words: &'static [&'static str],
    /// Words after which a negation only limits ("no later than", "not only").
    pub(super) limits: &'static [&'static str],
    /// Words that exclude something without a negation, so the same fact may be stated with a negation or
    /// without.
    pub(super) exclusions: &'static [&'static str],
    /// Words that begin the reply to a yes-or-no question.
    pub(super) replies: &'static [&'static str],
    /// Words that begin another statement within a sentence.
    pub(super) contrasts: &'static [&'static str],
}

/// English contractions with "not", as one word.
pub(super) const CONTRACTIONS: [&str; 19] = [
    "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "mustnt",
    "neednt", "shant", "shouldnt", "wasnt", "werent", "wont", "wouldnt", "aint",
];

/// Returns the words of a language.
pub(super) fn negations(language: Language) -> &'static Negations {
    match language {
        Language::English => &Negations {
            words: &[
                "no", "not", "never", "none", "cannot", "nor", "neither", "nothing", "nobody", "nowhere",
                "nope",
            ],
            limits: &["only", "later", "earlier", "more", "less", "fewer", "longer"],
            exclusions: &[
                "without",
                "closed",
                "unavailable",
                "impossible",
                "forbidden",
                "prohibited",
                "excluded",
                "except",
                "only",
            ],
            replies: &["yes", "yeah", "yep", "no", "nope"],
            contrasts: &["but", "however", "whereas", "while", "although", "though"],
        },
        Language::German => &Negations {
            words: &[
                "nein",
                "nicht",
                "nichts",
                "nie",
                "niemals",
                "niemand",
                "nirgends",
                "weder",
                "kein",
                "keine",
                "keinem",
                "keinen",
                "keiner",
                "keines",
                "keinerlei",
                "keinesfalls",
            ],
            limits: &["nur", "spater", "fruher", "weniger", "langer"],
            exclusions: &[
                "ohne",
                "geschlossen",
                "ruhetag",
                "verboten",
                "untersagt",
                "ausgeschlossen",
                "ausser",
                "nur",
            ],
            replies: &["ja", "jawohl", "doch", "nein"],
            contrasts: &["aber", "sondern", "jedoch", "wahrend", "obwohl"],
        },
        Language::French => &Negations {
            words: &["non", "ne", "n", "pas", "jamais", "aucun", "aucune", "rien", "ni"],
            limits: &["seulement"],
            exclusions: &[
                "sans",
                "ferme",
                "fermee",
                "fermes",
                "fermees",
                "interdit",
                "interdite",
                "interdits",
                "exclu",
                "sauf",
                "seulement",
            ],
            replies: &["oui", "si", "non"],
            contrasts: &["mais", "cependant", "toutefois"],
        },
        Language::Spanish => &Negations {
            words: &[
                "no", "nunca", "jamas", "ningun", "ninguno", "ninguna", "nada", "nadie", "tampoco", "ni",
            ],
            limits: &["solo", "solamente"],
            exclusions: &[
                "sin",
                "cerrado",
                "cerrada",
                "cerrados",
                "prohibido",
                "prohibida",
                "excluido",
                "excepto",
                "salvo",
                "solo",
            ],
            replies: &["si", "no"],
            contrasts: &["pero", "sino", "aunque"],
        },
        Language::Dutch => &Negations {
            words: &["nee", "niet", "niets", "geen", "nooit", "niemand", "nergens"],
            limits: &["alleen", "later", "eerder", "minder", "langer"],
            exclusions: &["zonder", "gesloten", "verboden", "uitgesloten", "behalve", "alleen"],
            replies: &["ja", "jawel", "nee"],
            contrasts: &["maar", "echter", "hoewel"],
        },
        Language::Italian => &Negations {
            words: &["no", "non", "mai", "nessun", "nessuno", "nessuna", "niente", "nulla"],
            limits: &["solo", "soltanto"],
            exclusions: &[
                "senza", "chiuso", "chiusa", "chiusi", "vietato", "vietata", "escluso", "esclusa", "tranne",
                "solo",
            ],
            replies: &["si", "no"],
            contrasts: &["ma", "pero", "tuttavia"],
        },
        Language::Portuguese => &Negations {
            words: &["nao", "nunca", "jamais", "nenhum", "nenhuma", "nada", "ninguem", "nem", "tampouco"],
            limits: &["so", "apenas", "somente"],
            exclusions: &[
                "sem", "fechado", "fechada", "fechados", "proibido", "proibida", "excluido", "exceto",
                "apenas",
            ],
            replies: &["sim", "nao"],
            contrasts: &["mas", "porem", "embora"],
        },
        Language::Polish => &Negations {
            words: &["nie", "nigdy", "zaden", "zadna", "zadne", "zadnych", "nic", "nikt", "brak"],
            limits: &["tylko", "pozniej", "wczesniej"],
            exclusions: &[
                "bez",
                "zamkniete",
                "zamkniety",
                "nieczynne",
                "zakaz",
                "zabronione",
                "oprocz",
                "tylko",
            ],
            replies: &["tak", "nie"],
            contrasts: &["ale", "lecz", "jednak"],
        },
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_knowledge::Words;

    use super::*;

    #[test]
    fn words_are_in_the_form_of_the_comparison() {
        for language in Language::ALL {
            let Negations { words, limits, exclusions, replies, contrasts } = negations(language);
            for word in
                [words, limits, exclusions, replies, contrasts].into_iter().flat_map(|list| list.iter())
            {
                assert_eq!(Words::of(word).joined(), **word);
            }
        }
    }
}
