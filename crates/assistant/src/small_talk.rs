//! Detection of greetings, thanks, farewells and questions such as "Are you a robot?", which are answered
//! with a fixed phrase instead of a search.
//!
//! A message counts only if it consists of nothing else: "hi, what does it cost?" is a question.

use frontdesk_knowledge::Language;

use crate::phrases::Phrases;
use frontdesk_knowledge::Words;

/// The kind of a courtesy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Courtesy {
    Greeting,
    Thanks,
    Farewell,
    /// The question who or what answers, or what it can do.
    Identity,
}

impl Courtesy {
    /// Returns the reply in a language.
    pub(crate) fn reply(self, phrases: &Phrases) -> &'static str {
        match self {
            Self::Greeting => phrases.greeting,
            Self::Thanks => phrases.thanks,
            Self::Farewell => phrases.farewell,
            Self::Identity => phrases.identity,
        }
    }
}

/// Most words of a courtesy.
const MOST_WORDS: usize = 8;

/// Returns the courtesy that a message consists of, and its language unless several languages use it.
pub(crate) fn recognize(message: &Words) -> Option<(Courtesy, Option<Language>)> {
    if message.is_empty() || message.len() > MOST_WORDS {
        return None;
    }
    let hit = |list: &[(Option<Language>, &[&str])]| {
        list.iter().find(|(_, patterns)| message.has_any(patterns)).map(|(language, _)| *language)
    };
    let thanks = hit(&THANKS).map(|language| (Courtesy::Thanks, language));
    let farewell = || hit(&FAREWELLS).map(|language| (Courtesy::Farewell, language));
    let greeting = || hit(&GREETINGS).map(|language| (Courtesy::Greeting, language));
    let identity = || hit(&IDENTITY).map(|language| (Courtesy::Identity, language));
    thanks.or_else(farewell).or_else(greeting).or_else(identity)
}

type Lists<const N: usize> = [(Option<Language>, &'static [&'static str]); N];

const GREETINGS: Lists<9> = [
    (
        Some(Language::English),
        &[
            "^ hello|hey|howdy|greetings $",
            "^ hello|hi|hey|good there|again|everyone|morning|afternoon|evening|day $",
            "^ hello|hi|hey how are you $",
            "^ how are you $",
            "^ hello|hi|hey good morning|afternoon|evening|day $",
            "^ good morning|afternoon|evening|day everyone|there $",
        ],
    ),
    (
        Some(Language::German),
        &[
            "^ hallo|moin|servus|gruezi|tach $",
            "^ gruss gott $",
            "^ grusse gott $",
            "^ guten|schonen morgen|tag|abend|mittag $",
            "^ hallo|hi zusammen|da $",
            "^ hallo|hi guten morgen|tag|abend $",
            "^ hallo|hi wie geht es|s dir|ihnen $",
            "^ wie geht es dir|ihnen $",
            "^ wie gehts $",
        ],
    ),
    (
        Some(Language::French),
        &[
            "^ bonjour|bonsoir|salut|coucou $",
            "^ bonjour|bonsoir|salut a tous $",
            "^ bonjour madame|monsieur $",
            "^ comment allez vous $",
            "^ ca va $",
        ],
    ),
    (
        Some(Language::Spanish),
        &[
            "^ hola|buenas|buenos $",
            "^ hola buenas|buenos $",
            "^ hola que tal $",
            "^ buenos dias $",
            "^ buenas tardes|noches $",
            "^ hola buenos|buenas dias|tardes|noches $",
        ],
    ),
    (
        Some(Language::Dutch),
        &[
            "^ hoi|hallo|dag|goedemorgen|goedemiddag|goedenavond|goedendag $",
            "^ goede morgen|middag|avond|dag $",
            "^ hoi|hallo daar|allemaal $",
        ],
    ),
    (
        Some(Language::Italian),
        &[
            "^ ciao|salve|buongiorno|buonasera $",
            "^ buon giorno|pomeriggio $",
            "^ buona sera|giornata $",
            "^ ciao a tutti $",
        ],
    ),
    (
        Some(Language::Portuguese),
        &[
            "^ ola|oi $",
            "^ bom dia $",
            "^ boa tarde|noite $",
            "^ ola|oi bom|boa dia|tarde|noite $",
            "^ oi|ola tudo bem $",
        ],
    ),
    (
        Some(Language::Polish),
        &[
            "^ czesc|hej|witam|witaj|witajcie|siema $",
            "^ dzien|dobry dobry|wieczor $",
            "^ hej|czesc wszystkim $",
        ],
    ),
    (None, &["^ hi $", "^ hi hi $"]),
];

