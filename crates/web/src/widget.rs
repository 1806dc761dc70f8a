//! The script that a website includes, and the page of the chat in its frame.

use std::sync::LazyLock;

use serde::Serialize;

use crate::files::{compact, panel_modules, release};

/// The placeholder of the appearance in the script.
const APPEARANCE: &str = "'appearance'";

static LOADER: LazyLock<String> = LazyLock::new(|| compact(include_str!("../widget/loader.js")));
static SHEET: LazyLock<String> = LazyLock::new(|| compact(include_str!("../widget/loader.css")));

/// How a widget looks on the page of a website.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// The key of the widget.
    pub key: &'a str,
    /// The name of the business, which names the frame for screen readers.
    pub title: &'a str,
    /// The text on the button, or `None` for a symbol only.
    pub button_text: Option<&'a str>,
    /// The color of the button, as `#rrggbb`.
    pub color: &'a str,
    /// Whether the button is at the start of lines of text, which is on the left in most languages.
    pub is_at_start: bool,
}

#[derive(Serialize)]
struct Appearance<'a> {
    key: &'a str,
    title: &'a str,
    button_text: Option<&'a str>,
    side: &'static str,
    colors: Colors<'a>,
    sheet: &'static str,
}

#[derive(Serialize)]
struct Colors<'a> {
    #[serde(rename = "--accent")]
    accent: &'a str,
    #[serde(rename = "--on-accent")]
    on_accent: &'static str,
}

/// Returns the script that a website includes: the button, and what opens the chat.
pub fn loader(look: &Look<'_>) -> String {
    let appearance = Appearance {
        key: look.key,
        title: look.title,
        button_text: look.button_text.filter(|text| !text.trim().is_empty()),
        side: if look.is_at_start { "start" } else { "" },
        colors: Colors { accent: look.color, on_accent: readable_on(look.color) },
        sheet: &SHEET,
    };
    // Texts and colors are strings, which are always written.
    let appearance = serde_json::to_string(&appearance).unwrap_or_default();
    LOADER.replacen(APPEARANCE, &appearance, 1)
}

/// The page of the chat, which websites show in a frame.
#[derive(Clone, Debug)]
pub struct PanelPage<'a> {
    /// The title: the name of the business.
    pub title: &'a str,
    /// The language of the chatbot (BCP 47), if one is set.
    pub language: Option<&'a str>,
    /// The origins of the websites that may show the chat. If there are none, every website may.
    pub origins: &'a [&'a str],
}

/// Returns the page of the chat and its Content-Security-Policy.
///
/// By the `sandbox` of the policy the page has an origin of its own: it reaches nothing of this service that
/// needs a cookie, and nothing of the website around it. Its addresses are relative, so it also works below a
/// path prefix of a proxy.
pub fn panel(page: &PanelPage<'_>) -> (String, String) {
    let origins = page.origins;
    // The contract lets nothing else in, but a space or a semicolon would make another policy of it.
    let is_source =
        |origin: &str| origin.bytes().all(|byte| byte.is_ascii_graphic() && !b";,'".contains(&byte));
    let allowed: Vec<&str> = origins.iter().copied().filter(|origin| is_source(origin)).collect();
    let ancestors = match (origins.is_empty(), allowed.is_empty()) {
        (true, _) => "*".to_owned(),
        (false, true) => "'none'".to_owned(),
        (false, false) => allowed.join(" "),
    };
    (html(page.title, page.language), policy(&ancestors))
}

/// Returns the page of the chat for previews, and its Content-Security-Policy. It belongs to no widget: the
/// console, which alone may show it, says how it looks.
pub fn preview() -> (String, String) {
    (html("", None), policy("'self'"))
}

fn html(title: &str, language: Option<&str>) -> String {
    let release = release();
    let preloads: String = panel_modules()
        .iter()
        .map(|path| format!("<link rel=\"modulepreload\" href=\"../../web/{release}/{path}\">\n"))
        .collect();
    let language = language.map(|code| format!(" lang=\"{}\"", escaped(code))).unwrap_or_default();
    format!(
        r#"<!doctype html>
<html{language}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="stylesheet" href="../../web/{release}/widget/panel.css">
{preloads}<script type="module" src="../../web/{release}/widget/panel.js"></script>
<link rel="license" href="../../web/{release}/vendor/lit/LICENSE">
</head>
<body></body>
</html>
"#,
        title = escaped(title),
    )
}

fn policy(ancestors: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}; require-trusted-types-for 'script'; \
         trusted-types lit-html; \
         sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
    )
}

/// Returns black or white, whichever can be read on a color; white where both can.
fn readable_on(color: &str) -> &'static str {
    let channel = |place: usize| {
        let digits = color.get(1 + 2 * place..3 + 2 * place).unwrap_or_default();
        let value = f64::from(u8::from_str_radix(digits, 16).unwrap_or_default()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    // Relative luminance, and the contrast ratio that WCAG asks of text.
    let luminance = 0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2);
    let on_white = 1.05 / (luminance + 0.05);
    if on_white >= 4.5 { "#ffffff" } else { "#111111" }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_business_stay_texts() {
        let page = PanelPage { title: "</title><b> & \"Co\"", language: Some("\"><b>"), origins: &[] };
        let (html, _) = panel(&page);
        assert!(html.contains("<title>&lt;/title&gt;&lt;b&gt; &amp; &quot;Co&quot;</title>"), "{html}");
        assert!(!html.contains("<b>"), "{html}");
        let look = Look {
            key: "k",
            title: "'appearance'\u{2028}",
            button_text: Some("'); alert(1)//\n"),
            color: "#2f5d3a",
            is_at_start: false,
        };
        let script = loader(&look);
        assert!(script.contains(r#""button_text":"'); alert(1)//\n""#), "{script}");
        assert_eq!(script.matches("\"sheet\"").count(), 1, "{script}");
    }

    #[test]
    fn a_frame_is_allowed_where_the_list_says() {
        let ancestors = |origins: &[&str]| {
            let (_, policy) = panel(&PanelPage { title: "", language: None, origins });
            policy.split("; ").find_map(|part| part.strip_prefix("frame-ancestors ")).unwrap().to_owned()
        };
        assert_eq!(ancestors(&[]), "*");
        assert_eq!(
            ancestors(&["https://a.example", "http://b.example:81"]),
            "https://a.example http://b.example:81"
        );
        assert_eq!(ancestors(&["https://a.example; script-src *"]), "'none'");
        assert!(preview().1.contains("; frame-ancestors 'self'; "), "{}", preview().1);
    }

    #[test]
    fn the_text_on_the_button_can_be_read() {
        for (color, text) in
            [("#2f5d3a", "#ffffff"), ("#000000", "#ffffff"), ("#ffcc00", "#111111"), ("#ffffff", "#111111")]
        {
            assert_eq!(readable_on(color), text, "{color}");
        }
    }
}
