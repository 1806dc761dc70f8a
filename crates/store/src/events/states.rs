//! The states that events report, and that the groups keep of what they are about.

named_values! {
    /// How far a chatbot's training has come.
    pub enum ChatbotStatus as "chatbot status" {
        /// Nothing is trained yet, work is under way.
        Training = "training",
        /// It can answer.
        Ready = "ready",
        /// Training ended without anything to answer from.
        Failed = "failed",
    }
}

named_values! {
    /// Who answers in a conversation.
    pub enum ConversationMode as "conversation mode" {
        /// The chatbot.
        Ai = "ai",
        /// Nobody yet: a person was asked for.
        HumanRequested = "human_requested",
        /// A person.
        Human = "human",
        /// Nobody: it has ended. A new message of the visitor opens it again.
        Closed = "closed",
    }
}

named_values! {
    /// Who wrote a message.
    pub enum MessageRole as "message role" {
        /// The visitor.
        Visitor = "visitor",
        /// The chatbot.
        Assistant = "assistant",
        /// A person of the account.
        TeamMember = "team_member",
        /// Frontdesk itself.
        System = "system",
    }
}

named_values! {
    /// Where a thread takes place.
    pub enum ThreadChannel as "channel of threads" {
        /// A chat with a chatbot that was handed over to people.
        Chatbot = "chatbot",
        /// A form of a website.
        ContactForm = "contact_form",
        /// Programs of the account.
        Api = "api",
        /// E-mail.
        Email = "email",
        /// WhatsApp.
        Whatsapp = "whatsapp",
        /// Facebook Messenger.
        Messenger = "messenger",
        /// Instagram.
        Instagram = "instagram",
        /// Telegram.
        Telegram = "telegram",
        /// Text messages.
        Sms = "sms",
    }
}

named_values! {
    /// What is to be done about a thread.
    pub enum ThreadStatus as "status of threads" {
        /// Somebody has to answer.
        Open = "open",
        /// It waits for something.
        Pending = "pending",
        /// It comes back at a time, or with the next inbound message.
        Snoozed = "snoozed",
        /// Nothing is to be done.
        Resolved = "resolved",
        /// It is unwanted.
        Spam = "spam",
    }
}

named_values! {
    /// What became of a deal.
    pub enum DealOutcome as "outcome of deals" {
        /// Nothing yet.
        Open = "open",
        /// It was won.
        Won = "won",
        /// It was lost.
        Lost = "lost",
    }
}
