//! [`Parts`]: the parts of a request, and the way from them to a response, independent of the operation.

use super::{
    Body, Raw, ReadError, Received, Request, RetryPolicy, SendError, Streamed, Transport,
    credentials::Unmet,
    error::Problem,
    retry::{IDEMPOTENCY_KEY, Safety},
    time::{Deadline, limited_in_time, sleep},
};
use crate::{
    Operation,
    codec::{self, Param, PartsWriter, Place},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use url::Url;
use uuid::Uuid;

/// The facts of an operation that generated code passes.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) operation: &'static Operation,
    /// Whether the document describes the operation.
    pub(super) described: bool,
    pub(super) accept: &'static str,
    pub(super) server: Option<&'static str>,
    pub(super) idempotent: bool,
    pub(super) keyed: bool,
    pub(super) streamed: &'static [Streamed],
}

/// The parts of a request.
pub(super) struct Parts {
    pub(super) transport: Transport,
    /// The path, percent-encoded, with `{name}` for parameters that are not set yet.
    pub(super) path: String,
    /// The query, in the order in which the parameters were set first.
    pub(super) query: Vec<Pair>,
    pub(super) headers: HeaderMap,
    /// The cookies of parameters.
    pub(super) cookies: Vec<Pair>,
    pub(super) body: Body,
    /// The parts of the body and its media type, instead of the body.
    pub(super) multipart: Option<(PartsWriter, &'static str)>,
    pub(super) timeout: Option<Duration>,
    pub(super) deadline: Option<Duration>,
    pub(super) retry: Option<RetryPolicy>,
    /// The URL of the next page as the service sent it, instead of path and query.
    pub(super) address: Option<Url>,
    /// The method of the next page, if it is not that of the operation.
    pub(super) method: Option<Method>,
    /// Whether the request is sent without the client's credentials.
    pub(super) anonymous: bool,
    /// Why the request cannot be sent.
    pub(super) problem: Option<String>,
}

/// A name and a value of a query, or a cookie.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The parameter that it belongs to: an object is spread over several names.
    owner: String,
    /// Percent-encoded.
    name: String,
    /// Percent-encoded.
    value: String,
}

/// Replaces the pairs of a parameter, in their place if it has some.
fn set(all: &mut Vec<Pair>, owner: &str, pairs: impl IntoIterator<Item = (String, String)>) {
    let place = all.iter().position(|pair| pair.owner == owner).unwrap_or(all.len());
    all.retain(|pair| pair.owner != owner);
    let pairs = pairs.into_iter().map(|(name, value)| Pair { owner: owner.to_owned(), name, value });
    all.splice(place..place, pairs);
}

fn joined(pairs: &[Pair], delimiter: &str) -> String {
    let pairs: Vec<String> = pairs.iter().map(|Pair { name, value, .. }| format!("{name}={value}")).collect();
    pairs.join(delimiter)
}

impl Parts {
    pub(super) fn new(transport: &Transport, path: &str) -> Self {
        Self {
            transport: transport.clone(),
            path: path.to_owned(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            cookies: Vec::new(),
            body: Body::empty(),
            multipart: None,
            timeout: None,
            deadline: None,
            retry: None,
            address: None,
            method: None,
            anonymous: false,
            problem: None,
        }
    }

    /// Copies the request; `None` if its body can be read only once.
    pub(super) fn try_clone(&self) -> Option<Self> {
        if self.multipart.is_some() {
            return None;
        }
        Some(Self {
            transport: self.transport.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            headers: self.headers.clone(),
            cookies: self.cookies.clone(),
            body: self.body.try_clone()?,
            multipart: None,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry.clone(),
            address: self.address.clone(),
            method: self.method.clone(),
            anonymous: self.anonymous,
            problem: self.problem.clone(),
        })
    }

    pub(super) fn path_text(&mut self, name: &str, encoded: &str) {
        if matches!(encoded, "" | "." | "..") {
            // Each of them would address another resource.
            self.problem = Some(format!("`{encoded}` cannot be the path parameter `{name}`"));
        }
        self.path = self.path.replace(&format!("{{{name}}}"), encoded);
    }

    pub(super) fn header_text(&mut self, name: &str, value: &str) {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => self.problem = Some(format!("the value of the header `{name}` cannot be sent in a header")),
        }
    }

    /// Sets a parameter with a list, an object, or a style of its own.
    pub(super) fn parameter<T: Serialize + ?Sized>(&mut self, param: &Param, value: &T) {
        let pairs = match codec::encode(param, value) {
            Ok(pairs) => pairs,
            Err(problem) => {
                self.problem = Some(format!("the parameter `{}` cannot be sent: {problem}", param.name));
                return;
            }
        };
        match param.place {
            Place::Query => set(&mut self.query, param.name, pairs),
            Place::Cookie => set(&mut self.cookies, param.name, pairs),
            Place::Path => {
                for (_, value) in pairs {
                    self.path_text(param.name, &value);
                }
            }
            Place::Header => {
                for (_, value) in pairs {
                    self.header_text(param.name, &value);
                }
            }
        }
    }

