//! String enumerations.

use super::super::Imports;
use crate::{
    ir::{StringEnum, TypeDef},
    render::{doc_comment, markdown},
};
use std::fmt::Write;

/// Whether it keeps values that later versions may add: where answers carry it, or the document says so.
pub(in crate::emit) fn is_open(def: &TypeDef, shape: &StringEnum) -> bool {
    // A single value identifies the object that has it. In an error it is the code, and a client that cannot
    // read a new one would lose the error.
    shape.extensible || def.usage.error || (def.usage.response && shape.values.len() > 1)
}

/// An invocation of the runtime's macro, laid out as a person would.
pub(super) fn emit(def: &TypeDef, shape: &StringEnum, docs: &str, imports: &mut Imports) -> String {
    let name = if is_open(def, shape) { "open_enum" } else { "closed_enum" };
    imports.add("frontdesk_runtime", name);
    let mut text = format!("{name}! {{\n");
    text.push_str(&doc_comment(docs, "    "));
    let _ = writeln!(text, "    pub enum {} {{", def.name);
    for value in &shape.values {
        let about = match &value.docs {
            Some(docs) => markdown(docs),
            None if value.wire.is_empty() => "The empty text.".to_owned(),
            None if value.wire.trim().is_empty() => "Nothing but blanks.".to_owned(),
            None => format!("`{}`", value.wire.replace('`', "'").replace(['\n', '\r'], " ")),
        };
        text.push_str(&doc_comment(&about, "        "));
        let _ = writeln!(text, "        {} = {:?},", value.rust, value.wire);
    }
    text.push_str("    }\n}\n");
    text
}
