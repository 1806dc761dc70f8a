//! Recognition of the attributes that a text states.

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt};

use super::{Attribute, Attributes, Days, moments};
use crate::words::Words;

/// Signs and codes of currencies.
const CURRENCY_SIGNS: [char; 5] = ['$', '€', '£', '¥', '₹'];
const CURRENCY_WORDS: &[&str] = &[
    "eur", "euro", "euros", "usd", "gbp", "chf", "dollar", "dollars", "pounds", "pfund", "cents", "zl",
    "zloty", "pln", "pence", "rappen", "sek", "nok", "dkk", "franken", "francs", "franchi", "czk", "kc",
];
const FREE_WORDS: &[&str] = &[
    "free",
    "kostenlos",
    "kostenfrei",
    "gratis",
    "gratuit",
    "gratuite",
    "gratuito",
    "gratuita",
    "gratuitement",
    "umsonst",
    "darmowe",
    "bezplatnie",
];

/// Words that say when something is open or closed.
const CLOSED_WORDS: &[&str] = &[
    "closed",
    "geschlossen",
    "ruhetag",
    "ferme",
    "fermes",
    "fermee",
    "fermees",
    "cerrado",
    "cerrada",
    "cerrados",
    "gesloten",
    "chiuso",
    "chiusa",
    "chiusi",
    "fechado",
    "fechada",
    "fechados",
    "encerrado",
    "encerrada",
    "nieczynne",
    "nieczynny",
    "nieczynna",
    "nieczynni",
    "zamkniete",
    "zamknieta",
    "zamkniety",
];

/// Ways to pay.
const PAYMENT_WORDS: &[&str] = &[
    "visa",
    "mastercard",
    "amex",
    "paypal",
    "maestro",
    "girocard",
    "bizum",
    "ideal",
    "klarna",
    "sepa",
    "cash",
    "bargeld",
    "barzahlung",
    "bar",
    "especes",
    "efectivo",
    "contanti",
    "contant",
    "dinheiro",
    "gotowka",
    "ecocheque",
    "twint",
    "contactless",
    "kontaktlos",
    "applepay",
    "stripe",
    "tarjeta",
    "tarjetas",
    "ec",
    "bancontact",
    "cheque",
    "cheques",
    "check",
    "checks",
    "invoice",
    "rechnung",
    "uberweisung",
    "virement",
    "bonifico",
    "transferencia",
    "kreditkarte",
    "kreditkarten",
    "kartenzahlung",
    "karte",
    "carte",
    "cartes",
    "carta",
    "cartao",
    "creditcard",
    "debit",
    "credit",
];

/// Parts of street names and words of addresses.
const STREET_WORDS: &[&str] = &[
    "street",
    "strasse",
    "gasse",
    "platz",
    "avenue",
    "ave",
    "road",
    "lane",
    "drive",
    "boulevard",
    "blvd",
    "square",
    "court",
    "highway",
    "suite",
    "rue",
    "chemin",
    "impasse",
    "quai",
    "calle",
    "plaza",
    "avenida",
    "paseo",
    "carrer",
    "camino",
    "via",
    "viale",
    "piazza",
    "corso",
    "rua",
    "praca",
    "travessa",
    "ulica",
    "ul",
    "plac",
    "straat",
    "laan",
    "plein",
    "weg",
    "route",
    "allee",
];
const STREET_ENDINGS: &[&str] = &[
    "strasse", "gasse", "platz", "allee", "damm", "ufer", "straat", "laan", "plein", "weg", "gracht", "kade",
];

/// Abbreviations that end the street of an address such as `520 S. 3rd St`. They also mean other things, such
/// as a title, so they count only after a number.
const STREET_ABBREVIATIONS: &[&str] =
    &["st", "rd", "dr", "ln", "ct", "pl", "sq", "hwy", "pkwy", "terrace", "crescent", "close", "way"];

/// Names of months, abbreviated to where they differ.
const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "februar",
    "marz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "janvier",
    "fevrier",
    "mars",
    "avril",
    "juin",
    "juillet",
    "aout",
    "septembre",
    "octobre",
    "novembre",
    "decembre",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
    "gennaio",
    "febbraio",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "settembre",
    "ottobre",
    "dicembre",
    "januari",
    "februari",
    "maart",
    "mei",
    "augustus",
    "janeiro",
    "fevereiro",
    "marco",
    "maio",
    "junho",
    "julho",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
    "jan",
    "feb",
    "apr",
    "jun",
    "jul",
    "aug",
    "sept",
    "oct",
    "nov",
    "dec",
    "okt",
    "dez",
];