    /// Sets a query parameter to these values, in place of those that it had.
    pub(super) fn set_query(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        let encoded = percent_encode(name);
        let pairs = values.into_iter().map(|value| (encoded.clone(), percent_encode(&value)));
        set(&mut self.query, name, pairs);
    }

    /// Adds a pair to the query, whatever it has already.
    pub(super) fn add_query(&mut self, name: &str, value: &str) {
        self.query.push(Pair {
            owner: name.to_owned(),
            name: percent_encode(name),
            value: percent_encode(value),
        });
    }

    /// Sets a cookie.
    pub(super) fn set_cookie(&mut self, name: &str, value: &str) {
        set(&mut self.cookies, name, [(percent_encode(name), percent_encode(value))]);
    }

    /// Sets a query parameter to this value only, also if it is a member of another one.
    pub(super) fn replace_query(&mut self, name: &str, value: &str) {
        let encoded = percent_encode(name);
        self.query.retain(|pair| pair.name != encoded);
        self.add_query(name, value);
    }

    /// Returns the first value of a query parameter, unencoded.
    pub(super) fn query_value(&self, name: &str) -> Option<String> {
        let name = percent_encode(name);
        let Pair { name, value, .. } = self.query.iter().find(|pair| pair.name == name)?;
        let pair = format!("{name}={value}");
        url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
    }

    /// Returns the method of the request.
    pub(super) fn method<'p>(&'p self, facts: &'p Facts) -> &'p Method {
        self.method.as_ref().unwrap_or(&facts.operation.method)
    }

    /// Returns the URL of the request, without credentials.
    pub(super) fn url(&self, facts: &Facts) -> Result<Url, Problem> {
        if let Some(address) = &self.address {
            return Ok(address.clone());
        }
        let mut url = self
            .transport
            .address(facts.server, &self.path)
            .map_err(|error| Problem::Request(format!("the address of the request is not a URL: {error}")))?;
        if !self.query.is_empty() {
            url.set_query(Some(&joined(&self.query, "&")));
        }
        Ok(url)
    }

    /// Returns URL and headers, without credentials.
    fn head(&self, facts: &Facts) -> Result<(Url, HeaderMap), Problem> {
        let mut headers = self.transport.headers().clone();
        headers.insert(header::ACCEPT, HeaderValue::from_static(facts.accept));
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        if !self.cookies.is_empty() {
            let cookies = HeaderValue::try_from(joined(&self.cookies, "; "))
                .map_err(|_| Problem::Request("a cookie cannot be sent in a header".to_owned()))?;
            headers.insert(header::COOKIE, cookies);
        }
        Ok((self.url(facts)?, headers))
    }

    /// Sends the request, with retries if they are safe, and returns the final response.
    pub(super) async fn exchange(mut self, facts: Facts) -> Result<Received, Problem> {
        if let Some(problem) = self.problem.take() {
            return Err(Problem::Request(problem));
        }
        #[cfg(feature = "tracing")]
        {
            let url = self.url(&facts)?;
            super::span::traced(facts.operation, &url, self.bounded(facts)).await
        }
        #[cfg(not(feature = "tracing"))]
        self.bounded(facts).await
    }

