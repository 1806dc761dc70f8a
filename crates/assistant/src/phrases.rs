//! The phrase book: everything the assistant says in its own words.
//!
//! `{business}` stands for the name of the business, `{first}` and `{second}` for topics. A phrase makes no
//! promise the product cannot keep: it offers a person, it does not say when one answers.

use crate::language::Language;
use crate::task::{Draft, Kind, Task};

/// The phrases of one language.
#[derive(Debug)]
pub(crate) struct Phrases {
    /// What the business is called when it has no name.
    unnamed: &'static str,
    /// Nothing in the training content answers the question.
    pub(crate) refuse: &'static str,
    /// The owner does not want this topic discussed.
    pub(crate) blocked: &'static str,
    /// A person takes over.
    pub(crate) escalate: &'static str,
    /// Added to an answer: a person could take over.
    pub(crate) offer: &'static str,
    /// The message holds no words to go by.
    pub(crate) clarify: &'static str,
    /// Answer to a greeting.
    pub(crate) greeting: &'static str,
    /// Answer to thanks.
    pub(crate) thanks: &'static str,
    /// Answer to a farewell.
    pub(crate) farewell: &'static str,
    /// Suggestion of one topic.
    pub(crate) follow_up: &'static str,
    /// Suggestion of two topics.
    pub(crate) follow_up_two: &'static str,
    /// First line of an e-mail.
    mail_opening: &'static str,
    /// Last line of an e-mail, before the name.
    mail_closing: &'static str,
    /// Body of an e-mail when nothing answers it.
    pub(crate) mail_refuse: &'static str,
    /// Body of an e-mail that a person must answer.
    pub(crate) mail_escalate: &'static str,
}

impl Phrases {
    /// The phrases of a language.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
            Language::French => &FRENCH,
            Language::Spanish => &SPANISH,
            Language::Dutch => &DUTCH,
            Language::Italian => &ITALIAN,
            Language::Portuguese => &PORTUGUESE,
        }
    }

    /// Fills in the name of the business.
    pub(crate) fn fill(&self, phrase: &str, business: &str) -> String {
        let name = if business.trim().is_empty() { self.unnamed } else { business.trim() };
        phrase.replace("{business}", name)
    }

    /// Makes the body of an e-mail into an e-mail.
    fn mail(&self, body: &str, business: &str) -> String {
        let closing = [self.mail_closing, business.trim()].join("\n");
        [self.mail_opening, body, closing.trim_end()].join("\n\n")
    }
}

/// Gives a finished draft the form of its channel.
pub(crate) fn shape(task: &Task, language: Language, mut draft: Draft) -> Draft {
    if let Kind::EmailReply { .. } = task.kind {
        draft.text = Phrases::of(language).mail(&draft.text, &task.settings.business_name);
    }
    draft
}

static ENGLISH: Phrases = Phrases {
    unnamed: "this business",
    refuse: "I could not find an answer to that in the information I have from {business}. Would you like me to \
             connect you with a person from the team?",
    blocked: "I cannot help with that topic here. Is there something else about {business} I can help you with, or \
              would you like to talk to a person from the team?",
    escalate: "I will pass this on to a person from {business}.",
    offer: "If you would rather talk to a person from the team, just say so.",
    clarify: "Could you tell me in a few words what you would like to know?",
    greeting: "Hello! What would you like to know about {business}?",
    thanks: "You are welcome! Is there anything else I can help you with?",
    farewell: "Goodbye, and thank you for your visit!",
    follow_up: "Would you also like to know about “{first}”?",
    follow_up_two: "Would you also like to know about “{first}” or “{second}”?",
    mail_opening: "Hello,",
    mail_closing: "Kind regards",
    mail_refuse: "thank you for your message. I do not have the information to answer it, so I am passing it on to a \
                  colleague.",
    mail_escalate: "thank you for your message. I am passing it on to a colleague.",
};

