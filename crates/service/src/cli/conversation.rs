//! `frontdesk conversation`: the conversations of an account.

use std::io::Write;

use clap::Subcommand;
use frontdesk_store::{
    Conversation, ConversationFilter, ConversationMode, FeedbackRating, Message, PageRequest,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Admin, CliError,
    output::{Output, Record},
};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the latest conversations of a chatbot, without their texts
    List {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// The chatbot
        #[arg(long)]
        chatbot: Uuid,
        /// Only conversations with this mode: ai, human_requested, human or closed
        #[arg(long)]
        mode: Option<ConversationMode>,
        /// The most conversations to list
        #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Show a conversation with its latest messages
    Show {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// The conversation's id, as `list` shows it
        conversation: Uuid,
        /// The most messages to show
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let conversations = admin.store.conversations();
    match command {
        Command::List { account, chatbot, mode, limit } => {
            let scope = admin.account(account).await?;
            if admin.store.chatbots().find(&scope, chatbot).await?.is_none() {
                return Err(CliError::unknown_chatbot(chatbot));
            }
            let filter = ConversationFilter { mode, ..ConversationFilter::default() };
            let page = conversations.page(&scope, chatbot, &filter, &PageRequest::first(limit)).await?;
            let records = page.items.iter().map(|listed| record_of(&listed.conversation)).collect();
            output.many("conversations", records)
        }
        Command::Show { account, conversation, limit } => {
            let scope = admin.account(account).await?;
            let Some(found) = conversations.find(&scope, conversation).await? else {
                return Err(CliError::Unknown {
                    what: "conversation",
                    name: conversation.to_string(),
                    advice: "`frontdesk conversation list --account ID --chatbot ID` lists the conversations of a chatbot",
                });
            };
            let latest = conversations.message_page(&scope, conversation, &PageRequest::first(limit)).await?;
            output.with_list(
                record_of(&found),
                "messages",
                latest.items.iter().rev().map(message_of).collect(),
            )
        }
    }
}

fn record_of(conversation: &Conversation) -> Record {
    let escalated_at = conversation.escalation.as_ref().map(|request| request.escalated_at.to_string());
    vec![
        ("conversation_id", json!(conversation.conversation_id)),
        ("mode", json!(conversation.mode.as_str())),
        ("source", json!(conversation.source)),
        ("needs_escalation", json!(conversation.needs_escalation)),
        ("feedback", json!(conversation.feedback.map(FeedbackRating::as_str))),
        ("contact_id", json!(conversation.contact_id)),
        ("message_count", json!(conversation.message_count)),
        ("escalated_at", json!(escalated_at)),
        ("created_at", json!(conversation.created_at.to_string())),
        ("last_message_at", json!(conversation.last_message_at.to_string())),
    ]
}

fn message_of(message: &Message) -> Record {
    let rating = message.feedback.as_ref().map_or(Value::Null, |feedback| json!(feedback.rating.as_str()));
    vec![
        ("position", json!(message.position)),
        ("created_at", json!(message.created_at.to_string())),
        ("role", json!(message.role.as_str())),
        ("feedback", rating),
        ("text", json!(message.body)),
    ]
}
