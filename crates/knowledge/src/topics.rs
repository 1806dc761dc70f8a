//! Recognition of a few topics by their words, in eight languages: contact pages, legal pages, notices that
//! operate a site.

use std::collections::BTreeSet;

/// Names of contact pages: the beginnings of words in titles and addresses, lower-case.
const CONTACT: [&str; 30] = [
    "contact",
    "kontakt",
    "contatt",
    "contat",
    "anfahrt",
    "standort",
    "location",
    "find us",
    "find-us",
    "visit us",
    "visit-us",
    "directions",
    "opening",
    "hours",
    "öffnungszeit",
    "oeffnungszeit",
    "oeffnung",
    "horaire",
    "horario",
    "horário",
    "orari",
    "openingstijd",
    "godziny",
    "acces",
    "accès",
    "adresse",
    "ubicaci",
    "locali",
    "dove siamo",
    "dove-siamo",
];

/// Names of legal pages: the beginnings of words in titles and addresses, lower-case.
const LEGAL: [&str; 46] = [
    "imprint",
    "impressum",
    "privacy",
    "datenschutz",
    "terms",
    "conditions",
    "legal",
    "agb",
    "cookie",
    "disclaimer",
    "gdpr",
    "dsgvo",
    "widerruf",
    "nutzungsbedingung",
    "geschäftsbedingung",
    "geschaeftsbedingung",
    "mentions légales",
    "mentions-legales",
    "mentions legales",
    "confidentialité",
    "confidentialite",
    "cgv",
    "cgu",
    "aviso legal",
    "aviso-legal",
    "privacidad",
    "términos",
    "terminos",
    "condiciones",
    "note legali",
    "note-legali",
    "riservatezza",
    "termini",
    "condizioni",
    "colofon",
    "voorwaarden",
    "privacyverklaring",
    "privacidade",
    "termos",
    "condições",
    "condicoes",
    "prywatno",
    "regulamin",
    "rodo",
    "nota prawna",
    "nota-prawna",
];

/// Longest name, in words, that is the name of a legal page. Longer ones are articles about such a subject.
const LONGEST_LEGAL_NAME: usize = 6;

/// Words of notices that operate a site, lower-case: consent, newsletters, feedback, script warnings.
const NOTICES: [&str; 25] = [
    "cookie",
    "ciastecz",
    "newsletter",
    "subscribe to our",
    "sign up for our",
    "skip to",
    "zum inhalt springen",
    "enable javascript",
    "javascript is",
    "javascript aktivieren",
    "activer javascript",
    "page helpful",
    "article helpful",
    "seite hilfreich",
    "cet article vous",
    "recaptcha",
    "abonnieren sie",
    "abonnez-vous",
    "suscríbete",
    "iscriviti alla",
    "schrijf je in voor",
    "subscreva",
    "zapisz się",
    "back to top",
    "nach oben",
];

/// Longest notice, in characters. Longer text says more than that.
const LONGEST_NOTICE: usize = 400;

/// Returns the distinct words of a text with at least four letters, lower-case.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().count() >= 4)
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether a title or address belongs to a page on how to reach a business.
pub(crate) fn is_contact_name(name: &str) -> bool {
    contains_name(&name.to_lowercase(), &CONTACT)
}

/// Returns whether a text has a telephone number, an email address or times of a day.
pub(crate) fn has_contact_facts(text: &str) -> bool {
    let has_times = || {
        text.split(|character: char| character.is_whitespace() || "-–—,;()".contains(character)).any(|word| {
            let digits =
                |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            word.split_once([':', 'h', '.'])
                .is_some_and(|(hour, minute)| digits(hour) && (digits(minute) || minute.is_empty()))
        })
    };
    let has_number = || {
        let mut digits = 0;
        text.chars().any(|character| {
            match character {
                '0'..='9' => digits += 1,
                ' ' | '(' | ')' | '-' | '/' | '.' | '+' | '\u{a0}' => {}
                _ => digits = 0,
            }
            digits >= 7
        })
    };
    text.contains('@') || has_number() || has_times()
}

/// Returns whether the title or the last segment of the address names a legal page: imprint, privacy, terms.
pub(crate) fn is_legal_name(title: &str, path: &str) -> bool {
    let segment = path.rsplit('/').find(|segment| !segment.is_empty() && !segment.starts_with("index."));
    let names = |name: &str| {
        let name = name.to_lowercase();
        name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).count()
            <= LONGEST_LEGAL_NAME
            && contains_name(&name, &LEGAL)
    };
    names(title) || segment.is_some_and(names)
}

/// Returns whether a line only operates the site, such as a cookie notice or a newsletter prompt.
pub(crate) fn is_site_notice(line: &str) -> bool {
    line.len() <= LONGEST_NOTICE && {
        let line = line.to_lowercase();
        NOTICES.iter().any(|notice| line.contains(notice)) && !line.contains('@')
    }
}

/// Returns whether one of the names begins at the beginning of a word.
fn contains_name(text: &str, names: &[&str]) -> bool {
    let mut is_inside = false;
    text.char_indices().any(|(start, character)| {
        let begins = !is_inside;
        is_inside = character.is_alphanumeric();
        begins && is_inside && names.iter().any(|name| text[start..].starts_with(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_pages_are_recognised_by_name() {
        for (title, path) in [
            ("Impressum", "/x"),
            ("Acme", "/datenschutz/"),
            ("Privacy Policy", "/p"),
            ("Mentions légales", "/mentions/"),
            ("Aviso legal", "/legal.html"),
            ("Algemene voorwaarden", "/av"),
            ("Polityka prywatności", "/pp"),
            ("Termos de uso", "/t"),
            ("Note legali", "/n"),
            ("X", "/terms-and-conditions/index.html"),
        ] {
            assert!(is_legal_name(title, path), "{title} {path}");
        }
        for (title, path) in [
            ("Prices", "/prices"),
            ("Paralegal services", "/services"),
            (
                "How we protect your privacy while you are at our hotel",
                "/blog/how-we-protect-your-privacy-at-our-hotel",
            ),
            ("Spa", "/terms/spa"),
            ("Start", "/"),
        ] {
            assert!(!is_legal_name(title, path), "{title} {path}");
        }
    }

    #[test]
    fn contact_facts_and_pages() {
        for text in ["Call 0113 496 0127", "a@b.example", "Sat 9:00", "samedi 9h-12h30"] {
            assert!(has_contact_facts(text), "{text}");
        }
        for text in ["We have 12 bikes", "Since 1987 and 1990", ""] {
            assert!(!has_contact_facts(text), "{text}");
        }
        assert!(is_contact_name("Kontakt & Anfahrt /kontakt/") && !is_contact_name("Lens cleaning"));
    }

    #[test]
    fn notices_are_not_facts() {
        assert!(
            is_site_notice("We use cookies to improve this site.")
                && is_site_notice("Was this page helpful?")
        );
        assert!(!is_site_notice("Open Monday to Friday"));
    }
}