/// A bit for each list that a word may be in.
mod list {
    pub(super) const CLOSED: u8 = 1;
    pub(super) const FREE: u8 = 1 << 1;
    pub(super) const PAYMENT: u8 = 1 << 2;
    pub(super) const MONTH: u8 = 1 << 3;
    pub(super) const NUMBER: u8 = 1 << 4;
    pub(super) const CURRENCY: u8 = 1 << 5;
    pub(super) const STREET: u8 = 1 << 6;
    pub(super) const STREET_ABBREVIATION: u8 = 1 << 7;
}

/// The lists of each word: every word of all content is looked up, and most are in none.
static LISTS: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut lists = HashMap::new();
    for (words, bit) in [
        (CLOSED_WORDS, list::CLOSED),
        (FREE_WORDS, list::FREE),
        (PAYMENT_WORDS, list::PAYMENT),
        (MONTHS, list::MONTH),
        (NUMBER_WORDS, list::NUMBER),
        (CURRENCY_WORDS, list::CURRENCY),
        (STREET_WORDS, list::STREET),
        (STREET_ABBREVIATIONS, list::STREET_ABBREVIATION),
    ] {
        for word in words.iter().flat_map(|words| words.split(' ')) {
            *lists.entry(word).or_insert(0) |= bit;
        }
    }
    lists
});

fn lists(word: &str) -> u8 {
    LISTS.get(word).copied().unwrap_or(0)
}

/// Returns the attributes that a text states.
pub fn given(text: &str) -> Attributes {
    let words = Words::of(text);
    let present = words.iter().fold(0, |present, word| present | lists(word));
    let has = |bit: u8| present & bit != 0;
    let has_digit = text.contains(|character: char| character.is_ascii_digit());
    let has_time = has_digit && has_time(text, &words);
    let days = Days::of_words(text, &words, has_time || has(list::CLOSED));
    let mut found = Attributes { days, ..Attributes::default() };
    if has_time || (!found.days.is_empty() && has(list::CLOSED)) {
        found.insert(Attribute::Hours);
    }
    if found.contains(Attribute::Hours) && states_opening(text, &words) {
        found.insert(Attribute::Opening);
    }
    if has_email(text) {
        found.insert(Attribute::Email);
    }
    if has_digit && has_phone(text) {
        found.insert(Attribute::Phone);
    }
    if ((has_digit || has(list::NUMBER)) && has_price(text, &words)) || has(list::FREE) {
        found.insert(Attribute::Price);
    }
    if has(list::PAYMENT) {
        found.insert(Attribute::Payment);
    }
    if has_digit && (has_street(&words) || has_postal_code(text)) {
        found.insert(Attribute::Address);
    }
    if has_digit && (has(list::MONTH) || has_numeric_date(text)) {
        found.insert(Attribute::Date);
    }
    if has_digit || has(list::NUMBER) {
        found.insert(Attribute::Quantity);
    }
    found
}

/// Words for numbers, several in a line. Left out are those that mean something else in another language,
/// such as "once".
const NUMBER_WORDS: &[&str] = &[
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand",
    "dozen half",
    "zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn",
    "siebzehn achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "hundert tausend dutzend halbe halben",
    "deux trois quatre cinq huit dix onze douze treize quatorze quinze vingt trente quarante cinquante",
    "soixante septante nonante cent mille douzaine demi",
    "dos tres cuatro cinco seis siete ocho diez doce trece catorce veinte treinta cuarenta cincuenta",
    "sesenta setenta ochenta noventa cien ciento mil",
    "due tre quattro cinque sei sette otto dieci undici dodici tredici quattordici quindici sedici",
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    "twee drie vijf tien twaalf dertien veertien vijftien zestien twintig dertig veertig vijftig zestig",
    "zeventig tachtig negentig honderd duizend halve",
    "dois duas quatro oito dez doze treze vinte trinta quarenta cinquenta sessenta oitenta cem",
    "dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec dwanascie pietnascie dwadziescia",
    "trzydziesci czterdziesci piecdziesiat sto tysiac",
];

