//! [`Hands`]: what a person does with a page, who knows only what it says and has a keyboard.

use serde_json::{Value, json};

use crate::{browser::Tab, patience::until};

pub(super) const ENTER: &str = "\u{e007}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const CONTROL: &str = "\u{e009}";
pub(super) const DOWN: &str = "\u{e015}";
pub(super) const UP: &str = "\u{e013}";
pub(super) const HOME: &str = "\u{e011}";
pub(super) const END: &str = "\u{e010}";

/// Finds what can be pressed and is shown: the last by its name, within the topmost dialog if there is one.
const FIND: &str = "
    const name = element => (element.getAttribute('aria-label') ?? element.innerText).trim();
    const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    const found = [...place.querySelectorAll('button, a[href], summary')].filter(element => element.checkVisibility());
    const element = found.find(element => name(element) === arguments[0]) ?? found.find(element => name(element).startsWith(arguments[0]));";

pub(super) struct Hands<'t>(pub(super) &'t Tab);

impl Hands<'_> {
    /// Waits until the page says this.
    pub(super) async fn sees(&self, text: &str) {
        let script = "return document.body.innerText.includes(arguments[0])";
        let seen = async || (self.0.ask(script, vec![json!(text)]).await == json!(true)).then_some(());
        until(&format!("the page says {text:?}"), seen).await;
    }

    /// Presses a button or follows a link, once it is there and not disabled.
    pub(super) async fn press(&self, name: &str) {
        let script = format!(
            "{FIND} if (!element || element.disabled) return false; element.focus(); return document.activeElement === element;"
        );
        until(&format!("{name:?} can be pressed"), async || {
            (self.0.ask(&script, vec![json!(name)]).await == json!(true)).then_some(())
        })
        .await;
        self.0.press(ENTER).await;
    }

    /// Waits until a dialog is there. What it asks for may stand on the page behind it, too.
    pub(super) async fn sees_dialog(&self) {
        until("a dialog is there", async || {
            let open = "return document.querySelector('dialog[open]') !== null";
            (self.0.ask(open, vec![]).await == json!(true)).then_some(())
        })
        .await;
    }

    /// Presses a button of a dialog, once that is there.
    pub(super) async fn press_in_dialog(&self, name: &str) {
        self.sees_dialog().await;
        self.press(name).await;
    }

    /// Writes into a field instead of what is in it, once it is there.
    pub(super) async fn fill(&self, label: &str, text: &str) {
        let script = "
            const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            const found = [...place.querySelectorAll('label')].find(label => label.innerText.trim().startsWith(arguments[0]));
            if (!found) return false;
            found.control.focus();
            found.control.select();
            return document.activeElement === found.control;";
        until(&format!("there is a field {label:?}"), async || {
            (self.0.ask(script, vec![json!(label)]).await == json!(true)).then_some(())
        })
        .await;
        self.0.type_text(text).await;
    }

    /// Waits until what has this name has the focus.
    pub(super) async fn has_focus(&self, name: &str) {
        until(&format!("{name:?} has the focus"), async || {
            self.focused().await.starts_with(name).then_some(())
        })
        .await;
    }

    /// Sends a request of the public interface with the session of the page.
    pub(super) async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        let script = "
            const [method, path, body] = arguments;
            const headers = { 'content-type': 'application/json' };
            return fetch('/console/api/v1' + path, { method, headers, body: body === null ? undefined : JSON.stringify(body) })
                .then(async response => ({ status: response.status, body: await response.text() }));";
        let response = self.0.ask(script, vec![json!(method), json!(path), body]).await;
        let status = response["status"].as_u64().unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {response}");
        serde_json::from_str(response["body"].as_str().unwrap()).unwrap_or(Value::Null)
    }

    /// What has the focus: its label, its name or its text.
    pub(super) async fn focused(&self) -> String {
        let script = "
            const { activeElement: element } = document;
            return (element.labels?.[0]?.innerText ?? element.getAttribute('aria-label') ?? element.innerText).trim();";
        match self.0.ask(script, vec![]).await {
            Value::String(name) => name,
            other => panic!("{other}"),
        }
    }
}
