//! Stop words, filler words and words that refer to an earlier sentence, for each language.

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt, HashSet};

use super::language::Language;
use super::morphology::Morphology;

/// The word lists of one language, all lower-case.
struct Lists {
    stop: HashSet<&'static str>,
    filler: HashSet<&'static str>,
    anaphor: HashSet<&'static str>,
}

impl Lists {
    fn new(stop: &'static str, filler: &'static str, anaphor: &'static str) -> Self {
        let set = |text: &'static str| text.split_whitespace().collect();
        Self { stop: set(stop), filler: set(filler), anaphor: set(anaphor) }
    }
}

/// Returns whether a word carries no topic and is left out of the index.
pub(crate) fn is_stop_word(morphology: Morphology, word: &str) -> bool {
    lists(morphology).is_some_and(|lists| lists.stop.contains(word))
}

/// Returns the languages in which a word is a stop word: bit `n` is the language at index `n` of
/// [`Language::ALL`].
pub(super) fn languages_of(word: &str) -> u8 {
    static LANGUAGES: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
        let mut languages = HashMap::new();
        for (place, language) in Language::ALL.into_iter().enumerate() {
            for word in lists(language.into()).into_iter().flat_map(|lists| &lists.stop) {
                *languages.entry(*word).or_default() |= 1 << place;
            }
        }
        languages
    });
    LANGUAGES.get(word).copied().unwrap_or(0)
}

/// Returns whether people use a word to phrase a question without meaning it as a topic (`want`, `please`).
/// Such words are indexed, but do not count when a text is checked for an answer.
pub(crate) fn is_filler(morphology: Morphology, word: &str) -> bool {
    lists(morphology).is_some_and(|lists| lists.filler.contains(word))
}

/// Returns whether a word refers to the question before (`it`, `there`).
pub(crate) fn is_anaphor(morphology: Morphology, word: &str) -> bool {
    lists(morphology).is_some_and(|lists| lists.anaphor.contains(word))
}

fn lists(morphology: Morphology) -> Option<&'static Lists> {
    let lists = match morphology.language()? {
        Language::English => &ENGLISH,
        Language::German => &GERMAN,
        Language::French => &FRENCH,
        Language::Spanish => &SPANISH,
        Language::Dutch => &DUTCH,
        Language::Italian => &ITALIAN,
        Language::Portuguese => &PORTUGUESE,
        Language::Polish => &POLISH,
    };
    Some(lists)
}

static ENGLISH: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "a about after all also am an and any are aren't as at be because been before being both but by can can't \
         cannot could couldn't did didn't do does doesn't doing don't each else few for from further had hadn't has \
         hasn't have haven't having he he'd he'll her here hers herself him himself his how i i'd i'll i'm i've if in \
         into is isn't it it'd it'll its itself just let me more most mustn't my myself no nor not of off on once one \
         only or other our ours ourselves out over own same shall shan't she she'd she'll should shouldn't so some \
         such than that the their theirs them themselves then there these they they'd they'll they're they've this those \
         through to too under until up us very was wasn't we we'd we'll we're we've were weren't what when where \
         which while who whom whose why will with won't would wouldn't you you'd you'll you're you've your yours \
         yourself yourselves im ive dont cant doesnt isnt whats hows",
        "able actually already always anybody anyone anything become comes everybody everyone everything exactly ever \
         fine get gets getting give gives go goes going gone good got guy happen happens hello help hey hi how's \
         instead keep kind know like long look lot lots make makes making mean means maybe many much must need needed needs now often okay ok people place \
         please possible possibly put really right say says see show somebody someone something still suddenly supposed sure \
         take tell thank thanks thing things think though tried try trying use used using usually want wanted wants \
         way whole well without wonder work works yes yet",
        "it its they them their that this those these he she him her there then such same else instead too either",
    )
});

static GERMAN: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei \
         bin bis bist da dabei dadurch dafür dagegen damit danach daran darauf daraus das dass daß dein deine deinem \
         deinen deiner dem den denn der des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein \
         eine einem einen einer eines er es etwas euch euer eure für gegen gibt hab habe haben hast hat hatte hatten hier \
         hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann \
         kannst kein keine keinem keinen keiner können könnt könnte machen man mein meine meinem meinen meiner mich mir \
         mit muss musst müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich \
         sie sind so solche soll sollte sondern sonst über um und uns unser unsere unserem unseren unter viel vom von vor \
         wann war waren warum was weg weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will \
         wir wird wirst wo woher wohin wollen wurde wurden würde zu zum zur zwar zwischen \
         darfst habt hattet könntet müsst seid sollst sollt solltet tut wart werdet willst wollt würdet",
        "bitte brauche braucht darf dürfen dürft eigentlich einfach etwa gar gehen geht genau gerne hallo helfen hilfe immer \
         kommen machen macht möchte möchten möchtet möglich mögen nötig passiert sagen schon überhaupt vielleicht wissen",
        "er sie es ihn ihm ihr das dies diese dieser dieses davon damit dafür dabei dazu daran darauf dann dort auch",
    )
});

static FRENCH: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "à ai alors as au aucun aussi autre aux avais avait avec avez avoir avons c ce ceci cela ces cet cette ceux chez \
         combien comme comment d dans de des donc dont du elle elles en encore es est et étaient était été être eu eux \
         fait faire il ils j je jusque l la là le les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous \
         on ont ou où par parce pas peu peut peux plus pour pourquoi pouvez puis puisque qu quand que quel quelle quelles \
         quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un \
         une va vos votre vous y est-ce avons êtes faites sommes suis",
        "aide aimerais aimerait besoin bonjour dois doit faut merci plaît possible pouvoir savoir souhaite svp veut veux \
         voudrais voulez",
        "il elle ils elles lui leur cela ça ceci celui celle ceux celles y en ce aussi alors",
    )
});