    /// Sends the request within the time that the call has.
    async fn bounded(self, facts: Facts) -> Result<Received, Problem> {
        let deadline = Deadline::after(self.deadline.or(self.transport.deadline()));
        let last = Mutex::new(None);
        let result = deadline.limit(self.attempts(facts, &deadline, &last)).await;
        match result {
            Some(result) => result,
            None => match last.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some(received) => Ok(received),
                None => Err(SendError::timed_out().into()),
            },
        }
    }

    /// Sends the request until an attempt is the last one. `outcome` has the response that the call ends with
    /// if its time is over.
    async fn attempts(
        mut self,
        facts: Facts,
        deadline: &Deadline,
        outcome: &Mutex<Option<Received>>,
    ) -> Result<Received, Problem> {
        if facts.keyed && !self.headers.contains_key(IDEMPOTENCY_KEY) {
            // All attempts have the same key, by which the service recognizes them.
            self.header_text(IDEMPOTENCY_KEY, &Uuid::new_v4().to_string());
        }
        self.write_multipart()?;
        let safety = Safety::of(self.method(&facts), facts.idempotent, &self.headers);
        let retry = self.retry.take().unwrap_or_else(|| self.transport.retry().clone());
        let limit = self.timeout.unwrap_or(self.transport.timeout());
        let mut body = Some(std::mem::take(&mut self.body));
        let mut attempt = 0;
        let mut renewed = false;
        loop {
            // A stream that can be read only once cannot be sent again.
            let copy = body.as_ref().and_then(Body::try_clone);
            let last = copy.is_none();
            let (mut url, mut headers) = self.head(&facts)?;
            let (obtained, unmet) = if self.anonymous {
                Default::default()
            } else {
                self.transport.authorize(facts.operation, facts.described, &mut url, &mut headers).await?
            };
            let body = copy.or_else(|| body.take()).unwrap_or_default();
            let request = request(&facts, self.method(&facts).clone(), &url, headers, unmet, body)?;
            if !safety.is_repeatable() {
                // Whether the service processes this attempt would stay unknown, which the response to an
                // earlier one must not hide.
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            let sent = within(limit, receive(self.transport.clone(), request, facts.streamed)).await;
            let refused = matches!(&sent, Ok(received) if received.raw.status == StatusCode::UNAUTHORIZED);
            if refused && !obtained.is_empty() {
                for (source, secret) in obtained {
                    source.refuse(&secret).await;
                }
                // The service did not process the request, so it may be sent again with another token.
                if !renewed && !last {
                    renewed = true;
                    continue;
                }
            }
            let delay = match &sent {
                _ if last => None,
                Ok(received) => retry.after_response(attempt, safety, &received.raw),
                Err(error) => retry.after_error(attempt, safety, error),
            };
            match delay {
                Some(delay) if deadline.allows(delay) => {
                    *outcome.lock().unwrap_or_else(PoisonError::into_inner) = sent.ok();
                    attempt += 1;
                    sleep(delay).await;
                }
                // What is known now is better than a time-out later.
                _ => return Ok(sent?),
            }
        }
    }

    /// Makes the body of its parts.
    fn write_multipart(&mut self) -> Result<(), Problem> {
        let Some((parts, media_type)) = self.multipart.take() else { return Ok(()) };
        let key = self.headers.get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok());
        let (content_type, body) =
            parts.finish(media_type, key).map_err(|problem| Problem::Request(unwritable(problem)))?;
        self.body = body.into();
        self.header_text("content-type", &content_type);
        Ok(())
    }
}

/// Returns the problem of a request whose body cannot be written.
pub(super) fn unwritable(problem: impl fmt::Display) -> String {
    format!("the body cannot be written: {problem}")
}

fn request(
    facts: &Facts,
    method: Method,
    url: &Url,
    headers: HeaderMap,
    unmet: Option<Unmet>,
    body: Body,
) -> Result<Request, Problem> {
    let mut request = Request::new(body);
    *request.uri_mut() = url
        .as_str()
        .parse()
        .map_err(|error| Problem::Request(format!("the address of the request is not a URI: {error}")))?;
    *request.method_mut() = method;
    *request.headers_mut() = headers;
    request.extensions_mut().insert(facts.operation);
    if let Some(unmet) = unmet {
        request.extensions_mut().insert(unmet);
    }
    Ok(request)
}

/// Sends the request, and reads the response completely unless the document declares a streamed body.
async fn receive(
    transport: Transport,
    request: Request,
    streamed: &'static [Streamed],
) -> Result<Received, SendError> {
    let (parts, body) = transport.send(request).await?.into_parts();
    let mut raw = Raw { status: parts.status, headers: parts.headers, body: bytes::Bytes::new() };
    if Streamed::applies(streamed, &raw) {
        let stream = limited_in_time(body.into_stream(), transport.stream_idle_timeout());
        return Ok(Received { raw, stream: Some(stream), problem: None });
    }
    let limit = transport.response_limit();
    let problem = match body.into_stream().bytes(limit).await {
        Ok(body) => {
            raw.body = body;
            None
        }
        Err(error) if error.is_too_long() => Some(ReadError::new(format_args!(
            "the body is longer than {limit} bytes; `response_limit` of the client's builder raises the limit"
        ))),
        Err(error) => return Err(SendError::broken(error)),
    };
    Ok(Received { raw, stream: None, problem })
}

/// Percent-encodes all characters except the unreserved ones (RFC 3986, section 2.3).
pub(super) fn percent_encode(value: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(char::from(DIGITS[usize::from(byte >> 4)]));
            encoded.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    encoded
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, SendError>>,
) -> Result<T, SendError> {
    Deadline::after(Some(limit)).limit(work).await.unwrap_or_else(|| Err(SendError::timed_out()))
}

#[cfg(test)]
mod tests {
    use super::percent_encode;

    #[test]
    fn a_value_stays_one_segment() {
        for (value, encoded) in
            [("a-b_c.d~e", "a-b_c.d~e"), ("a/b", "a%2Fb"), ("50% ü?#", "50%25%20%C3%BC%3F%23")]
        {
            assert_eq!(percent_encode(value), encoded);
        }
    }
}
