//! Pagination: the pages of a list are fetched one after the other on demand.

use super::{
    Body, Call, Endpoint, Error, Raw, ResponseValue,
    error::Problem,
    request::{Facts, Parts},
    retry::IDEMPOTENCY_KEY,
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use http::{HeaderMap, Method, header};
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};
use url::Url;

/// An operation that responds with one page of a list; implemented by generated code.
pub trait Paged: Endpoint {
    /// The type of the list's entries.
    type Item: Send + 'static;

    /// How the next page is found.
    const FOLLOWING: Following;
    /// The JSON pointer of the list in a response; empty if the body is the list.
    const ITEMS: &'static str;

    /// Returns the entries of one page.
    fn items(page: Self::Success) -> Vec<Self::Item>;
}

/// One page of a list, or why it could not be fetched.
pub type Page<E> = Result<ResponseValue<<E as Endpoint>::Success>, Error<<E as Endpoint>::Failure>>;

/// How the next page of a list is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// A value of the response becomes a query parameter of the next request. If it is absent, `null` or
    /// empty, the list ends.
    Cursor {
        /// The query parameter.
        parameter: &'static str,
        /// The JSON pointer of the value in the response.
        next: &'static str,
    },
    /// A query parameter counts pages; an empty page ends the list.
    Number {
        /// The query parameter.
        parameter: &'static str,
        /// The number of the first page.
        first: i64,
    },
    /// A query parameter counts skipped entries; an empty page ends the list.
    Offset {
        /// The query parameter.
        parameter: &'static str,
    },
    /// The `Link` header with `rel="next"` (RFC 8288) contains the URL.
    Link,
    /// A value of the response is the URL, absolute or relative to that of the page, and is fetched with
    /// `GET`. If it is absent, `null` or empty, the list ends.
    Address {
        /// The JSON pointer of the value in the response.
        next: &'static str,
    },
    /// The list has one page.
    Single,
}

/// Items that are fetched on demand; a `Stream`, with [`next`](Self::next) for callers who do not need its
/// combinators.
pub struct Series<T>(SeriesStream<T>);

#[cfg(not(target_arch = "wasm32"))]
type SeriesStream<T> = stream::BoxStream<'static, T>;

#[cfg(target_arch = "wasm32")]
type SeriesStream<T> = stream::LocalBoxStream<'static, T>;

impl<T> Series<T> {
    /// Returns the next item; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<T> {
        self.0.next().await
    }
}

impl<T> Stream for Series<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for Series<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Series")
    }
}

impl<E: Paged> Call<E> {
    /// Returns the pages, beginning with the one that this call requests. All other parameters stay the same.
    pub fn pages(self) -> Series<Page<E>>
    where
        E::Success: 'static,
        E::Failure: 'static,
    {
        let following = E::FOLLOWING;
        // An error in the reference to the next page is reported after this page.
        let first = Some(Ok(self.parts));
        Series(boxed(stream::try_unfold(first, move |parts: Option<Result<Parts, Problem>>| async move {
            let Some(parts) = parts.transpose().map_err(Error::unsent)? else { return Ok(None) };
            let facts = Self::facts();
            let Some(copy) = parts.try_clone() else {
                return Err(Error::Request("a list cannot be asked for with a body that streams".to_owned()));
            };
            let received = copy.exchange(facts).await.map_err(Error::unsent)?;
            let page = Self::read(received)?;
            let next = following.next(parts, &facts, page.raw(), E::ITEMS).transpose();
            Ok(Some((page, next)))
        })))
    }

