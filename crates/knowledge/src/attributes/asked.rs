//! Recognition of the attributes that a question asks for.

use super::{Attribute, Attributes, Days};
use crate::words::Words;

/// Patterns in the form of [`Words::matches`], by attribute, for all languages together: the words of one
/// rarely mean something else in another.
const PATTERNS: &[(Attribute, &[&str])] = &[
    (
        Attribute::Hours,
        &[
            "open|opened|opening|opens",
            "close|closes|closed|closing|shut|shuts",
            "hours|schedule|timetable",
            "what|which time|times",
            "how late|early",
            "until|till when",
            "when is|are|does|do|can",
            "offnungszeit*",
            "offen|geoffnet|geschlossen|aufhaben",
            "wann",
            "uhrzeit|uhr",
            "um wie viel",
            "habt|haben|hat _ auf",
            "macht|machen _ auf|zu",
            "horaire*",
            "ouvert|ouverte|ouverts|ouvrez|ouvre|ouvrir|ouverture",
            "ferme|fermez|fermeture|fermes|fermee",
            "quelle heure|heures",
            "quand",
            "horario*",
            "abierto|abierta|abren|abre|abris|abrir|apertura|apre",
            "cierra|cierran|cierre|cerrado|cerrais",
            "hora|horas|cuando",
            "orari|orario|aperto|aperti|aprite|apri|chiuso|chiudete|chiude|quando",
            "openingstijden|openingsuren|open|gesloten|sluit|sluiten|wanneer|laat",
            "aberto|aberta|abrem|fecha|fecham|fechado",
            "godziny|otwarte|czynne|kiedy|ktorej",
        ],
    ),
    (
        Attribute::Phone,
        &[
            "phone|telephone|tel",
            "call|ring you|us|them|someone",
            "phone|mobile|whatsapp|contact number|numbers",
            "number to call",
            "can|could i call",
            "give|get _ a? ring|call",
            "telefon*",
            "anrufen|anruf|rufnummer|handynummer",
            "ruf* _ an",
            "telephon*",
            "appeler|joindre",
            "numero",
            "telefon*|llamar|llamo",
            "chiamare|telefonare",
            "bellen|telefoonnummer",
            "ligar|telemovel",
            "zadzwonic|dzwonic",
        ],
    ),
    (
        Attribute::Email,
        &[
            "email|emails|mail|mails",
            "e mail|mails",
            "write to you|us",
            "correo*",
            "courriel*",
            "electronico|electronique|elettronica",
            "mailadresse|emailadresse|mailen|schreiben",
            "ecrire",
            "escribir",
            "scrivere",
            "adres mailowy|email",
        ],
    ),
    (
        Attribute::Address,
        &[
            "where",
            "address|location|located|directions|situated",
            "find|reach|get to you|us|there|the",
            "how do|can i|we get|come to|there",
            "wo|wohin|adresse|anfahrt|standort|anschrift",
            "wie komme|kommt|finde|kommen",
            "adresse|situe|situes|trouver|trouve|trouvez|venir|acces",
            "ou est|etes|se|sont|puis",
            "donde|direccion|ubicacion|ubicado|encuentra|llegar",
            "dove|indirizzo|trovate|trovarvi|arrivare",
            "waar|adres|bereiken",
            "onde|endereco|morada|fica",
            "gdzie|adres|dojazd|dojechac",
        ],
    ),
    (
        Attribute::Price,
        &[
            "how much",
            "price|prices|pricing|priced",
            "cost|costs|costing",
            "fee|fees|charge|charges|rate|rates|pay|tuition",
            "expensive|cheap|cheapest|afford|free|dollars|euros|pounds",
            "wie viel|wieviel|was kostet|kosten",
            "kostet|kosten|preis|preise|teuer|gebuhr|gebuhren|eintritt|beitrag|kostenlos|gratis|umsonst|euro",
            "combien|prix|tarif|tarifs|coute|coutent|cher|frais|gratuit",
            "cuanto|cuanta|precio|precios|cuesta|cuestan|vale|tarifa|tarifas|caro|gratis",
            "quanto|prezzo|prezzi|costa|costano|tariffe|gratis",
            "hoeveel|prijs|prijzen|kost|kosten|tarief|duur",
            "preco|precos|custa|custam|tarifas",
            "ile|cena|ceny|kosztuje|cennik",
        ],
    ),
    (
        Attribute::Payment,
        &[
            "pay|payment|payments|paying by|with|method|methods|options|card|cash|paypal|in",
            "how can|do|could i|we|you pay",
            "accept|take _ card|cards|cash|paypal|visa|amex|payment|payments|bitcoin|checks|cheques",
            "credit|debit card|cards",
            "card|cash payment|payments|only",
            "paypal|amex|bitcoin|invoice|venmo|klarna",
            "zahlen|bezahlen|zahlung|zahlungsarten|zahlungsmoglichkeiten|kartenzahlung|ec|kreditkarte|bar|rechnung|uberweisung",
            "payer|paiement|paiements|regler|carte|especes|cheque|cb",
            "pagar|pago|pagos|tarjeta|efectivo",
            "pagare|pagamento|pagamenti|carta|contanti",
            "betalen|betaling|pinnen|contant",
            "pagamento|cartao|dinheiro",
            "platnosc*|zaplacic|karta|gotowka",
        ],
    ),
    (
        Attribute::Date,
        &[
            "when",
            "what|which date|day|days|month|year",
            "deadline|date|dates",
            "wann|datum|tag|termin|termine",
            "quand|date|dates|jour|jours",
            "cuando|fecha|fechas|dia|dias",
            "quando|data|giorno|giorni",
            "wanneer|dag",
            "dia|dias",
            "kiedy|data",
        ],
    ),
    (
        Attribute::Quantity,
        &[
            "how many|long|old|far|big|large|often|fast|soon|tall|heavy|wide|deep|quickly",
            "number|size|age|minimum|maximum|limit|weight|capacity of?",
            "what size|age|percentage|speed",
            "wie viele|lange|alt|weit|gross|oft|schnell|schwer",
            "wieviele|anzahl|mindestens|hochstens|maximal|grosse|gewicht",
            "combien de",
            "quelle|quel age|taille|distance|duree|delai|poids",
            "cuantos|cuantas|cuanto tiempo",
            "tamano|edad|distancia|peso|duracion",
            "quanti|quante|quanto tempo|dista|dura",
            "hoeveel|hoelang|hoe lang|groot|ver|oud|vaak",
            "quantos|quantas|quanto tempo",
            "ile|jak dlugo|daleko",
        ],
    ),
];

