//! [`Browser`]: a headless Chromium, driven over WebDriver, and its notes about a page.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};

/// Names the program to drive.
const BROWSER: &str = "FRONTDESK_BROWSER";

/// Width and height in CSS pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen(u32, u32);

pub(super) const DESKTOP: Screen = Screen(1400, 900);
pub(super) const PHONE: Screen = Screen(390, 844);

impl Screen {
    /// Whether the list of operations is shown beside the page; elsewhere it is behind a button.
    pub(super) fn has_sidebar(self) -> bool {
        self.0 >= DESKTOP.0
    }
}

/// The driver of a browser, and where it listens.
pub(super) struct Browser {
    driver: Child,
    address: String,
    program: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    /// Starts the driver, or says that the test is skipped because no browser is named.
    pub(super) fn start(test: &str) -> Option<Self> {
        let Ok(program) = std::env::var(BROWSER) else {
            // Straight to the stream, which the test harness does not capture.
            let mut terminal = std::io::stderr();
            writeln!(terminal, "skipped: {test} ({BROWSER} is not set)").unwrap();
            return None;
        };
        let mut driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.map(Result::unwrap).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        let address = format!("http://127.0.0.1:{}", port.expect("the driver says where it listens"));
        Some(Self { driver, address, program })
    }

    /// A browser with nothing in its memory, which notes what its page asks for and complains about.
    pub(super) async fn tab(&self, screen: Screen) -> Tab {
        let capabilities = json!({
            "goog:chromeOptions": {
                "binary": self.program,
                "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            },
            "goog:loggingPrefs": { "performance": "ALL", "browser": "ALL" },
        });
        let client = Client::builder(TokioExecutor::new()).build_http();
        // Until the driver has named the session, commands go to the address of all sessions.
        let mut tab = Tab { client, session: format!("{}/session", self.address), screen };
        let session = tab.tell("", json!({ "capabilities": { "alwaysMatch": capabilities } })).await;
        tab.session = format!("{}/{}", tab.session, session["sessionId"].as_str().unwrap());
        let Screen(width, height) = screen;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": !screen.has_sidebar()});
        tab.tell(
            "/goog/cdp/execute",
            json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}),
        )
        .await;
        tab
    }
}

/// A browser with one page: a session of [WebDriver](https://www.w3.org/TR/webdriver2/).
pub(super) struct Tab {
    client: Client<HttpConnector, Full<Bytes>>,
    /// The session's address at the driver.
    session: String,
    pub(super) screen: Screen,
}

impl Tab {
    pub(super) async fn open(&self, address: &str) {
        self.tell("/url", json!({ "url": address })).await;
    }

    pub(super) async fn address(&self) -> String {
        self.read("/url").await.as_str().unwrap().to_owned()
    }

    pub(super) async fn title(&self) -> String {
        self.read("/title").await.as_str().unwrap().to_owned()
    }

    /// What the body of a function in the page returns.
    pub(super) async fn ask(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.tell("/execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// Types into what has the focus.
    pub(super) async fn type_text(&self, text: &str) {
        let Value::Object(element) = self.read("/element/active").await else { unreachable!() };
        // The id is the only member, under a constant name that WebDriver defines.
        let element = element.values().next().unwrap().as_str().unwrap();
        self.tell(&format!("/element/{element}/value"), json!({ "text": text })).await;
    }

    /// Every address that the page has asked for since this was last called, data within it excepted.
    pub(super) async fn requests(&self) -> Vec<String> {
        let entries = self.log("performance").await;
        let events = entries
            .iter()
            .map(|entry| -> Value { serde_json::from_str(entry["message"].as_str().unwrap()).unwrap() });
        let asked = events.filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
        let addresses =
            asked.map(|event| event["message"]["params"]["request"]["url"].as_str().unwrap().to_owned());
        addresses.filter(|address| !address.starts_with("data:")).collect()
    }

    /// Errors in the console since this was last called: of scripts, of files that did not come, of the
    /// policy.
    pub(super) async fn errors(&self) -> Vec<String> {
        let entries = self.log("browser").await;
        let errors = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        errors.map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let Value::Array(entries) = self.tell("/se/log", json!({ "type": kind })).await else {
            unreachable!()
        };
        entries
    }

    pub(super) async fn close(self) {
        self.send(Method::DELETE, "", None).await;
    }

    async fn read(&self, command: &str) -> Value {
        self.send(Method::GET, command, None).await
    }

    async fn tell(&self, command: &str, body: Value) -> Value {
        self.send(Method::POST, command, Some(body)).await
    }

    /// Sends a command, which is named by its path below the session, and returns the `value` of the
    /// response.
    async fn send(&self, method: Method, command: &str, body: Option<Value>) -> Value {
        let address = format!("{}{command}", self.session);
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = Request::builder().method(method).uri(&address).body(Full::new(body)).unwrap();
        let response = self.client.request(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let mut response: Value = serde_json::from_slice(&body).unwrap();
        assert!(status.is_success(), "{address}: {response}");
        response["value"].take()
    }
}
