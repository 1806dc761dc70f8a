//! Owns `frontdesk config show`.

use std::io::Write;

use serde_json::{Value, json};

use super::{CliError, output::Output};
use crate::config::{Kind, Loaded, SETTINGS};

pub(super) fn run<W: Write>(loaded: &Loaded, output: &mut Output<W>) -> Result<(), CliError> {
    let settings = SETTINGS.iter().map(|setting| {
        let shown = loaded.shown(setting);
        let value = match (setting.kind, shown.as_slice()) {
            (Kind::List, all) => json!(all),
            (_, []) => Value::Null,
            // What is shown is written as it would be read, so numbers and switches are JSON already.
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