/// Returns whether a text has a time of day: `9:00`, `9.30`, `9am`, `18h`, `17 Uhr`, or `Mon 9–17` beside a
/// day.
fn has_time(text: &str, words: &Words) -> bool {
    let clock = numbers(text).any(|(number, after)| {
        let is_hour = number.len() <= 2 && number.parse::<u8>().is_ok_and(|hour| hour <= 24);
        let minutes = |rest: &str| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            digits == 2 && rest.as_bytes()[0] <= b'5'
        };
        let rest = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']).to_ascii_lowercase();
        is_hour
            && (after.strip_prefix(':').is_some_and(minutes)
                || after.strip_prefix(['h', 'H']).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
                || ["am", "pm", "a.m", "p.m", "uhr", "o'clock", "heures", "uur"]
                    .iter()
                    .any(|unit| rest.starts_with(unit)))
    });
    clock
        || (has_hour_range(text) && !Days::of_words(text, words, true).is_empty())
        || words.has("noon|midday|midnight|mittags|midi|minuit|mediodia|mezzogiorno")
}

/// Returns whether a text has a range of hours such as `9–17` or `9.30-18`.
fn has_hour_range(text: &str) -> bool {
    numbers(text).any(|(number, after)| {
        let rest = after
            .strip_prefix('.')
            .map_or(after, |rest| rest.trim_start_matches(|character: char| character.is_ascii_digit()));
        let rest = rest.trim_start();
        number.len() <= 2
            && rest.strip_prefix(['-', '–', '—']).is_some_and(|rest| {
                let rest = rest.trim_start();
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                (1..=2).contains(&digits)
            })
    })
}

/// Returns whether a text with a time says when a business is open: in words, or as a row that has hardly
/// anything but days and hours.
fn states_opening(text: &str, words: &Words) -> bool {
    let others = words.iter().filter(|word| !moments::is_moment(word)).count();
    others == 0 || (others <= 2 && has_hour_range(text)) || words.iter().any(moments::is_open_word)
}

/// Returns each run of digits with the text after it.
fn numbers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|character: char| character.is_ascii_digit())?;
        let tail = &rest[start..];
        let length = tail.bytes().take_while(u8::is_ascii_digit).count();
        rest = &tail[length..];
        Some((&tail[..length], rest))
    })
}

fn has_email(text: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let before = text[..at].ends_with(|character: char| character.is_alphanumeric());
        let domain: &str = text[at + 1..]
            .split(|character: char| character.is_whitespace() || "<>()[],;".contains(character))
            .next()
            .unwrap_or_default();
        before && domain.trim_end_matches('.').contains('.')
    })
}

/// Returns whether a text has a telephone number: 7 to 15 digits in groups, not a date, a year range or a
/// plain number.
fn has_phone(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit() || character == '+') {
        let tail = &rest[start..];
        let end = tail
            .find(|character: char| {
                !(character.is_ascii_digit() || " +()-./\u{a0}\u{2011}–".contains(character))
            })
            .unwrap_or(tail.len());
        if is_phone(tail[..end].trim()) {
            return true;
        }
        rest = &tail[end.max(1)..];
    }
    false
}

fn is_phone(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let groups: Vec<usize> = run
        .split(|character: char| !character.is_ascii_digit())
        .map(str::len)
        .filter(|length| *length > 0)
        .collect();
    let international = run.starts_with('+') || run.starts_with("00");
    let national = run.starts_with('0')
        || run.starts_with('(')
        || groups.len() >= 3
        || matches!(groups.as_slice(), [3, 4 | 7] | [4 | 5, 6] | [9]);
    let is_date = groups.len() == 3
        && (groups[0] == 4 || groups[2] == 4)
        && groups.iter().all(|length| *length <= 4)
        && digits <= 8;
    (7..=15).contains(&digits) && (international || (national && !is_date))
}

fn has_price(text: &str, words: &Words) -> bool {
    let beside_number = text.match_indices(CURRENCY_SIGNS).any(|(at, sign)| {
        let after = text[at + sign.len()..].trim_start();
        let before = text[..at].trim_end();
        after.starts_with(|character: char| character.is_ascii_digit())
            || before.ends_with(|character: char| {
                character.is_ascii_digit() || matches!(character, '-' | '–' | ',')
            })
    });
    beside_number
        || words.iter().any(|word| {
            let unit = word.trim_start_matches(|character: char| character.is_ascii_digit());
            lists(unit) & list::CURRENCY != 0
        })
}

