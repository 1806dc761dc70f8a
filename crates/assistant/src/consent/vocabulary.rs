//! Words of replies to the offer of a person, in each language.
//!
//! All words are in the normalized form of [`Words`](frontdesk_knowledge::Words): lower case, without
//! accents.

use frontdesk_knowledge::Language;

/// Words and phrases of replies in one language.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) language: Language,
    /// Patterns that agree or repeat what was offered, in the form of
    /// [`Words::matches`](frontdesk_knowledge::Words::matches) without gaps.
    pub(super) yes: &'static [&'static str],
    /// Patterns that decline.
    pub(super) no: &'static [&'static str],
    /// Words that agree unless the message also thanks, separated by spaces.
    pub(super) acknowledgements: &'static str,
    /// Words of thanks.
    pub(super) thanks: &'static str,
    /// Words that neither agree nor decline: courtesies, pronouns, and words of wanting.
    pub(super) neutral: &'static str,
}

/// Every language.
pub(super) const VOCABULARIES: [Vocabulary; 8] = [
    Vocabulary {
        language: Language::English,
        yes: &[
            "person|human|someone|somebody|agent",
            "talk|speak to|with",
            "yes|yeah|yea|yep|yup|sure|absolutely|definitely|certainly|gladly|please|affirmative",
            "of course",
            "go ahead|for",
            "why not",
            "do it|that|so",
            "lets do it|that",
            "sounds good|great|fine|perfect",
            "that|it would|will be good|great|nice|helpful|lovely|perfect|wonderful|fantastic",
            "i would|do",
            "id like|love|appreciate",
            "connect|transfer me|us",
        ],
        no: &[
            "no|nope|nah|not|never|dont|later",
            "maybe|perhaps|another|some later|time",
            "im good|fine|ok|okay",
        ],
        acknowledgements: "ok okay alright great perfect good cool",
        thanks: "thanks thank thx",
        neutral: "i you me us we it that this a an the to with be do so then very much really rather kind of from your \
                  would will could can like love want need now right away if possible soon \
                  connect transfer put through talk speak team",
    },
    Vocabulary {
        language: Language::German,
        yes: &[
            "mensch|menschen|mitarbeiter|mitarbeiterin|person|jemand|jemandem",
            "sprechen|reden|verbinden",
            "ja|jap|jep|jo|jawohl|gerne|gern|klar|sicher|unbedingt|bitte|naturlich|selbstverstandlich|genau|einverstanden",
            "auf jeden fall",
            "warum nicht",
            "in ordnung",
            "mach|macht das|es",
            "machen|tun sie das|es",
            "das ware gut|super|nett|toll|schon|prima|klasse|hilfreich",
            "verbinden sie mich|uns",
        ],
        no: &["nein|ne|nee|no|nicht|spater|kein|keine|keinen|niemals", "noch|lieber nicht", "ein andermal"],
        acknowledgements: "ok okay gut super prima",
        thanks: "danke dankeschon dank",
        neutral: "ich mich mir uns wir das es sie du mit einem einer einen den dem der die aus zu sehr doch dann so \
                  jetzt gleich lieber mal nur mochte wurde will hatte vielen schon notig verbinde verbindet \
                  team wenn moglich",
    },
    Vocabulary {
        language: Language::French,
        yes: &[
            "personne|humain|conseiller",
            "quelqu un",
            "parler",
            "oui|ouais|volontiers|absolument|certainement|evidemment|svp|stp",
            "d accord",
            "avec plaisir",
            "bien sur",
            "je veux bien",
            "je le souhaite|veux",
            "pourquoi pas",
            "s il vous|te plait",
            "allez|vas y",
            "bonne idee",
            "ce|ca serait bien|super|parfait|gentil|genial",
            "j aimerais bien?",
            "mettez moi",
        ],
        no: &["non|pas|jamais|inutile", "plus tard", "peut etre", "une autre fois"],
        acknowledgements: "ok okay parfait super bien",
        thanks: "merci",
        neutral: "je j moi me m nous vous le la les l un une de d du des en a avec et c ce ca cela est tres beaucoup \
                  bien alors tout suite maintenant voudrais veux souhaite aimerais mettre mettez mis passez \
                  relation contact equipe votre s il possible besoin",
    },
    Vocabulary {
        language: Language::Spanish,
        yes: &[
            "persona|alguien|humano|agente",
            "hablar",
            "si|sip|claro|vale|venga|dale|adelante|obvio|seguro|porfa|afirmativo",
            "por favor|supuesto",
            "de acuerdo",
            "desde luego",
            "como no",
            "esta bien",
            "con gusto",
            "me gustaria|encantaria",
            "conecteme|conectame|paseme|pongame",
        ],
        no: &[
            "no|nunca|despues|luego|tampoco",
            "ahora|todavia no",
            "mas tarde",
            "otro dia",
            "quizas|tal vez",
        ],
        acknowledgements: "ok okey bien bueno perfecto genial",
        thanks: "gracias",
        neutral: "yo me mi nos lo la el le con una un de del su a en que eso si muy muchas mucho mil bien ahora ya \
                  mismo quiero quisiera gustaria necesito ponga pongan poner contacto \
                  equipo hagalo hazlo es posible hace falta",
    },
    Vocabulary {
        language: Language::Dutch,
        yes: &[
            "iemand|persoon|mens|medewerker",
            "spreken|praten|doorverbinden",
            "ja|jawel|jazeker|zeker|graag|natuurlijk|absoluut|alstublieft|alsjeblieft|aub|akkoord",
            "doe maar",
            "dat? is goed|prima",
            "waarom niet",
            "dat zou fijn|goed|mooi|leuk|super zijn?",
        ],
        no: &["nee|neen|niet|geen|later|nooit", "nog|liever niet", "een andere keer"],
        acknowledgements: "ok oke okay goed prima super fijn",
        thanks: "bedankt dank dankjewel",
        neutral: "ik mij me wij we ons u je jij dat het is met een team van het jullie uw \
                  wil zou willen zijn verbind verbinden door doen dan nu liever maar heel erg wel \
                  hoeft nodig als mogelijk",
    },
    Vocabulary {
        language: Language::Italian,
        yes: &[
            "persona|qualcuno|umano|operatore",
            "parlare",
            "si|certo|certamente|volentieri|assolutamente|ovviamente|sicuro|esatto",
            "va bene",
            "d accordo",
            "per favore|piacere|cortesia",
            "perche no",
            "con piacere",
            "come no",
            "mi piacerebbe",
            "sarebbe bello|ottimo|perfetto|utile",
            "mi|mettimi|mettetemi|passatemi metta|in contatto?",
        ],
        no: &["no|mai|non|dopo", "piu tardi", "un altra volta", "non ora"],
        acknowledgements: "ok okay bene perfetto ottimo",
        thanks: "grazie",
        neutral: "io mi ci me lo la il le con una un uno di del vostro a in che e molto mille tante bene ora adesso \
                  subito pure vorrei voglio bisogno metta contatto team \
                  faccia fate possibile serve",
    },
    Vocabulary {
        language: Language::Portuguese,
        yes: &[
            "pessoa|alguem|humano|atendente",
            "falar",
            "sim|claro|certamente|quero|gostaria|aceito|positivo|isso",
            "por favor",
            "pode ser|sim",
            "com certeza|prazer",
            "ta|esta bom|bem",
            "tudo bem",
            "por que nao",
            "seria otimo|bom|excelente|util",
        ],
        no: &["nao|nunca|depois|talvez", "agora|ainda nao", "mais tarde", "outra hora|vez"],
        acknowledgements: "ok bom bem certo perfeito otimo",
        thanks: "obrigado obrigada valeu",
        neutral: "eu me mim nos o a os as com uma um de da do sua que isso e muito bem agora ja mesmo entao pra para \
                  quero gostaria preciso encaminhe encaminhar transfira passe conecte \
                  equipe equipa faca favor possivel",
    },
    Vocabulary {
        language: Language::Polish,
        yes: &[
            "osoba|czlowiek|czlowiekiem|konsultant|konsultantem|kims|pracownikiem",
            "porozmawiac|polaczyc",
            "tak|jasne|oczywiscie|pewnie|chetnie|zgoda|prosze|zdecydowanie|koniecznie|poprosze",
            "no tak",
            "czemu|dlaczego nie",
            "w porzadku",
            "byloby|bedzie swietnie|dobrze|milo|super",
            "niech tak bedzie",
        ],
        no: &["nie|nigdy|potem|pozniej", "moze|raczej nie", "innym razem", "jeszcze nie"],
        acknowledgements: "ok okej dobrze dobra super swietnie",
        thanks: "dzieki dziekuje",
        neutral: "ja mnie mi mna nas nam my ty ci to tego z ze o na do w sie czy by bym bardzo teraz zaraz juz \
                  chce chcialbym chcialabym chcemy potrzebuje moge mozna osoba pracownikiem zespolem zespolu waszego \
                  polacz polaczcie polaczyc rozmowa porozmawiac jesli mozliwe trzeba",
    },
];
