//! Reads a bundle with the types of `openapiv3`, and finds the value that does not fit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use openapiv3::{OpenAPI, ReferenceOr};

use crate::convert::{self, Fault};
use crate::role::{Role, Shape};
use crate::version::Version;

use super::content::{Content, Item};

/// Returns the bundle in those types, or the part that does not fit, located as exactly as possible.
pub(super) fn read(root: &Item) -> Result<OpenAPI, Fault> {
    let root = with_callbacks_in_place(root);
    convert::typed(root.as_ref()).map_err(|fault| narrow(&root, Role::OpenApi).unwrap_or(fault))
}

/// `openapiv3` knows no references to callbacks in operations, where OpenAPI 3.0 allows them: they are
/// written out.
fn with_callbacks_in_place(root: &Item) -> Cow<'_, Item> {
    let callbacks = root.member("components").and_then(|components| components.member("callbacks"));
    let Some(Content::Object(callbacks)) = callbacks.map(|callbacks| &callbacks.content) else {
        return Cow::Borrowed(root);
    };
    let known: BTreeMap<String, &Item> = callbacks
        .iter()
        .map(|(name, callback)| (format!("#/components/callbacks/{name}"), callback))
        .collect();
    let mut root = root.clone();
    let items = root.member_mut("paths").and_then(Item::members_mut).into_iter().flatten();
    let operations = items.filter_map(|(_, item)| item.members_mut()).flatten();
    for (_, operation) in operations {
        let callbacks = operation.member_mut("callbacks").and_then(Item::members_mut);
        for (_, callback) in callbacks.into_iter().flatten() {
            // A chain of references is no longer than there are callbacks.
            for _ in 0..known.len() {
                let Some(target) = callback.reference().and_then(|reference| known.get(reference)) else {
                    break;
                };
                *callback = (*target).clone();
            }
        }
    }
    Cow::Owned(root)
}

/// Returns the fault of the innermost object that cannot be read. Serde buffers values that it cannot decide
/// at once, which loses positions, so objects are tried one by one.
fn narrow(item: &Item, role: Role) -> Option<Fault> {
    let fault = attempt(item, role).err()?.at(item);
    let Content::Object(members) = &item.content else { return Some(fault) };
    for (key, member) in members {
        let inner = match role.field(key, Version::V3_0) {
            Some(Shape::One(role)) => narrow(member, role),
            Some(Shape::List(role) | Shape::Map(role)) => match &member.content {
                Content::Array(items) => items.iter().find_map(|item| narrow(item, role)),
                Content::Object(members) => members.iter().find_map(|(_, item)| narrow(item, role)),
                _ => None,
            },
            None => None,
        };
        if inner.is_some() {
            return inner;
        }
    }
    Some(fault)
}

/// Returns whether an object can be read as its type; objects without a type of their own are judged by their
/// members.
fn attempt(item: &Item, role: Role) -> Result<(), Fault> {
    fn read<T: serde::de::DeserializeOwned>(item: &Item) -> Result<(), Fault> {
        convert::typed::<_, T>(item).map(drop)
    }
    match role {
        Role::OpenApi => read::<OpenAPI>(item),
        Role::Components => read::<openapiv3::Components>(item),
        Role::Paths => read::<openapiv3::Paths>(item),
        Role::PathItem => read::<ReferenceOr<openapiv3::PathItem>>(item),
        Role::Operation => read::<openapiv3::Operation>(item),
        Role::Parameter => read::<ReferenceOr<openapiv3::Parameter>>(item),
        Role::RequestBody => read::<ReferenceOr<openapiv3::RequestBody>>(item),
        Role::MediaType => read::<openapiv3::MediaType>(item),
        Role::Encoding => read::<openapiv3::Encoding>(item),
        Role::Responses => read::<openapiv3::Responses>(item),
        Role::Response => read::<ReferenceOr<openapiv3::Response>>(item),
        Role::Header => read::<ReferenceOr<openapiv3::Header>>(item),
        Role::Schema => read::<ReferenceOr<openapiv3::Schema>>(item),
        Role::Discriminator => read::<openapiv3::Discriminator>(item),
        Role::Example => read::<ReferenceOr<openapiv3::Example>>(item),
        Role::Link => read::<ReferenceOr<openapiv3::Link>>(item),
        Role::Callback => read::<ReferenceOr<openapiv3::Callback>>(item),
        Role::SecurityScheme => read::<ReferenceOr<openapiv3::SecurityScheme>>(item),
        Role::Plain => Ok(()),
    }
}
