//! Messages that ask for a person, call for one, or only resemble such messages.

use super::*;
use crate::conversation::Turn;
use crate::fixtures::task;

fn detect(task: &Task) -> Signal {
    super::detect(task, &Words::of(&task.question))
}

#[test]
fn requests_offers_and_ordinary_questions_are_distinguished() {
    let request = [
        "I want to talk to a human",
        "can I speak with someone please?",
        "Human please",
        "connect me to an agent",
        "Please let me talk to a real person!",
        "I don't want a bot, give me a human",
        "put me through to your manager",
        "could somebody call me?",
        "Would like to speak with someone",
        "transfer me to the support team",
        "Ich möchte mit einem Menschen sprechen",
        "Kann ich mit einem Mitarbeiter reden?",
        "Bitte verbinden Sie mich mit einem Berater.",
        "Mitarbeiter bitte",
        "Je voudrais parler à un humain",
        "Puis-je parler à quelqu’un ?",
        "Quiero hablar con una persona",
        "Ik wil graag met een medewerker spreken",
        "Vorrei parlare con un operatore",
        "Quero falar com um atendente",
        "I need a human being",
        "Can I speak to your support team?",
        "I want a human for this",
        "a real person please",
        "I would rather have a human agent",
        "Ich brauche einen Ansprechpartner für meine Frage",
        "Ich will einen echten Menschen",
        "Verbinden Sie mich mit dem Support",
        "Je veux un humain",
        "Je voudrais un vrai humain maintenant",
        "Quiero un humano",
        "Necesito una persona real",
        "Ik wil een mens",
        "Ik wil een echt mens spreken",
        "Voglio un essere umano",
        "Vorrei una persona vera",
        "Quero um ser humano",
        "Preciso de uma pessoa de verdade",
        "Chcę porozmawiać z człowiekiem",
        "Proszę połączyć mnie z konsultantem",
        "Potrzebuję konsultanta",
        "call me",
        "please ring me back on 01632 960960",
        "can someone ring me back please my number is 01632 960960",
        "Give me a call tomorrow",
        "I'd like a callback",
        "Melden Sie sich bei mir",
        "Können Sie mich zurückrufen?",
        "Appelez-moi",
        "Pouvez-vous me rappeler ?",
        "Llámame",
        "¿Me podéis llamar?",
        "Kunt u mij terugbellen?",
        "Mi potete richiamare?",
        "Podem me ligar?",
        // The widget's own button, in its eight languages.
        "Talk to a person",
        "Mit einem Menschen sprechen",
        "Parler à une personne",
        "Hablar con una persona",
        "Met een medewerker spreken",
        "Parlare con una persona",
        "Falar com uma pessoa",
        "Chcę porozmawiać z człowiekiem",
    ];
    let offer = [
        "How can I talk to a human?",
        "how do I contact support?",
        "agent",
        "Support!",
        "This is ridiculous!!",
        "you are useless",
        "that doesn't help",
        "I am so frustrated",
        "Wie erreiche ich euch telefonisch? Gibt es eine Telefonnummer",
        "Das ist eine Frechheit",
        "Comment vous contacter ?",
        "¿Cómo puedo contactar con ustedes?",
        "Jak mogę się z wami skontaktować?",
        "To skandal!",
    ];
    let none = [
        "What does the Pro plan cost?",
        "How many agents can use the live chat at once?",
        "Which human resources features do you have?",
        "Can I solve this without talking to a human?",
        "Does it support German?",
        "How do I add a person to my team?",
        "Wie viele Mitarbeiter kann ich einladen?",
        "Wie verbinde ich mich mit dem WLAN?",
        "Can I chat to people in my team with your app?",
        "I want a human touch in the design",
        "Kann ich meine Karte ändern?",
        "Combien de personnes peuvent utiliser le compte ?",
        "Can my visitors chat with an agent?",
        "Can I transfer a package to another person?",
        "Transfer the domain to a new person",
        "Can I change my phone number?",
        "Ich möchte einen Mitarbeiter einladen",
        "Kann ich meine Telefonnummer ändern?",
        "¿Cómo importo un contacto?",
        "Quiero añadir un agente",
        "Hoe voeg ik een contact toe?",
        "Come aggiungo un contatto?",
        "Vorrei aggiungere un operatore",
        "Can I get a refund?",
        "¿Cuánto cuesta por persona?",
        "I want human hair extensions",
        "Do you sell human hair?",
        "I need human resources software",
        "I'd like to talk about human rights",
        "Give me live agent statistics",
        "Person count",
        "Real human hair wigs",
        "Ich möchte einen Menschen fotografieren",
        "Sind auf den Fotos echte Menschen?",
        "Berater gesucht",
        "Je veux des cheveux humains",
        "Je voudrais des extensions en cheveu humain",
        "Conseiller fiscal à Paris",
        "Je souhaite un conseiller fiscal",
        "Quiero extensiones de cabello humano",
        "Necesito cabello humano",
        "Ik wil menselijk haar",
        "Kan ik de printer met wifi verbinden?",
        "Medewerker gezocht",
        "Vorrei capelli umani",
        "Voglio extension di capello umano",
        "Quero cabelo humano",
        "Preciso de cabelo humano para extensões",
        "Como ligar o aparelho?",
        "",
    ];
    for (questions, expected) in [(&request[..], "request"), (&offer[..], "offer"), (&none[..], "none")] {
        for question in questions {
            let found = match detect(&task(question, &[])) {
                Signal::Request(_) => "request",
                Signal::Offer => "offer",
                Signal::None | Signal::Decline(_) => "none",
            };
            assert_eq!(found, expected, "{question}");
        }
    }
}

