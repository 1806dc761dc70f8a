//! Fixed phrases of the assistant in each language.
//!
//! The placeholders are `{business}` for the name of the business, `{question}` for a question of the
//! visitor, and `{first}` and `{second}` for topics. Phrases promise nothing that the product cannot keep:
//! they offer a person without saying when that person answers.

use frontdesk_knowledge::Language;

/// The phrases of one language.
#[derive(Debug)]
pub(crate) struct Phrases {
    /// Name of a business that has none.
    unnamed: &'static str,
    /// Nothing in the training content answers the question.
    pub(crate) refuse: &'static str,
    /// One of several questions has no answer.
    open: &'static str,
    /// Introduces an answer from the web.
    pub(crate) from_web: &'static str,
    /// The chatbot does not discuss this topic.
    pub(crate) blocked: &'static str,
    /// A person takes over.
    pub(crate) escalate: &'static str,
    /// Question whether to hand over to a person.
    pub(crate) offer: &'static str,
    /// Reply to a visitor who declines that offer.
    pub(crate) carry_on: &'static str,
    /// The message has no words.
    pub(crate) clarify: &'static str,
    /// Reply to a greeting.
    pub(crate) greeting: &'static str,
    /// Reply to the question who or what answers.
    pub(crate) identity: &'static str,
    /// Reply to thanks.
    pub(crate) thanks: &'static str,
    /// Reply to a farewell.
    pub(crate) farewell: &'static str,
    /// Suggestion of one topic.
    pub(crate) follow_up: &'static str,
    /// Suggestion of two topics.
    pub(crate) follow_up_two: &'static str,
    /// First line of an e-mail.
    mail_opening: &'static str,
    /// Last line of an e-mail, before the name.
    mail_closing: &'static str,
    /// Body of an e-mail if the training content has no answer.
    pub(crate) mail_refuse: &'static str,
    /// Body of an e-mail that a person must answer.
    pub(crate) mail_escalate: &'static str,
}

impl Phrases {
    /// Returns the phrases of a language.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
            Language::French => &FRENCH,
            Language::Spanish => &SPANISH,
            Language::Dutch => &DUTCH,
            Language::Italian => &ITALIAN,
            Language::Portuguese => &PORTUGUESE,
            Language::Polish => &POLISH,
        }
    }

    /// Inserts the name of the business.
    pub(crate) fn fill(&self, phrase: &str, business: &str) -> String {
        let name = if business.trim().is_empty() { self.unnamed } else { business.trim() };
        phrase.replace("{business}", name)
    }

    /// Returns the sentence that names one of several questions that has no answer.
    pub(crate) fn name_open(&self, question: &str) -> String {
        self.open.replace("{question}", question.trim_matches(|character: char| " ?¿".contains(character)))
    }

    /// Adds a salutation and a closing to the body of an e-mail.
    pub(crate) fn mail(&self, body: &str, business: &str) -> String {
        let closing = [self.mail_closing, business.trim()].join("\n");
        [self.mail_opening, body, closing.trim_end()].join("\n\n")
    }
}

