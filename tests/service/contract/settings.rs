//! Storage of settings: every setting that can be written is stored and returned.

use std::collections::BTreeSet;

use frontdesk_client::model::{
    AiResponseLength, AiTone, ChatbotFocus, ChatbotSettings, ChatbotUpdate, Instruction, QuickButton,
    QuickPromptsDisplay, SensitiveTopic,
};
use frontdesk_store::Plan;
use serde_json::{Map, Value};

use crate::{
    database::Database,
    installation::{Installation, chatbot_for},
    on_both_databases,
};

on_both_databases!(every_setting_is_stored_and_returned, what_is_not_sent_stays_as_it_is);

const BUNDLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.json"));

/// Returns an update of every setting, with texts that are hard to store.
fn everything() -> ChatbotUpdate {
    let rule =
        |text: &str, is_critical| Instruction { text: text.to_owned(), is_critical: Some(is_critical) };
    ChatbotUpdate::new()
        .name("Zoë’s “helper” \\ 🥐")
        .business_name("Café <b>Zoë</b>")
        .business_description("Bread;\nand cakes -- 'all' of them %00 $1 {name}")
        .opening_text("Hello\u{a0}there,\r\n\twhat may it be?")
        .placeholder_text("اكتب سؤالك")
        .button_text("聊天")
        .custom_instructions("  Leading and trailing space  ")
        .specific_instructions([rule("Never mention rivals.", true), rule("Be brief.", false)])
        .quick_buttons([QuickButton { text: "Where are you?".into() }, QuickButton { text: "ü".repeat(50) }])
        .quick_prompts_display(QuickPromptsDisplay::Once)
        .ai_tone(AiTone::Thoughtful)
        .tone_of_voice("🥖".repeat(400))
        .ai_response_length(AiResponseLength::Long)
        .ai_follow_up_questions(true)
        .focus(ChatbotFocus::Conversion)
        .primary_goal("Orders")
        .language("pt-BR")
        .respond_in_user_language(true)
        .web_search_enabled(true)
        .show_sources(false)
        .email_replies_enabled(false)
        .allowed_sensitive_topics([SensitiveTopic::Religion, SensitiveTopic::LegalAdvice])
        .custom_blocked_topics(["layoffs", "Über uns"])
        .handover_timeout_minutes(7)
        .handover_timeout_text("Niemand ist da.")
}

fn fields(value: impl serde::Serialize) -> Map<String, Value> {
    serde_json::to_value(value).unwrap().as_object().unwrap().clone()
}

/// The settings that were sent once, without those that only the service sets.
fn written(settings: &ChatbotSettings) -> Map<String, Value> {
    let bundle: Value = serde_json::from_str(BUNDLE).unwrap();
    let properties = &bundle["components"]["schemas"]["ChatbotSettings"]["properties"];
    let mut fields = fields(settings);
    fields.retain(|name, _| properties[name]["readOnly"] != true);
    fields
}

async fn every_setting_is_stored_and_returned(database: Database) {
    let bundle: Value = serde_json::from_str(BUNDLE).unwrap();
    let declared: BTreeSet<String> = bundle["components"]["schemas"]["ChatbotUpdate"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let mut sent = fields(everything());
    assert_eq!(sent.keys().cloned().collect::<BTreeSet<_>>(), declared, "the test leaves a setting out");

    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    let chatbot_id = client.chatbots().create(new).await.unwrap().chatbot_id;

    let updated = client.chatbots().update(chatbot_id, everything()).await.unwrap();
    let again = client.chatbots().update(chatbot_id, None).await.unwrap();
    let name = sent.remove("name").unwrap();
    for told in [updated, again] {
        assert_eq!(told.name, name);
        assert_eq!(written(&told.settings), sent);
    }
    assert_eq!(client.chatbots().get(chatbot_id).await.unwrap().name, name);
    service.stop().await;
}

async fn what_is_not_sent_stays_as_it_is(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    let chatbot_id = client.chatbots().create(new).await.unwrap().chatbot_id;
    client.chatbots().update(chatbot_id, everything()).await.unwrap();

    // Field by field: the one that is sent changes, and nothing else does.
    let changed = [
        ("name", Value::from("Other")),
        ("business_name", "Other".into()),
        ("quick_buttons", Value::Array(Vec::new())),
        ("specific_instructions", Value::Array(Vec::new())),
        ("custom_blocked_topics", Value::Array(Vec::new())),
        ("allowed_sensitive_topics", Value::Array(Vec::new())),
        ("ai_tone", "urgent".into()),
        ("ai_follow_up_questions", false.into()),
        ("show_sources", true.into()),
        ("language", "de".into()),
    ];
    let mut expected = fields(everything());
    for (field, value) in changed {
        let one = Map::from_iter([(field.to_owned(), value.clone())]);
        let update: ChatbotUpdate = serde_json::from_value(Value::Object(one)).unwrap();
        expected.insert(field.to_owned(), value);
        let told = client.chatbots().update(chatbot_id, update).await.unwrap();
        let mut settings = written(&told.settings);
        settings.insert("name".to_owned(), told.name.clone().into());
        assert_eq!(settings, expected, "{field}");
    }
    service.stop().await;
}
