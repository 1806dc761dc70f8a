//! The page on which recipients of follow-ups unsubscribe: HTML without scripts, and without anything from
//! elsewhere.

/// Forbids everything but the form of the page.
pub(crate) const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The question. Opening it changes nothing, because mail programs open links by themselves; its form does.
pub(crate) fn asked(account: &str) -> String {
    let account = escaped(account);
    page(
        "Unsubscribe",
        &format!(
            "<p>Do you want no more e-mails from {account}?</p>\n\
             <form method=\"post\"><button type=\"submit\">Unsubscribe</button></form>"
        ),
    )
}

/// The confirmation.
pub(crate) fn unsubscribed(account: &str) -> String {
    page("Unsubscribed", &format!("<p>You get no more e-mails from {}.</p>", escaped(account)))
}

fn page(title: &str, content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<h1>{title}</h1>\n{content}\n</html>\n"
    )
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        for page in [asked("<script>alert(1)</script> & \"Co\""), unsubscribed("<b>'x'")] {
            assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
            assert!(page.contains("&lt;"), "{page}");
        }
    }
}
