//! Detection of greetings, thanks and farewells, which are answered with a courtesy instead of a search.
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
}

impl Courtesy {
    /// Returns the reply in a language.
    pub(crate) fn reply(self, phrases: &Phrases) -> &'static str {
        match self {
            Self::Greeting => phrases.greeting,
            Self::Thanks => phrases.thanks,
            Self::Farewell => phrases.farewell,
        }
    }
}

/// Returns the courtesy that a message consists of, and its language unless several languages use it.
pub(crate) fn recognize(message: &Words) -> Option<(Courtesy, Option<Language>)> {
    if message.is_empty() || message.len() > 6 {
        return None;
    }
    let hit = |list: &[(Option<Language>, &[&str])]| {
        list.iter().find(|(_, patterns)| message.has_any(patterns)).map(|(language, _)| *language)
    };
    let thanks = hit(&THANKS).map(|language| (Courtesy::Thanks, language));
    let farewell = || hit(&FAREWELLS).map(|language| (Courtesy::Farewell, language));
    let greeting = || hit(&GREETINGS).map(|language| (Courtesy::Greeting, language));
    thanks.or_else(farewell).or_else(greeting)
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
            "^ thanks|thx|thank _ helpful|useful|great|perfect|kind $",
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
    GREETINGS.iter().chain(&THANKS).chain(&FAREWELLS).flat_map(|(_, patterns)| patterns.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_messages_are_courtesies() {
        use Courtesy::{Farewell, Greeting, Thanks};
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