static SPANISH: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "a al algo algún alguna algunas alguno algunos ante antes así aún aunque cada como cómo con contra cual cuál \
         cuales cuáles cuando cuándo cuánto cuánta cuántos cuántas de del desde donde dónde dos durante e el él ella ellas \
         ellos en entre era es esa esas ese eso esos esta está están estas este esto estos estoy fue fueron ha había han \
         has hasta hay he la las le les lo los más me mi mí mis mismo mucho muchos muy nada ni no nos nosotros nuestra \
         nuestro o os otra otras otro otros para pero poco por porque pueda puede pueden puedes puedo pues que qué quien \
         quién quienes se sea ser será si sí sido siempre sin sobre son soy su sus también tan tanto te tengo tiene tienen \
         tienes toda todas todo todos tu tú tus un una uno unos usted ustedes vosotros y ya yo \
         estáis habéis hacéis podéis sois somos tenéis tenemos vais vuestra vuestras vuestro vuestros",
        "ayuda ayudar debe debo favor gracias gustaría hacer hago hola necesita necesito posible querría quiere quiero \
         saber",
        "él ella ellos ellas lo la los las le eso esto ese esa esos esas también entonces allí",
    )
});

static DUTCH: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "aan al alles als altijd andere ben bent bij daar dan dat de der deze die dit doch doen doet door dus een en er ge \
         geen had hebben hebt heb heeft hem het hier hij hoe hoeveel hun ik in is ja je jij jou jouw jullie kan kunnen kunt \
         maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen \
         toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we welke wel werd wezen wie wij wil \
         worden wordt zal ze zelf zich zij zijn zo zonder zou",
        "alstublieft bedankt dank graag hallo help hulp kom komen mag mogelijk nodig weten willen zeggen",
        "hij zij ze het hem haar hun dat dit die deze daar daarvan ermee ervan dan ook",
    )
});

static ITALIAN: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "a abbia abbiamo ad agli ai al alla alle allo anche ancora avere aveva avete c che chi ci ciò coi col come con contro \
         cosa cui da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dove dov due e è ed era \
         erano essere fa fare fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto \
         ne negli nei nel nella nelle nello no noi non nostra nostro o ogni per perché perchè più po poi posso possiamo può \
         puoi qual quale quali quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo \
         qui quindi se sei sempre senza si sia siamo siete solo sono sopra sotto sta sto su sua sue sugli sui sul sulla \
         sulle suo suoi te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno va vi voi vostra vostro \
         fate potete sapete vostre vostri",
        "aiuto aiutare bisogno buongiorno ciao deve devo favore grazie possibile salve sapere serve vorrei voglio vuole",
        "lui lei esso essa loro lo la li le quello quella quelli questo questa questi ciò ne anche allora",
    )
});

static PORTUGUESE: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "a à ao aos aquela aquele aquilo as às até cada com como da das de dela dele deles depois do dos e é ela elas ele eles \
         em entre era essa essas esse esses esta está estão estas estava este estes estou eu foi for foram há isso isto já lhe \
         lhes lo mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nosso num numa o onde os ou \
         para pela pelas pelo pelos pode podem posso por porque qual quais quando quanta quantas quanto quantos que quê quem \
         se seja sem ser será seu seus só sob sobre somos sou sua suas também te tem têm tenho ter teu teus todo todos toda \
         todas tu tua um uma umas uns você vocês vos",
        "ajuda ajudar consigo deve devo favor gostaria obrigada obrigado olá possível preciso precisa quer quero saber",
        "ele ela eles elas isso isto esse essa esses essas aquilo dele dela também então lá",
    )
});

static POLISH: LazyLock<Lists> = LazyLock::new(|| {
    Lists::new(
        "a aby ale ani aż bardzo bez bo być był była było były będę będzie będą by bym cały co coś czego czy czym dla do gdy \
         gdzie go i ich im inne inny ile ja jak jaka jaką jaki jakie jakiej jakich jako je jeden jedna jednak jest jestem jesteś \
         jesteście jesteśmy jeszcze jeśli już każdy kiedy kto która którą które której którego który których ku lub ma macie \
         mam mamy masz mają mi mnie moja moje mojego mojej mój mogę może możemy możecie można my na nad nam nami nas nasz nasza \
         nasze nie nic niż no o od oraz pan pana pani panu państwo państwa po pod poza przed przez przy sam są się skąd swoje \
         swój ta tak także tam te tego tej ten też to tu tutaj tych tylko tym u w wam wami was wasz wasza wasze waszego \
         waszej we więc wszystkie wszystko wy z za ze że żeby",
        "chcę chce chciałabym chciałbym dziękuję dzień dobry pomocy pomóc potrzebuję proszę powinienem powinnam wiedzieć muszę \
         witam",
        "on ona ono oni one jego jej ten ta to tamten tam tego tej więc też wtedy",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_function_words() {
        let words = ["the", "und", "dans", "los", "het", "degli", "também", "się"];
        for (language, word) in Language::ALL.into_iter().zip(words) {
            assert!(is_stop_word(language.into(), word), "{language} lacks {word}");
            assert!(!is_stop_word(Morphology::Plain, word));
        }
    }

    #[test]
    fn fillers_are_no_stop_words() {
        for language in Language::ALL {
            let lists = lists(language.into()).unwrap();
            let both: Vec<_> = lists.filler.intersection(&lists.stop).collect();
            assert!(both.len() <= 1, "{language}: {both:?} are dropped before they could count as fillers");
        }
    }
}
