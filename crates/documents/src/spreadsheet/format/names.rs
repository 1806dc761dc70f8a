//! Names of months and days, in the languages that a format can state.

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Dutch,
    Portuguese,
    Polish,
}

impl Language {
    /// Returns the language of a locale, which is a number such as `407` or a name such as `de-DE`.
    pub(super) fn of_locale(locale: &str) -> Option<Self> {
        let name = locale.split(['-', '_', ',']).next()?.to_ascii_lowercase();
        let number = u32::from_str_radix(&name, 16).ok().filter(|_| name.len() > 2);
        // The lower ten bits of a number are its language.
        let number = number.map(|number| number & 0x3ff);
        match (name.as_str(), number) {
            ("en", _) | (_, Some(0x09)) => Some(Self::English),
            ("de", _) | (_, Some(0x07)) => Some(Self::German),
            ("fr", _) | (_, Some(0x0c)) => Some(Self::French),
            ("es", _) | (_, Some(0x0a)) => Some(Self::Spanish),
            ("it", _) | (_, Some(0x10)) => Some(Self::Italian),
            ("nl", _) | (_, Some(0x13)) => Some(Self::Dutch),
            ("pt", _) | (_, Some(0x16)) => Some(Self::Portuguese),
            ("pl", _) | (_, Some(0x15)) => Some(Self::Polish),
            _ => None,
        }
    }

    /// Returns the name of a month, counted from 1, and its abbreviation.
    pub(super) fn month(self, month: u8) -> (&'static str, &'static str) {
        let (names, abbreviations) = self.months();
        pick(names, abbreviations, month.saturating_sub(1))
    }

    /// Returns the name of a day of the week, counted from Monday as 0, and its abbreviation.
    pub(super) fn day(self, day: u8) -> (&'static str, &'static str) {
        let (names, abbreviations) = self.days();
        pick(names, abbreviations, day)
    }

    const fn months(self) -> (&'static str, &'static str) {
        match self {
            Self::English => (
                "January February March April May June July August September October November December",
                "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
            ),
            Self::German => (
                "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
                "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
            ),
            Self::French => (
                "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
                "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
            ),
            Self::Spanish => (
                "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
                "ene feb mar abr may jun jul ago sep oct nov dic",
            ),
            Self::Italian => (
                "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
                "gen feb mar apr mag giu lug ago set ott nov dic",
            ),
            Self::Dutch => (
                "januari februari maart april mei juni juli augustus september oktober november december",
                "jan feb mrt apr mei jun jul aug sep okt nov dec",
            ),
            Self::Portuguese => (
                "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
                "jan fev mar abr mai jun jul ago set out nov dez",
            ),
            Self::Polish => (
                "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
                "sty lut mar kwi maj cze lip sie wrz paź lis gru",
            ),
        }
    }

    const fn days(self) -> (&'static str, &'static str) {
        match self {
            Self::English => {
                ("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "Mon Tue Wed Thu Fri Sat Sun")
            }
            Self::German => {
                ("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", "Mo Di Mi Do Fr Sa So")
            }
            Self::French => {
                ("lundi mardi mercredi jeudi vendredi samedi dimanche", "lun. mar. mer. jeu. ven. sam. dim.")
            }
            Self::Spanish => {
                ("lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom")
            }
            Self::Italian => {
                ("lunedì martedì mercoledì giovedì venerdì sabato domenica", "lun mar mer gio ven sab dom")
            }
            Self::Dutch => {
                ("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", "ma di wo do vr za zo")
            }
            Self::Portuguese => (
                "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
                "seg ter qua qui sex sáb dom",
            ),
            Self::Polish => {
                ("poniedziałek wtorek środa czwartek piątek sobota niedziela", "pon wto śro czw pią sob nie")
            }
        }
    }
}

fn pick(names: &'static str, abbreviations: &'static str, index: u8) -> (&'static str, &'static str) {
    let nth = |list: &'static str| list.split(' ').nth(index.into()).unwrap_or_default();
    (nth(names), nth(abbreviations))
}
