//! Labels and weekdays in the languages of the service.

/// The languages of the tables, in their order. The first is used for all others.
const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "it", "nl", "pt", "pl"];

/// The label that is written before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Address,
    Phone,
    Fax,
    Email,
    OpeningHours,
    PriceRange,
    Payment,
    Currencies,
    Cuisine,
    Reservations,
    Amenities,
    AreaServed,
    Founded,
    Languages,
    Rating,
    Yes,
    No,
    Closed,
    To,
    PublicHolidays,
    InStock,
    OutOfStock,
    PreOrder,
}

/// Words of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    language: usize,
}

impl Words {
    /// Returns the words of a BCP 47 language; English ones if there are none.
    pub(super) fn of(tag: Option<&str>) -> Self {
        let primary = tag.unwrap_or_default().split(['-', '_']).next().unwrap_or_default();
        let language = LANGUAGES.iter().position(|known| known.eq_ignore_ascii_case(primary)).unwrap_or(0);
        Self { language }
    }

    /// Returns whether the postal code is written after the town, as in English.
    pub(super) fn has_code_last(self) -> bool {
        self.language == 0
    }

    /// Returns the name of a weekday, from 0 for Monday; the eighth day means public holidays.
    pub(super) fn day(self, day: usize) -> &'static str {
        DAYS[self.language].get(day).copied().unwrap_or_else(|| self.label(Label::PublicHolidays))
    }

    pub(super) fn label(self, label: Label) -> &'static str {
        let row: [&'static str; 8] = match label {
            Label::Address => {
                ["Address", "Adresse", "Adresse", "Dirección", "Indirizzo", "Adres", "Endereço", "Adres"]
            }
            Label::Phone => {
                ["Phone", "Telefon", "Téléphone", "Teléfono", "Telefono", "Telefoon", "Telefone", "Telefon"]
            }
            Label::Fax => ["Fax", "Fax", "Fax", "Fax", "Fax", "Fax", "Fax", "Faks"],
            Label::Email => {
                ["Email", "E-Mail", "E-mail", "Correo electrónico", "E-mail", "E-mail", "E-mail", "E-mail"]
            }
            Label::OpeningHours => [
                "Opening hours",
                "Öffnungszeiten",
                "Horaires d'ouverture",
                "Horario",
                "Orari di apertura",
                "Openingstijden",
                "Horário de funcionamento",
                "Godziny otwarcia",
            ],
            Label::PriceRange => [
                "Price range",
                "Preisklasse",
                "Gamme de prix",
                "Rango de precios",
                "Fascia di prezzo",
                "Prijsklasse",
                "Faixa de preço",
                "Przedział cenowy",
            ],
            Label::Payment => [
                "Payment methods",
                "Zahlungsarten",
                "Moyens de paiement",
                "Formas de pago",
                "Metodi di pagamento",
                "Betaalmethoden",
                "Formas de pagamento",
                "Formy płatności",
            ],
            Label::Currencies => {
                ["Currencies", "Währungen", "Devises", "Monedas", "Valute", "Valuta's", "Moedas", "Waluty"]
            }
            Label::Cuisine => {
                ["Cuisine", "Küche", "Cuisine", "Cocina", "Cucina", "Keuken", "Cozinha", "Kuchnia"]
            }
            Label::Reservations => [
                "Reservations",
                "Reservierung",
                "Réservation",
                "Reservas",
                "Prenotazioni",
                "Reserveren",
                "Reservas",
                "Rezerwacje",
            ],
            Label::Amenities => [
                "Amenities",
                "Ausstattung",
                "Équipements",
                "Servicios",
                "Servizi",
                "Voorzieningen",
                "Comodidades",
                "Udogodnienia",
            ],
            Label::AreaServed => [
                "Area served",
                "Einzugsgebiet",
                "Zone desservie",
                "Zona de servicio",
                "Area servita",
                "Werkgebied",
                "Área atendida",
                "Obszar działania",
            ],
            Label::Founded => {
                ["Founded", "Gegründet", "Fondé en", "Fundado", "Fondato", "Opgericht", "Fundado", "Założono"]
            }
            Label::Languages => {
                ["Languages", "Sprachen", "Langues", "Idiomas", "Lingue", "Talen", "Idiomas", "Języki"]
            }
            Label::Rating => [
                "Rating",
                "Bewertung",
                "Note",
                "Valoración",
                "Valutazione",
                "Beoordeling",
                "Avaliação",
                "Ocena",
            ],
            Label::Yes => ["Yes", "Ja", "Oui", "Sí", "Sì", "Ja", "Sim", "Tak"],
            Label::No => ["No", "Nein", "Non", "No", "No", "Nee", "Não", "Nie"],
            Label::Closed => {
                ["closed", "geschlossen", "fermé", "cerrado", "chiuso", "gesloten", "fechado", "zamknięte"]
            }
            Label::To => ["to", "bis", "à", "a", "a", "tot", "a", "do"],
            Label::PublicHolidays => [
                "public holidays",
                "Feiertage",
                "jours fériés",
                "festivos",
                "festivi",
                "feestdagen",
                "feriados",
                "święta",
            ],
            Label::InStock => [
                "in stock",
                "auf Lager",
                "en stock",
                "en existencias",
                "disponibile",
                "op voorraad",
                "em estoque",
                "w magazynie",
            ],
            Label::OutOfStock => [
                "out of stock",
                "nicht auf Lager",
                "en rupture de stock",
                "agotado",
                "esaurito",
                "niet op voorraad",
                "esgotado",
                "niedostępne",
            ],
            Label::PreOrder => [
                "pre-order",
                "vorbestellbar",
                "en précommande",
                "reserva anticipada",
                "preordine",
                "voorbestellen",
                "pré-venda",
                "przedsprzedaż",
            ],
        };
        row[self.language]
    }
}

const DAYS: [[&str; 7]; 8] = [
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
    ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
    ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
    ["poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela"],
];
