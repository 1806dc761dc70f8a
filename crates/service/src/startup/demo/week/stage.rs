//! [`Stage`]: performs the script, step by step in the order of time.

use std::{collections::HashMap, time::Duration};

use frontdesk_store::{Account, Chatbot, NewThreadReply, ReplyKind, Session, User};
use http::Method;
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    WeekError,
    interface::{Actor, Interface},
    moments::Moments,
    names::Names,
    script::{Act, Script, Step, Story},
    visit::Visit,
};

/// The files that are uploaded.
const UPLOADS: [(&str, &str); 1] = [(
    "school-garden-planting-list.pdf",
    include_str!("../../../../demo/week/school-garden-planting-list.pdf"),
)];

/// How often, and for how long, somebody looks for a question that has just been asked.
const MAX_LOOKS: usize = 40;
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// What the script is performed with.
#[derive(Debug)]
pub(super) struct Stage {
    interface: Interface,
    widget_key: Uuid,
    /// The people of the account, as if they were signed in to the console.
    people: HashMap<String, Session>,
    names: Names,
    /// The stories that end before their last step.
    ended: Vec<String>,
}

impl Stage {
    pub(super) fn new(
        interface: Interface,
        account: &Account,
        chatbot: &Chatbot,
        widget_key: Uuid,
        people: &[(String, User)],
    ) -> Self {
        let mut names = Names::default();
        names.insert("chatbot", chatbot.chatbot_id.to_string());
        for (key, user) in people {
            names.insert(key, user.user_id.to_string());
        }
        let people = people.iter().map(|(key, user)| (key.clone(), session(account, user))).collect();
        Self { interface, widget_key, people, names, ended: Vec::new() }
    }

    /// Performs the script.
    pub(super) async fn perform(mut self, script: &Script, moments: &Moments) -> Result<(), WeekError> {
        let mut visits: HashMap<usize, Visit> = HashMap::new();
        for (now, index, story, step) in script.schedule(moments)? {
            if self.ended.contains(&story.name) {
                continue;
            }
            self.interface.set(now);
            let visit = visits.entry(index).or_insert_with(|| Visit::of(index));
            self.take(visit, story, step, moments).await?;
        }
        Ok(())
    }

    async fn take(
        &mut self,
        visit: &mut Visit,
        story: &Story,
        step: &Step,
        moments: &Moments,
    ) -> Result<(), WeekError> {
        self.look_up(story, step).await?;
        let mut body = step.body.clone();
        if let Some(body) = &mut body {
            self.names.fill(story, body, moments)?;
        }
        let person = step
            .by
            .as_ref()
            .map(|by| self.people.get(by).ok_or_else(|| story.wrong(format!("{by} is nobody"))));
        let actor = person.transpose()?.map_or(Actor::Anybody(visit.address), Actor::Person);
        let (method, path) = match &step.act {
            Act::Get(path) => (Method::GET, self.names.path(path)),
            Act::Post(path) => (Method::POST, self.names.path(path)),
            Act::Put(path) => (Method::PUT, self.names.path(path)),
            Act::Delete(path) => (Method::DELETE, self.names.path(path)),
            Act::Replies(text) => {
                body = Some(json!({ "text": text }));
                let path = format!("/chatbots/{{chatbot}}/conversations/{}/messages", visit.conversation_id);
                (Method::POST, self.names.path(&path))
            }
            Act::OpensQuestion(question) => {
                match self.question(actor, story, question).await? {
                    Some(id) => self.names.insert("question", id),
                    None => self.ended.push(story.name.clone()),
                }
                return Ok(());
            }
            Act::Uploads(name) => {
                let path = "/inbox/attachments";
                let content =
                    UPLOADS.iter().find(|(known, _)| known == name).map_or("", |(_, content)| content);
                let uploaded = self.interface.upload(actor, path, name, content).await;
                return self.names.keep(story, step, &uploaded.checked(story, path)?);
            }
            Act::Mails(thread) => return self.mail(actor, story, thread, &body.unwrap_or_default()).await,
            Act::Says(_) | Act::Introduces(_) | Act::AsksForPerson(_) | Act::Rates(_) => {
                let response = visit.take(&self.interface, self.widget_key, story, step).await?;
                self.names.insert(format!("conversation {}", story.name), &visit.conversation_id);
                return self.names.keep(story, step, &response);
            }
        };
        let response = self.interface.send(actor, method, &path, body.as_ref()).await;
        self.names.keep(story, step, &response.checked(story, &path)?)
    }

    /// Returns the id of an unanswered question, or `None` if it was answered. Questions are recorded a
    /// moment after their answers.
    async fn question(
        &self,
        actor: Actor<'_>,
        story: &Story,
        question: &str,
    ) -> Result<Option<String>, WeekError> {
        let path = self.names.path("/chatbots/{chatbot}/unanswered-questions?limit=100");
        for _ in 0..MAX_LOOKS {
            let list = self.interface.send(actor, Method::GET, &path, None).await.checked(story, &path)?;
            let mut questions = list["unanswered_questions"].as_array().into_iter().flatten();
            let found = questions.find(|known| known["question"] == question);
            if let Some(id) = found.and_then(|found| found["unanswered_question_id"].as_str()) {
                return Ok(Some(id.to_owned()));
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        Ok(None)
    }

    /// Replies to a thread whose contact gets e-mails. There is no mail server, so the interface refuses
    /// this, and the reply is stored as one that was sent.
    async fn mail(
        &self,
        actor: Actor<'_>,
        story: &Story,
        thread: &str,
        body: &Value,
    ) -> Result<(), WeekError> {
        let Actor::Person(person) = actor else { return Err(story.wrong("nobody replies".to_owned())) };
        let files = body["attachment_ids"].as_array().into_iter().flatten();
        let status = body["set_status"].as_str().and_then(|status| status.parse().ok());
        let reply = NewThreadReply {
            message_id: Uuid::now_v7(),
            kind: ReplyKind::Reply,
            body: body["body"].as_str().unwrap_or_default().to_owned(),
            author_id: person.user_id,
            attachment_ids: files.filter_map(|id| id.as_str()?.parse().ok()).collect(),
            client_message_id: None,
            set_status: status.map(|status| (status, None)),
            delivery: None,
        };
        let thread_id = self.names.get(thread).and_then(|id| id.parse().ok());
        let thread_id = thread_id.ok_or_else(|| story.wrong(format!("there is no {thread}")))?;
        let service = &self.interface.service;
        match service.store.threads().reply(&person.scope(), thread_id, &reply, service.now()).await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(story.wrong(format!("{thread} is gone"))),
            Err(error) => Err(story.wrong(error.to_string())),
        }
    }

    /// Finds the contacts that a step names and that have not been named before.
    async fn look_up(&mut self, story: &Story, step: &Step) -> Result<(), WeekError> {
        for name in step.names() {
            let Some(email) = name.strip_prefix("contact ") else { continue };
            let Some(nora) = self.people.get("nora").filter(|_| self.names.get(name).is_none()) else {
                continue;
            };
            let path = format!("/contacts/lookup?email={email}");
            let found = self.interface.send(Actor::Person(nora), Method::GET, &path, None).await;
            let found = found.checked(story, &path)?;
            self.names.insert(name, found["contact_id"].as_str().unwrap_or_default());
        }
        Ok(())
    }
}

/// Returns the session that a person would have.
fn session(account: &Account, user: &User) -> Session {
    Session {
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
        // At whatever moment of the week a step is made, it is recent enough.
        confirmed_at: Timestamp::MAX,
        lacks_second_factor: false,
    }
}
