//! `frontdesk config show`: every setting with its value and source.

use std::io::Write;

use serde_json::{Value, json};

use super::{CliError, output::Output};
use crate::platform::config::{Kind, Loaded, SETTINGS};

pub(super) fn run<W: Write>(loaded: &Loaded, output: &mut Output<W>) -> Result<(), CliError> {
    let settings = SETTINGS.iter().map(|setting| {
        let shown = loaded.shown(setting);
        let value = match (setting.kind, shown.as_slice()) {
            (Kind::List, all) => json!(all),
            (_, []) => Value::Null,
            // Values are displayed as they would be parsed, so numbers and switches are valid JSON.
            (Kind::Number | Kind::Switch, [one, ..]) => {
                serde_json::from_str(one).unwrap_or_else(|_| json!(one))
            }
            (Kind::Text, [one, ..]) => json!(one),
        };
        vec![
            ("key", json!(setting.key)),
            ("value", value),
            ("from", json!(loaded.origin(setting).to_string())),
            ("variable", json!(setting.variable())),
        ]
    });
    output.many("settings", settings.collect())
}