static ENGLISH: Phrases = Phrases {
    unnamed: "this business",
    refuse: "I could not find an answer to that in the information I have from {business}.",
    open: "I could not find an answer to “{question}”.",
    from_web: "The information I have from {business} does not say. I found this on the web ({sites}):",
    blocked: "I cannot help with that topic here. You are welcome to ask me something else about {business}.",
    escalate: "I will pass this on to a person from {business}.",
    offer: "Shall I connect you with a person from the team?",
    carry_on: "All right. Is there anything else I can help you with?",
    clarify: "Could you tell me in a few words what you would like to know?",
    greeting: "Hello! What would you like to know about {business}?",
    identity: "I am the chatbot of {business}. I answer from what {business} has published, and can pass you on to a person.",
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
    refuse: "Dazu habe ich in den Informationen von {business} keine Antwort gefunden.",
    open: "Zu „{question}“ habe ich keine Antwort gefunden.",
    from_web: "In den Informationen von {business} steht dazu nichts. Das habe ich im Web gefunden ({sites}):",
    blocked: "Zu diesem Thema kann ich hier nicht helfen. Fragen Sie mich gern etwas anderes zu {business}.",
    escalate: "Ich gebe das an einen Menschen von {business} weiter.",
    offer: "Soll ich Sie mit einem Menschen aus dem Team verbinden?",
    carry_on: "In Ordnung. Kann ich sonst noch etwas für Sie tun?",
    clarify: "Können Sie mir in ein paar Worten sagen, was Sie wissen möchten?",
    greeting: "Hallo! Was möchten Sie über {business} wissen?",
    identity: "Ich bin der Chatbot von {business}. Ich antworte mit dem, was {business} veröffentlicht hat, und kann Sie an einen Menschen weitergeben.",
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
    refuse: "Je n'ai pas trouvé de réponse à cette question dans les informations de {business}.",
    open: "Je n'ai pas trouvé de réponse à « {question} ».",
    from_web: "Les informations de {business} n'en disent rien. Voici ce que j'ai trouvé sur le web ({sites}) :",
    blocked: "Je ne peux pas vous aider sur ce sujet ici. N'hésitez pas à me poser une autre question sur {business}.",
    escalate: "Je transmets votre demande à une personne de {business}.",
    offer: "Souhaitez-vous être mis en relation avec une personne de l'équipe ?",
    carry_on: "Très bien. Puis-je vous aider pour autre chose ?",
    clarify: "Pouvez-vous me dire en quelques mots ce que vous souhaitez savoir ?",
    greeting: "Bonjour ! Que souhaitez-vous savoir sur {business} ?",
    identity: "Je suis le chatbot de {business}. Je réponds à partir de ce que {business} a publié, et je peux vous passer une personne.",
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
    refuse: "No he encontrado una respuesta a eso en la información de {business}.",
    open: "No he encontrado respuesta a «{question}».",
    from_web: "La información de {business} no lo dice. Esto es lo que he encontrado en la web ({sites}):",
    blocked: "No puedo ayudarle con ese tema aquí. Puede hacerme otra pregunta sobre {business}.",
    escalate: "Paso su consulta a una persona de {business}.",
    offer: "¿Quiere que le ponga en contacto con una persona del equipo?",
    carry_on: "De acuerdo. ¿Puedo ayudarle con algo más?",
    clarify: "¿Puede decirme en pocas palabras qué le gustaría saber?",
    greeting: "¡Hola! ¿Qué le gustaría saber sobre {business}?",
    identity: "Soy el chatbot de {business}. Respondo con lo que {business} ha publicado, y puedo pasarle con una persona.",
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
    refuse: "Daar heb ik in de informatie van {business} geen antwoord op gevonden.",
    open: "Op ‘{question}’ heb ik geen antwoord gevonden.",
    from_web: "In de informatie van {business} staat daar niets over. Dit heb ik op het web gevonden ({sites}):",
    blocked: "Met dat onderwerp kan ik hier niet helpen. U kunt mij gerust iets anders vragen over {business}.",
    escalate: "Ik geef dit door aan iemand van {business}.",
    offer: "Zal ik u doorverbinden met iemand van het team?",
    carry_on: "Prima. Kan ik u nog ergens anders mee helpen?",
    clarify: "Kunt u in een paar woorden zeggen wat u wilt weten?",
    greeting: "Hallo! Wat wilt u weten over {business}?",
    identity: "Ik ben de chatbot van {business}. Ik antwoord met wat {business} heeft gepubliceerd, en kan u doorverbinden met een medewerker.",
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
    refuse: "Non ho trovato una risposta nelle informazioni di {business}.",
    open: "Non ho trovato una risposta a «{question}».",
    from_web: "Le informazioni di {business} non ne parlano. Ecco che cosa ho trovato sul web ({sites}):",
    blocked: "Non posso aiutarla su questo argomento. Può farmi un'altra domanda su {business}.",
    escalate: "Inoltro la richiesta a una persona di {business}.",
    offer: "Desidera che la metta in contatto con una persona del team?",
    carry_on: "Va bene. Posso aiutarla con altro?",
    clarify: "Può dirmi in poche parole che cosa vorrebbe sapere?",
    greeting: "Salve! Che cosa vorrebbe sapere su {business}?",
    identity: "Sono il chatbot di {business}. Rispondo con ciò che {business} ha pubblicato e posso passarle una persona.",
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
    refuse: "Não encontrei uma resposta para isso nas informações de {business}.",
    open: "Não encontrei resposta para “{question}”.",
    from_web: "As informações de {business} não dizem nada sobre isso. Encontrei isto na web ({sites}):",
    blocked: "Não posso ajudar com esse assunto aqui. Pode fazer-me outra pergunta sobre {business}.",
    escalate: "Vou encaminhar o seu pedido a uma pessoa de {business}.",
    offer: "Deseja que eu o encaminhe para uma pessoa da equipe?",
    carry_on: "Tudo bem. Posso ajudar em mais alguma coisa?",
    clarify: "Pode dizer em poucas palavras o que gostaria de saber?",
    greeting: "Olá! O que gostaria de saber sobre {business}?",
    identity: "Sou o chatbot de {business}. Respondo com o que {business} publicou e posso passar a uma pessoa.",
    thanks: "De nada! Posso ajudar em mais alguma coisa?",
    farewell: "Até logo e obrigado pela visita!",
    follow_up: "Deseja saber também sobre “{first}”?",
    follow_up_two: "Deseja saber também sobre “{first}” ou “{second}”?",
    mail_opening: "Olá,",
    mail_closing: "Atenciosamente",
    mail_refuse: "Obrigado pela sua mensagem. Não tenho as informações para respondê-la e vou encaminhá-la a um colega.",
    mail_escalate: "Obrigado pela sua mensagem. Vou encaminhá-la a um colega.",
};