static GERMAN: Phrases = Phrases {
    unnamed: "diesem Unternehmen",
    refuse: "Dazu habe ich in den Informationen von {business} keine Antwort gefunden. Soll ich Sie mit einem Menschen \
             aus dem Team verbinden?",
    blocked: "Zu diesem Thema kann ich hier nicht helfen. Haben Sie eine andere Frage zu {business}, oder möchten Sie \
              mit einem Menschen aus dem Team sprechen?",
    escalate: "Ich gebe das an einen Menschen von {business} weiter.",
    offer: "Wenn Sie lieber mit einem Menschen aus dem Team sprechen möchten, sagen Sie einfach Bescheid.",
    clarify: "Können Sie mir in ein paar Worten sagen, was Sie wissen möchten?",
    greeting: "Hallo! Was möchten Sie über {business} wissen?",
    thanks: "Gern geschehen! Kann ich sonst noch etwas für Sie tun?",
    farewell: "Auf Wiedersehen und vielen Dank für Ihren Besuch!",
    follow_up: "Möchten Sie auch etwas über „{first}“ wissen?",
    follow_up_two: "Möchten Sie auch etwas über „{first}“ oder „{second}“ wissen?",
    mail_opening: "Guten Tag,",
    mail_closing: "Mit freundlichen Grüßen",
    mail_refuse: "vielen Dank für Ihre Nachricht. Dazu liegen mir keine Informationen vor; ich gebe sie an eine Kollegin \
                  oder einen Kollegen weiter.",
    mail_escalate: "vielen Dank für Ihre Nachricht. Ich gebe sie an eine Kollegin oder einen Kollegen weiter.",
};

static FRENCH: Phrases = Phrases {
    unnamed: "cette entreprise",
    refuse: "Je n'ai pas trouvé de réponse à cette question dans les informations de {business}. Souhaitez-vous être mis \
             en relation avec une personne de l'équipe ?",
    blocked: "Je ne peux pas vous aider sur ce sujet ici. Avez-vous une autre question sur {business}, ou souhaitez-vous \
              parler à une personne de l'équipe ?",
    escalate: "Je transmets votre demande à une personne de {business}.",
    offer: "Si vous préférez parler à une personne de l'équipe, dites-le-moi.",
    clarify: "Pouvez-vous me dire en quelques mots ce que vous souhaitez savoir ?",
    greeting: "Bonjour ! Que souhaitez-vous savoir sur {business} ?",
    thanks: "Avec plaisir ! Puis-je vous aider pour autre chose ?",
    farewell: "Au revoir et merci de votre visite !",
    follow_up: "Souhaitez-vous aussi en savoir plus sur « {first} » ?",
    follow_up_two: "Souhaitez-vous aussi en savoir plus sur « {first} » ou « {second} » ?",
    mail_opening: "Bonjour,",
    mail_closing: "Cordialement",
    mail_refuse: "Merci pour votre message. Je ne dispose pas des informations pour y répondre et le transmets à un collègue.",
    mail_escalate: "Merci pour votre message. Je le transmets à un collègue.",
};

static SPANISH: Phrases = Phrases {
    unnamed: "esta empresa",
    refuse: "No he encontrado una respuesta a eso en la información de {business}. ¿Quiere que le ponga en contacto con una \
             persona del equipo?",
    blocked: "No puedo ayudarle con ese tema aquí. ¿Tiene otra pregunta sobre {business} o prefiere hablar con una persona \
              del equipo?",
    escalate: "Paso su consulta a una persona de {business}.",
    offer: "Si prefiere hablar con una persona del equipo, dígamelo.",
    clarify: "¿Puede decirme en pocas palabras qué le gustaría saber?",
    greeting: "¡Hola! ¿Qué le gustaría saber sobre {business}?",
    thanks: "¡De nada! ¿Puedo ayudarle con algo más?",
    farewell: "¡Hasta pronto y gracias por su visita!",
    follow_up: "¿Quiere saber también algo sobre «{first}»?",
    follow_up_two: "¿Quiere saber también algo sobre «{first}» o «{second}»?",
    mail_opening: "Hola:",
    mail_closing: "Un cordial saludo",
    mail_refuse: "Gracias por su mensaje. No dispongo de la información para responderlo, así que lo paso a un compañero.",
    mail_escalate: "Gracias por su mensaje. Lo paso a un compañero.",
};

static DUTCH: Phrases = Phrases {
    unnamed: "dit bedrijf",
    refuse: "Daar heb ik in de informatie van {business} geen antwoord op gevonden. Zal ik u doorverbinden met iemand van \
             het team?",
    blocked: "Met dat onderwerp kan ik hier niet helpen. Heeft u een andere vraag over {business}, of wilt u iemand van het \
              team spreken?",
    escalate: "Ik geef dit door aan iemand van {business}.",
    offer: "Wilt u liever iemand van het team spreken, zeg het dan gerust.",
    clarify: "Kunt u in een paar woorden zeggen wat u wilt weten?",
    greeting: "Hallo! Wat wilt u weten over {business}?",
    thanks: "Graag gedaan! Kan ik u nog ergens anders mee helpen?",
    farewell: "Tot ziens en bedankt voor uw bezoek!",
    follow_up: "Wilt u ook iets weten over ‘{first}’?",
    follow_up_two: "Wilt u ook iets weten over ‘{first}’ of ‘{second}’?",
    mail_opening: "Goedendag,",
    mail_closing: "Met vriendelijke groet",
    mail_refuse: "Bedankt voor uw bericht. Ik heb niet de informatie om het te beantwoorden en geef het door aan een collega.",
    mail_escalate: "Bedankt voor uw bericht. Ik geef het door aan een collega.",
};

