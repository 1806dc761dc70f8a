//! When a person should take over.
//!
//! A clear request for a person hands over at once. Softer signs (asking how to reach support, anger, a bare
//! "agent", the same question three times) make an offer. Both rest on keyword lists in seven languages, so
//! they see common wordings and miss unusual ones; two refusals in a row catch some of what they miss.

use std::collections::BTreeSet;

use frontdesk_knowledge::analyze;

use crate::language::Language;
use crate::task::{Action, Author, Task};
use crate::words::Words;

/// Share of common words from which two questions count as the same.
const SAME_QUESTION: f64 = 0.8;

/// Earlier turns of the visitor that are compared with the question.
const COMPARED_TURNS: usize = 6;

/// How clearly a message calls for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The visitor asks for a person.
    Request(Option<Language>),
    /// The visitor would probably be better off with a person.
    Offer,
    /// Nothing points to a person.
    None,
}

/// Reads the signal of a question in its conversation.
pub(crate) fn detect(task: &Task) -> Signal {
    let words = Words::of(&task.question);
    if let Some(language) = requests_person(&words) {
        // "How can I talk to a person?" is answered first: the answer may be a phone number.
        return if words.has_any(&INQUIRIES) { Signal::Offer } else { Signal::Request(Some(language)) };
    }
    let soft = OFFERS.iter().any(|(_, patterns)| words.has_any(patterns));
    if soft || is_third_time(task) { Signal::Offer } else { Signal::None }
}

/// Whether the assistant has already offered or called a person in this conversation.
pub(crate) fn already_offered(task: &Task) -> bool {
    task.history.iter().any(|turn| turn.author == Author::Assistant && turn.needs_escalation)
}

/// Whether the assistant's last turn was a refusal.
pub(crate) fn refused_before(task: &Task) -> bool {
    let last = task.history.iter().rev().find(|turn| turn.author == Author::Assistant);
    last.is_some_and(|turn| turn.action == Some(Action::Refuse))
}

fn requests_person(words: &Words) -> Option<Language> {
    REQUESTS.iter().find_map(|(language, patterns)| {
        let wanted = patterns
            .iter()
            .filter_map(|pattern| words.find(pattern))
            .any(|start| !words.before(start, 3).iter().any(|word| NEGATIONS.contains(&word.as_str())));
        wanted.then_some(*language)
    })
}

/// Whether the visitor has asked the same question twice before.
fn is_third_time(task: &Task) -> bool {
    let asked = terms(&task.question);
    let earlier =
        task.history.iter().rev().filter(|turn| turn.author == Author::Visitor).take(COMPARED_TURNS);
    earlier.filter(|turn| overlap(&asked, &terms(&turn.text)) >= SAME_QUESTION).count() >= 2
}

fn terms(text: &str) -> BTreeSet<String> {
    analyze(text, Language::of_text(text).map(Language::tag)).into_iter().collect()
}

/// Common words as a share of all words of both texts; 0 if either has none.
fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let common = one.intersection(other).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words in a message are small")]
    let share = common as f64 / one.union(other).count() as f64;
    share
}

/// Words that turn a request around when they stand right before it.
const NEGATIONS: [&str; 15] = [
    "not", "dont", "without", "never", "instead", "nicht", "kein", "keinen", "ohne", "sans", "sin", "zonder",
    "senza", "sem", "niet",
];

/// Beginnings that make a request a question about the way.
const INQUIRIES: [&str; 7] = [
    "^ how|where|what|when|which",
    "^ wie|wo|wann|welche*",
    "^ comment|ou|quand|quel*",
    "^ como|donde|cuando|onde|quando",
    "^ hoe|waar|wanneer",
    "^ come|dove",
    "^ qual|quais|quale|cual",
];

type Lists = [(Language, &'static [&'static str]); 7];

