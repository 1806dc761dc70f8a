//! The least document there is, from both sides.

use frontdesk_runtime::Failure;
use frontdesk_testkit::stand_in;
use minimal_client::Client;
use minimal_model::{GetGreetingError, Greeting};
use minimal_server::{Authenticator, GetGreeting, Greetings, OPERATIONS, router};

struct Service;

impl Greetings for Service {
    type Caller = ();

    async fn get_greeting(&self, _request: GetGreeting) -> Result<Greeting, Failure<GetGreetingError>> {
        Ok(Greeting { text: "hello".to_owned() })
    }
}

impl Authenticator for Service {
    type Caller = ();
}

#[tokio::test]
async fn a_service_without_security_needs_no_authenticator_of_its_own() {
    let address = stand_in::serve(router(Service, Service)).await;
    // A base URL may end in a slash.
    let client = Client::builder(format!("http://{address}/")).build().unwrap();

    let answer = client.greetings().get().await.unwrap();

    assert_eq!((answer.status().as_u16(), answer.text.as_str()), (200, "hello"));
    assert_eq!(OPERATIONS.len(), 1);
}

#[tokio::test]
async fn routers_of_several_documents_are_one() {
    let both = minimal_server::routes(Service, Service).without_fallback().into_router();
    let both = both.merge(widgets_server::router(crate::service::Service, crate::service::Keys));
    let builder = Client::builder("http://localhost").service(both.clone());
    assert_eq!(builder.build().unwrap().greetings().get().await.unwrap().text, "hello");
    let client = widgets_client::Client::builder("http://localhost").service(both).build().unwrap();
    client.ping().get().await.unwrap();
}
