//! Schemas whose values are sent: components, request bodies and responses.

use frontdesk_document::{Document, NodeRef};

/// The direction in which a value is sent, which determines the members that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a client to a server, without `readOnly` members.
    Request,
    /// From a server to a client, without `writeOnly` members.
    Response,
    /// Not sent by any operation, with all members.
    Neither,
}

impl Direction {
    /// Returns the keyword that excludes a member from this direction.
    pub const fn absent(self) -> Option<&'static str> {
        match self {
            Self::Request => Some("readOnly"),
            Self::Response => Some("writeOnly"),
            Self::Neither => None,
        }
    }
}

/// A schema, with the directions in which its values are sent.
#[derive(Clone, Debug)]
pub struct SentSchema<'d> {
    /// The key under `components.schemas`, if it is a component.
    pub component: Option<&'d str>,
    /// The only direction of its values; `None` for components, which are used in both.
    pub direction: Option<Direction>,
    /// The schema as written, which may be a reference.
    pub schema: NodeRef<'d>,
}

impl SentSchema<'_> {
    /// Returns whether its values are sent in this direction.
    pub fn is_sent(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|only| only == direction)
    }
}

/// Returns every component schema, then every schema of a JSON body, in document order.
///
/// Bodies of other media types are left out, because their values are not JSON.
pub fn sent_schemas(document: &Document) -> Vec<SentSchema<'_>> {
    let root = document.root();
    let mut found = Vec::new();
    if let Some(schemas) = root.get("components").and_then(|components| components.get("schemas")) {
        for (key, schema) in schemas.entries() {
            found.push(SentSchema { component: Some(key.text), direction: None, schema });
        }
    }
    for operation in document.operations() {
        if let Some(body) = operation.body() {
            bodies(body, Direction::Request, &mut found);
        }
        for (_, response) in operation.responses() {
            bodies(response, Direction::Response, &mut found);
        }
    }
    found
}

/// Adds the JSON schemas of a request body or a response.
fn bodies<'d>(holder: NodeRef<'d>, direction: Direction, found: &mut Vec<SentSchema<'d>>) {
    let Some(content) = holder.resolve().ok().and_then(|holder| holder.get("content")) else { return };
    for (media_type, body) in content.entries() {
        let essence = media_type.text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(schema) =
            body.get("schema").filter(|_| essence == "application/json" || essence.ends_with("+json"))
        {
            // A shared response occurs in many operations.
            if !found.iter().any(|place| place.schema == schema && place.direction == Some(direction)) {
                found.push(SentSchema { component: None, direction: Some(direction), schema });
            }
        }
    }
}
