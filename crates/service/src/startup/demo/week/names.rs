//! [`Names`]: the ids that the script names.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    WeekError,
    moments::Moments,
    script::{self, Step, Story},
};

/// The ids that are known so far, by what the script calls them.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, String>);

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn insert(&mut self, name: impl Into<String>, id: impl Into<String>) {
        self.0.insert(name.into(), id.into());
    }

    /// Replaces the names in a path.
    pub(super) fn path(&self, path: &str) -> String {
        let fill = |path: String, (name, id): (&String, &String)| path.replace(&format!("{{{name}}}"), id);
        self.0.iter().fold(path.to_owned(), fill)
    }

    /// Replaces texts in braces by the ids, the moments and the days that they name.
    pub(super) fn fill(&self, story: &Story, value: &mut Value, moments: &Moments) -> Result<(), WeekError> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.fill(story, item, moments)),
            Value::Object(fields) => fields.values_mut().try_for_each(|item| self.fill(story, item, moments)),
            Value::String(text) => {
                let Some(name) = script::braced(text) else { return Ok(()) };
                let id = self.get(name).map(str::to_owned);
                let moment = || moments.moment(name).map(|moment| moment.to_string());
                let date = || moments.date(name).map(|date| date.to_string());
                let named = id.or_else(moment).or_else(date);
                *text = named.ok_or_else(|| story.wrong(format!("{name} is unknown")))?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Keeps the ids of a response that the step names.
    pub(super) fn keep(&mut self, story: &Story, step: &Step, response: &Value) -> Result<(), WeekError> {
        for (name, pointer) in &step.keep {
            let id = response.pointer(pointer).and_then(Value::as_str);
            let id = id.ok_or_else(|| story.wrong(format!("{pointer} is missing in {response}")))?;
            self.insert(name, id);
        }
        Ok(())
    }
}
