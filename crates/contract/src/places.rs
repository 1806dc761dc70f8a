//! The schemas whose values travel: components, request bodies and answers.

use frontdesk_document::{Document, METHODS, NodeRef};

/// The direction in which a value travels. It decides which members belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// From a client to a server: without members that are `readOnly`.
    Request,
    /// From a server to a client: without members that are `writeOnly`.
    Response,
    /// In no direction, as no operation reaches it: with every member.
    Neither,
}

impl Side {
    /// The keyword that keeps a member from travelling in this direction.
    pub const fn absent(self) -> Option<&'static str> {
        match self {
            Self::Request => Some("readOnly"),
            Self::Response => Some("writeOnly"),
            Self::Neither => None,
        }
    }
}

/// A schema, and what it is there for.
#[derive(Clone, Debug)]
pub struct Place<'d> {
    /// The key under `components.schemas`, if it is a component.
    pub component: Option<&'d str>,
    /// The only direction of its values; components travel in both.
    pub side: Option<Side>,
    /// The schema as it stands there; it may be a reference.
    pub schema: NodeRef<'d>,
}

impl Place<'_> {
    /// Whether its values travel in this direction.
    pub fn travels(&self, side: Side) -> bool {
        self.side.is_none_or(|only| only == side)
    }
}

/// Every component schema, then every schema of a JSON body, in the document's order.
///
/// Bodies of other media types are left out: their values are not JSON.
pub fn places(document: &Document) -> Vec<Place<'_>> {
    let root = document.root();
    let mut found = Vec::new();
    if let Some(schemas) = root.get("components").and_then(|components| components.get("schemas")) {
        for (key, schema) in schemas.entries() {
            found.push(Place { component: Some(key.text), side: None, schema });
        }
    }
    for (_, path) in root.get("paths").into_iter().flat_map(NodeRef::entries) {
        let Ok(path) = path.resolve() else { continue };
        for operation in METHODS.iter().filter_map(|method| path.get(method)) {
            if let Some(body) = operation.get("requestBody") {
                bodies(body, Side::Request, &mut found);
            }
            for (_, response) in operation.get("responses").into_iter().flat_map(NodeRef::entries) {
                bodies(response, Side::Response, &mut found);
            }
        }
    }
    found
}

/// The JSON schemas of a request body or a response.
fn bodies<'d>(holder: NodeRef<'d>, side: Side, found: &mut Vec<Place<'d>>) {
    let Some(content) = holder.resolve().ok().and_then(|holder| holder.get("content")) else { return };
    for (media_type, body) in content.entries() {
        let essence = media_type.text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(schema) =
            body.get("schema").filter(|_| essence == "application/json" || essence.ends_with("+json"))
        {
            // A shared response is met once for every operation that answers with it.
            if !found.iter().any(|place| place.schema == schema && place.side == Some(side)) {
                found.push(Place { component: None, side: Some(side), schema });
            }
        }
    }
}