const REQUESTS: Lists = [
    (
        Language::English,
        &[
            "talk|speak|chat|connect|transfer|put|forward|escalate|hand _ human|humans",
            "i|we|me|wanna|please|gotta _ talk|speak|chat to|with _ \
             person|agent|representative|rep|operator|someone|somebody|advisor|manager|supervisor|staff|employee|people|team",
            "^ want|need|like|would _ talk|speak|chat to|with _ person|agent|representative|operator|someone|somebody|manager",
            "^ talk|speak to|with _ person|agent|representative|operator|someone|somebody|manager|supervisor|team",
            "^ connect|transfer|escalate me|us|to|with _ person|agent|representative|operator|someone|somebody|manager|supervisor|team",
            "connect|transfer|put|pass|forward me|us _ person|agent|representative|operator|someone|somebody|manager|supervisor|team|support|through",
            "want|need|get|give|prefer|rather _ human|humans",
            "want|need|get|give|prefer|rather _ real|actual|live person|agent|representative|operator",
            "^ human|person|operator|representative $",
            "^ human|person|operator|representative|agent please|pls|now $",
            "^ real|actual|live human|person _ $",
            "is|are there _ human|humans|person|people here|there|available|around",
            "can|could|please|have _ someone|somebody _ call|contact|phone me|us",
            "please|can|could _ call me back",
        ],
    ),
    (
        Language::German,
        &[
            "mit|zu _ menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|kollegen|ansprechpartner|jemandem|jemand \
             _ sprechen|reden|chatten|verbinden|verbunden|telefonieren",
            "sprechen|reden _ mit _ menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|jemandem",
            "verbinde|verbinden|verbindet _ mich|mir|uns _ mit",
            "will|mochte|brauche|hatte|wunsche _ menschen|ansprechpartner",
            "echten|richtigen|echter|richtiger|echte|richtige mensch|menschen|person|mitarbeiter",
            "^ mensch|mitarbeiter|ansprechpartner|berater _ $",
            "rufen|ruft|ruf sie|mich _ an|zuruck",
            "bitte _ um ruckruf",
            "kann|konnte mich jemand anrufen|kontaktieren",
        ],
    ),
    (
        Language::French,
        &[
            "parler|discuter|echanger a|avec _ humain|personne|conseiller|conseillere|agent|operateur|quelqu|responsable",
            "veux|voudrais|souhaite|besoin _ humain|conseiller",
            "vraie personne",
            "mettez|passez moi _ quelqu|conseiller|responsable|humain",
            "^ humain|conseiller _ $",
            "rappelez moi",
        ],
    ),
    (
        Language::Spanish,
        &[
            "hablar|chatear|comunicarme con _ humano|persona|agente|alguien|operador|representante|asesor|encargado",
            "quiero|necesito|quisiera _ humano",
            "persona real",
            "paseme|pasame|comuniqueme|conecteme|conectame con",
            "^ humano|persona|operador _ $",
            "llamenme|llameme",
        ],
    ),
    (
        Language::Dutch,
        &[
            "met|een _ mens|persoon|medewerker|iemand|collega _ spreken|praten|chatten|bellen",
            "spreken|praten met _ mens|persoon|medewerker|iemand",
            "wil|zou _ mens",
            "echt|echte persoon|mens|medewerker",
            "verbind|verbindt|doorverbinden _ medewerker|iemand|met",
            "bel mij|me terug",
            "^ medewerker|mens _ $",
        ],
    ),
    (
        Language::Italian,
        &[
            "parlare|chattare con _ umano|persona|operatore|operatrice|qualcuno|agente|responsabile|consulente",
            "voglio|vorrei|bisogno _ umano",
            "persona reale|vera",
            "passatemi|passami|mettetemi|mi passi _ operatore|qualcuno|contatto|responsabile",
            "^ operatore|umano|persona _ $",
            "richiamatemi|richiamami",
        ],
    ),
    (
        Language::Portuguese,
        &[
            "falar|conversar com _ humano|pessoa|atendente|alguem|operador|agente|responsavel|consultor",
            "quero|preciso|gostaria _ humano",
            "pessoa real|verdade",
            "transfira|passe|transferir me|para _ atendente|humano|alguem",
            "^ humano|atendente|pessoa _ $",
            "me liguem|ligue",
        ],
    ),
];

