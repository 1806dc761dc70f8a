//! Settings of a chatbot that affect its answers.

use crate::named::named;

/// How the owner wants the chatbot to answer. The settings marked "model only" do not affect the extractive
/// writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Name of the business, as answers use it.
    pub business_name: String,
    /// What the business does, in the owner's words. Model only.
    pub business_description: Option<String>,
    /// Tone in one word, such as `friendly`. Model only.
    pub tone: Option<String>,
    /// Free text that refines the tone. Model only.
    pub tone_of_voice: Option<String>,
    /// Length of answers.
    pub response_length: ResponseLength,
    /// Whether answers end with a suggestion of what to ask next.
    pub follow_up_questions: bool,
    /// Language of the chatbot as a BCP 47 tag.
    pub language: Option<String>,
    /// Whether to answer in the language of the question instead of the chatbot's. The extractive writer
    /// quotes, so only its fixed phrases follow.
    pub respond_in_user_language: bool,
    /// Whether answers name their sources. If not, [`Draft::sources`](crate::Draft::sources) is empty.
    pub show_sources: bool,
    /// Free guidance from the owner. Model only.
    pub custom_instructions: Option<String>,
    /// Rules from the owner. The extractive writer follows critical ones of the form "never mention X".
    pub instructions: Vec<Instruction>,
    /// Topics that the chatbot refuses, in the owner's words.
    pub blocked_topics: Vec<String>,
    /// Sensitive topics on which the chatbot may give advice. On the others it repeats what the content says.
    pub allowed_sensitive_topics: Vec<SensitiveTopic>,
    /// What visitors are steered towards. Model only.
    pub primary_goal: Option<String>,
    /// Whether the chatbot informs or sells. Model only.
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

/// A rule of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The rule.
    pub text: String,
    /// Whether the chatbot must never break it.
    pub is_critical: bool,
}

named! {
    /// Length of answers.
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
    /// Returns the number of sentences in an answer of this length.
    pub fn sentences(self) -> usize {
        match self {
            Self::Short => 1,
            Self::Medium => 2,
            Self::Long => 4,
        }
    }
}

named! {
    /// Purpose of a chatbot.
    Focus {
        /// Answer questions.
        Informational = "informational",
        /// Lead visitors towards the primary goal.
        Conversion = "conversion",
    }
}

named! {
    /// A topic on which the chatbot gives no advice unless the owner allows it.
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
    /// Every sensitive topic.
    pub const ALL: [Self; 5] =
        [Self::Politics, Self::Religion, Self::LegalAdvice, Self::MedicalAdvice, Self::CompetitorComparison];
}
