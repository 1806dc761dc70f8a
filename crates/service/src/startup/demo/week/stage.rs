//! [`Stage`]: performs the script, step by step in the order of time.

use std::{collections::HashMap, net::IpAddr};

use frontdesk_store::{Account, Chatbot, NewThreadReply, ReplyKind, Session, User};
use http::Method;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    WeekError,
    interface::{Actor, Interface, Response},
    moments::Moments,
    script::{self, Act, Script, Step, Story},
};

/// How long after the step before a step happens, if the script says nothing.
const PAUSE: SignedDuration = SignedDuration::from_secs(50);
/// The files that are uploaded.
const UPLOADS: [(&str, &str); 1] = [(
    "school-garden-planting-list.pdf",
    include_str!("../../../../demo/week/school-garden-planting-list.pdf"),
)];

/// A visitor of a story, once there is one.
#[derive(Debug, Default)]
struct Visit {
    token: String,
    conversation_id: String,
    /// The last message that can be rated.
    answer_id: String,
}

/// What the script is performed with.
#[derive(Debug)]
pub(super) struct Stage {
    interface: Interface,
    chatbot_id: Uuid,
    widget_key: Uuid,
    people: HashMap<String, Session>,
    /// The ids that have been kept, by name.
    names: HashMap<String, String>,
}

/// Returns the steps of a script in the order of time, each with its story and its moment.
pub(super) fn schedule<'a>(
    script: &'a Script,
    moments: &Moments,
) -> Result<Vec<(Timestamp, usize, &'a Story, &'a Step)>, WeekError> {
    let mut all = Vec::new();
    for (index, story) in script.stories.iter().enumerate() {
        let wrong = |problem: String| WeekError::Script { story: story.name.clone(), problem };
        let moment = |text: &str| moments.moment(text).ok_or_else(|| wrong(format!("{text} is no moment")));
        let mut now = moment(&story.at)?;
        for (number, step) in story.steps.iter().enumerate() {
            now = match (&step.at, &step.after) {
                (Some(at), _) => moment(at)?,
                (None, Some(after)) => {
                    now + after.parse::<SignedDuration>().map_err(|error| wrong(error.to_string()))?
                }
                (None, None) if number == 0 => now,
                (None, None) => now + PAUSE,
            };
            all.push((now, index, story, step));
        }
    }
    all.sort_by_key(|(now, ..)| *now);
    Ok(all)
}

impl Stage {
    pub(super) fn new(
        interface: Interface,
        account: &Account,
        chatbot: &Chatbot,
        widget_key: Uuid,
        people: &[(String, User)],
    ) -> Self {
        let mut names = HashMap::from([("chatbot".to_owned(), chatbot.chatbot_id.to_string())]);
        names.extend(people.iter().map(|(key, user)| (key.clone(), user.user_id.to_string())));
        let session = |user: &User| Session {
            session_id: Uuid::now_v7(),
            person_id: user.user_id,
            person_name: user.name.clone(),
            email: user.email.clone(),
            user_id: user.user_id,
            role: user.role,
            account_id: account.account_id,
            account_name: account.name.clone(),
            account_kind: account.kind,
            plan: account.plan,
            monthly_credits: account.monthly_credits,
            user_agent: String::new(),
            created_at: user.created_at,
            last_used_at: user.created_at,
            confirmed_at: user.created_at,
        };
        let people = people.iter().map(|(key, user)| (key.clone(), session(user))).collect();
        Self { interface, chatbot_id: chatbot.chatbot_id, widget_key, people, names }
    }

    /// Performs the script.
    pub(super) async fn perform(mut self, script: &Script, moments: &Moments) -> Result<(), WeekError> {
        let mut visits: HashMap<usize, Visit> = HashMap::new();
        for (now, index, story, step) in schedule(script, moments)? {
            self.interface.set(now);
            let visit = visits.entry(index).or_default();
            self.take(index, story, step, visit, moments).await?;
        }
        Ok(())
    }

