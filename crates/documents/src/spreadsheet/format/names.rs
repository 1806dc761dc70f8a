//! Names of months and days, in the languages that a format can state.

use frontdesk_knowledge::Language;

/// Returns the language of a locale, which is a number such as `407` or a name such as `de-DE`.
pub(super) fn language_of_locale(locale: &str) -> Option<Language> {
    let name = locale.split(['-', '_', ',']).next()?;
    let Some(number) = u32::from_str_radix(name, 16).ok().filter(|_| name.len() > 2) else {
        return Language::from_tag(name);
    };
    // The lower ten bits of a number are its language.
    match number & 0x3ff {
        0x09 => Some(Language::English),
        0x07 => Some(Language::German),
        0x0c => Some(Language::French),
        0x0a => Some(Language::Spanish),
        0x10 => Some(Language::Italian),
        0x13 => Some(Language::Dutch),
        0x16 => Some(Language::Portuguese),
        0x15 => Some(Language::Polish),
        _ => None,
    }
}

/// Returns the name of a month, counted from 1, and its abbreviation.
pub(super) fn month(language: Language, month: u8) -> (&'static str, &'static str) {
    let (names, abbreviations) = months(language);
    pick(names, abbreviations, month.saturating_sub(1))
}

/// Returns the name of a day of the week, counted from Monday as 0, and its abbreviation.
pub(super) fn day(language: Language, day: u8) -> (&'static str, &'static str) {
    let (names, abbreviations) = days(language);
    pick(names, abbreviations, day)
}

const fn months(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::English => (
            "January February March April May June July August September October November December",
            "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        ),
        Language::German => (
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        ),
        Language::French => (
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        ),
        Language::Spanish => (
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            "ene feb mar abr may jun jul ago sep oct nov dic",
        ),
        Language::Italian => (
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            "gen feb mar apr mag giu lug ago set ott nov dic",
        ),
        Language::Dutch => (
            "januari februari maart april mei juni juli augustus september oktober november december",
            "jan feb mrt apr mei jun jul aug sep okt nov dec",
        ),
        Language::Portuguese => (
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
            "jan fev mar abr mai jun jul ago set out nov dez",
        ),
        Language::Polish => (
            "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
            "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        ),
    }
}

const fn days(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::English => {
            ("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "Mon Tue Wed Thu Fri Sat Sun")
        }
        Language::German => {
            ("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", "Mo Di Mi Do Fr Sa So")
        }
        Language::French => {
            ("lundi mardi mercredi jeudi vendredi samedi dimanche", "lun. mar. mer. jeu. ven. sam. dim.")
        }
        Language::Spanish => {
            ("lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom")
        }
        Language::Italian => {
            ("lunedì martedì mercoledì giovedì venerdì sabato domenica", "lun mar mer gio ven sab dom")
        }
        Language::Dutch => {
            ("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", "ma di wo do vr za zo")
        }
        Language::Portuguese => (
            "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
            "seg ter qua qui sex sáb dom",
        ),
        Language::Polish => {
            ("poniedziałek wtorek środa czwartek piątek sobota niedziela", "pon wto śro czw pią sob nie")
        }
    }
}

fn pick(names: &'static str, abbreviations: &'static str, index: u8) -> (&'static str, &'static str) {
    let nth = |list: &'static str| list.split(' ').nth(index.into()).unwrap_or_default();
    (nth(names), nth(abbreviations))
}
