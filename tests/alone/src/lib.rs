//! A program that depends on generated crates and on nothing else. It compiles only as long as they export
//! whatever their public signatures mention.

use widgets_client::model::{GetWidgetError, Widget};
use widgets_client::runtime::{
    Bytes, HeaderMap, HeaderName, HeaderValue, Method, Operation, StatusCode, Uuid,
};
use widgets_client::{
    BoxFuture, BuildError, Builder, Client, Error, Middleware, Next, ObtainedToken, Raw, ReadError, Request,
    Response, ResponseValue, RetryPolicy, SendError, Token, TokenRequest,
};

/// Middleware that names the operation of each request in a header.
#[derive(Debug)]
pub struct Name;

impl Middleware for Name {
    fn handle(&self, mut request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        Box::pin(async move {
            let operation = request.extensions().get::<&'static Operation>().copied();
            if let Some(operation) = operation.filter(|operation| operation.method == Method::GET) {
                let name = HeaderName::from_static("x-operation");
                request.headers_mut().insert(name, HeaderValue::from_static(operation.id));
            }
            next.run(request).await
        })
    }
}

/// Configures a client whose token is refreshed.
pub fn client(base_url: &str) -> Result<Client, BuildError> {
    let token = Token::from_source(|request: TokenRequest| async move {
        let text = format!("token for {}", request.scheme.scopes.join(" "));
        Ok::<_, SendError>(ObtainedToken::new(text))
    });
    let builder: Builder = Client::builder(base_url).oauth(token).middleware(Name).header("x-from", "alone");
    builder.retry(RetryPolicy::NEVER).build()
}

/// What is known of a widget.
#[derive(Debug)]
pub enum Known {
    /// It is there, and these were the headers of the response.
    Here(Box<Widget>, HeaderMap),
    /// There is none.
    Gone,
    /// The response could not be read.
    Odd(ReadError, Bytes),
}

/// Reads a widget.
pub async fn widget(client: &Client, id: Uuid) -> Result<Known, Error<GetWidgetError>> {
    match client.widgets().get(id.into()).await {
        Ok(response) => {
            let headers = ResponseValue::headers(&response).clone();
            Ok(Known::Here(Box::new(response.into_inner()), headers))
        }
        Err(error) if error.is_not_found() => Ok(Known::Gone),
        Err(Error::Unreadable { raw, error }) => {
            let Raw { body, .. } = *raw;
            Ok(Known::Odd(error, body))
        }
        Err(error) => Err(error),
    }
}

/// Whether the server's router has the operation.
pub fn serves(operation: &Operation, status: StatusCode) -> bool {
    let operations: &[&Operation] = widgets_server::OPERATIONS;
    operations.iter().any(|other| other.id == operation.id && other.statuses.contains(&status.as_u16()))
}

/// The number of entries of a list, on whatever pages they are.
pub async fn count<T, E>(mut entries: events_client::Series<Result<T, E>>) -> Result<usize, E> {
    let mut count = 0;
    while let Some(entry) = entries.next().await {
        entry?;
        count += 1;
    }
    Ok(count)
}
