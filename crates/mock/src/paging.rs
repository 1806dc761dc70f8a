//! [`Paging`]: lists that come in pages end after a few of them, so that clients that follow the pages stop.
//!
//! How a list is paged is read from `x-pagination`, `x-ms-pageable` or a `Link` header, and otherwise from
//! the usual names of parameters and members. The mock keeps no state: the position is in the request.

use crate::{
    media::{BodyFormat, Content},
    parameter::Parameter,
    shape::Shape,
    violation::Location,
};
use axum::response::Response;
use frontdesk_document::NodeRef;
use frontdesk_runtime::server::Incoming;
use http::{HeaderValue, header};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

/// The number of pages of each list.
const PAGES: u64 = 3;

/// The beginning of a cursor of the mock; the number of the page follows.
const CURSOR: &str = "page-";

/// The query parameter of the mock's own addresses, if the document has none for the position.
const OWN_PARAMETER: &str = "page";

/// Members that are nested more deeply than this are not searched.
const DEEPEST: usize = 3;

/// Names in lower case, without other characters than letters and digits.
type Names = &'static [&'static str];

const CURSOR_PARAMETERS: Names = &[
    "cursor",
    "nextcursor",
    "pagecursor",
    "pagetoken",
    "nexttoken",
    "nextpagetoken",
    "continuationtoken",
    "continue",
    "marker",
    "bookmark",
    "after",
    "startingafter",
    "pageafter",
];
const NUMBER_PARAMETERS: Names = &["page", "pagenumber", "pagenum", "pageno", "pageindex", "currentpage"];
const OFFSET_PARAMETERS: Names = &["offset", "skip", "start", "startat", "startindex", "from", "pageoffset"];
const NEXT: Names = &[
    "next",
    "nextcursor",
    "nextpage",
    "nextpagetoken",
    "nexttoken",
    "nextmarker",
    "nextlink",
    "nexturl",
    "nextpageurl",
    "nextpageuri",
    "nextpagelink",
    "nexthref",
    "odatanextlink",
    "continue",
    "continuationtoken",
    "endcursor",
    "cursor",
    "after",
];
const MORE: Names = &["hasmore", "hasnext", "hasnextpage", "more", "istruncated", "truncated"];
const LAST: Names = &["islast", "lastpage", "islastpage", "last"];
const COUNTS: Names = &["totalpages", "pagecount", "numpages", "pages", "lastpage"];

/// How the position of a page is stated in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// A value that the previous page contains.
    Cursor,
    /// The number of the page, counted from this one.
    Number(u64),
    /// The number of skipped entries.
    Offset,
}

/// The path of a member in a body.
type Path = Vec<&'static str>;

/// How a list is paged.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    /// The parameter with the position: of the query, or a member of a JSON body.
    parameter: &'static str,
    position: Position,
    /// The list; `None` if it is not known.
    items: Option<Path>,
    /// Members that lead to the next page, flags that there is one, flags that there is none, and numbers of
    /// pages.
    next: Vec<Path>,
    more: Vec<Path>,
    last: Vec<Path>,
    counts: Vec<Path>,
    /// Whether a `Link` header leads to the next page.
    links: bool,
}

/// What paging depends on of an operation with a success in JSON.
pub(crate) struct List<'o> {
    pub(crate) node: NodeRef<'static>,
    pub(crate) method: &'o str,
    pub(crate) parameters: &'o [Parameter],
    /// The contents of the body of requests.
    pub(crate) body: &'o [Content],
    /// The shape of the success.
    pub(crate) shape: &'o Shape,
    /// Whether the success has a `Link` header.
    pub(crate) links: bool,
}

