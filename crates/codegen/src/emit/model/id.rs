//! UUIDs with a name.

use super::super::Imports;
use crate::{ir::TypeDef, render::doc_comment};

/// An invocation of the runtime's macro, laid out as a person would.
pub(super) fn emit(def: &TypeDef, docs: &str, imports: &mut Imports) -> String {
    imports.add("frontdesk_runtime", "id");
    format!("id! {{\n{}    pub struct {};\n}}\n", doc_comment(docs, "    "), def.name)
}
