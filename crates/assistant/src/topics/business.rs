//! Questions about the business itself, as opposed to questions of the visitors about themselves or the
//! world.
//!
//! "Do you have a lawyer who speaks German?" asks about an offer although it has a word of a sensitive topic.
//! The rule is grammatical: the question addresses the business and not the visitor's own case, or it asks
//! for a price or an appointment.

use frontdesk_knowledge::Language;

use frontdesk_knowledge::Words;

/// How questions of one language refer to the business and to the visitor, as single elements of patterns.
struct Reference {
    /// Words that address the business: second person pronouns, and verbs that imply them.
    business: &'static str,
    /// Words by which visitors speak of themselves.
    visitor: &'static str,
    /// Words of prices, appointments and opening hours.
    terms: &'static str,
}

/// Returns whether a question is about the business.
pub(crate) fn is_subject_of(question: &Words, language: Language) -> bool {
    let reference = reference(language);
    let addresses = question.has(reference.business) && !question.has(reference.visitor);
    addresses || question.has(reference.terms)
}

fn reference(language: Language) -> &'static Reference {
    match language {
        Language::English => &Reference {
            business: "you|your|yours|youre",
            visitor: "i|im|ive|my|me|mine|we|our|us",
            terms: "cost|costs|price|prices|fee|fees|appointment|appointments|opening",
        },
        Language::German => &Reference {
            business: "sie|ihr|ihre|ihren|ihrem|ihrer|ihnen|euch|euer|eure|euren|eurem|du|dein*",
            visitor: "ich|mein*|mir|mich|wir|uns|unser*",
            terms: "kostet|kosten|preis|preise|termin|termine|offnungszeiten|sprechzeiten",
        },
        Language::French => &Reference {
            business: "vous|votre|vos|tu",
            visitor: "je|j|mon|ma|mes|moi|me|m|nous|notre|nos|puis",
            terms: "coute|coutent|prix|tarif|tarifs|rendez|horaire|horaires",
        },
        Language::Spanish => &Reference {
            business: "usted|ustedes|vosotros|vuestro|vuestra|vuestros|vuestras|tienen|teneis|ofrecen|ofreceis|trabajan",
            visitor: "yo|mi|mis|me|puedo|debo|necesito|tengo|nosotros|nuestro|nuestra",
            terms: "cuesta|cuestan|precio|precios|cita|citas|horario|horarios",
        },
        Language::Dutch => &Reference {
            business: "u|uw|jullie",
            visitor: "ik|mijn|mij|me|wij|we|ons|onze",
            terms: "kost|kosten|prijs|prijzen|afspraak|openingstijden",
        },
        Language::Italian => &Reference {
            business: "voi|vostro|vostra|vostri|vostre|avete|offrite|fate|siete|trattate",
            visitor: "io|mio|mia|miei|mie|mi|posso|devo|ho|noi|nostro|nostra",
            terms: "costa|costano|prezzo|prezzi|appuntamento|appuntamenti|orario|orari",
        },
        Language::Portuguese => &Reference {
            business: "voce|voces|oferecem|atendem|trabalham",
            visitor: "eu|meu|minha|meus|minhas|me|posso|devo|preciso|tenho|nos|nosso|nossa",
            terms: "custa|custam|preco|precos|horario|horarios|marcar",
        },
        Language::Polish => &Reference {
            business: "wy|wam|was|wasz|wasza|wasze|waszego|waszej|waszych|panstwo|panstwa|macie|oferujecie|robicie|prowadzicie",
            visitor: "ja|mnie|mi|moj|moja|moje|mojego|mojej|mam|moge|musze|powinienem|powinnam|nas|nasz|nasza|nasze",
            terms: "kosztuje|kosztuja|cena|ceny|cennik|wizyta|wizyte|umowic|godziny",
        },
    }
}

#[cfg(test)]
pub(super) fn patterns() -> impl Iterator<Item = &'static str> {
    Language::ALL.into_iter().map(reference).flat_map(|words| [words.business, words.visitor, words.terms])
}