fn has_street(words: &Words) -> bool {
    let words: Vec<&str> = words.iter().collect();
    let is_number = |word: Option<&&str>| {
        word.is_some_and(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.len() <= 6)
    };
    words.iter().enumerate().any(|(place, word)| {
        let is_street = lists(word) & list::STREET != 0
            || STREET_ENDINGS.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending))
            || (word.len() > 4 && word.ends_with("str"));
        let near = place.saturating_sub(4)..(place + 5).min(words.len());
        let before = place.saturating_sub(4)..place;
        (is_street && near.clone().any(|other| other != place && is_number(words.get(other))))
            || (lists(word) & list::STREET_ABBREVIATION != 0
                && before.clone().any(|other| words[other].bytes().all(|byte| byte.is_ascii_digit())))
    })
}

/// Returns whether a text has a house number and, behind a comma, a postal code with a town: `Am Bach 3,
/// 77889 Seedorf`. The name of the street need not say that it is one.
fn has_postal_code(text: &str) -> bool {
    text.split(',').zip(text.split(',').skip(1)).any(|(before, after)| {
        let house = before.split_whitespace().next_back().unwrap_or_default();
        let mut words = after.split_whitespace();
        let (code, town) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        house.starts_with(|first: char| first.is_ascii_digit())
            && house.len() <= 4
            && (4..=5).contains(&code.len())
            && code.bytes().all(|byte| byte.is_ascii_digit())
            && town.starts_with(char::is_uppercase)
    })
}

/// Returns whether a text has a date such as `24.12.`, `2026-12-24` or `24/12/2026`.
fn has_numeric_date(text: &str) -> bool {
    numbers(text).any(|(number, after)| {
        let Some(separator) = after.chars().next().filter(|character| matches!(character, '.' | '/' | '-'))
        else {
            return false;
        };
        let second: String = after[1..].chars().take_while(char::is_ascii_digit).collect();
        let third = &after[1 + second.len()..];
        let is_day =
            |text: &str| text.len() <= 2 && text.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day));
        let last =
            third.strip_prefix(separator).map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        let is_date = match last {
            Some(0) => separator == '.',
            Some(digits) => matches!(digits, 2 | 4),
            None => false,
        };
        (is_day(number) || number.len() == 4) && is_day(&second) && is_date
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Attribute> {
        given(text).iter().filter(|attribute| *attribute != Attribute::Quantity).collect()
    }

    #[test]
    fn facts_are_recognised_by_their_form() {
        use Attribute::{Address, Date, Email, Hours, Opening, Payment, Phone, Price};
        for (text, expected) in [
            ("Tuesday – Saturday: 9:00 to 17:00", &[Hours, Opening][..]),
            ("Mo–Fr 9–18 Uhr", &[Hours, Opening]),
            ("du mardi au samedi de 10h à 18h30", &[Hours, Opening]),
            ("Sunday: closed", &[Hours, Opening]),
            ("Open 9am - 5pm", &[Hours, Opening]),
            ("The tour starts every Saturday at 11 am", &[Hours]),
            ("Our driver collects between 5 and 8 pm", &[Hours]),
            ("Call +44 20 7946 0018", &[Phone]),
            ("Tel. 030 / 901820", &[Phone]),
            ("(618) 555-0133", &[Phone]),
            ("Write to hello@acme.example.", &[Email]),
            ("Cappuccino: $4.60", &[Price]),
            ("Ab 12,50 € pro Person", &[Price]),
            ("Entry is free.", &[Price]),
            ("The brass one costs ninety pounds.", &[Price]),
            ("Der Becher kostet zwanzig Euro.", &[Price]),
            ("We take euros.", &[]),
            ("12 High Street, Leeds", &[Address]),
            ("520 S. 3rd St., Carbondale", &[Address]),
            ("Dr. Smith has 3 dogs", &[]),
            ("Landsberger Straße 3, 06112 Halle", &[Address]),
            ("Calle Mayor 12, Madrid", &[Address]),
            ("Am Bach 3, 77889 Seedorf", &[Address]),
            ("Section 3, 10000 people came", &[]),
            ("We take Visa and cash.", &[Payment]),
            ("From 24.12.2026 on", &[Date]),
            ("On 3 May 2026", &[]),
            ("The 14 September market", &[Date]),
            ("Version 1.2.3 has 40 files", &[]),
            ("Since 2019-2023", &[]),
            ("so we do it", &[]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn odd_texts_state_nothing() {
        for text in ["", "@", "+", "::", "0", "\u{a0}:9", "€", "h1:", "9:", "é9:5é"] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
