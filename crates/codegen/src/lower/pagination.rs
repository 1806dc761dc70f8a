//! Pagination of operations: `x-pagination`, `x-ms-pageable` of AutoRest, and the `Link` header of a response
//! that is a list.

use super::parameters::is_scalar;
use super::{Lowering, shown};
use crate::GenerateError;
use crate::ir::{
    Answer, Api, Content, Element, Location, Pages, Pagination, Parameter, Payload, Response, Shape, Type,
    TypeDef,
};
use crate::settings::{PageStyle, PaginationSetting};
use frontdesk_document::{Diagnostic, NodeRef};
use std::collections::BTreeMap;

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
        let body = body(successes, &self.responses).cloned();
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
        let setting = written(node)?;
        let site = Site { types: &self.types, parameters, body };
        site.fitted(&setting)
            .map_err(|Misfit { key, message }| (key.and_then(|key| node.get(key)).unwrap_or(node), message))
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
            None => member(&self.types, body, PAGEABLE_ITEMS).map_err(|message| (node, message))?,
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
        let text = path.as_str().ok_or_else(|| (path, NOT_TEXT.to_owned()))?;
        member(&self.types, body, text).map_err(|message| (path, message))
    }
}

/// Why a path of members is refused.
const NOT_TEXT: &str = "a path of members must be text";

/// Reads `x-pagination`.
fn written(node: NodeRef<'_>) -> Result<PaginationSetting, (NodeRef<'_>, String)> {
    let style = node.get("style").ok_or_else(|| (node, "`x-pagination` needs `style`".to_owned()))?;
    let path = |key| match node.get(key) {
        None => Ok(None),
        Some(path) => {
            path.as_str().map(|path| Some(path.to_owned())).ok_or_else(|| (path, NOT_TEXT.to_owned()))
        }
    };
    Ok(PaginationSetting {
        style: match style.as_str() {
            Some("cursor") => PageStyle::Cursor,
            Some("page") => PageStyle::Page,
            Some("offset") => PageStyle::Offset,
            Some("link") => PageStyle::Link,
            _ => return Err((style, "`style` must be cursor, page, offset or link".to_owned())),
        },
        parameter: node.get("parameter").map(|name| name.as_str().unwrap_or_default().to_owned()),
        next: path("next")?,
        first: match node.get("first") {
            None => None,
            Some(first) => Some(
                first
                    .as_i128()
                    .and_then(|first| i64::try_from(first).ok())
                    .ok_or_else(|| (first, "`first` must be an integer".to_owned()))?,
            ),
        },
        items: path("items")?,
    })
}

/// The JSON body of the success.
fn body<'a>(successes: &'a [Answer], responses: &'a [Response]) -> Option<&'a Element> {
    successes.iter().find_map(|answer| answer.content.payload(responses)).and_then(Payload::json)
}

/// What a declaration has to fit.
struct Site<'a> {
    types: &'a [TypeDef],
    parameters: &'a [Parameter],
    body: Option<&'a Element>,
}

/// Why a declaration does not fit.
struct Misfit {
    /// The key with the value that does not fit.
    key: Option<&'static str>,
    message: String,
}