impl Paging {
    /// Returns how a success is paged; `None` if it does not come in pages.
    pub(crate) fn of(list: &List<'_>) -> Option<Self> {
        let mut members = Members::default();
        members.collect(list.shape, &[], 0);
        let mut paging = Self {
            parameter: OWN_PARAMETER,
            position: Position::Cursor,
            items: members.items,
            next: members.next,
            more: members.more,
            last: members.last,
            counts: members.counts,
            links: list.links,
        };
        if paging.declared(list.node) {
            return Some(paging);
        }
        let leads = !paging.next.is_empty() || !paging.more.is_empty();
        match positioned(list, leads) {
            Some((parameter, position)) => {
                (paging.parameter, paging.position) = (parameter, position);
                // Without a sign in the response, a cursor may be anything.
                (position != Position::Cursor || leads || !paging.last.is_empty() || list.links)
                    .then_some(paging)
            }
            // An address leads to the next page. A lone member of this name may be something else.
            None if list.links => Some(paging),
            None => (list.method == "get" && leads && paging.items.is_some()).then_some(paging),
        }
    }

    /// Reads what the document says in an extension key. Returns whether it says anything.
    fn declared(&mut self, node: NodeRef<'static>) -> bool {
        let text = |holder: NodeRef<'static>, key| holder.get(key).and_then(NodeRef::as_str);
        let path = |text: &'static str| -> Path {
            text.split(['.', '/']).filter(|name| !name.is_empty() && *name != "$").collect()
        };
        if let Some(declared) = node.get("x-pagination").filter(|declared| declared.is_object()) {
            let Some(style) = text(declared, "style") else { return false };
            self.position = match style {
                "page" => Position::Number(
                    declared
                        .get("first")
                        .and_then(NodeRef::as_i128)
                        .and_then(|it| u64::try_from(it).ok())
                        .unwrap_or(1),
                ),
                "offset" => Position::Offset,
                _ => Position::Cursor,
            };
            self.links |= style == "link";
            self.parameter = text(declared, "parameter").unwrap_or(OWN_PARAMETER);
            self.items = text(declared, "items").map(path).or(self.items.take());
            if let Some(next) = text(declared, "next") {
                self.next = vec![path(next)];
            }
            return true;
        }
        let Some(pageable) = node.get("x-ms-pageable").filter(|declared| declared.is_object()) else {
            return false;
        };
        if let Some(next) = text(pageable, "nextLinkName") {
            self.next = vec![vec![next]];
        }
        self.items = Some(vec![text(pageable, "itemName").unwrap_or("value")]);
        true
    }

    /// Returns the page that a request asks for, counted from 0; the last one for a cursor that the mock has
    /// not given.
    fn page(&self, request: &PageRequest<'_>, entries: u64) -> u64 {
        let Some(sent) = request.parameter(self.parameter) else { return 0 };
        match self.position {
            Position::Cursor => {
                let own = sent.strip_prefix(CURSOR).unwrap_or(&sent).parse().ok();
                own.filter(|page| (1..=PAGES).contains(page)).map_or(PAGES - 1, |page| page - 1)
            }
            Position::Number(first) => sent.parse().map_or(0, |number: u64| number.saturating_sub(first)),
            Position::Offset => sent.parse().map_or(0, |offset: u64| offset.div_ceil(entries.max(1))),
        }
    }

    /// Returns the body of the requested page, made from that of any page; `None` if it needs no change.
    /// Changes that the schema does not allow are left out.
    pub(crate) fn turned(
        &self,
        request: &PageRequest<'_>,
        body: &Value,
        fits: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        let mut edit = Edit { body: body.clone(), fits };
        let list = self.items.as_ref().and_then(|items| at(body, items)).and_then(Value::as_array);
        let entries = list.map_or(1, |list| list.len() as u64);
        let page = self.page(request, entries);
        let ends = page >= PAGES - 1;
        if page >= PAGES
            && let Some(items) = &self.items
        {
            edit.set(items, [Value::Array(Vec::new())]);
        }
        for next in &self.next {
            // A list that ends by itself does so.
            let Some(shown) = at(body, next).filter(|shown| !is_end(shown)) else { continue };
            if ends {
                edit.end(next);
            } else {
                let following = self.position_of(page + 1, entries);
                let address = request.address(self.parameter, &following);
                match shown {
                    Value::String(text) if is_address(text) => edit.set(next, [address.into()]),
                    Value::String(_) if self.position != Position::Cursor => {
                        edit.set(next, [following.into()]);
                    }
                    Value::String(_) => edit.set(next, [following.into(), address.into()]),
                    Value::Number(_) => edit.set(next, [self.number_of(page + 1, entries).into()]),
                    _ => {}
                }
            }
        }
        // A flag that says earlier that the list ends is left as it is: the list may end by itself.
        for (flags, value) in [(&self.more, false), (&self.last, true)] {
            for flag in flags.iter().filter(|flag| ends && at(body, flag).is_some_and(Value::is_boolean)) {
                edit.set(flag, [value.into()]);
            }
        }
        for count in self.counts.iter().filter(|count| at(body, count).is_some_and(Value::is_number)) {
            edit.set(count, [PAGES.into()]);
        }
        (edit.body != *body).then_some(edit.body)
    }

    /// Sets the `Link` header of the requested page, if the document has one.
    pub(crate) fn link(&self, request: &PageRequest<'_>, response: &mut Response) {
        if !self.links {
            return;
        }
        let page = self.page(request, 1);
        let (relation, target) = if page < PAGES - 1 { ("next", page + 1) } else { ("first", 0) };
        let address = request.address(self.parameter, &self.position_of(target, 1));
        if let Ok(link) = HeaderValue::from_str(&format!("<{address}>; rel=\"{relation}\"")) {
            response.headers_mut().insert(header::LINK, link);
        }
    }

    /// Returns the value of the parameter for a page, counted from 0, of a list with so many entries on each
    /// page.
    fn position_of(&self, page: u64, entries: u64) -> String {
        let prefix = if self.position == Position::Cursor { CURSOR } else { "" };
        format!("{prefix}{}", self.number_of(page, entries))
    }

    /// Returns the same value as a number.
    fn number_of(&self, page: u64, entries: u64) -> u64 {
        match self.position {
            Position::Cursor => page + 1,
            Position::Number(first) => page.saturating_add(first),
            Position::Offset => page * entries.max(1),
        }
    }
}