#[test]
fn the_third_time_of_the_same_question_makes_an_offer() {
    let mut task = task("How can I change the card of my account?", &[]);
    task.history.push(Turn::visitor("how can i change the card of my account"));
    assert_eq!(detect(&task), Signal::None);
    task.history.push(Turn::assistant("You can.", Action::Answer, false));
    task.history.push(Turn::visitor("How to change the account card???"));
    assert_eq!(detect(&task), Signal::Offer);
    task.question = "What does it cost to change the plan?".into();
    assert_eq!(detect(&task), Signal::None);
}

#[test]
fn only_the_last_answer_counts_as_the_refusal_before() {
    let mut task = task("What about Mars?", &[]);
    assert!(!refused_before(&task));
    task.history.push(Turn::assistant("I do not know.", Action::Refuse, false));
    task.history.push(Turn::visitor("Hm."));
    assert!(refused_before(&task));
    task.history.push(Turn::assistant("At nine.", Action::Answer, false));
    assert!(!refused_before(&task));
}

#[test]
fn a_yes_is_a_request_only_right_after_the_offer() {
    for message in [
        "Yes please",
        "Ja bitte",
        "Oui s'il vous plaît",
        "Sí, por favor",
        "Ja graag",
        "Sì, per favore",
        "Sim, por favor",
    ] {
        let mut task = task(message, &[]);
        for offer in [Offer::NotMade, Offer::Past] {
            task.offer = offer;
            assert_eq!(detect(&task), Signal::None, "{message}");
        }
        task.offer = Offer::Pending;
        assert!(matches!(detect(&task), Signal::Request(_)), "{message}");
    }
    let mut declined = task("No thanks", &[]);
    declined.offer = Offer::Pending;
    assert!(matches!(detect(&declined), Signal::Decline(_)));
    for insisting in
        ["No, I want to talk to a human", "I would rather talk to a person", "Nein, ich will einen Menschen"]
    {
        let mut insisting = task(insisting, &[]);
        insisting.offer = Offer::Pending;
        assert!(matches!(detect(&insisting), Signal::Request(_)), "{}", insisting.question);
    }
    let mut declined = task("I don't want to talk to a person", &[]);
    declined.offer = Offer::Pending;
    assert!(matches!(detect(&declined), Signal::Decline(_)));
    let mut asking = task("Yes, but what does it cost?", &[]);
    asking.offer = Offer::Pending;
    assert_eq!(detect(&asking), Signal::None);
}
