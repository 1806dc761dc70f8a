//! Words that say when: days, dates and times, and whether a business is open then. They do not name what a
//! question is about.

use std::sync::LazyLock;

use foldhash::{HashSet, HashSetExt};

use super::{calendar, days};
use crate::words::{Words, fold_text};

/// Words that say that a business is open or closed, or that somebody comes there. A word ending in `*` also
/// begins longer words.
const OPEN: &str = "open|opened|opening|opens|close|closes|closed|closing|shut|shuts|hours|schedule|come|coming|visit|visiting|drop|reopen|\
    offen|geoffnet|geschlossen|aufhaben|offnet|schliesst|schliessen|offnen|offnungszeit|offnungszeiten|vorbeikommen|vorbeischauen|besuchen|\
    ouvert|ouverte|ouverts|ouvertes|ouvre|ouvrez|ouvrir|ouverture|ferme|fermes|fermee|fermees|fermez|fermeture|horaire|horaires|\
    abierto|abierta|abiertos|abren|abre|abris|abrir|cierra|cierran|cierre|cierras|cerrado|cerrada|cerrados|cerrais|horario|horarios|\
    aperto|aperta|aperti|apre|aprite|apri|chiuso|chiusa|chiusi|chiude|chiudete|apertura|chiusura|orario|orari|\
    gesloten|sluit|sluiten|openingstijden|openingsuren|opent|langskomen|bezoeken|\
    aberto|aberta|abertos|abrem|fecha|fecham|fechado|fechada|encerrado|encerrada|\
    otwarte|otwarta|otwarty|otwarci|czynne|czynny|czynna|nieczynne|nieczynny|nieczynni|zamkniete|zamknieta|zamkniety|zamknieci|godziny|otwarcia";

/// Words for parts of the day, for dates and times in general.
const TIME: &str = "today|tomorrow|tonight|morning|afternoon|evening|night|noon|midday|midnight|lunchtime|early|late|time|times|clock|oclock|am|pm|\
    day|days|week|weeks|month|year|date|dates|holiday|holidays|public|bank|season|always|usual|usually|normal|normally|regular|all|round|\
    heute|morgen|abend|abends|morgens|vormittag|vormittags|nachmittag|nachmittags|mittag|mittags|nacht|nachts|uhr|uhrzeit|spat|fruh|\
    tag|tage|woche|monat|jahr|datum|feiertag|feiertage|feiertagen|feiertags|\
    demain|matin|soir|midi|minuit|nuit|heure|heures|jour|jours|semaine|mois|annee|feries|ferie|vacances|tard|\
    hoy|manana|tarde|noche|mediodia|hora|horas|dia|dias|semana|mes|ano|festivo|festivos|feriado|feriados|\
    oggi|domani|mattina|mattino|pomeriggio|sera|notte|mezzogiorno|ora|ore|giorno|giorni|settimana|mese|anno|festivi|\
    vandaag|avond|middag|ochtend|uur|laat|vroeg|dag|dagen|maand|jaar|feestdag|feestdagen|\
    hoje|amanha|manha|noite|feira|\
    dzis|dzisiaj|jutro|rano|wieczor|wieczorem|poludnie|godzina|godzinie|ktorej|dzien|dni|tydzien|miesiac|rok|swieta|swieto|\
    through|until|till|from|between|zwischen|von|vom|bis|und|du|au|de|le|la|les|et|del|al|el|los|las|dal|il|lo|gli|tot|met|van|op|om|\
    das|as|aos|ao|od|do|w|we|the|on|to|and|of|at|an|im|zum|a|e|y|en|i|in";

static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let mut words = HashSet::new();
    words.extend(OPEN.split('|').chain(TIME.split('|')));
    words
});

/// Returns whether a word in the form of [`fold_text`] says that something is open or closed.
pub(super) fn is_open_word(word: &str) -> bool {
    static OPEN_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| OPEN.split('|').collect());
    OPEN_WORDS.contains(word)
}

/// Words for a time in which a business is closed.
const BREAK: &[&str] = &[
    "winter|summer|christmas break|holiday|holidays|vacation",
    "on holiday|vacation|leave",
    "betriebsferien|betriebsurlaub|urlaub|ferien|winterpause|sommerpause|ruhetag",
    "conges|vacances|relache",
    "vacaciones",
    "ferie",
    "vakantie",
    "ferias",
    "urlop|urlopie|przerwa|przerwe",
];

/// Returns whether a text says that something is open or closed, in words.
pub fn names_opening(text: &str) -> bool {
    let words = Words::of(text);
    words.iter().any(is_open_word) || words.has_any(BREAK)
}

/// Returns whether a word says when rather than what: a day, a month, a time, or that something is open.
pub fn says_when(word: &str) -> bool {
    is_moment(&fold_text(word))
}

/// Returns the same as [`says_when`] of a word in the form of [`fold_text`].
pub(super) fn is_moment(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        || WORDS.contains(word)
        || days::names_day(word)
        || calendar::names_month(word)
        || calendar::names_feast(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_when_is_told_from_what_is_asked_about() {
        for word in [
            "Sundays",
            "samedi",
            "Dezember",
            "open",
            "geöffnet",
            "25th",
            "17:00",
            "mañana",
            "święta",
            "Easter",
        ] {
            assert!(says_when(word), "{word}");
        }
        for word in ["deliver", "workshop", "Kurse", "réparation", "recoger", "weddings", "kosten"] {
            assert!(!says_when(word), "{word}");
        }
    }
}
