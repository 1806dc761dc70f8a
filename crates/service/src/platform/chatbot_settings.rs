//! Settings of a chatbot: the stored JSON document, and its conversion to the interface and to the answer
//! writers.
//!
//! Only this module reads and writes the document. A field that was never set is absent, so that a changed
//! default reaches every chatbot without a value of its own, and fields of later versions read as "never
//! set".

use frontdesk_assistant as writer;
use frontdesk_model::{
    AiResponseLength, AiTone, ChatbotFocus, ChatbotSettings, ChatbotSettingsRequired, ChatbotUpdate,
    Instruction, NewChatbot, QuickButton, QuickPromptsDisplay, SensitiveTopic,
};
use frontdesk_store::{Chatbot, replace_nul};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tone of a chatbot that chose none.
const DEFAULT_TONE: AiTone = AiTone::Friendly;

/// How many minutes visitors wait for a person, unless the chatbot says otherwise.
const HANDOVER_TIMEOUT_MINUTES: i64 = 5;
/// The longest such wait.
const MAX_HANDOVER_TIMEOUT_MINUTES: i64 = 24 * 60;

/// The stored settings document has an unexpected shape.
#[derive(Debug, thiserror::Error)]
#[error("the stored settings of the chatbot cannot be read")]
pub(crate) struct UnreadableSettings(#[source] serde_json::Error);

/// The configuration of a chatbot, except for its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) business_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) business_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) opening_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) placeholder_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) button_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) custom_instructions: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) specific_instructions: Vec<Instruction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quick_buttons: Option<Vec<QuickButton>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quick_prompts_display: Option<QuickPromptsDisplay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ai_tone: Option<AiTone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tone_of_voice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ai_response_length: Option<AiResponseLength>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ai_follow_up_questions: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) focus: Option<ChatbotFocus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) primary_goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) respond_in_user_language: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) web_search_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) show_sources: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_replies_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handover_timeout_minutes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handover_timeout_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_sensitive_topics: Option<Vec<SensitiveTopic>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) custom_blocked_topics: Option<Vec<String>>,
}

impl Settings {
    /// Returns the settings of a new chatbot.
    pub(crate) fn of_new(new: &NewChatbot) -> Self {
        Self {
            business_name: replace_nul(new.business_name.clone()),
            business_description: new.business_description.value().cloned().map(replace_nul),
            opening_text: new.opening_text.value().cloned().map(replace_nul),
            placeholder_text: new.placeholder_text.value().cloned().map(replace_nul),
            button_text: new.button_text.value().cloned().map(replace_nul),
            custom_instructions: new.custom_instructions.value().cloned().map(replace_nul),
            language: new.language.value().cloned().map(replace_nul),
            ..Self::default()
        }
    }

    /// Reads the settings of a stored chatbot.
    pub(crate) fn of(chatbot: &Chatbot) -> Result<Self, UnreadableSettings> {
        Self::deserialize(&chatbot.settings).map_err(UnreadableSettings)
    }

    /// Returns the document to store.
    pub(crate) fn to_document(&self) -> Value {
        serde_json::to_value(self).expect("settings are text, numbers and lists, which JSON can hold")
    }

