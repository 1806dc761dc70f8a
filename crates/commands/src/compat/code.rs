//! Changes of the generated packages' interfaces, in the form that the comparison expects.

use frontdesk_codegen::interface::{
    Declarations, Difference, Interface, InterfaceReader, Origin, Weight, declarations, differences,
};
use frontdesk_codegen::{GenerateError, Options};
use frontdesk_contract::compat::{Bump, code};
use frontdesk_document::Document;

/// Returns the interface of the crates generated from a document; `name` is the prefix of their names.
///
/// Fails if the generator rejects the document.
pub fn interface(
    reader: &InterfaceReader,
    document: &Document,
    name: &str,
) -> Result<Interface, GenerateError> {
    let options = Options::of_workspace(name, "the document");
    reader.read(document, &options)
}

/// Returns the differences between the crates generated from two documents; `name` is the prefix of their
/// names.
///
/// Fails if the generator rejects one of the documents.
pub fn between(base: &Document, revision: &Document, name: &str) -> Result<Vec<code::Change>, GenerateError> {
    let reader = InterfaceReader::default();
    Ok(changes(&interface(&reader, base, name)?, &interface(&reader, revision, name)?))
}

/// Returns the differences between the types of the JavaScript clients generated from two documents.
///
/// Fails if the generator rejects one of the documents.
pub fn between_javascript(
    base: &Document,
    revision: &Document,
    name: &str,
) -> Result<Vec<code::Change>, GenerateError> {
    let options = Options::of_workspace(name, "the document");
    let (base, revision) = (Declarations::of(base, &options)?, Declarations::of(revision, &options)?);
    Ok(declarations::difference::differences(&base, &revision).into_iter().map(change).collect())
}

/// Describes why the generated packages were not compared.
pub(crate) fn not_compared(why: &GenerateError) -> String {
    format!("the generated packages were not compared: {why}\n")
}

/// Returns the differences between two interfaces.
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
        javascript: seen(difference.is_of_javascript()),
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