    /// Returns the entries of all pages, beginning with the page that this call requests.
    pub fn stream(self) -> Series<Result<E::Item, Error<E::Failure>>>
    where
        E::Success: 'static,
        E::Failure: 'static,
    {
        Series(boxed(
            self.pages()
                .map_ok(|page| stream::iter(E::items(page.into_inner()).into_iter().map(Ok)))
                .try_flatten(),
        ))
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn boxed<T>(stream: impl Stream<Item = T> + Send + 'static) -> SeriesStream<T> {
    stream.boxed()
}

#[cfg(target_arch = "wasm32")]
fn boxed<T>(stream: impl Stream<Item = T> + 'static) -> SeriesStream<T> {
    stream.boxed_local()
}

impl Following {
    /// Returns the request for the next page; `None` after the last one.
    fn next(
        self,
        mut parts: Parts,
        facts: &Facts,
        page: &Raw,
        items: &str,
    ) -> Result<Option<Parts>, Problem> {
        // The next page is another request, which the service must not take for this one.
        parts.headers.remove(IDEMPOTENCY_KEY);
        match self {
            Self::Link => {
                let Some(target) = link_target(&page.headers) else { return Ok(None) };
                parts.address = Some(next_address(&parts.url(facts)?, target)?);
            }
            Self::Address { next } => {
                let Some(target) = member(page, next).as_ref().and_then(text) else { return Ok(None) };
                let current = parts.url(facts)?;
                let address = next_address(&current, &target)?;
                if address == current && *parts.method(facts) == Method::GET {
                    // Following it would request the same page forever.
                    return Err(Problem::Request(format!("the page at {address} gives itself as the next")));
                }
                // The URL contains all that the first request stated in its body.
                parts.address = Some(address);
                parts.method = Some(Method::GET);
                parts.body = Body::empty();
                parts.headers.remove(header::CONTENT_TYPE);
            }
            Self::Single => return Ok(None),
            Self::Cursor { parameter, next } => {
                let Some(cursor) = member(page, next).as_ref().and_then(text) else { return Ok(None) };
                if parts.query_value(parameter).as_ref() == Some(&cursor) {
                    // Following it would request the same page forever.
                    return Err(Problem::Request(format!("the service gives the cursor `{cursor}` again")));
                }
                parts.replace_query(parameter, &cursor);
            }
            Self::Number { parameter, first } => {
                if entries(page, items) == 0 {
                    return Ok(None);
                }
                let current =
                    parts.query_value(parameter).and_then(|text| text.parse().ok()).unwrap_or(first);
                parts.replace_query(parameter, &current.saturating_add(1).to_string());
            }
            Self::Offset { parameter } => {
                let count = entries(page, items);
                if count == 0 {
                    return Ok(None);
                }
                let current: u64 =
                    parts.query_value(parameter).and_then(|text| text.parse().ok()).unwrap_or_default();
                parts.replace_query(parameter, &current.saturating_add(count).to_string());
            }
        }
        Ok(Some(parts))
    }
}

/// Returns the value at a JSON pointer of a body.
fn member(page: &Raw, pointer: &str) -> Option<serde_json::Value> {
    let mut body: serde_json::Value = page.json().ok()?;
    body.pointer_mut(pointer).map(serde_json::Value::take)
}

fn entries(page: &Raw, pointer: &str) -> u64 {
    let list = member(page, pointer);
    list.as_ref().and_then(serde_json::Value::as_array).map_or(0, |list| list.len() as u64)
}

/// Converts a cursor to text: services use strings or numbers.
fn text(cursor: &serde_json::Value) -> Option<String> {
    match cursor {
        serde_json::Value::String(text) if !text.is_empty() => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the target of the first link with `rel="next"`.
fn link_target(headers: &HeaderMap) -> Option<&str> {
    headers.get_all(header::LINK).iter().filter_map(|line| line.to_str().ok()).find_map(next_target)
}

/// Returns the URL of the next page, resolved against that of the page which names it.
fn next_address(page: &Url, target: &str) -> Result<Url, Problem> {
    let address = page
        .join(target)
        .map_err(|error| Problem::Request(format!("the link to the next page is not an address: {error}")))?;
    if address.origin() == page.origin() {
        Ok(address)
    } else {
        // Credentials and parameters are sent only to the service itself, not to other hosts that it names.
        Err(Problem::Request(format!(
            "the next page is at another service: {}",
            address.origin().ascii_serialization()
        )))
    }
}

/// Returns the target of the link with the relation `next`, in one line of `Link` (RFC 8288, section 3).
fn next_target(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let (_, behind) = rest.split_once('<')?;
        let (target, behind) = behind.split_once('>')?;
        let end = end_of_parameters(behind);
        let is_next = split_outside_quotes(&behind[..end]).any(|parameter| {
            let Some((name, value)) = parameter.split_once('=') else { return false };
            name.trim().eq_ignore_ascii_case("rel")
                && value
                    .trim()
                    .trim_matches('"')
                    .split_whitespace()
                    .any(|rel| rel.eq_ignore_ascii_case("next"))
        });
        if is_next {
            return Some(target.trim());
        }
        rest = &behind[end..];
    }
}

/// Returns where the parameters of a link end: at the next comma outside quotes.
fn end_of_parameters(text: &str) -> usize {
    let mut quoted = false;
    text.char_indices()
        .find(|(_, character)| {
            quoted ^= *character == '"';
            *character == ',' && !quoted
        })
        .map_or(text.len(), |(at, _)| at)
}

fn split_outside_quotes(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |character| {
        quoted ^= character == '"';
        character == ';' && !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, Url, header, link_target, next_address, next_target};

    #[test]
    fn the_next_link_is_found_among_others() {
        for (line, target) in [
            (r#"<https://a.example/?page=2>; rel="next""#, Some("https://a.example/?page=2")),
            (r#"</a?b=1,2>; rel=prev, </c>; title="x, y; z"; rel="last next""#, Some("/c")),
            (r#"</a>; rel="prev""#, None),
            (r#"</a>; rel="nextish""#, None),
            (r#"</a>; title="rel=next; rel=next""#, None),
            ("no link at all", None),
        ] {
            assert_eq!(next_target(line), target, "{line}");
        }
    }

    #[test]
    fn the_next_page_is_at_the_same_service() {
        let page = Url::parse("https://a.example/list?x=1").unwrap();
        for (target, address) in [
            ("/list?page=2", "https://a.example/list?page=2"),
            ("?page=2", "https://a.example/list?page=2"),
            ("https://a.example:443/other", "https://a.example/other"),
        ] {
            assert_eq!(next_address(&page, target).unwrap().as_str(), address);
        }
        for elsewhere in [
            "https://b.example/list",
            "//b.example/list",
            "https://a.example:8443/list",
            // Another scheme is another origin.
            "http://a.example/list",
            "https://a.example@b.example/list",
            "data:,x",
        ] {
            assert!(next_address(&page, elsewhere).is_err(), "{elsewhere}");
        }
        let links = |line: &str| HeaderMap::from_iter([(header::LINK, line.parse().unwrap())]);
        assert_eq!(link_target(&links("</list?page=2>; rel=next")), Some("/list?page=2"));
        assert_eq!(link_target(&links("</list>; rel=last")), None);
    }
}