    /// Changes the fields that the update contains. Its `name` is not a setting; see [`apply_update`].
    pub(crate) fn apply(&mut self, update: ChatbotUpdate) {
        replace_text(&mut self.business_description, update.business_description);
        replace_text(&mut self.opening_text, update.opening_text);
        replace_text(&mut self.placeholder_text, update.placeholder_text);
        replace_text(&mut self.button_text, update.button_text);
        replace_text(&mut self.custom_instructions, update.custom_instructions);
        replace_text(&mut self.tone_of_voice, update.tone_of_voice);
        replace_text(&mut self.primary_goal, update.primary_goal);
        replace_text(&mut self.language, update.language);
        replace(&mut self.quick_prompts_display, update.quick_prompts_display);
        replace(&mut self.ai_tone, update.ai_tone);
        replace(&mut self.ai_response_length, update.ai_response_length);
        replace(&mut self.ai_follow_up_questions, update.ai_follow_up_questions);
        replace(&mut self.focus, update.focus);
        replace(&mut self.respond_in_user_language, update.respond_in_user_language);
        replace(&mut self.web_search_enabled, update.web_search_enabled);
        replace(&mut self.show_sources, update.show_sources);
        replace(&mut self.email_replies_enabled, update.email_replies_enabled);
        replace(&mut self.handover_timeout_minutes, update.handover_timeout_minutes);
        replace_text(&mut self.handover_timeout_text, update.handover_timeout_text);
        replace(&mut self.allowed_sensitive_topics, update.allowed_sensitive_topics);
        if let Some(business_name) = update.business_name {
            self.business_name = replace_nul(business_name);
        }
        if let Some(mut instructions) = update.specific_instructions {
            for instruction in &mut instructions {
                instruction.text = replace_nul(std::mem::take(&mut instruction.text));
            }
            self.specific_instructions = instructions;
        }
        if let Some(mut buttons) = update.quick_buttons {
            for button in &mut buttons {
                button.text = replace_nul(std::mem::take(&mut button.text));
            }
            self.quick_buttons = Some(buttons);
        }
        if let Some(topics) = update.custom_blocked_topics {
            self.custom_blocked_topics = Some(topics.into_iter().map(replace_nul).collect());
        }
    }

    /// Returns whether replies to emails may be drafted without an API key.
    pub(crate) fn allows_email_replies(&self) -> bool {
        self.email_replies_enabled.unwrap_or(true)
    }

    /// Returns when a visitor who is promised a person now is informed that nobody is available, if at all.
    pub(crate) fn unclaimed_at(&self, now: Timestamp) -> Option<Timestamp> {
        let minutes = self.handover_timeout_minutes.unwrap_or(HANDOVER_TIMEOUT_MINUTES);
        let minutes = minutes.clamp(0, MAX_HANDOVER_TIMEOUT_MINUTES);
        if minutes == 0 {
            return None;
        }
        now.checked_add(SignedDuration::from_mins(minutes)).ok()
    }

    /// Returns the message to a visitor for whom no person has come.
    pub(crate) fn handover_timeout_text(&self) -> String {
        match &self.handover_timeout_text {
            Some(text) => text.clone(),
            None => default_handover_timeout_text(self.language.as_deref()).to_owned(),
        }
    }

    /// Converts the settings for the answer writers.
    pub(crate) fn for_writer(&self) -> writer::Settings {
        // An unknown value, written by a later version, has the effect of the default.
        let length = self.ai_response_length.as_ref().and_then(|length| length.as_str().parse().ok());
        let focus = self.focus.as_ref().and_then(|focus| focus.as_str().parse().ok());
        let allowed =
            self.allowed_sensitive_topics.iter().flatten().filter_map(|topic| topic.as_str().parse().ok());
        let instructions = self.specific_instructions.iter().map(|instruction| writer::Instruction {
            text: instruction.text.clone(),
            is_critical: instruction.is_critical.unwrap_or(false),
        });
        writer::Settings {
            business_name: self.business_name.clone(),
            business_description: self.business_description.clone(),
            tone: Some(self.ai_tone.as_ref().unwrap_or(&DEFAULT_TONE).as_str().to_owned()),
            tone_of_voice: self.tone_of_voice.clone(),
            response_length: length.unwrap_or(writer::ResponseLength::Medium),
            follow_up_questions: self.ai_follow_up_questions.unwrap_or(false),
            language: self.language.clone(),
            respond_in_user_language: self.respond_in_user_language.unwrap_or(false),
            show_sources: self.show_sources.unwrap_or(true),
            custom_instructions: self.custom_instructions.clone(),
            instructions: instructions.collect(),
            blocked_topics: self.custom_blocked_topics.clone().unwrap_or_default(),
            allowed_sensitive_topics: allowed.collect(),
            primary_goal: self.primary_goal.clone(),
            focus: focus.unwrap_or(writer::Focus::Informational),
        }
    }