    async fn take(
        &mut self,
        index: usize,
        story: &Story,
        step: &Step,
        visit: &mut Visit,
        moments: &Moments,
    ) -> Result<(), WeekError> {
        self.look_up(story, step).await?;
        let mut body = step.body.clone();
        if let Some(body) = &mut body {
            self.fill(story, body, moments)?;
        }
        let address = address(index);
        let person = step.by.as_ref().map(|by| &self.people[by]);
        let actor = person.map_or(Actor::Anybody(address), Actor::Person);
        let (method, path) = match &step.act {
            Act::Get(path) => (Method::GET, self.path(path)),
            Act::Post(path) => (Method::POST, self.path(path)),
            Act::Put(path) => (Method::PUT, self.path(path)),
            Act::Delete(path) => (Method::DELETE, self.path(path)),
            Act::Uploads(name) => {
                let path = "/inbox/attachments";
                let content =
                    UPLOADS.iter().find(|(known, _)| known == name).map_or("", |(_, content)| content);
                let response = self.interface.upload(actor, path, name, content).await;
                return self.keep(story, step, checked(story, "POST", path, response)?);
            }
            Act::Mails(thread) => return self.mail(story, step, thread, body).await,
            Act::Replies(text) => {
                body = Some(json!({ "text": text }));
                let path =
                    format!("/chatbots/{}/conversations/{}/messages", self.chatbot_id, visit.conversation_id);
                (Method::POST, path)
            }
            Act::Says(_) | Act::Introduces(_) | Act::AsksForPerson(_) | Act::Rates(_) => {
                return self.visit(story, step, visit, address).await;
            }
        };
        let response = self.interface.send(actor, method.clone(), &path, body.as_ref()).await;
        self.keep(story, step, checked(story, method.as_str(), &path, response)?)
    }

    /// Does what a visitor does in the chat.
    async fn visit(
        &mut self,
        story: &Story,
        step: &Step,
        visit: &mut Visit,
        address: IpAddr,
    ) -> Result<(), WeekError> {
        if visit.token.is_empty() {
            let path = format!("/public/widgets/{}/sessions", self.widget_key);
            let begun =
                self.interface.send(Actor::Anybody(address), Method::POST, &path, Some(&json!({}))).await;
            visit.token = text(&checked(story, "POST", &path, begun)?, "token");
        }
        let of_conversation = format!("/public/visitor/conversations/{}", visit.conversation_id);
        let (method, path, body) = match &step.act {
            Act::Introduces(details) => (Method::PUT, "/public/visitor/contact".to_owned(), details.clone()),
            Act::AsksForPerson(note) => {
                (Method::POST, format!("{of_conversation}/escalate"), json!({ "note": note }))
            }
            Act::Rates(rating) => {
                let path = format!("{of_conversation}/messages/{}/feedback", visit.answer_id);
                (Method::POST, path, rating.clone())
            }
            Act::Says(message) => {
                let mut body = json!({ "message": message, "client_message_id": Uuid::new_v4() });
                if !visit.conversation_id.is_empty() {
                    body["conversation_id"] = json!(visit.conversation_id);
                }
                (Method::POST, "/public/visitor/messages".to_owned(), body)
            }
            _ => return Ok(()),
        };
        let actor = Actor::Visitor(&visit.token, address);
        let response = self.interface.send(actor, method.clone(), &path, Some(&body)).await;
        let response = checked(story, method.as_str(), &path, response)?;
        if let Act::Says(_) = &step.act {
            visit.conversation_id = text(&response, "conversation_id");
            visit.answer_id = text(&response, "message_id");
            self.names.insert(format!("conversation {}", story.name), visit.conversation_id.clone());
        }
        self.keep(story, step, response)
    }