const OFFERS: Lists = [
    (
        Language::English,
        &[
            "^ agent|support|helpdesk|operator|hotline|complaint|contact $",
            "^ help desk $",
            "^ customer|technical|tech|phone|live|human|your support|service|care|agent|chat $",
            "how|where _ contact|reach|call|phone _ you|support|team|someone|service|somebody",
            "contact|reach _ support|helpdesk",
            "your|support phone|telephone|hotline|contact number",
            "^ phone|telephone|hotline number $",
            "number _ call",
            "this|that is ridiculous|unacceptable|outrageous|pathetic|useless|nonsense|bullshit|annoying|frustrating",
            "you|youre|bot|chatbot|this|answer|answers|service _ useless|stupid|terrible|awful|horrible|pathetic|worthless|garbage|rubbish",
            "fed up",
            "sick of this|you|it",
            "so|very|really|extremely|im|am angry|frustrated|annoyed|furious|disappointed",
            "waste of _ time",
            "worst _ ever|service|company|support|experience",
            "wtf|bullshit",
            "this|that|it|you doesnt|didnt|dont|isnt|arent|not _ help|helpful|helping|understand",
            "make|file|submit|lodge _ complaint",
            "want|demand my money back",
        ],
    ),
    (
        Language::German,
        &[
            "^ support|kundendienst|kundenservice|hotline|hilfe|kontakt|beschwerde $",
            "wie|wo _ kontaktieren|erreichen|anrufen",
            "wie|wo _ erreiche|kontaktiere|kontakt _ euch|sie|support|ihnen|kundendienst",
            "eure|ihre|eine telefonnummer|rufnummer",
            "unverschamt*|lacherlich|frechheit|unfassbar|inakzeptabel|schwachsinn|scheiss*|zumutung",
            "du|sie|bot|antwort|das _ nutzlos|dumm|unbrauchbar|sinnlos",
            "bin|echt|sehr|total|so wutend|sauer|verargert|genervt|enttauscht|frustriert",
            "hilft|helfen|bringt _ nicht|nichts",
            "nase voll",
            "zeitverschwendung",
            "beschweren|reklamieren",
        ],
    ),
    (
        Language::French,
        &[
            "^ support|assistance|aide|contact|reclamation $",
            "^ service client $",
            "comment|ou _ contacter|joindre|appeler",
            "votre|un numero de telephone",
            "inadmissible|inacceptable|ridicule|scandaleux|honteux|arnaque",
            "suis|tres furieux|furieuse|enerve|enervee|decu|decue|mecontent|mecontente",
            "perte de temps",
            "ca|cela _ aide|sert _ pas|rien",
            "porter|deposer reclamation|plainte",
        ],
    ),
    (
        Language::Spanish,
        &[
            "^ soporte|ayuda|contacto|queja|reclamacion $",
            "^ atencion al cliente $",
            "como|donde _ contactar*|llamar|llamarles|comunicar*",
            "su|vuestro|un|algun numero de telefono",
            "inaceptable|ridiculo|verguenza|estafa|inutil|inutiles",
            "estoy _ enfadado|enfadada|furioso|furiosa|harto|harta|molesto|molesta|frustrado|frustrada|decepcionado",
            "perdida de tiempo",
            "no me ayuda|ayudas|sirve|entiende|entiendes",
            "poner|presentar _ queja|reclamacion",
        ],
    ),
    (
        Language::Dutch,
        &[
            "^ support|klantenservice|helpdesk|hulp|contact|klacht $",
            "hoe|waar _ bereiken|bellen|bereik",
            "contact opnemen",
            "jullie|uw|een telefoonnummer",
            "belachelijk|onacceptabel|schandalig|waardeloos|nutteloos|oplichting",
            "ben _ boos|woedend|gefrustreerd|teleurgesteld",
            "tijdverspilling",
            "helpt|snapt _ niet",
            "klacht indienen",
        ],
    ),
    (
        Language::Italian,
        &[
            "^ assistenza|supporto|aiuto|contatto|reclamo $",
            "^ servizio clienti $",
            "come|dove _ contattare|contattarvi|chiamare|chiamarvi|raggiungervi",
            "vostro|un numero di telefono",
            "inaccettabile|ridicolo|vergogna|truffa|inutile",
            "sono _ arrabbiato|arrabbiata|furioso|furiosa|frustrato|frustrata|deluso|delusa|stufo|stufa",
            "perdita di tempo",
            "non mi aiuta|aiuti|serve|capisci|capisce",
            "fare|presentare _ reclamo",
        ],
    ),
    (
        Language::Portuguese,
        &[
            "^ suporte|ajuda|contato|contacto|reclamacao $",
            "^ atendimento ao cliente $",
            "como|onde _ contatar|contactar|ligar|falar",
            "seu|um numero de telefone",
            "inaceitavel|ridiculo|vergonha|absurdo|inutil",
            "estou _ irritado|irritada|furioso|furiosa|frustrado|frustrada|decepcionado|decepcionada|farto|farta",
            "perda de tempo",
            "nao me ajuda|ajudou|entende|serve",
            "fazer|registrar _ reclamacao",
        ],
    ),
];

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    let lists = REQUESTS.iter().chain(&OFFERS).flat_map(|(_, patterns)| patterns.iter().copied());
    lists.chain(INQUIRIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::task;
    use crate::task::Turn;

    #[test]
    fn requests_offers_and_ordinary_questions_are_told_apart() {
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
        ];
        let none = [
            "What does the Pro plan cost?",
            "How many agents can use the live chat at once?",
            "Which human resources features do you have?",
            "Can I solve this without talking to a human?",
            "Does it support German?",
            "How do I add a person to my team?",
            "Wie viele Mitarbeiter kann ich einladen?",
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
            "",
        ];
        for (questions, expected) in [(&request[..], "request"), (&offer[..], "offer"), (&none[..], "none")] {
            for question in questions {
                let found = match detect(&task(question, &[])) {
                    Signal::Request(_) => "request",
                    Signal::Offer => "offer",
                    Signal::None => "none",
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
}
