//! What changes for users of the generated crates, as the comparison takes it.

use frontdesk_codegen::interface::{Difference, Interface, Origin, Weight, differences};
use frontdesk_codegen::{GenerateError, Options, RuntimeDependency};
use frontdesk_contract::compat::{Bump, code};
use frontdesk_document::Document;

/// The interface of the crates that a document would make; `name` is the first part of their names.
///
/// It fails if the generator refuses the document.
pub fn interface(document: &Document, name: &str) -> Result<Interface, GenerateError> {
    let options = Options {
        name: name.to_owned(),
        source: "the document".to_owned(),
        runtime: RuntimeDependency::Workspace,
        strict: false,
    };
    Interface::of(document, &options)
}

/// What differs between the crates that two documents would make; `name` is the first part of their names.
///
/// It fails if the generator refuses one of the documents.
pub fn between(base: &Document, revision: &Document, name: &str) -> Result<Vec<code::Change>, GenerateError> {
    Ok(changes(&interface(base, name)?, &interface(revision, name)?))
}

/// What to tell where the generator refuses a document.
pub(crate) fn not_compared(why: &GenerateError) -> String {
    format!("the crates were not compared: {why}\n")
}

/// What differs between two interfaces.
pub fn changes(base: &Interface, revision: &Interface) -> Vec<code::Change> {
    differences(base, revision).into_iter().map(change).collect()
}

fn change(difference: Difference) -> code::Change {
    let bump = match difference.weight {
        Weight::Breaking => Bump::Major,
        Weight::Added => Bump::Minor,
    };
    let seen = |is_seen: bool| if is_seen { bump } else { Bump::None };
    code::Change {
        server: seen(difference.is_of_server()),
        client: seen(difference.is_of_client()),
        text: difference.text,
        subject: difference.subject,
        mentions: difference.mentions,
        base: difference.base.map(origin),
        revision: difference.revision.map(origin),
    }
}

fn origin(origin: Origin) -> code::Origin {
    let Origin { schema, member, operations, part } = origin;
    code::Origin { schema, member, operations, part }
}