    /// Converts the settings to the type of the interface.
    pub(crate) fn into_model(self) -> ChatbotSettings {
        let opening_text = match self.opening_text {
            Some(text) => text,
            None => default_opening_text(&self.business_name, self.language.as_deref()),
        };
        let ai_tone = self.ai_tone.unwrap_or(DEFAULT_TONE);
        let mut settings = ChatbotSettings::new(ChatbotSettingsRequired {
            business_name: self.business_name,
            opening_text,
            ai_tone,
            specific_instructions: self.specific_instructions,
        });
        settings.business_description = self.business_description;
        settings.placeholder_text = self.placeholder_text;
        settings.button_text = self.button_text;
        settings.custom_instructions = self.custom_instructions;
        settings.quick_buttons = self.quick_buttons;
        settings.quick_prompts_display = self.quick_prompts_display;
        settings.tone_of_voice = self.tone_of_voice;
        settings.ai_response_length = self.ai_response_length;
        settings.ai_follow_up_questions = self.ai_follow_up_questions;
        settings.focus = self.focus;
        settings.primary_goal = self.primary_goal;
        settings.language = self.language;
        settings.respond_in_user_language = self.respond_in_user_language;
        settings.web_search_enabled = self.web_search_enabled;
        settings.show_sources = self.show_sources;
        settings.email_replies_enabled = self.email_replies_enabled;
        settings.handover_timeout_minutes = self.handover_timeout_minutes;
        settings.handover_timeout_text = self.handover_timeout_text;
        settings.allowed_sensitive_topics = self.allowed_sensitive_topics;
        settings.custom_blocked_topics = self.custom_blocked_topics;
        settings
    }
}

/// Returns whether a stored chatbot drafts replies to emails without an API key. Unreadable settings count as
/// yes, so that they are reported as a fault by the operation instead of being hidden as a missing chatbot.
pub(crate) fn allows_email_replies(chatbot: &Chatbot) -> bool {
    Settings::of(chatbot).map_or(true, |settings| settings.allows_email_replies())
}

/// Applies an update to a stored chatbot: its name, its settings, and the language, which the store keeps in
/// a column.
pub(crate) fn apply_update(
    chatbot: &mut Chatbot,
    mut update: ChatbotUpdate,
) -> Result<(), UnreadableSettings> {
    let mut settings = Settings::of(chatbot)?;
    if let Some(name) = update.name.take() {
        chatbot.name = name;
    }
    settings.apply(update);
    chatbot.language.clone_from(&settings.language);
    chatbot.settings = settings.to_document();
    Ok(())
}

fn replace<T>(stored: &mut Option<T>, sent: Option<T>) {
    if sent.is_some() {
        *stored = sent;
    }
}

fn replace_text(stored: &mut Option<String>, sent: Option<String>) {
    replace(stored, sent.map(replace_nul));
}

/// Returns the opening text of a chatbot without one, in its language if there is a translation, else in
/// English.
fn default_opening_text(business: &str, language: Option<&str>) -> String {
    match primary_language(language).as_str() {
        "de" => format!("Hallo! Fragen Sie mich alles über {business}."),
        "es" => format!("¡Hola! Pregúnteme lo que quiera sobre {business}."),
        "fr" => format!("Bonjour ! Posez-moi vos questions sur {business}."),
        "it" => format!("Salve! Mi chieda pure qualsiasi cosa su {business}."),
        "nl" => format!("Hallo! Stel mij gerust een vraag over {business}."),
        "pt" => format!("Olá! Pergunte-me o que quiser sobre {business}."),
        _ => format!("Hello! Ask me anything about {business}."),
    }
}

