//! What a writer is given ([`Task`]) and what it hands back ([`Draft`]).

use std::str::FromStr;

use frontdesk_knowledge::{Passage, Retrieval};
use serde::{Deserialize, Serialize};

/// One question to answer, with everything a writer may use. Writers reach for nothing else.
#[derive(Debug, Clone)]
pub struct Task {
    /// The visitor's message; for an e-mail the newest message of the thread.
    pub question: String,
    /// Earlier turns of the conversation, oldest first, without the question itself. It starts after the last
    /// hand-back from a person, so that an old request for a person is not acted on twice.
    pub history: Vec<Turn>,
    /// Passages found for the question.
    pub retrieval: Retrieval,
    /// How the owner wants this bot to answer.
    pub settings: Settings,
    /// What the answer is for.
    pub kind: Kind,
}

impl Task {
    /// Whether the answer is a draft for an e-mail thread.
    pub(crate) fn is_email(&self) -> bool {
        matches!(self.kind, Kind::EmailReply { .. })
    }
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A turn in a chat.
    Chat,
    /// A draft that a person may send as the next message of an e-mail thread.
    EmailReply {
        /// Subject of the thread.
        subject: String,
        /// Messages of the thread, oldest first, the newest included.
        thread: Vec<Mail>,
    },
}

/// One message of an e-mail thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Sender as the caller gave it: an address or a name.
    pub from: String,
    /// Text of the message.
    pub body: String,
}

/// One earlier turn of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who spoke.
    pub author: Author,
    /// What was said.
    pub text: String,
    /// What the assistant did in this turn, where it is the author and it is known.
    pub action: Option<Action>,
    /// Whether this turn already offered or called a person.
    pub needs_escalation: bool,
}

impl Turn {
    /// A message of the visitor.
    pub fn visitor(text: impl Into<String>) -> Self {
        Self { author: Author::Visitor, text: text.into(), action: None, needs_escalation: false }
    }

    /// An answer of the assistant.
    pub fn assistant(text: impl Into<String>, action: Action, needs_escalation: bool) -> Self {
        Self { author: Author::Assistant, text: text.into(), action: Some(action), needs_escalation }
    }

    /// A message of a team member.
    pub fn team_member(text: impl Into<String>) -> Self {
        Self { author: Author::TeamMember, text: text.into(), action: None, needs_escalation: false }
    }
}

/// Who spoke in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The visitor of the site.
    Visitor,
    /// This crate.
    Assistant,
    /// A person of the business.
    TeamMember,
}

/// How the owner wants the bot to answer. Which settings the extractive writer can follow is listed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Name the business is called by in answers.
    pub business_name: String,
    /// What the business does, in the owner's words.
    pub business_description: Option<String>,
    /// Tone in one word, such as `friendly`. Model only.
    pub tone: Option<String>,
    /// Free text that refines the tone. Model only.
    pub tone_of_voice: Option<String>,
    /// How long answers are.
    pub response_length: ResponseLength,
    /// Whether answers end with a suggestion of what to ask next.
    pub follow_up_questions: bool,
    /// Language of the bot as a BCP 47 tag.
    pub language: Option<String>,
    /// Answer in the language of the question instead of the bot's. The extractive writer quotes, so only its
    /// own phrases follow.
    pub respond_in_user_language: bool,
    /// Whether answers name their sources. When off, [`Draft::sources`] is empty.
    pub show_sources: bool,
    /// Free guidance from the owner. Model only.
    pub custom_instructions: Option<String>,
    /// Single rules from the owner. The extractive writer honours critical ones of the form "never mention X".
    pub instructions: Vec<Instruction>,
    /// Topics the bot refuses, in the owner's words.
    pub blocked_topics: Vec<String>,
    /// Sensitive topics that are not refused. All others are.
    pub allowed_sensitive_topics: Vec<SensitiveTopic>,
    /// What visitors are steered towards. Model only.
    pub primary_goal: Option<String>,
    /// Whether the bot informs or sells. Model only.
    pub focus: Focus,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            business_name: String::new(),
            business_description: None,
            tone: None,
            tone_of_voice: None,
            response_length: ResponseLength::Medium,
            follow_up_questions: false,
            language: None,
            respond_in_user_language: false,
            show_sources: true,
            custom_instructions: None,
            instructions: Vec::new(),
            blocked_topics: Vec::new(),
            allowed_sensitive_topics: Vec::new(),
            primary_goal: None,
            focus: Focus::Informational,
        }
    }
}

