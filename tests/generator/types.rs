//! A document without operations: its types travel, its server knows no path, its client has nothing to call.

use frontdesk_testkit::stand_in;
use types_client::Client;
use types_model::Money;
use types_server::{Authenticator, OPERATIONS, router};

use crate::socket::exchange;

struct Nobody;

impl Authenticator for Nobody {
    type Caller = ();
}

#[tokio::test]
async fn a_document_of_types_alone_makes_a_server_that_knows_no_path() {
    let address = stand_in::serve(router(Nobody)).await;

    let answer = exchange(address, "GET /money", &[], "").await;

    assert_eq!((answer.status, OPERATIONS.len()), (404, 0));
    Client::builder(format!("http://{address}")).build().unwrap();
}

#[test]
fn types_that_no_operation_reaches_are_read_and_written() {
    let text = r#"{"amount":"12.50","currency":"EUR"}"#;

    let money: Money = serde_json::from_str(text).unwrap();

    assert_eq!(serde_json::to_string(&money).unwrap(), text);
    assert_eq!(money.amount.to_string(), "12.50");
}
