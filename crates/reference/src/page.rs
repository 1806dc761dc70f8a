//! Owns the page itself: its HTML with the document inside, and the policy that browsers hold it to.

use crate::assets::{Asset, ICON, LICENSE, SCALAR, START, STYLE};
use crate::display;
use crate::json::Json;

/// What the page may do, as a Content-Security-Policy; it is in the page too, for those who open it from a folder.
///
/// Scripts come from beside the page, and none opens a connection. Styles may stand within elements, because Scalar
/// sets them there. A server adds `frame-ancestors`, which browsers take from a header only.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                          img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// The page with what belongs to it. The same files work from a folder and from a server.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page. It refers to its assets, and to the document as `openapi.yaml` and `openapi.json` beside it.
    pub html: String,
    /// The files that it loads, and their licences.
    pub assets: Vec<Asset>,
}

/// Why there is no page of a text.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The text is not JSON, or nests deeper than 127 levels.
    #[error("the document cannot be read as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The value is no document.
    #[error("the document has no `info` object with a `title`; is it an OpenAPI document?")]
    NoTitle,
}

/// Makes the page of a document: OpenAPI in one file, as JSON.
pub fn page(document: &str) -> Result<Page, PageError> {
    let mut document: Json = serde_json::from_str(document)?;
    let info = document.as_object().and_then(|root| root.get("info")).and_then(Json::as_object);
    let text = |key: &str| info.and_then(|info| info.get(key)).and_then(Json::as_text);
    let title = text("title").ok_or(PageError::NoTitle)?;
    let title = escaped(&format!("{title} {}", text("version").unwrap_or_default()));
    display::prepare(&mut document);
    offer_downloads(&mut document);
    // Within a script element only `<` could end it, and JSON has an escape for that.
    let document = serde_json::to_string(&document)?.replace('<', "\\u003c");
    let html = format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" type="image/svg+xml" href="{icon}">
<link rel="stylesheet" href="{style}">
<link rel="license" href="{license}">
</head>
<body>
<noscript>This page needs JavaScript. What it shows is in <a href="openapi.yaml">openapi.yaml</a> too.</noscript>
<div id="reference"></div>
<script type="application/json" id="document">{document}</script>
<script src="{scalar}"></script>
<script src="{start}"></script>
</body>
</html>
"#,
        title = title.trim_end(),
        icon = ICON.path,
        style = STYLE.path,
        license = LICENSE.path,
        scalar = SCALAR.path,
        start = START.path,
    );
    Ok(Page { html, assets: vec![ICON, STYLE, SCALAR, LICENSE, START] })
}

/// Scalar would offer what it was given, marks in the descriptions included; the document itself is better.
fn offer_downloads(document: &mut Json) {
    let Some(Json::Object(info)) = document.as_object_mut().and_then(|root| root.get_mut("info")) else {
        return;
    };
    let links = "The document itself: [openapi.yaml](openapi.yaml), [openapi.json](openapi.json).";
    let description = info.get("description").and_then(Json::as_text).unwrap_or_default();
    info.insert("description".to_owned(), Json::Text(format!("{links}\n\n{description}")));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document within the page, read as a browser does.
    fn shown(page: &Page) -> &str {
        let (_, rest) = page.html.split_once(r#"id="document">"#).unwrap();
        rest.split_once("</script>").unwrap().0
    }

    #[test]
    fn a_document_cannot_leave_its_place() {
        let document =
            r#"{"info": {"title": "<Pets> & \"Co\"", "version": "1", "description": "</script><b>"}}"#;
        let page = page(document).unwrap();
        assert!(page.html.contains("<title>&lt;Pets&gt; &amp; &quot;Co&quot; 1</title>"), "{}", page.html);
        assert!(!page.html.contains("<b>"), "{}", page.html);
        let shown: serde_json::Value = serde_json::from_str(shown(&page)).unwrap();
        assert!(shown["info"]["description"].as_str().unwrap().ends_with("\n\n</script><b>"), "{shown}");
    }

    #[test]
    fn what_is_no_document_is_refused_with_a_reason() {
        for (text, reason) in [
            ("openapi: 3.0.3", "the document cannot be read as JSON: "),
            (&format!("{}1{}", "[".repeat(500), "]".repeat(500)), "the document cannot be read as JSON: "),
            ("[]", "the document has no `info` object with a `title`"),
            (r#"{"info": {"title": 7}}"#, "the document has no `info` object with a `title`"),
        ] {
            let error = page(text).unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn everything_that_is_loaded_is_beside_the_page() {
        let page = page(r#"{"info": {"title": "Pets"}}"#).unwrap();
        let loaded: Vec<_> =
            page.html.split(&['"', '\''][..]).filter(|text| text.starts_with("docs/")).collect();
        let assets: Vec<_> = page.assets.iter().map(|asset| asset.path).collect();
        assert_eq!(loaded.len(), assets.len(), "{loaded:?}");
        assert!(loaded.iter().all(|path| assets.contains(path)), "{loaded:?}");
        for asset in &page.assets {
            assert!(!asset.content.text().is_empty(), "{}", asset.path);
        }
    }
}
