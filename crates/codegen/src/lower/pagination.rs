//! Pagination of operations: `x-pagination`, `x-ms-pageable` of AutoRest, and the `Link` header of a response
//! that is a list.

use super::{Lowering, shown};
use crate::ir::{Answer, Content, Element, Location, Pages, Pagination, Parameter, Payload, Shape, Type};
use frontdesk_document::{Diagnostic, NodeRef};

const HINT: &str = "write `style` (cursor, page, offset or link), `parameter` (a query parameter), `next` and `items` (members of the success, with dots between them)";

const PAGEABLE_HINT: &str = "write `nextLinkName` (the member of the success with the URL of the next page, or null if there is only one page) and `itemName` (the member with the list; without it, `value`)";

/// Where a list is in a response whose `x-ms-pageable` has no `itemName`.
const PAGEABLE_ITEMS: &str = "value";

impl<'d> Lowering<'d, '_> {
    /// How the pages of an operation follow each other, if it has any.
    pub(super) fn pagination(
        &mut self,
        node: NodeRef<'d>,
        method: &str,
        parameters: &[Parameter],
        successes: &[Answer],
    ) -> Option<Pagination> {
        let body = successes
            .iter()
            .find_map(|answer| answer.content.payload(&self.responses))
            .and_then(Payload::json)
            .cloned();
        let object = |key| node.get(key).filter(|declared| declared.is_object());
        let (found, hint) = if let Some(declared) = object("x-pagination") {
            (self.declared(declared, parameters, body.as_ref()), HINT)
        } else if let Some(pageable) = object("x-ms-pageable") {
            (self.pageable(pageable, body.as_ref()), PAGEABLE_HINT)
        } else {
            return self.linked(method, body.as_ref()?, successes);
        };
        match found {
            Ok(pagination) => Some(pagination),
            Err((place, message)) => {
                self.problems.push(
                    Diagnostic::warning("invalid-pagination", shown(place), message)
                        .note("the key is ignored: it may be meant for another tool")
                        .hint(hint),
                );
                None
            }
        }
    }

    /// A list with a `Link` header (RFC 8288) has pages.
    fn linked(&self, method: &str, body: &Element, successes: &[Answer]) -> Option<Pagination> {
        let has_link = successes.iter().any(|answer| match answer.content {
            Content::Response(id) => {
                self.responses[id.0].headers.iter().any(|header| header.wire.eq_ignore_ascii_case("link"))
            }
            _ => false,
        });
        let is_list = matches!(body.ty, Type::List(_));
        (method == "get" && has_link && is_list).then(|| Pagination { pages: Pages::Link, items: Vec::new() })
    }

    fn declared(
        &self,
        node: NodeRef<'d>,
        parameters: &[Parameter],
        body: Option<&Element>,
    ) -> Result<Pagination, (NodeRef<'d>, String)> {
        let style = node.get("style").ok_or_else(|| (node, "`x-pagination` needs `style`".to_owned()))?;
        let body =
            body.ok_or_else(|| (node, "an operation with pages needs a success that is JSON".to_owned()))?;
        let parameter = || {
            let place =
                node.get("parameter").ok_or_else(|| (node, "`x-pagination` needs `parameter`".to_owned()))?;
            let name = place.as_str().unwrap_or_default();
            let query = parameters
                .iter()
                .find(|parameter| parameter.location == Location::Query && parameter.wire == name)
                .ok_or_else(|| (place, format!("the operation has no query parameter `{name}`")))?;
            Ok::<_, (NodeRef<'d>, String)>((place, query))
        };
        let number = |(place, query): (NodeRef<'d>, &Parameter)| match query.element.ty.range() {
            Some(_) => Ok(query.wire.clone()),
            None => Err((place, format!("the parameter `{}` must be an integer to count", query.wire))),
        };
        let pages = match style.as_str() {
            Some("cursor") => {
                let next =
                    node.get("next").ok_or_else(|| (node, "`x-pagination` needs `next`".to_owned()))?;
                let (_, query) = parameter()?;
                let (path, ty) = self.member(next, body)?;
                if path.is_empty() || !self.is_scalar(&ty) {
                    return Err((next, "`next` must lead to a member that is text or a number".to_owned()));
                }
                Pages::Cursor { parameter: query.wire.clone(), next: path }
            }
            Some("page") => {
                let first = match node.get("first") {
                    Some(first) => first
                        .as_i128()
                        .and_then(|first| i64::try_from(first).ok())
                        .ok_or_else(|| (first, "`first` must be an integer".to_owned()))?,
                    None => 1,
                };
                Pages::Number { parameter: number(parameter()?)?, first }
            }
            Some("offset") => Pages::Offset { parameter: number(parameter()?)? },
            Some("link") => Pages::Link,
            _ => return Err((style, "`style` must be cursor, page, offset or link".to_owned())),
        };
        let items = match node.get("items") {
            Some(items) => {
                let (path, ty) = self.member(items, body)?;
                if !matches!(ty, Type::List(_)) {
                    return Err((items, "`items` must lead to a list".to_owned()));
                }
                path
            }
            None if matches!(body.ty, Type::List(_)) => Vec::new(),
            None => {
                return Err((node, "`x-pagination` needs `items` if the success is not a list".to_owned()));
            }
        };
        Ok(Pagination { pages, items })
    }

    /// `x-ms-pageable` of AutoRest. The next page is at the URL that the response gives, whether or not
    /// `operationName` names an operation for it.
    fn pageable(
        &self,
        node: NodeRef<'d>,
        body: Option<&Element>,
    ) -> Result<Pagination, (NodeRef<'d>, String)> {
        let body =
            body.ok_or_else(|| (node, "an operation with pages needs a success that is JSON".to_owned()))?;
        let next = node
            .get("nextLinkName")
            .ok_or_else(|| (node, "`x-ms-pageable` needs `nextLinkName`".to_owned()))?;
        let pages = if next.is_null() {
            Pages::Single
        } else {
            let (path, ty) = self.member(next, body)?;
            if path.is_empty() || !matches!(ty, Type::String) {
                return Err((next, "`nextLinkName` must lead to a member that is text".to_owned()));
            }
            Pages::Address { next: path }
        };
        let items = node.get("itemName").filter(|name| !name.is_null());
        let place = items.unwrap_or(node);
        let (items, ty) = match items {
            Some(items) => self.member(items, body)?,
            None => self.member_at(node, PAGEABLE_ITEMS, body)?,
        };
        if !matches!(ty, Type::List(_)) {
            return Err((place, "`itemName` must lead to a list".to_owned()));
        }
        Ok(Pagination { pages, items })
    }

    /// The member that a value of the document names.
    fn member(
        &self,
        path: NodeRef<'d>,
        body: &Element,
    ) -> Result<(Vec<String>, Type), (NodeRef<'d>, String)> {
        let text = path.as_str().ok_or_else(|| (path, "a path of members must be text".to_owned()))?;
        self.member_at(path, text, body)
    }

    /// The members along a dotted path, and the type of the last one. A name may contain dots itself
    /// (`odata.nextLink`).
    fn member_at(
        &self,
        place: NodeRef<'d>,
        text: &str,
        body: &Element,
    ) -> Result<(Vec<String>, Type), (NodeRef<'d>, String)> {
        if let Some(ty) = self.type_of_member(&body.ty, text) {
            return Ok((vec![text.to_owned()], ty));
        }
        let mut ty = body.ty.clone();
        let mut members = Vec::new();
        for name in text.split(['.', '/']).filter(|name| !name.is_empty() && *name != "$") {
            let Some(found) = self.type_of_member(&ty, name) else {
                return Err((place, format!("`{text}` leads nowhere: there is no member `{name}`")));
            };
            members.push(name.to_owned());
            ty = found;
        }
        Ok((members, ty))
    }

    /// The type of a member of an object.
    fn type_of_member(&self, object: &Type, name: &str) -> Option<Type> {
        let (Type::Named(id) | Type::Boxed(id)) = object else { return None };
        let Shape::Struct(shape) = &self.types[id.0].shape else { return None };
        shape.fields.iter().find(|field| field.wire == name).map(|field| field.element.ty.clone())
    }
}
