//! [`Visit`]: what a visitor does in the chat on the website.

use std::net::IpAddr;

use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    WeekError,
    interface::{Actor, Interface},
    script::{Act, Step, Story},
};

/// The visitor of a story, with the session of a browser from the first step on.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) address: IpAddr,
    token: String,
    /// The conversation; empty before it begins.
    pub(super) conversation_id: String,
    /// The last message that can be rated.
    answer_id: String,
}

impl Visit {
    /// Returns the visitor of a story, who has one of the addresses for documentation.
    pub(super) fn of(story: usize) -> Self {
        let address = IpAddr::from([203, 0, 113, u8::try_from(story % 250).unwrap_or_default()]);
        Self { address, token: String::new(), conversation_id: String::new(), answer_id: String::new() }
    }

    /// Does a step, and returns the response.
    pub(super) async fn take(
        &mut self,
        interface: &Interface,
        widget_key: Uuid,
        story: &Story,
        step: &Step,
    ) -> Result<Value, WeekError> {
        if self.token.is_empty() {
            let (path, nobody) =
                (format!("/public/widgets/{widget_key}/sessions"), Actor::Anybody(self.address));
            let begun = interface.send(nobody, Method::POST, &path, Some(&json!({}))).await;
            self.token = text(&begun.checked(story, &path)?, "token");
        }
        let conversation = format!("/public/visitor/conversations/{}", self.conversation_id);
        let (method, path, body) = match &step.act {
            Act::Introduces(details) => (Method::PUT, "/public/visitor/contact".to_owned(), details.clone()),
            Act::AsksForPerson(note) => {
                (Method::POST, format!("{conversation}/escalate"), json!({ "note": note }))
            }
            Act::Rates(rating) => {
                let path = format!("{conversation}/messages/{}/feedback", self.answer_id);
                (Method::POST, path, rating.clone())
            }
            Act::Says(message) => {
                let mut body = json!({ "message": message, "client_message_id": Uuid::new_v4() });
                if !self.conversation_id.is_empty() {
                    body["conversation_id"] = json!(self.conversation_id);
                }
                (Method::POST, "/public/visitor/messages".to_owned(), body)
            }
            _ => return Err(story.wrong("a visitor cannot do this".to_owned())),
        };
        let actor = Actor::Visitor(&self.token, self.address);
        let response = interface.send(actor, method, &path, Some(&body)).await.checked(story, &path)?;
        if let Act::Says(_) = &step.act {
            self.conversation_id = text(&response, "conversation_id");
            self.answer_id = text(&response, "message_id");
        }
        Ok(response)
    }
}

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_default().to_owned()
}