static ITALIAN: Phrases = Phrases {
    unnamed: "questa azienda",
    refuse: "Non ho trovato una risposta nelle informazioni di {business}. Desidera che la metta in contatto con una persona \
             del team?",
    blocked: "Non posso aiutarla su questo argomento. Ha un'altra domanda su {business} o preferisce parlare con una persona \
              del team?",
    escalate: "Inoltro la richiesta a una persona di {business}.",
    offer: "Se preferisce parlare con una persona del team, me lo dica.",
    clarify: "Può dirmi in poche parole che cosa vorrebbe sapere?",
    greeting: "Salve! Che cosa vorrebbe sapere su {business}?",
    thanks: "Prego! Posso aiutarla con altro?",
    farewell: "Arrivederci e grazie per la visita!",
    follow_up: "Vuole sapere qualcosa anche su «{first}»?",
    follow_up_two: "Vuole sapere qualcosa anche su «{first}» o «{second}»?",
    mail_opening: "Buongiorno,",
    mail_closing: "Cordiali saluti",
    mail_refuse: "Grazie per il suo messaggio. Non ho le informazioni per rispondere e lo inoltro a un collega.",
    mail_escalate: "Grazie per il suo messaggio. Lo inoltro a un collega.",
};

static PORTUGUESE: Phrases = Phrases {
    unnamed: "esta empresa",
    refuse: "Não encontrei uma resposta para isso nas informações de {business}. Deseja que eu o encaminhe para uma pessoa da \
             equipe?",
    blocked: "Não posso ajudar com esse assunto aqui. Tem outra pergunta sobre {business} ou prefere falar com uma pessoa da \
              equipe?",
    escalate: "Vou encaminhar o seu pedido a uma pessoa de {business}.",
    offer: "Se preferir falar com uma pessoa da equipe, é só dizer.",
    clarify: "Pode dizer em poucas palavras o que gostaria de saber?",
    greeting: "Olá! O que gostaria de saber sobre {business}?",
    thanks: "De nada! Posso ajudar em mais alguma coisa?",
    farewell: "Até logo e obrigado pela visita!",
    follow_up: "Deseja saber também sobre “{first}”?",
    follow_up_two: "Deseja saber também sobre “{first}” ou “{second}”?",
    mail_opening: "Olá,",
    mail_closing: "Atenciosamente",
    mail_refuse: "Obrigado pela sua mensagem. Não tenho as informações para respondê-la e vou encaminhá-la a um colega.",
    mail_escalate: "Obrigado pela sua mensagem. Vou encaminhá-la a um colega.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_names_the_business_and_leaves_no_placeholder() {
        for language in Language::ALL {
            let phrases = Phrases::of(language);
            for phrase in [phrases.refuse, phrases.blocked, phrases.escalate, phrases.greeting] {
                let named = phrases.fill(phrase, " Acme ");
                assert!(named.contains("Acme") && !named.contains('{') && !named.contains("  "), "{named}");
                assert!(!phrases.fill(phrase, "").contains('{'));
            }
            assert_eq!(phrases.follow_up.matches("{first}").count(), 1);
            assert_eq!(phrases.follow_up_two.matches("{second}").count(), 1);
            for plain in
                [phrases.offer, phrases.clarify, phrases.thanks, phrases.farewell, phrases.mail_refuse]
            {
                assert!(!plain.contains('{') && !plain.contains("  "), "{plain}");
            }
        }
    }

    #[test]
    fn an_email_has_an_opening_and_a_signature() {
        let phrases = Phrases::of(Language::German);
        assert_eq!(
            phrases.mail("Wir öffnen um 9 Uhr.", "Acme"),
            "Guten Tag,\n\nWir öffnen um 9 Uhr.\n\nMit freundlichen Grüßen\nAcme"
        );
        assert!(phrases.mail("x", "").ends_with("Mit freundlichen Grüßen"));
    }
}
