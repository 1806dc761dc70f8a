//! The page: its HTML with the embedded document, and its Content-Security-Policy.

use crate::assets::{Asset, ICON, LICENSE, SCALAR, START, STYLE};
use crate::display;
use crate::json::Json;

/// The Content-Security-Policy of the page. The page contains it too, for readers who open it from a folder.
///
/// Scripts are loaded from beside the page only, and open no connections. Inline styles are allowed because
/// Scalar uses them. A server should add `frame-ancestors`, which browsers accept in a header only.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                          img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// The page and its files. They work from a folder as well as from a server.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page. It links to its assets, and to the document as `openapi.yaml` and `openapi.json` beside it.
    pub html: String,
    /// The files that the page loads, and their licenses.
    pub assets: Vec<Asset>,
}

/// Why the page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The text is not JSON, or nests deeper than 127 levels.
    #[error("the document cannot be read as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The value is not an OpenAPI document.
    #[error("the document has no `info` object with a `title`; is it an OpenAPI document?")]
    NoTitle,
}

/// Makes the page of a document, which must be OpenAPI in a single JSON file.
pub fn page(document: &str) -> Result<Page, PageError> {
    let mut document: Json = serde_json::from_str(document)?;
    let info = document.as_object().and_then(|root| root.get("info")).and_then(Json::as_object);
    let text = |key: &str| info.and_then(|info| info.get(key)).and_then(Json::as_text);
    let title = text("title").ok_or(PageError::NoTitle)?;
    let title = escaped(&format!("{title} {}", text("version").unwrap_or_default()));
    display::prepare(&mut document);
    offer_downloads(&mut document);
    // In a script element only `<` could end the element; JSON has an escape sequence for it.
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

/// Adds links to the original document. Scalar would offer the display document for download, with its added
/// marks.
fn offer_downloads(document: &mut Json) {
    let Some(Json::Object(info)) = document.as_object_mut().and_then(|root| root.get_mut("info")) else {
        return;
    };
    let links = "The original document: [openapi.yaml](openapi.yaml), [openapi.json](openapi.json).";
    let description = info.get("description").and_then(Json::as_text).unwrap_or_default();
    info.insert("description".to_owned(), Json::Text(format!("{links}\n\n{description}")));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the document in the page, parsed as a browser does.
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