static POLISH: Phrases = Phrases {
    unnamed: "tej firmy",
    refuse: "W informacjach, które mam od {business}, nie ma odpowiedzi na to pytanie.",
    open: "Nie ma tu odpowiedzi na pytanie „{question}”.",
    from_web: "Informacje od {business} nic o tym nie mówią. To jest odpowiedź z internetu ({sites}):",
    blocked: "W tym temacie nie mogę tutaj pomóc. Proszę zapytać o coś innego: chętnie powiem więcej o {business}.",
    escalate: "Przekażę to osobie z {business}.",
    offer: "Czy połączyć z osobą z naszego zespołu?",
    carry_on: "Dobrze. Czy mogę pomóc w czymś jeszcze?",
    clarify: "Czy można w kilku słowach napisać, o co chodzi?",
    greeting: "Dzień dobry! W czym mogę pomóc? Odpowiadam na pytania o {business}.",
    identity: "Jestem chatbotem {business}. Odpowiadam na podstawie tego, co {business} publikuje, i mogę przekazać rozmowę człowiekowi.",
    thanks: "Proszę bardzo! Czy mogę pomóc w czymś jeszcze?",
    farewell: "Do widzenia i dziękuję za odwiedziny!",
    follow_up: "Czy powiedzieć też coś o „{first}”?",
    follow_up_two: "Czy powiedzieć też coś o „{first}” lub „{second}”?",
    mail_opening: "Dzień dobry,",
    mail_closing: "Z poważaniem",
    mail_refuse: "dziękuję za wiadomość. Nie mam informacji, które pozwoliłyby na nią odpowiedzieć, więc przekazuję ją \
                  współpracownikowi.",
    mail_escalate: "dziękuję za wiadomość. Przekazuję ją współpracownikowi.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_names_the_business_and_leaves_no_placeholder() {
        for language in Language::ALL {
            let phrases = Phrases::of(language);
            for phrase in
                [phrases.refuse, phrases.blocked, phrases.escalate, phrases.greeting, phrases.identity]
            {
                let named = phrases.fill(phrase, " Acme ");
                assert!(named.contains("Acme") && !named.contains('{') && !named.contains("  "), "{named}");
                assert!(!phrases.fill(phrase, "").contains('{'));
            }
            assert_eq!(phrases.follow_up.matches("{first}").count(), 1);
            assert_eq!(phrases.follow_up_two.matches("{second}").count(), 1);
            for plain in [
                phrases.offer,
                phrases.carry_on,
                phrases.clarify,
                phrases.thanks,
                phrases.farewell,
                phrases.mail_refuse,
            ] {
                assert!(!plain.contains('{') && !plain.contains("  "), "{plain}");
            }
            // A "yes" replies to one question only.
            for phrase in [phrases.refuse, phrases.blocked] {
                assert!(!phrase.contains('?'), "{phrase}");
            }
            assert!(phrases.offer.ends_with('?'));
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
