//! Replies in every language, and messages that only resemble replies.

use super::*;

fn read_text(message: &str) -> Consent {
    read(message, &Words::of(message))
}

#[test]
fn agreement_is_consent_in_every_language() {
    for (language, messages) in [
        (
            Language::English,
            &[
                "Yes please",
                "yes",
                "Sure!",
                "Yeah, go ahead.",
                "ok",
                "Please do",
                "Yes, I would like that",
                "That would be great, thanks",
                "Why not",
                "Of course",
                "yes, connect me with someone from your team please",
                "I'd like that very much",
                "agent",
                "A person please",
                "I want to talk to someone",
            ][..],
        ),
        (
            Language::German,
            &[
                "Ja bitte",
                "Ja, danke",
                "gerne",
                "Sehr gern!",
                "Bitte",
                "Klar, machen Sie das",
                "Ja, verbinden Sie mich mit einem Menschen",
                "Auf jeden Fall",
                "Warum nicht",
                "Das wäre super",
                "Natürlich",
                "Mit einem Menschen",
                "Ich will mit jemandem sprechen",
            ],
        ),
        (
            Language::French,
            &[
                "Oui s'il vous plaît",
                "Oui",
                "Volontiers, merci",
                "D'accord",
                "Je veux bien",
                "Bien sûr !",
                "Pourquoi pas",
                "Avec plaisir",
                "Oui, mettez-moi en relation avec une personne",
                "Je veux parler à quelqu'un",
            ],
        ),
        (
            Language::Spanish,
            &[
                "Sí, por favor",
                "Claro que sí",
                "Vale",
                "De acuerdo",
                "Por supuesto",
                "Sí, me gustaría hablar con una persona",
                "Sí, gracias",
                "Adelante",
                "Quiero hablar con alguien",
            ],
        ),
        (
            Language::Dutch,
            &[
                "Ja graag",
                "Ja, alstublieft",
                "Graag!",
                "Doe maar",
                "Dat is goed",
                "Ja, ik wil iemand spreken",
                "Natuurlijk",
                "Waarom niet",
                "Een medewerker",
            ],
        ),
        (
            Language::Italian,
            &[
                "Sì, per favore",
                "Sì grazie",
                "Volentieri",
                "Va bene",
                "Certo!",
                "Perché no",
                "Sì, vorrei parlare con una persona",
                "Un operatore",
            ],
        ),
        (
            Language::Portuguese,
            &[
                "Sim, por favor",
                "Sim, obrigado",
                "Pode ser",
                "Com certeza",
                "Quero sim",
                "Claro",
                "Por que não",
                "Sim, quero falar com uma pessoa",
                "Um atendente",
            ],
        ),
        (
            Language::Polish,
            &[
                "Tak, proszę",
                "Tak, dziękuję",
                "Chętnie",
                "Oczywiście",
                "Czemu nie",
                "Tak, chcę porozmawiać z konsultantem",
                "Poproszę",
            ],
        ),
    ] {
        for message in messages {
            match read_text(message) {
                Consent::Given(read) => {
                    assert!(read.is_none_or(|read| read == language), "{message}: {read:?}");
                }
                other => panic!("{message}: {other:?}"),
            }
        }
    }
    assert_eq!(read_text("👍"), Consent::Given(None));
}

#[test]
fn a_refusal_is_none_in_every_language() {
    for message in [
        "No",
        "no thanks",
        "No, thank you very much",
        "Not now please",
        "Maybe later",
        "I'm good, thanks",
        "I don't want a person",
        "Kein Mensch",
        "Nein danke",
        "Nein, noch nicht bitte",
        "Lieber nicht",
        "Non merci",
        "Pas maintenant",
        "Plus tard",
        "No, gracias",
        "Ahora no",
        "Nee, dank je",
        "Nu niet graag",
        "No grazie",
        "Più tardi",
        "Não, obrigada",
        "Agora não",
    ] {
        assert!(matches!(read_text(message), Consent::Declined(_)), "{message}: {:?}", read_text(message));
    }
}

#[test]
fn everything_that_says_more_is_no_reply() {
    for message in [
        "Yes, but what does delivery cost?",
        "Sure, when do you open?",
        "Please tell me the price",
        "ok thanks",
        "Great, thank you!",
        "thanks",
        "Ja, und was kostet die Lieferung?",
        "Gut, danke",
        "Bitte nennen Sie mir den Preis",
        "Oui, et le prix ?",
        "merci",
        "Sí, ¿cuánto cuesta?",
        "gracias",
        "Ja, wat kost het?",
        "bedankt",
        "Sì, ma quanto costa?",
        "grazie mille",
        "Sim, mas quanto custa?",
        "obrigado",
        "What about Sunday?",
        "Are you a person?",
        "Which person?",
        "How much per person?",
        "Combien par personne ?",
        "",
        "?",
    ] {
        assert_eq!(read_text(message), Consent::Other, "{message}");
    }
}

#[test]
fn the_language_is_known_if_the_words_belong_to_one() {
    for (message, language) in [
        ("Oui, volontiers", Some(Language::French)),
        ("Ja gerne", Some(Language::German)),
        ("Ja graag", Some(Language::Dutch)),
        ("ja", None),
        ("ok", None),
    ] {
        assert_eq!(read_text(message), Consent::Given(language), "{message}");
    }
}