    /// Replies to a thread whose contact gets e-mails. There is no mail server, so the interface refuses this,
    /// and the reply is stored as one that was sent.
    async fn mail(
        &mut self,
        story: &Story,
        step: &Step,
        thread: &str,
        body: Option<Value>,
    ) -> Result<(), WeekError> {
        let wrong =
            |problem: &str| WeekError::Script { story: story.name.clone(), problem: problem.to_owned() };
        let person = step.by.as_ref().map(|by| &self.people[by]).ok_or_else(|| wrong("nobody replies"))?;
        let body = body.unwrap_or_default();
        let files = body["attachment_ids"].as_array().into_iter().flatten();
        let reply = NewThreadReply {
            message_id: Uuid::now_v7(),
            kind: ReplyKind::Reply,
            body: text(&body, "body"),
            author_id: person.user_id,
            attachment_ids: files.filter_map(|id| id.as_str()?.parse().ok()).collect(),
            client_message_id: None,
            set_status: text(&body, "set_status").parse().ok().map(|status| (status, None)),
            delivery: None,
        };
        let service = &self.interface.service;
        let thread_id = self.names.get(thread).and_then(|id| id.parse().ok());
        let thread_id = thread_id.ok_or_else(|| wrong("there is no such thread"))?;
        let written = service.store.threads().reply(&person.scope(), thread_id, &reply, service.now()).await;
        match written {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(wrong("the thread is gone")),
            Err(error) => Err(wrong(&error.to_string())),
        }
    }

    /// Finds the contacts that a step names and that have not been named before.
    async fn look_up(&mut self, story: &Story, step: &Step) -> Result<(), WeekError> {
        for name in step.names() {
            let Some(email) = name.strip_prefix("contact ") else { continue };
            if self.names.contains_key(name) {
                continue;
            }
            let path = format!("/contacts/lookup?email={email}");
            let found =
                self.interface.send(Actor::Person(&self.people["nora"]), Method::GET, &path, None).await;
            let id = text(&checked(story, "GET", &path, found)?, "contact_id");
            self.names.insert(name.to_owned(), id);
        }
        Ok(())
    }

    /// Replaces texts in braces by what they name.
    fn fill(&self, story: &Story, value: &mut Value, moments: &Moments) -> Result<(), WeekError> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.fill(story, item, moments)),
            Value::Object(fields) => fields.values_mut().try_for_each(|item| self.fill(story, item, moments)),
            Value::String(text) => {
                let Some(name) = script::braced(text) else { return Ok(()) };
                let id = self.names.get(name).cloned();
                let moment = || moments.moment(name).map(|moment| moment.to_string());
                let date = || moments.date(name).map(|date| date.to_string());
                let problem =
                    || WeekError::Script { story: story.name.clone(), problem: format!("{name} is unknown") };
                *text = id.or_else(moment).or_else(date).ok_or_else(problem)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Replaces names in a path.
    fn path(&self, path: &str) -> String {
        let fill = |path: String, (name, id): (&String, &String)| path.replace(&format!("{{{name}}}"), id);
        self.names.iter().fold(path.to_owned(), fill)
    }

    fn keep(&mut self, story: &Story, step: &Step, response: Value) -> Result<(), WeekError> {
        for (name, pointer) in &step.keep {
            let Some(id) = response.pointer(pointer).and_then(Value::as_str) else {
                let problem = format!("{pointer} is missing in {response}");
                return Err(WeekError::Script { story: story.name.clone(), problem });
            };
            self.names.insert(name.clone(), id.to_owned());
        }
        Ok(())
    }
}

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_default().to_owned()
}

/// Returns the address of the visitor of a story: one of those for documentation.
fn address(index: usize) -> IpAddr {
    IpAddr::from([203, 0, 113, u8::try_from(index % 250).unwrap_or_default()])
}

fn checked(story: &Story, method: &str, path: &str, response: Response) -> Result<Value, WeekError> {
    if response.status.is_success() {
        return Ok(response.body);
    }
    Err(WeekError::Refused {
        story: story.name.clone(),
        request: format!("{method} {path}"),
        status: response.status,
        body: response.text,
    })
}
