//! [`Script`]: what happens in the week, read from the files in `demo/week`.

use std::collections::BTreeMap;

use frontdesk_store::Role;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::{WeekError, moments::Moments};

/// How long after the step before a step happens, if the script says nothing.
const PAUSE: SignedDuration = SignedDuration::from_secs(50);
/// The files of the script.
const FILES: [&str; 5] = [
    include_str!("../../../../demo/week/team.toml"),
    include_str!("../../../../demo/week/office.toml"),
    include_str!("../../../../demo/week/conversations.toml"),
    include_str!("../../../../demo/week/inbox.toml"),
    include_str!("../../../../demo/week/board.toml"),
];

/// Everything that happens.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// The colleagues of the owner. They have no password, so they cannot sign in.
    #[serde(default, rename = "member")]
    pub(super) members: Vec<Member>,
    #[serde(default, rename = "story")]
    pub(super) stories: Vec<Story>,
}

/// A colleague.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Member {
    /// What the script calls them.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) email: String,
    role: String,
    /// For how many days they have been in the account.
    pub(super) since_days: i64,
}

/// Steps that follow each other. The conversation of a visitor belongs to one story.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Story {
    pub(super) name: String,
    /// When it begins, as [`Moments`] read it.
    pub(super) at: String,
    pub(super) steps: Vec<Step>,
}

/// Something that somebody does.
#[derive(Debug, Deserialize)]
pub(super) struct Step {
    /// When it happens. Otherwise it follows the step before.
    pub(super) at: Option<String>,
    /// How long after the step before, such as `2m 30s`.
    pub(super) after: Option<String>,
    /// The person of the account who does it. Otherwise it is a visitor.
    pub(super) by: Option<String>,
    #[serde(flatten)]
    pub(super) act: Act,
    /// The body of a request. Texts in braces are replaced by ids and moments.
    pub(super) body: Option<Value>,
    /// The names of ids in the response, by their place in it (a JSON pointer).
    #[serde(default)]
    pub(super) keep: BTreeMap<String, String>,
}

/// What is done.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Act {
    /// A visitor writes a message in the chat.
    Says(String),
    /// A visitor leaves contact details in the chat.
    Introduces(Value),
    /// A visitor asks for a person, with a note.
    AsksForPerson(String),
    /// A visitor rates the last answer.
    Rates(Value),
    /// A person replies in the chat.
    Replies(String),
    /// A request without a body.
    Get(String),
    /// A request with a body.
    Post(String),
    /// A request with a body.
    Put(String),
    /// A request without a body.
    Delete(String),
    /// A person opens the unanswered question with this text, which is called `question` from then on. If the
    /// chatbot has answered it, because it searches in another way, the story ends.
    OpensQuestion(String),
    /// A person uploads the file with this name, to attach it.
    Uploads(String),
    /// A person replies to the thread with this name by e-mail, which counts as sent.
    Mails(String),
}

impl Step {
    /// Returns the names in its path and its body: of ids that were kept, of contacts, and of moments.
    pub(super) fn names(&self) -> Vec<&str> {
        let path = match &self.act {
            Act::Get(path) | Act::Post(path) | Act::Put(path) | Act::Delete(path) => path.as_str(),
            _ => "",
        };
        let of_path = path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
        of_path.chain(self.body.iter().flat_map(names)).collect()
    }
}

fn names(body: &Value) -> Vec<&str> {
    match body {
        Value::Array(items) => items.iter().flat_map(names).collect(),
        Value::Object(fields) => fields.values().flat_map(names).collect(),
        Value::String(text) => braced(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the name that is all of a text.
pub(super) fn braced(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

impl Member {
    pub(super) fn role(&self) -> Role {
        self.role.parse().unwrap_or(Role::Collaborator)
    }
}

impl Script {
    /// Reads the files.
    ///
    /// # Panics
    ///
    /// If one of them cannot be read, which the tests find.
    pub(super) fn read() -> Self {
        let mut all = Self::default();
        for file in FILES {
            let read: Self = toml::from_str(file).expect("the script of the demonstration can be read");
            all.members.extend(read.members);
            all.stories.extend(read.stories);
        }
        all
    }

    /// Returns the steps in the order of time: when each happens, and the story that it belongs to.
    pub(super) fn schedule(
        &self,
        moments: &Moments,
    ) -> Result<Vec<(Timestamp, usize, &Story, &Step)>, WeekError> {
        let mut all = Vec::new();
        for (index, story) in self.stories.iter().enumerate() {
            let moment = |text: &str| {
                moments.moment(text).ok_or_else(|| story.wrong(format!("{text} is not a moment")))
            };
            let mut now = moment(&story.at)?;
            for (number, step) in story.steps.iter().enumerate() {
                now = match (&step.at, &step.after) {
                    (Some(at), _) => moment(at)?,
                    (None, Some(after)) => {
                        let after = after.parse::<SignedDuration>();
                        now + after.map_err(|error| story.wrong(error.to_string()))?
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
}

impl Story {
    /// Returns the error that the script of the story is wrong.
    pub(super) fn wrong(&self, problem: String) -> WeekError {
        WeekError::Script { story: self.name.clone(), problem }
    }
}

#[cfg(test)]
mod tests;