const THANKS: Lists<9> = [
    (
        Some(Language::English),
        &[
            "^ thanks|thx|thank|ty $",
            "^ thank you $",
            "^ thanks|thank _ much|lot|bunch|help|you|again|bye $",
            "^ ok|okay|great|perfect|awesome|cool|alright|super thanks|thx $",
            "^ ok|okay|great|perfect|awesome|cool|alright|super thank you $",
            "^ great|perfect|awesome|cool|alright|wonderful|excellent $",
            "^ that was|is helpful|great|perfect $",
            "^ thanks|thx|thank _ helpful|useful|great|perfect|kind|star|legend|lifesaver|best|brilliant $",
            "^ cheers|ta mate|love|then? $",
            "^ youre|you|are a? star|legend|lifesaver|the? best? $",
        ],
    ),
    (
        Some(Language::German),
        &[
            "^ danke|dankeschon|merci $",
            "^ ok|okay|super|alles|gut|perfekt|prima|toll|klar|hallo danke $",
            "^ danke schon|sehr|dir|ihnen|euch|vielmals $",
            "^ vielen|besten|herzlichen dank $",
            "^ vielen dank _ hilfe $",
            "^ danke _ hilfe $",
            "^ danke|dankeschon _ hilfreich|super|toll|perfekt|nett $",
            "^ alles klar _ danke $",
            "^ alles klar $",
        ],
    ),
    (
        Some(Language::French),
        &[
            "^ merci $",
            "^ merci beaucoup|bien $",
            "^ merci _ aide $",
            "^ ok|super|parfait merci $",
            "^ merci a vous $",
            "^ merci _ utile|parfait|gentil $",
        ],
    ),
    (
        Some(Language::Spanish),
        &[
            "^ gracias $",
            "^ muchas|mil gracias $",
            "^ ok|vale|perfecto gracias $",
            "^ gracias _ ayuda|util|amable $",
        ],
    ),
    (
        Some(Language::Dutch),
        &[
            "^ bedankt|dank|dankjewel|dankuwel $",
            "^ dank je|u $",
            "^ dank je|u wel $",
            "^ ok|oke|super bedankt $",
            "^ bedankt _ hulp|nuttig|behulpzaam $",
            "^ hartelijk dank|bedankt $",
        ],
    ),
    (
        Some(Language::Italian),
        &[
            "^ grazie $",
            "^ grazie mille|tante $",
            "^ ok|perfetto grazie $",
            "^ grazie _ aiuto|utile|gentile $",
            "^ molte grazie $",
        ],
    ),
    (
        Some(Language::Portuguese),
        &[
            "^ obrigado|obrigada|valeu $",
            "^ muito obrigado|obrigada $",
            "^ ok|certo|perfeito obrigado|obrigada $",
            "^ obrigado|obrigada _ ajuda|util $",
        ],
    ),
    (
        Some(Language::Polish),
        &[
            "^ dzieki|dziekuje|dziekujemy $",
            "^ dziekuje|dzieki bardzo|serdecznie|pieknie|wielkie $",
            "^ wielkie dzieki $",
            "^ ok|okej|dobrze|super dzieki|dziekuje $",
            "^ dzieki|dziekuje _ pomoc|pomocne $",
        ],
    ),
    (None, &["^ ok|okay $", "^ super $"]),
];

const IDENTITY: Lists<8> = [
    (
        Some(Language::English),
        &[
            "^ are you a|an? real? robot|bot|chatbot|human|person|machine|computer|ai|real|someone $",
            "^ are you a|an? robot|bot|chatbot|human|person|machine|ai or _ $",
            "^ am i talking|speaking|chatting|writing to|with a|an? real? robot|bot|chatbot|human|person|machine|ai $",
            "^ is this|that a|an? robot|bot|chatbot|human|person|machine|ai $",
            "^ who|what are you $",
            "^ what can you do|help|answer for|with? me? $",
            "^ how can you help me? $",
        ],
    ),
    (
        Some(Language::German),
        &[
            "^ bist|sind|seid du|sie|ihr ein|eine|n? echter? roboter|bot|chatbot|mensch|maschine|ki|person|computer $",
            "^ wer|was bist|sind du|sie $",
            "^ was kannst|konnen du|sie $",
            "^ spreche|schreibe|rede ich mit einem|einer echten? roboter|bot|chatbot|menschen|maschine|ki $",
        ],
    ),
    (
        Some(Language::French),
        &[
            "^ etes|es vous|tu un|une vrai|vraie? robot|bot|chatbot|humain|machine|ia|personne $",
            "^ vous|tu etes|es un|une vrai|vraie? robot|bot|chatbot|humain|machine|ia|personne $",
            "^ qui|que etes|es vous|tu $",
            "^ que|qu pouvez|peux vous|tu faire $",
        ],
    ),
    (
        Some(Language::Spanish),
        &[
            "^ eres|es|sois usted? un|una robot|bot|chatbot|humano|maquina|ia|persona $",
            "^ quien|que eres|es usted? $",
            "^ que puedes|puede hacer $",
        ],
    ),
    (
        Some(Language::Dutch),
        &[
            "^ ben|bent je|jij|u een echt|echte? robot|bot|chatbot|mens|machine|ai|persoon $",
            "^ wie|wat ben|bent je|jij|u $",
            "^ wat kun|kan|kunt je|jij|u $",
        ],
    ),
    (
        Some(Language::Italian),
        &[
            "^ sei|e|siete un|una vero|vera? robot|bot|chatbot|umano|macchina|ia|persona $",
            "^ chi|cosa sei $",
            "^ cosa puoi fare $",
        ],
    ),
    (
        Some(Language::Portuguese),
        &[
            "^ es|voce e|tu? um|uma robo|robot|bot|chatbot|humano|maquina|ia|pessoa $",
            "^ quem|o que? e|es voce|tu $",
            "^ o? que voce? pode|podes fazer $",
        ],
    ),
    (
        Some(Language::Polish),
        &[
            "^ czy? jestes|to robotem|botem|chatbotem|czlowiekiem|maszyna|robot|bot|czlowiek $",
            "^ kim|czym jestes $",
            "^ co potrafisz|umiesz $",
        ],
    ),
];