/// Returns the message to visitors for whom no person has come, in the chatbot's language if there is a
/// translation, else in English.
fn default_handover_timeout_text(language: Option<&str>) -> &'static str {
    match primary_language(language).as_str() {
        "de" => {
            "Im Moment ist leider niemand erreichbar. Bitte hinterlassen Sie Ihre E-Mail-Adresse, dann melden wir uns bei Ihnen."
        }
        "es" => {
            "En este momento no hay nadie disponible. Déjenos su dirección de correo electrónico y le responderemos."
        }
        "fr" => {
            "Personne n'est disponible pour le moment. Laissez-nous votre adresse e-mail et nous vous répondrons."
        }
        "it" => "Al momento non è disponibile nessuno. Ci lasci il suo indirizzo e-mail e le risponderemo.",
        "nl" => {
            "Er is op dit moment niemand beschikbaar. Laat uw e-mailadres achter, dan nemen wij contact met u op."
        }
        "pt" => {
            "De momento não há ninguém disponível. Deixe-nos o seu endereço de e-mail e entraremos em contacto."
        }
        _ => {
            "Nobody is available at the moment. Please leave your email address, and we will get back to you."
        }
    }
}

/// Returns the language of a code such as `pt-BR` without its region, in lower case.
fn primary_language(language: Option<&str>) -> String {
    let primary = language.and_then(|language| language.split(['-', '_']).next()).unwrap_or_default();
    primary.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn new() -> NewChatbot {
        serde_json::from_value(json!({
            "name": "Help", "business_name": "Acme", "training_urls": ["https://acme.example/"],
            "business_description": null, "language": "de"
        }))
        .unwrap()
    }

    /// One value for every field of the update, except for its name.
    fn everything() -> Value {
        json!({
            "business_name": "Acme Tools", "business_description": "Sells tools.", "opening_text": "Hi!",
            "placeholder_text": "Ask", "button_text": "Chat", "custom_instructions": "Be brief.",
            "specific_instructions": [{ "text": "Never promise dates.", "is_critical": true }, { "text": "Be kind." }],
            "quick_buttons": [{ "text": "Hours" }], "quick_prompts_display": "once", "ai_tone": "urgent",
            "tone_of_voice": "Dry.", "ai_response_length": "long", "ai_follow_up_questions": true,
            "focus": "conversion", "primary_goal": "Book a visit.", "language": "pt-BR",
            "respond_in_user_language": true, "web_search_enabled": true, "show_sources": false,
            "email_replies_enabled": false, "handover_timeout_minutes": 0, "handover_timeout_text": "Call us.", "allowed_sensitive_topics": ["religion", "competitor_comparison"], "custom_blocked_topics": ["prices"]
        })
    }

    fn update(value: Value) -> ChatbotUpdate {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_written_field_is_stored_and_returned() {
        let mut settings = Settings::of_new(&new());
        settings.apply(update(everything()));
        let stored: Settings = serde_json::from_value(settings.to_document()).unwrap();
        assert_eq!(stored, settings);
        assert_eq!(serde_json::to_value(stored.into_model()).unwrap(), everything());
    }

    #[test]
    fn each_field_changes_alone() {
        for (field, value) in everything().as_object().unwrap() {
            let before = serde_json::to_value(Settings::of_new(&new()).into_model()).unwrap();
            let mut settings = Settings::of_new(&new());
            settings.apply(update(json!({ field: value })));
            let after = serde_json::to_value(settings.into_model()).unwrap();
            assert_eq!(&after[field], value);
            for (other, kept) in before.as_object().unwrap() {
                // The default greeting names the business and speaks its language.
                let derived =
                    other == "opening_text" && ["business_name", "language"].contains(&field.as_str());
                if other != field && !derived {
                    assert_eq!(&after[other], kept, "{field} changed {other}");
                }
            }
        }
    }

    #[test]
    fn an_empty_list_removes_what_was_there() {
        let mut settings = Settings::of_new(&new());
        settings.apply(update(everything()));
        settings.apply(update(
            json!({ "quick_buttons": [], "specific_instructions": [], "custom_blocked_topics": [] }),
        ));
        let model = serde_json::to_value(settings.into_model()).unwrap();
        assert_eq!(model["quick_buttons"], json!([]));
        assert_eq!(model["specific_instructions"], json!([]));
        assert_eq!(model["custom_blocked_topics"], json!([]));
    }

    #[test]
    fn a_new_chatbot_greets_in_its_language_and_shows_only_what_was_set() {
        let model = serde_json::to_value(Settings::of_new(&new()).into_model()).unwrap();
        let expected = json!({
            "business_name": "Acme", "opening_text": "Hallo! Fragen Sie mich alles über Acme.", "ai_tone": "friendly",
            "specific_instructions": [], "language": "de"
        });
        assert_eq!(model, expected);
        assert_eq!(default_opening_text("Acme", Some("xx")), "Hello! Ask me anything about Acme.");
        assert_eq!(default_opening_text("Acme", None), "Hello! Ask me anything about Acme.");
    }

    #[test]
    fn unknown_fields_and_values_of_other_versions_are_ignored() {
        let settings: Settings =
            serde_json::from_value(json!({ "business_name": "Acme", "mood": "sunny" })).unwrap();
        assert_eq!(settings.business_name, "Acme");
        assert!(serde_json::from_value::<Settings>(json!({ "business_name": 7 })).is_err());
        let settings: Settings = serde_json::from_value(
            json!({ "ai_response_length": "epic", "allowed_sensitive_topics": ["gossip"] }),
        )
        .unwrap();
        assert_eq!(settings.for_writer().response_length, writer::ResponseLength::Medium);
        assert!(settings.for_writer().allowed_sensitive_topics.is_empty());
    }

    #[test]
    fn nul_characters_are_replaced_in_every_text() {
        let mut settings = Settings::of_new(&new());
        settings.apply(update(json!({
            "business_name": "A\u{0}", "opening_text": "b\u{0}", "specific_instructions": [{ "text": "c\u{0}" }],
            "quick_buttons": [{ "text": "d\u{0}" }], "custom_blocked_topics": ["e\u{0}"]
        })));
        let document = settings.to_document().to_string();
        assert!(!document.contains("\\u0000"), "{document}");
        assert_eq!(document.matches('\u{fffd}').count(), 5);
    }

    #[test]
    fn visitors_wait_for_a_person_as_long_as_the_chatbot_says() {
        let now = Timestamp::UNIX_EPOCH;
        let after = |minutes| Some(now + SignedDuration::from_mins(minutes));
        let mut settings = Settings::of_new(&new());
        assert_eq!(settings.unclaimed_at(now), after(5));
        assert!(settings.handover_timeout_text().starts_with("Im Moment"));
        settings.apply(update(json!({ "language": "xx", "handover_timeout_minutes": 90 })));
        assert_eq!(settings.unclaimed_at(now), after(90));
        assert!(settings.handover_timeout_text().starts_with("Nobody is available"));
        settings.apply(update(everything()));
        assert_eq!(settings.unclaimed_at(now), None);
        assert_eq!(settings.handover_timeout_text(), "Call us.");
    }

    #[test]
    fn writers_get_the_settings_with_defaults() {
        let mut settings = Settings::of_new(&new());
        let plain = settings.for_writer();
        assert!(plain.show_sources && !plain.follow_up_questions && !plain.respond_in_user_language);
        assert_eq!(plain.response_length, writer::ResponseLength::Medium);
        assert_eq!(plain.language.as_deref(), Some("de"));
        assert!(settings.allows_email_replies());
        settings.apply(update(everything()));
        assert!(!settings.allows_email_replies());
        let full = settings.for_writer();
        assert!(!full.show_sources && full.follow_up_questions && full.respond_in_user_language);
        assert_eq!(full.response_length, writer::ResponseLength::Long);
        assert_eq!(full.focus, writer::Focus::Conversion);
        assert_eq!(full.tone.as_deref(), Some("urgent"));
        assert_eq!(full.instructions.iter().map(|rule| rule.is_critical).collect::<Vec<_>>(), [true, false]);
        assert_eq!(
            full.allowed_sensitive_topics,
            [writer::SensitiveTopic::Religion, writer::SensitiveTopic::CompetitorComparison]
        );
        assert_eq!(full.blocked_topics, ["prices"]);
    }
}
