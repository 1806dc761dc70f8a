//! Phrases by which visitors ask for a person.
//!
//! Patterns have the form of [`Words::matches`](frontdesk_knowledge::Words::matches). They describe how each
//! language asks for a person, not single sentences: a verb of talking or connecting with a word for a
//! person, a verb of wanting with such a word at the end of its phrase, or the bare word.

use frontdesk_knowledge::Language;

/// Patterns of one language.
#[derive(Debug)]
pub(super) struct Requests {
    pub(super) language: Language,
    /// Phrases that are requests wherever they occur.
    pub(super) clear: &'static [&'static str],
    /// Phrases whose last word must end a noun phrase: "I want a human", but not "I want human hair".
    pub(super) wanted: &'static [&'static str],
}

/// Words that reverse a request if they come right before it or in it.
pub(super) const NEGATIONS: [&str; 17] = [
    "not", "dont", "without", "never", "instead", "nicht", "kein", "keinen", "ohne", "sans", "sin", "zonder",
    "senza", "sem", "niet", "nie", "bez",
];

/// Beginnings that make a request a question about the way to reach a person.
pub(super) const INQUIRIES: [&str; 8] = [
    "^ how|where|what|when|which",
    "^ wie|wo|wann|welche*",
    "^ comment|ou|quand|quel*",
    "^ como|donde|cuando|onde|quando",
    "^ hoe|waar|wanneer",
    "^ come|dove",
    "^ qual|quais|quale|cual",
    "^ jak|gdzie|kiedy|czym|jaki*",
];

/// Words that may follow a word for a person without making it an attribute of another noun, separated by
/// spaces: courtesies, times, function words that lose an accent, and in English the nouns that "human"
/// qualifies when a person is meant. Other function words are recognized without this list.
pub(super) const FOLLOWERS: &str = "please pls thanks thank now today tomorrow asap immediately instead again right regarding \
     concerning bitte danke jetzt sofort heute morgen statt fur uber svp stp merci maintenant aujourd \
     tout apres por gracias ahora hoy graag alstublieft alsjeblieft aub nu vandaag per grazie adesso \
     ora oggi subito favor obrigado obrigada agora hoje \
     being agent representative operator assistant support employee advisor person";

/// Adjectives that follow their noun in Romance languages. They are the noun themselves only after one of
/// [`INTRODUCERS`]: "un humain", but not "cheveux humains".
pub(super) const ADJECTIVES: [&str; 3] = ["humain", "humano", "umano"];

/// Articles, prepositions and nouns after which one of [`ADJECTIVES`] means a person, separated by spaces.
pub(super) const INTRODUCERS: &str = "un une l d a au avec vrai etre el al con algun ser verdadero uno essere vero com um ao \
     o algum verdadeiro agente operador operatore";