const FAREWELLS: Lists<8> = [
    (
        Some(Language::English),
        &[
            "^ bye|goodbye|cya $",
            "^ bye bye|now $",
            "^ good bye|night $",
            "^ see you _ $",
            "^ have a good|nice|great day|one|evening|weekend $",
        ],
    ),
    (
        Some(Language::German),
        &[
            "^ tschuss|tschuess|tschau|ciao|servus $",
            "^ auf wiedersehen|wiederhoren $",
            "^ bis bald|dann|spater|morgen $",
            "^ schonen tag|abend noch $",
        ],
    ),
    (
        Some(Language::French),
        &["^ au revoir $", "^ a bientot|plus|demain $", "^ bonne journee|soiree|nuit $"],
    ),
    (Some(Language::Spanish), &["^ adios|chao $", "^ hasta luego|pronto|manana $"]),
    (Some(Language::Dutch), &["^ doei|dag $", "^ tot ziens|straks|later $", "^ fijne dag|avond $"]),
    (
        Some(Language::Italian),
        &["^ arrivederci|addio $", "^ a presto|dopo|domani $", "^ buona giornata|serata|notte $"],
    ),
    (Some(Language::Portuguese), &["^ tchau|adeus $", "^ ate logo|mais|breve|amanha $"]),
    (
        Some(Language::Polish),
        &["^ do widzenia|zobaczenia|jutra $", "^ milego dnia|wieczoru $", "^ dobranoc|pa $"],
    ),
];

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    GREETINGS
        .iter()
        .chain(&THANKS)
        .chain(&FAREWELLS)
        .chain(&IDENTITY)
        .flat_map(|(_, patterns)| patterns.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_messages_are_courtesies() {
        use Courtesy::{Farewell, Greeting, Identity, Thanks};
        for (message, expected) in [
            ("Hi!", Some(Greeting)),
            ("Hello there 👋", Some(Greeting)),
            ("good morning", Some(Greeting)),
            ("Grüß Gott", Some(Greeting)),
            ("Guten Tag!", Some(Greeting)),
            ("Bonjour", Some(Greeting)),
            ("¡Buenas tardes!", Some(Greeting)),
            ("Olá, tudo bem?", Some(Greeting)),
            ("Dzień dobry!", Some(Greeting)),
            ("Dziękuję za pomoc", Some(Thanks)),
            ("Do widzenia!", Some(Farewell)),
            ("thanks", Some(Thanks)),
            ("Thank you so much!", Some(Thanks)),
            ("thanks for your help", Some(Thanks)),
            ("Thanks, that was very useful!", Some(Thanks)),
            ("Danke, das war sehr hilfreich", Some(Thanks)),
            ("Merci, c'était très utile !", Some(Thanks)),
            ("OK, danke", Some(Thanks)),
            ("Vielen Dank für die Hilfe!", Some(Thanks)),
            ("merci beaucoup", Some(Thanks)),
            ("Auf Wiedersehen", Some(Farewell)),
            ("bye", Some(Farewell)),
            ("Thanks!! You're a star", Some(Thanks)),
            ("cheers mate", Some(Thanks)),
            ("are you a robot?", Some(Identity)),
            ("Am I talking to a real person?", Some(Identity)),
            ("what can you do?", Some(Identity)),
            ("Bist du ein Mensch?", Some(Identity)),
            ("Êtes-vous un robot ?", Some(Identity)),
            ("¿Eres una persona?", Some(Identity)),
            ("Ben je een robot?", Some(Identity)),
            ("Sei un robot?", Some(Identity)),
            ("Você é um robô?", Some(Identity)),
            ("Czy jesteś robotem?", Some(Identity)),
            ("what can you do about moss?", None),
            ("who are your trainers?", None),
            ("is this a real diamond?", None),
            ("hi, what does it cost?", None),
            ("hello world program", None),
            ("thank you page settings", None),
            ("Danke, aber wie kündige ich?", None),
            ("", None),
        ] {
            assert_eq!(recognize(&Words::of(message)).map(|(kind, _)| kind), expected, "{message}");
        }
    }

    #[test]
    fn the_language_of_a_courtesy_is_known() {
        for (message, language) in
            [("moin", Some(Language::German)), ("grazie mille", Some(Language::Italian)), ("hi", None)]
        {
            assert_eq!(recognize(&Words::of(message)).unwrap().1, language, "{message}");
        }
    }
}
