//! Clients that take their credential from the environment, each in a process of its own.

use std::process::Command;

use frontdesk_client::{BuildError, Client, RetryPolicy};
use frontdesk_runtime::Method;

use crate::script::{Act, Script};

const KEY: &str = "FRONTDESK_API_KEY";
const URL: &str = "FRONTDESK_BASE_URL";
/// What the other process is started for.
const CALL: &str = "environment::a_call_with_what_the_environment_says";

#[tokio::test]
#[ignore = "it is started with an environment by the test below"]
async fn a_call_with_what_the_environment_says() {
    let client = Client::from_env().unwrap();
    client.raw_request(&Method::GET, "/ping").retry(RetryPolicy::NEVER).await.unwrap();
}

fn call(variables: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--ignored", CALL]).env_remove(KEY).env_remove(URL);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test"), "{text}");
    output.status.success()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_takes_key_and_address_from_the_environment() {
    let script = Script::new(&[Act::Answer("204 No Content", &[], "")]).await;
    let url = script.url();
    let made = tokio::task::spawn_blocking(move || {
        [call(&[(KEY, "sk_live_1"), (URL, &url)]), call(&[(URL, &url)]), call(&[(KEY, ""), (URL, &url)])]
    });
    assert_eq!(made.await.unwrap(), [true, false, false]);
    let requests = script.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].starts_with("GET /ping ") && requests[0].contains("authorization: Bearer sk_live_1"));
}

#[test]
fn a_client_is_made_of_a_key_alone() {
    let client = Client::new("sk_live_1");
    assert!(client.is_ok(), "{client:?}");
    let error = BuildError::Environment(KEY.to_owned());
    assert_eq!(
        error.to_string(),
        "the environment variable `FRONTDESK_API_KEY` must be set to text in UTF-8"
    );
}
