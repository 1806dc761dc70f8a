//! Announcements of answers that are within the quoted message: "see my answers below, in red".

/// Longest distance between the two words of an announcement, in bytes.
const NEAR: usize = 60;

/// Longest text in which announcements are looked for, in bytes.
const MAX_BYTES: usize = 20_000;

/// For each language the words for answers, and the places where they are. In lower case.
const ANNOUNCEMENTS: &[(&str, &str)] = &[
    // English.
    (
        "answer, answers, answered, reply, replies, replied, response, responses, responded, \
         comment, comments, commented, remarks, notes, see, mine",
        "below, inline, in-line, in line, in red, in blue, in green, in bold, in capitals, in caps, \
         in between, in the text, in your mail, in your email, in your e-mail, in your message, \
         under each, after each, next to each",
    ),
    // German.
    (
        "antwort, antworten, beantwortet, kommentar, kommentare, anmerkung, anmerkungen, siehe, s.u, \
         rückmeldung, rückmeldungen, ergänzungen, geantwortet, antworte",
        "unten, s.u, im text, in rot, in blau, in grün, in fett, in großbuchstaben, inline, darunter, \
         dazwischen, untenstehend, in ihrer mail, in deiner mail, in ihrer e-mail, \
         in deiner e-mail, im mailtext, im verlauf, rot markiert, direkt im",
    ),
    // French.
    (
        "réponse, réponses, répondu, réponds, commentaire, commentaires, remarques, voir, voyez, \
         cf, annotations",
        "ci-dessous, ci-après, ci dessous, dans le texte, en rouge, en bleu, en vert, en gras, \
         plus bas, dans votre mail, dans ton mail, dans votre message, dans le corps",
    ),
    // Spanish.
    (
        "respuesta, respuestas, respondo, respondido, contesto, comentario, comentarios, ver, vea, \
         véase, mira",
        "abajo, debajo, en rojo, en azul, en verde, en negrita, en el texto, a continuación, \
         en su correo, en tu correo, en su mensaje",
    ),
    // Italian.
    (
        "risposta, risposte, rispondo, risposto, commento, commenti, vedi, veda, vedere, \
         annotazioni",
        "sotto, qui sotto, in rosso, in blu, in verde, in grassetto, nel testo, di seguito, \
         in calce, nella sua mail, nella tua mail, più giù",
    ),
    // Portuguese.
    (
        "resposta, respostas, respondo, respondi, comentário, comentários, ver, veja, vide",
        "abaixo, em vermelho, em azul, em verde, em negrito, a vermelho, a azul, no texto, \
         no corpo, no seu email, no seu e-mail, em baixo",
    ),
    // Dutch.
    (
        "antwoord, antwoorden, beantwoord, geantwoord, opmerking, opmerkingen, reactie, reacties, \
         commentaar, zie",
        "hieronder, onderaan, beneden, in het rood, in het blauw, in het groen, in rood, in blauw, \
         in groen, in de tekst, tussen de tekst, in uw mail, in je mail, onderstaand",
    ),
    // Polish.
    (
        "odpowiedź, odpowiedzi, odpowiadam, odpowiedziałem, odpowiedziałam, komentarz, komentarze, \
         uwagi, zobacz, patrz",
        "poniżej, niżej, na czerwono, na niebiesko, na zielono, w tekście, w treści, \
         pod pytaniami, pogrubione, kolorem",
    ),
];

/// Returns whether the lines that a sender wrote above a quoted message say that there are answers within it.
pub(crate) fn are_announced(own: &[&str]) -> bool {
    let mut text = String::new();
    for line in own {
        if text.len() + line.len() > MAX_BYTES {
            break;
        }
        // An empty line ends a sentence, and any other may continue in the next one.
        text.push_str(if line.trim().is_empty() { "\n" } else { " " });
        text.push_str(&line.trim().to_lowercase());
    }
    text.push(' ');
    // The points of abbreviations end no sentence.
    let text = text.replace("cf. ", "cf ").replace("s. u.", "s.u.");
    text.split(['\n', '!', '?', ';']).flat_map(|part| part.split(". ")).any(is_announcement)
}

fn is_announcement(sentence: &str) -> bool {
    ANNOUNCEMENTS.iter().any(|(answers, places)| {
        let places: Vec<usize> = places.split(", ").flat_map(|place| found(sentence, place)).collect();
        !places.is_empty()
            && answers
                .split(", ")
                .flat_map(|answer| found(sentence, answer))
                .any(|answer| places.iter().any(|place| place.abs_diff(answer) <= NEAR))
    })
}

/// Returns where a phrase is in a text, as whole words.
fn found(text: &str, phrase: &str) -> Vec<usize> {
    text.match_indices(phrase)
        .map(|(at, _)| at)
        .filter(|at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
        .take(20)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::are_announced;

    #[test]
    fn answers_are_announced_in_eight_languages() {
        for text in [
            "Hi, see below.",
            "My answers are in red below.",
            "I have replied\ninline.",
            "Hallo, meine Antworten unten in rot.",
            "Antworten im Text:",
            "Siehe unten",
            "s. u.",
            "Hallo, s.u. in grün",
            "cf. ci-dessous",
            "Mes réponses ci-dessous en rouge",
            "Respondo abajo, en azul.",
            "Le risposte nel testo.",
            "Respostas abaixo.",
            "Zie hieronder mijn antwoorden",
            "Odpowiedzi poniżej na czerwono.",
        ] {
            assert!(are_announced(&text.lines().collect::<Vec<_>>()), "{text}");
        }
        for text in [
            "",
            "Tuesday suits me.",
            "I would like the lamp in red.",
            "The price is below 400 euros.",
            "See you on Tuesday. The price is below 400 euros.",
            "Die Klingel ist unten.",
            "Danke für die Antwort.",
            "seeing is inline skating",
        ] {
            assert!(!are_announced(&text.lines().collect::<Vec<_>>()), "{text}");
        }
    }
}
