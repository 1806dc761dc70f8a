//! [`Browser`]: a headless Chromium, driven over WebDriver, and its notes about a page.
//!
//! It is named by `FRONTDESK_BROWSER`, with its `chromedriver` in the path; without it the tests that need
//! one say that they are skipped.

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
pub(crate) struct Screen(u32, u32);

pub(crate) const DESKTOP: Screen = Screen(1400, 900);
pub(crate) const PHONE: Screen = Screen(390, 844);
/// The narrowest screen that pages are made for.
pub(crate) const NARROW: Screen = Screen(360, 740);

impl Screen {
    /// Whether the list of operations is shown beside the page; elsewhere it is behind a button.
    pub(crate) fn has_sidebar(self) -> bool {
        self.0 >= DESKTOP.0
    }
}

/// The driver of a browser, and where it listens.
pub(crate) struct Browser {
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
    pub(crate) fn start(test: &str) -> Option<Self> {
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
    pub(crate) async fn tab(&self, screen: Screen) -> Tab {
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
pub(crate) struct Tab {
    client: Client<HttpConnector, Full<Bytes>>,
    /// The session's address at the driver.
    session: String,
    pub(crate) screen: Screen,
}

impl Tab {
    pub(crate) async fn open(&self, address: &str) {
        self.tell("/url", json!({ "url": address })).await;
    }

    pub(crate) async fn address(&self) -> String {
        self.read("/url").await.as_str().unwrap().to_owned()
    }

    pub(crate) async fn title(&self) -> String {
        self.read("/title").await.as_str().unwrap().to_owned()
    }

    /// What the body of a function in the page returns.
    pub(crate) async fn ask(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.tell("/execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// Lets the tab look into a frame, which a script returns, instead of the page.
    pub(crate) async fn enter_frame(&self, script: &str) {
        let frame = self.ask(script, vec![]).await;
        self.tell("/frame", json!({ "id": frame })).await;
    }

    /// Lets the tab look at the page again.
    pub(crate) async fn leave_frame(&self) {
        self.tell("/frame", json!({ "id": null })).await;
    }

    /// Presses keys one after the other, as a person does: whatever has the focus gets them. Those without a
    /// letter have code points of their own (WebDriver, "Keyboard actions").
    pub(crate) async fn press(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
            })
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.tell("/actions", json!({ "actions": [keyboard] })).await;
    }

    /// Presses a key while another one is held.
    pub(crate) async fn press_with(&self, held: &str, key: &str) {
        let strokes = [("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)]
            .map(|(kind, key)| json!({ "type": kind, "value": key }));
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.tell("/actions", json!({ "actions": [keyboard] })).await;
    }

    /// Runs a script before those of every page.
    pub(crate) async fn begin_pages_with(&self, script: &str) {
        let parameters = json!({ "source": script });
        let command = json!({ "cmd": "Page.addScriptToEvaluateOnNewDocument", "params": parameters });
        self.tell("/goog/cdp/execute", command).await;
    }

    /// Prefers dark colors from now on.
    pub(crate) async fn darken(&self) {
        let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        let command = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": dark } });
        self.tell("/goog/cdp/execute", command).await;
    }

    /// Gives the browser a device that keeps passkeys and verifies the person, as phones and laptops do
    /// (Web Authentication, "User Agent Automation"). Returns its name.
    pub(crate) async fn authenticator(&self) -> String {
        let device = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
            "isUserConsenting": true, "isUserVerified": true,
        });
        self.tell("/webauthn/authenticator", device).await.as_str().unwrap().to_owned()
    }

    /// Says whether the device recognizes the person from now on.
    pub(crate) async fn recognize(&self, authenticator: &str, is_recognized: bool) {
        let command = format!("/webauthn/authenticator/{authenticator}/uv");
        self.tell(&command, json!({ "isUserVerified": is_recognized })).await;
    }

    /// Keeps a picture of what is seen, if `FRONTDESK_SCREENSHOTS` names a folder for those who look at them.
    pub(crate) async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("FRONTDESK_SCREENSHOTS") else { return };
        let picture = self.read("/screenshot").await;
        let picture =
            base64::Engine::decode(&base64::prelude::BASE64_STANDARD, picture.as_str().unwrap()).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
    }

    /// What axe-core finds wrong with what the tab looks at, by the success criteria of WCAG 2.2 up to AA.
    /// Nothing if `FRONTDESK_TEST_AXE` does not name its script, which is said.
    pub(crate) async fn barriers(&self) -> Vec<String> {
        let Some(script) = std::env::var_os("FRONTDESK_TEST_AXE") else {
            // Straight to the stream, which the test harness does not capture.
            let mut terminal = std::io::stderr();
            writeln!(terminal, "skipped: barriers of a page (FRONTDESK_TEST_AXE is not set)").unwrap();
            return Vec::new();
        };
        let axe = std::fs::read_to_string(script).unwrap();
        let run = "
            return axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations, passes }) =>
                passes.length === 0 ? ['nothing was examined']
                    : violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html}: ${node.failureSummary}`)));";
        let found = self.ask(&format!("{axe}\n{run}"), vec![]).await;
        serde_json::from_value(found).unwrap()
    }

    /// Types into what has the focus.
    pub(crate) async fn type_text(&self, text: &str) {
        let Value::Object(element) = self.read("/element/active").await else { unreachable!() };
        // The id is the only member, under a constant name that WebDriver defines.
        let element = element.values().next().unwrap().as_str().unwrap();
        self.tell(&format!("/element/{element}/value"), json!({ "text": text })).await;
    }

    /// Every address that the page has asked for since this was last called, data within it excepted.
    pub(crate) async fn requests(&self) -> Vec<String> {
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
    pub(crate) async fn errors(&self) -> Vec<String> {
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

    pub(crate) async fn close(self) {
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
