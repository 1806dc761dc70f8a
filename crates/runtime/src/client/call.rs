//! Owns [`Call`]: one request, from its parts to its answer.

use super::{
    Answer, BoxFuture, Declared, Endpoint, Error, Raw, Reading, Transport,
    retry::{IDEMPOTENCY_KEY, is_repeatable},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::Serialize;
use std::{fmt, future::IntoFuture, marker::PhantomData, time::Duration};

/// One request; `.await` sends it.
///
/// Dropping the future that `.await` polls gives the call up; whether the service acted on it is then unknown.
#[must_use = "a call is sent by awaiting it"]
pub struct Call<E> {
    transport: Transport,
    path: String,
    query: Vec<(&'static str, String)>,
    headers: HeaderMap,
    body: Option<Bytes>,
    timeout: Option<Duration>,
    problem: Option<String>,
    endpoint: PhantomData<fn() -> E>,
}

impl<E: Endpoint> fmt::Debug for Call<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Call")
            .field("operation", &E::OPERATION.id)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl<E: Endpoint> Call<E> {
    /// A request without its parts.
    pub fn new(transport: &Transport) -> Self {
        Self {
            transport: transport.clone(),
            path: E::OPERATION.path.to_owned(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            timeout: None,
            problem: None,
            endpoint: PhantomData,
        }
    }

    /// Fills a parameter of the path.
    pub fn path(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        if value.is_empty() || value == "." || value == ".." {
            // Each of them would address another resource than the one meant.
            self.problem = Some(format!("`{value}` cannot be the path parameter `{name}`"));
        }
        self.path = self.path.replace(&format!("{{{name}}}"), &encode_segment(&value));
        self
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// Adds a query parameter once for every value.
    pub fn query_list(
        mut self,
        name: &'static str,
        values: impl IntoIterator<Item = impl fmt::Display>,
    ) -> Self {
        self.query.extend(values.into_iter().map(|value| (name, value.to_string())));
        self
    }

    /// Sets a header parameter of the document.
    pub fn header_parameter(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::try_from(value.to_string())) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => self.problem = Some(format!("the value of the header `{name}` cannot be sent in a header")),
        }
        self
    }

    /// Sets the body.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => {
                self.body = Some(bytes.into());
                self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
            Err(error) => self.problem = Some(format!("the body cannot be written as JSON: {error}")),
        }
        self
    }

    /// Sets a header of this call alone.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The time that one attempt of this call may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends `Idempotency-Key`, which makes the call safe to repeat where the service honours it.
    pub fn idempotency_key(self, key: impl fmt::Display) -> Self {
        self.header_parameter(IDEMPOTENCY_KEY, key)
    }

    async fn send(self) -> Result<Answer<E::Success>, Error<E::Failure>> {
        if let Some(problem) = self.problem {
            return Err(Error::Request(problem));
        }
        let raw = self.attempts().await?;
        match E::read(&raw) {
            Ok(Reading::Success(value)) => Ok(Answer::new(raw, value)),
            Ok(Reading::Failure(error)) => Err(Error::Declared(Box::new(Declared { error, raw }))),
            Ok(Reading::Undocumented) => Err(Error::Undocumented(Box::new(raw))),
            Err(error) => Err(Error::Unreadable { raw: Box::new(raw), error }),
        }
    }

    async fn attempts(&self) -> Result<Raw, Error<E::Failure>> {
        let repeatable = is_repeatable(E::OPERATION, &self.headers);
        let retry = self.transport.retry();
        let mut attempt = 0;
        loop {
            let delay = match self.attempt().await {
                Ok(raw) => match retry.after_answer(attempt, repeatable, raw.status, &raw.headers) {
                    Some(delay) => delay,
                    None => return Ok(raw),
                },
                Err(Error::Connection(error) | Error::TimedOut(error)) => {
                    match retry.after_error(attempt, repeatable, &error) {
                        Some(delay) => delay,
                        None if error.is_timeout() => return Err(Error::TimedOut(error)),
                        None => return Err(Error::Connection(error)),
                    }
                }
                Err(error) => return Err(error),
            };
            attempt += 1;
            sleep(delay).await;
        }
    }

    async fn attempt(&self) -> Result<Raw, Error<E::Failure>> {
        let mut url =
            self.transport.address(&self.path).map_err(|error| Error::Request(error.to_string()))?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        let mut request = reqwest::Request::new(E::OPERATION.method.clone(), url);
        *request.timeout_mut() = Some(self.timeout.unwrap_or(self.transport.timeout()));
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().entry(header::ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        *request.body_mut() = self.body.clone().map(Into::into);
        self.transport.authorize(E::OPERATION, &mut request);
        let response = self.transport.engine().execute(request).await.map_err(Error::Connection)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.map_err(Error::Connection)?;
        Ok(Raw { status, headers, body })
    }
}

impl<E: Endpoint> IntoFuture for Call<E> {
    type Output = Result<Answer<E::Success>, Error<E::Failure>>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// Percent-encodes everything but the unreserved characters of RFC 3986, section 2.3.
fn encode_segment(value: &str) -> String {
    use std::fmt::Write;

    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    encoded
}

#[cfg(not(target_arch = "wasm32"))]
async fn sleep(delay: Duration) {
    tokio::time::sleep(delay).await;
}

#[cfg(target_arch = "wasm32")]
async fn sleep(delay: Duration) {
    gloo_timers::future::sleep(delay).await;
}

#[cfg(test)]
mod tests {
    use super::encode_segment;

    #[test]
    fn a_value_stays_one_segment() {
        for (value, encoded) in
            [("a-b_c.d~e", "a-b_c.d~e"), ("a/b", "a%2Fb"), ("50% ü?#", "50%25%20%C3%BC%3F%23")]
        {
            assert_eq!(encode_segment(value), encoded);
        }
    }
}