/// Returns the parameter with the position.
fn positioned(list: &List<'_>, leads: bool) -> Option<(&'static str, Position)> {
    let mut candidates: Vec<(&'static str, &Shape)> = Vec::new();
    let queries = list.parameters.iter().filter(|parameter| parameter.location == Location::Query);
    candidates.extend(queries.map(|parameter| (parameter.param.name, &parameter.shape)));
    if list.method != "get" {
        for content in list.body.iter().filter(|content| content.format == BodyFormat::Json && leads) {
            if let Shape::Object { members, .. } = &content.shape {
                candidates.extend(members.iter().map(|(name, shape)| (*name, shape)));
            }
        }
    }
    let named = |names: Names, counts: bool| {
        candidates.iter().find(|(name, shape)| {
            names.contains(&plain(name).as_str())
                && (!counts || matches!(shape, Shape::Integer | Shape::Unsigned | Shape::Number))
        })
    };
    let least = |name: &str| {
        let parameter = list.parameters.iter().find(|parameter| parameter.param.name == name);
        let schema = parameter.and_then(|parameter| parameter.schema?.resolve().ok());
        let said = |key| schema.and_then(|schema| schema.get(key)).and_then(NodeRef::as_i128);
        said("minimum").or_else(|| said("default"))
    };
    if let Some((name, _)) = named(CURSOR_PARAMETERS, false).filter(|_| list.method == "get" || leads) {
        return Some((name, Position::Cursor));
    }
    if let Some((name, _)) = named(NUMBER_PARAMETERS, true) {
        return Some((name, Position::Number(u64::from(least(name) != Some(0)))));
    }
    if let Some((name, _)) = named(OFFSET_PARAMETERS, true) {
        return Some((name, Position::Offset));
    }
    // A page that is text is a cursor.
    named(NUMBER_PARAMETERS, false).filter(|_| leads).map(|(name, _)| (*name, Position::Cursor))
}

/// The members of a body that matter for its pages.
#[derive(Debug, Default)]
struct Members {
    items: Option<Path>,
    next: Vec<Path>,
    more: Vec<Path>,
    last: Vec<Path>,
    counts: Vec<Path>,
}

impl Members {
    fn collect(&mut self, shape: &Shape, path: &[&'static str], depth: usize) {
        match shape {
            Shape::List(_) if path.is_empty() => self.items = Some(Vec::new()),
            Shape::Object { members, .. } if depth <= DEEPEST => {
                for (name, shape) in members {
                    let below: Path = path.iter().copied().chain([*name]).collect();
                    let plain = plain(name);
                    let is = |names: Names| names.contains(&plain.as_str());
                    match shape {
                        Shape::List(entries) => {
                            let nested = matches!(**entries, Shape::Object { .. } | Shape::Any);
                            if self.items.is_none() && (nested || is(&["data", "items", "results"])) {
                                self.items = Some(below);
                            }
                        }
                        Shape::Bool if is(MORE) => self.more.push(below),
                        Shape::Bool if is(LAST) => self.last.push(below),
                        Shape::Integer | Shape::Unsigned | Shape::Number if is(COUNTS) => {
                            self.counts.push(below);
                        }
                        Shape::Object { .. } => self.collect(shape, &below, depth + 1),
                        shape if (shape.is_scalar() || *shape == Shape::Any) && is(NEXT) => {
                            self.next.push(below);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// A request for a page.
#[derive(Debug)]
pub(crate) struct PageRequest<'r> {
    incoming: &'r Incoming,
    body: Option<Value>,
}

impl<'r> PageRequest<'r> {
    /// Wraps a request with its body.
    pub(crate) fn new(incoming: &'r Incoming, body: &[u8]) -> Self {
        Self { incoming, body: serde_json::from_slice(body).ok() }
    }

    /// Returns the value of a parameter; `None` if it is absent, empty or `null`.
    fn parameter(&self, name: &str) -> Option<String> {
        let sent = self.incoming.query_value(name).map(str::to_owned);
        let member = || match self.body.as_ref()?.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        sent.or_else(member).filter(|value| !value.is_empty())
    }

    /// Returns the address of this request with another value of a parameter.
    fn address(&self, parameter: &str, value: &str) -> String {
        let parts = self.incoming.parts();
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        let mut query = String::new();
        for (name, value) in self.incoming.raw_query() {
            if percent_decode_str(name).decode_utf8_lossy() != parameter {
                query.push_str(&format!("{name}={value}&"));
            }
        }
        let parameter = utf8_percent_encode(parameter, NON_ALPHANUMERIC);
        format!("http://{host}{}?{query}{parameter}={value}", parts.uri.path())
    }
}

/// A body that is changed as far as its schema allows.
struct Edit<F> {
    body: Value,
    fits: F,
}

impl<F: Fn(&Value) -> bool> Edit<F> {
    /// Sets a member to the first of the values that the schema allows.
    fn set(&mut self, path: &[&str], values: impl IntoIterator<Item = Value>) {
        for value in values {
            let Some(member) = at_mut(&mut self.body, path) else { return };
            let before = std::mem::replace(member, value);
            if (self.fits)(&self.body) {
                return;
            }
            if let Some(member) = at_mut(&mut self.body, path) {
                *member = before;
            }
        }
    }

    /// Makes a member say that there is no next page: `null`, absent, or an empty text.
    fn end(&mut self, path: &[&str]) {
        let before = self.body.clone();
        self.set(path, [Value::Null]);
        if self.body != before {
            return;
        }
        if let Some((last, above)) = path.split_last()
            && let Some(Value::Object(members)) = at_mut(&mut self.body, above)
        {
            members.remove(*last);
            if (self.fits)(&self.body) {
                return;
            }
            self.body = before;
        }
        self.set(path, [Value::from("")]);
    }
}

fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(*name))
}

fn at_mut<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, name| value.get_mut(*name))
}

/// Whether a member says that there is no next page.
fn is_end(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

fn is_address(text: &str) -> bool {
    text.starts_with('/') || text.contains("://")
}

/// Returns a name in lower case, without other characters than letters and digits.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