/// Words for an amount of money that are asked for by "how much" only in the right company, and so only count
/// alone.
const AMOUNT: &[&str] = &["how much time|space|storage|memory|data|weight|notice"];

/// The number of words of a question that are compared with the patterns, of which there are hundreds. A
/// longer text is usually an e-mail that quotes earlier ones.
const MOST_WORDS: usize = 1_000;

/// Returns the attributes that a question asks for, and the days of the week that it names.
///
/// A day alone asks for nothing: it may belong to whatever the question is about.
pub fn asked(question: &str) -> Attributes {
    let words = Words::of(question);
    let mut found = Attributes { days: Days::of_question(&words), ..Attributes::default() };
    let words = words.first(MOST_WORDS);
    for (attribute, patterns) in PATTERNS {
        if words.has_any(patterns) {
            found.insert(*attribute);
        }
    }
    if words.has_any(AMOUNT) {
        found.bits &= !Attribute::Price.bit();
        found.insert(Attribute::Quantity);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_ask_for_facts() {
        for (question, expected) in [
            ("are you open on sunday", Attribute::Hours),
            ("Wann habt ihr am Samstag auf?", Attribute::Hours),
            ("¿A qué hora cierran?", Attribute::Hours),
            ("What's your phone number?", Attribute::Phone),
            ("Can I call you?", Attribute::Phone),
            ("Quelle est votre adresse e-mail ?", Attribute::Email),
            ("Where are you located?", Attribute::Address),
            ("¿Dónde está el restaurante?", Attribute::Address),
            ("how much is the cappuccino?", Attribute::Price),
            ("Combien coûte un gîte pour une semaine ?", Attribute::Price),
            ("Kann ich mit Karte zahlen?", Attribute::Payment),
            ("do you take credit cards", Attribute::Payment),
            ("How many people fit in?", Attribute::Quantity),
        ] {
            assert!(
                asked(question).contains(expected),
                "{question}: {:?}",
                asked(question).iter().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn other_questions_ask_for_none() {
        for question in [
            "Do you have vegan breakfast?",
            "Tell me about the garden",
            "",
            "Who founded it?",
            "Do you deliver on Sundays?",
        ] {
            assert!(
                asked(question).is_empty(),
                "{question}: {:?}",
                asked(question).iter().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn patterns_are_in_normal_form() {
        for pattern in PATTERNS.iter().flat_map(|(_, patterns)| *patterns).chain(AMOUNT) {
            assert_eq!(&crate::words::fold_text(pattern), pattern);
            assert!(!pattern.contains("  ") && !pattern.contains('\''), "{pattern}");
        }
    }
}