impl Misfit {
    fn new(key: Option<&'static str>, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }
}

impl Site<'_> {
    fn fitted(&self, setting: &PaginationSetting) -> Result<Pagination, Misfit> {
        let Some(body) = self.body else {
            return Err(Misfit::new(None, "an operation with pages needs a success that is JSON"));
        };
        let at = |key: &'static str, text: &str| {
            member(self.types, body, text).map_err(|message| Misfit::new(Some(key), message))
        };
        let pages = match setting.style {
            PageStyle::Cursor => {
                let next = setting.next.as_deref();
                let next = next.ok_or_else(|| Misfit::new(None, "`x-pagination` needs `next`"))?;
                let query = self.parameter(setting)?;
                let (path, ty) = at("next", next)?;
                if path.is_empty() || !is_scalar(self.types, &ty) {
                    return Err(Misfit::new(
                        Some("next"),
                        "`next` must lead to a member that is text or a number",
                    ));
                }
                Pages::Cursor { parameter: query.wire.clone(), next: path }
            }
            PageStyle::Page => {
                Pages::Number { parameter: self.number(setting)?, first: setting.first.unwrap_or(1) }
            }
            PageStyle::Offset => Pages::Offset { parameter: self.number(setting)? },
            PageStyle::Link => Pages::Link,
        };
        let items = match &setting.items {
            Some(items) => {
                let (path, ty) = at("items", items)?;
                if !matches!(ty, Type::List(_)) {
                    return Err(Misfit::new(Some("items"), "`items` must lead to a list"));
                }
                path
            }
            None if matches!(body.ty, Type::List(_)) => Vec::new(),
            None => {
                return Err(Misfit::new(None, "`x-pagination` needs `items` if the success is not a list"));
            }
        };
        Ok(Pagination { pages, items })
    }

    fn parameter(&self, setting: &PaginationSetting) -> Result<&Parameter, Misfit> {
        let name = setting.parameter.as_deref();
        let name = name.ok_or_else(|| Misfit::new(None, "`x-pagination` needs `parameter`"))?;
        self.parameters
            .iter()
            .find(|parameter| parameter.location == Location::Query && parameter.wire == name)
            .ok_or_else(|| {
                Misfit::new(Some("parameter"), format!("the operation has no query parameter `{name}`"))
            })
    }

    /// The name of a parameter that counts.
    fn number(&self, setting: &PaginationSetting) -> Result<String, Misfit> {
        let query = self.parameter(setting)?;
        match query.element.ty.range() {
            Some(_) => Ok(query.wire.clone()),
            None => Err(Misfit::new(
                Some("parameter"),
                format!("the parameter `{}` must be an integer to count", query.wire),
            )),
        }
    }
}

/// The key of the settings for every operation that has no pages of its own.
const ALL: &str = "*";

/// Gives operations the pages that settings declare by their ids. Those under `*` are for every GET operation
/// that they fit and that has no others.
pub(crate) fn declare(
    api: &mut Api,
    settings: &BTreeMap<String, PaginationSetting>,
) -> Result<(), GenerateError> {
    let refused = |id: &str, problem: String| {
        let problem = problem.replace("`x-pagination`", "it");
        Err(GenerateError::Option { key: "pagination", value: id.to_owned(), problem })
    };
    for (id, setting) in settings {
        let mut found = false;
        for group in &mut api.groups {
            for operation in &mut group.operations {
                let is_wanted = if id == ALL {
                    operation.pagination.is_none() && operation.method == "GET"
                } else {
                    operation.id == *id
                };
                if !is_wanted {
                    continue;
                }
                let site = Site {
                    types: &api.types,
                    parameters: &operation.parameters,
                    body: body(&operation.successes, &api.responses),
                };
                match site.fitted(setting) {
                    Ok(pagination) => operation.pagination = Some(pagination),
                    Err(_) if id == ALL => continue,
                    Err(misfit) => return refused(id, misfit.message),
                }
                found = true;
            }
        }
        if !found {
            let problem = if id == ALL {
                "it fits no operation; compare the names of the parameter and of the members with the document"
            } else {
                "the document has no operation with this id"
            };
            return refused(id, problem.to_owned());
        }
    }
    Ok(())
}

/// The members along a dotted path, and the type of the last one. A name may contain dots itself
/// (`odata.nextLink`).
fn member(types: &[TypeDef], body: &Element, text: &str) -> Result<(Vec<String>, Type), String> {
    if let Some(ty) = type_of_member(types, &body.ty, text) {
        return Ok((vec![text.to_owned()], ty));
    }
    let mut ty = body.ty.clone();
    let mut members = Vec::new();
    for name in text.split(['.', '/']).filter(|name| !name.is_empty() && *name != "$") {
        let Some(found) = type_of_member(types, &ty, name) else {
            return Err(format!("`{text}` leads nowhere: there is no member `{name}`"));
        };
        members.push(name.to_owned());
        ty = found;
    }
    Ok((members, ty))
}

/// The type of a member of an object.
fn type_of_member(types: &[TypeDef], object: &Type, name: &str) -> Option<Type> {
    let (Type::Named(id) | Type::Boxed(id)) = object else { return None };
    let Shape::Struct(shape) = &types[id.0].shape else { return None };
    shape.fields.iter().find(|field| field.wire == name).map(|field| field.element.ty.clone())
}