/// One rule of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The rule.
    pub text: String,
    /// Whether the bot must never break it.
    pub is_critical: bool,
}

/// Declares an enum whose variants have fixed names on the wire.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// The name of the value in the interface and in storage.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl FromStr for $name {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(UnknownName { expected: stringify!($name), found: text.to_owned() }),
                }
            }
        }
    };
}

/// A name that is none of the values of its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a value of {expected}")]
pub struct UnknownName {
    /// The type whose value was expected.
    pub expected: &'static str,
    /// What was found.
    pub found: String,
}

named! {
    /// How long answers are.
    ResponseLength {
        /// One sentence.
        Short = "short",
        /// Two sentences.
        Medium = "medium",
        /// Four sentences.
        Long = "long",
    }
}

impl ResponseLength {
    /// Sentences in an answer of this length.
    pub fn sentences(self) -> usize {
        match self {
            Self::Short => 1,
            Self::Medium => 2,
            Self::Long => 4,
        }
    }
}

named! {
    /// What a bot is there for.
    Focus {
        /// Answer questions.
        Informational = "informational",
        /// Lead visitors towards the primary goal.
        Conversion = "conversion",
    }
}

named! {
    /// A topic that is refused unless the owner allows it.
    SensitiveTopic {
        /// Parties, elections, political opinions.
        Politics = "politics",
        /// Faith and religious opinions.
        Religion = "religion",
        /// Advice that only a lawyer should give.
        LegalAdvice = "legal_advice",
        /// Advice that only a doctor should give.
        MedicalAdvice = "medical_advice",
        /// Comparisons with other companies.
        CompetitorComparison = "competitor_comparison",
    }
}

impl SensitiveTopic {
    /// All sensitive topics.
    pub const ALL: [Self; 5] =
        [Self::Politics, Self::Religion, Self::LegalAdvice, Self::MedicalAdvice, Self::CompetitorComparison];
}

named! {
    /// What an answer does.
    Action {
        /// Answers the question, or returns a courtesy.
        Answer = "answer",
        /// Asks back.
        Clarify = "clarify",
        /// Says that the question cannot or must not be answered here.
        Refuse = "refuse",
        /// Hands the conversation to a person now.
        Escalate = "escalate",
    }
}

/// An answer, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The text of the answer. Plain text, or Markdown with links to cited sources and no images.
    pub text: String,
    /// Sources the answer rests on; empty for anything but an answer, and when the owner hides sources.
    pub sources: Vec<Cited>,
    /// What the answer does.
    pub action: Action,
    /// A person should take over or at least look: the visitor asked for one, is angry, repeats a question, or
    /// was refused twice in a row. With [`Action::Escalate`] the hand-off is certain, else the text offers it.
    pub needs_escalation: bool,
    /// Name of the writer: `extractive` or `model`.
    pub writer: &'static str,
    /// Whether a model was called for this text, which is what makes a refusal cost credits.
    pub model_ran: bool,
}

/// A source as it is shown to the visitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Title of the page, file, snippet or FAQ item.
    pub title: String,
    /// Its address; empty where it has none.
    pub url: String,
    /// `webpage`, `file`, `text_snippet` or `faq`.
    pub source_type: String,
}

impl Cited {
    /// The sources of these passages in order, each page once.
    pub(crate) fn all<'a>(passages: impl IntoIterator<Item = &'a Passage>) -> Vec<Self> {
        let mut sources: Vec<Self> = Vec::new();
        for passage in passages {
            let cited = Self {
                title: passage.title.clone(),
                url: passage.url.clone(),
                source_type: passage.source_type.clone(),
            };
            let known = sources
                .iter()
                .any(|other| if cited.url.is_empty() { *other == cited } else { other.url == cited.url });
            if !known {
                sources.push(cited);
            }
        }
        sources
    }
}

impl Draft {
    /// A text from the phrase book: no sources, no model.
    pub(crate) fn phrase(action: Action, text: String) -> Self {
        Self {
            text,
            sources: Vec::new(),
            action,
            needs_escalation: action == Action::Escalate,
            writer: crate::extractive::NAME,
            model_ran: false,
        }
    }
}