/// Every language.
pub(super) const REQUESTS: [Requests; 8] = [
    Requests {
        language: Language::English,
        clear: &[
            "i|we|me|wanna|please|gotta _ talk|speak|chat to|with _ \
             person|agent|representative|rep|operator|someone|somebody|advisor|manager|supervisor|staff|employee",
            "i|we|me|wanna|please|gotta _ talk|speak|chat to|with your|the support|sales|service|customer? team",
            "^ want|need|like|would _ talk|speak|chat to|with _ person|agent|representative|operator|someone|somebody|manager",
            "^ talk|speak to|with _ person|agent|representative|operator|someone|somebody|manager|supervisor|team",
            "^ connect|transfer|escalate me|us|to|with _ person|agent|representative|operator|someone|somebody|manager|supervisor|team",
            "connect|transfer|put|pass|forward me|us _ person|agent|representative|operator|someone|somebody|manager|supervisor|team|support|through",
            "^ a|an? human|person|operator|representative please|pls|now? $",
            "^ agent please|pls|now $",
            "^ a|an? real|actual|live human|person|agent please|pls|now? $",
            "is|are there _ human|humans|person|people here|there|available|around",
            "can|could|please|have _ someone|somebody _ call|contact|phone me|us",
            "please|can|could _ call me back",
            "call|ring|phone me|us back|please|asap|later|today|tomorrow|on|at|after|tonight",
            "^ please? call|ring|phone me|us please? $",
            "give me|us a? call|ring|callback",
            "can|could|would you|someone|somebody|anyone _ call|ring|phone|contact me|us",
            "want|need|like|request|arrange|book a callback|call $",
            "^ contact me|us please? $",
        ],
        wanted: &[
            "talk|speak|chat|connect|transfer|put|forward|escalate|hand _ human|humans",
            "want|need|get|give|prefer|rather _ human",
            "want|need|get|give|prefer|rather _ real|actual|live person|agent|representative|operator",
        ],
    },
    Requests {
        language: Language::German,
        clear: &[
            "mit|zu _ menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|kollegen|ansprechpartner|jemandem|jemand \
             _ sprechen|reden|chatten|verbinden|verbunden|telefonieren",
            "sprechen|reden _ mit _ menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|jemandem",
            "verbinde|verbinden|verbindet _ mich|mir|uns _ mit _ \
             menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|kollegen|ansprechpartner|jemandem|team|support|kundendienst|kundenservice|chef|abteilung",
            "^ mensch|mitarbeiter|ansprechpartner|berater bitte? $",
            "^ einen|nen|echten|richtigen menschen|mitarbeiter|ansprechpartner bitte? $",
            "^ echter|richtiger mensch|mitarbeiter bitte? $",
            "rufen|ruft|ruf _ mich|uns _ an|zuruck",
            "bitte _ um ruckruf",
            "kann|konnte mich jemand anrufen|kontaktieren",
            "konnen|konnt|kann|konnten _ mich|uns _ anrufen|zuruckrufen|kontaktieren",
            "meldet|melden|melde euch|sie|dich sich? bei mir|uns",
        ],
        wanted: &[
            "will|mochte|brauche|hatte|wunsche|wurde _ einen|nen|echten|richtigen menschen|ansprechpartner",
            "will|mochte|brauche|hatte|wunsche|wurde|gib|geben _ \
             echten|richtigen|echte|richtige menschen|person|mitarbeiter|mitarbeiterin",
        ],
    },
    Requests {
        language: Language::French,
        clear: &[
            "parler|discuter|echanger a|avec _ humain|personne|conseiller|conseillere|agent|operateur|quelqu|responsable",
            "mettez|passez moi _ quelqu|conseiller|responsable|humain",
            "^ un? humain|conseiller svp|stp|merci? $",
            "^ un? humain|conseiller s il vous|te plait $",
            "rappelez moi",
            "appelez moi",
            "pouvez|pourriez|peut|pourrait _ me|m rappeler|appeler|contacter",
        ],
        wanted: &[
            "veux|voudrais|souhaite|besoin|aimerais _ humain|conseiller",
            "veux|voudrais|souhaite|besoin|aimerais|a|avec _ vraie personne",
        ],
    },
    Requests {
        language: Language::Spanish,
        clear: &[
            "hablar|chatear|comunicarme con _ humano|persona|agente|alguien|operador|representante|asesor|encargado",
            "paseme|pasame|comuniqueme|conecteme|conectame con",
            "^ un|una? humano|persona|operador por? favor? $",
            "llamenme|llameme",
            "llamame|llamadme|llamanos",
            "podeis|pueden|puede|podrian|podria|puedes me? llamarme|llamar|contactarme",
            "me podeis|pueden|puede|podrian|podria llamar|contactar",
        ],
        wanted: &[
            "quiero|necesito|quisiera|prefiero _ humano",
            "quiero|necesito|quisiera|prefiero|con _ persona real",
        ],
    },
    Requests {
        language: Language::Dutch,
        clear: &[
            "met|een _ mens|persoon|medewerker|iemand|collega _ spreken|praten|chatten|bellen",
            "spreken|praten met _ mens|persoon|medewerker|iemand",
            "verbind|verbindt|doorverbinden _ medewerker|iemand|mens|persoon|collega",
            "bel mij|me terug",
            "^ bel mij|me _ $",
            "kunt|kunnen|kan|wilt|willen _ mij|me _ bellen|terugbellen",
            "^ een? echt|echte? medewerker|mens graag|alstublieft|alsjeblieft|aub? $",
        ],
        wanted: &["wil|zou|wens _ mens", "wil|zou|wens|graag _ echt|echte persoon|mens|medewerker"],
    },
    Requests {
        language: Language::Italian,
        clear: &[
            "parlare|chattare con _ umano|persona|operatore|operatrice|qualcuno|agente|responsabile|consulente",
            "passatemi|passami|mettetemi|mi passi _ operatore|qualcuno|contatto|responsabile",
            "^ un|una? operatore|umano|persona per? favore? $",
            "richiamatemi|richiamami",
            "chiamatemi|chiamami",
            "potete|puo|potreste|potrebbe chiamarmi|richiamarmi|contattarmi",
            "mi potete|puo|potreste|potrebbe chiamare|richiamare|contattare",
        ],
        wanted: &[
            "voglio|vorrei|bisogno|preferisco _ umano",
            "voglio|vorrei|bisogno|con _ persona reale|vera",
        ],
    },
    Requests {
        language: Language::Portuguese,
        clear: &[
            "falar|conversar com _ humano|pessoa|atendente|alguem|operador|agente|responsavel|consultor",
            "transfira|passe|transferir me|para _ atendente|humano|alguem",
            "^ um|uma? humano|atendente|pessoa por? favor? $",
            "me liguem|ligue",
            "liguem|ligue|liga me",
            "liguem|ligue|liga para mim",
            "podem|pode|poderiam _ me? ligar|telefonar",
        ],
        wanted: &[
            "quero|preciso|gostaria|prefiro _ humano",
            "quero|preciso|gostaria|prefiro|com _ pessoa real",
            "quero|preciso|gostaria|prefiro|com _ pessoa de verdade",
        ],
    },
    Requests {
        language: Language::Polish,
        clear: &[
            "rozmawiac|porozmawiac|pogadac|rozmowic z|ze|sie _ \
             czlowiekiem|osoba|konsultantem|konsultantka|kims|pracownikiem|doradca|kierownikiem|przedstawicielem",
            "polacz|polaczcie|polaczyc|przelacz|przelaczcie|przekierujcie _ mnie|nas? _ \
             czlowiekiem|osoba|konsultantem|konsultantka|kims|pracownikiem|doradca|kierownikiem|zespolem|obsluga",
            "^ konsultant|konsultanta|pracownik|czlowiek|czlowieka prosze? $",
            "^ poprosze konsultanta|czlowieka|pracownika $",
            "oddzwoncie|oddzwonic|zadzwoncie do? mnie|nas?",
        ],
        wanted: &["chce|chcialbym|chcialabym|potrzebuje|wole _ czlowieka|konsultanta|konsultantem"],
    },
];
