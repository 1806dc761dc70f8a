//! The page of the console, where people manage their account.
//!
//! It is the same for everybody and contains nothing of anybody: its scripts ask the service who is signed
//! in. That is why a cookie that other websites cannot send (`SameSite=Strict`) breaks no link to it.

use crate::files::{console_modules, console_styles, release};

/// Where the page is. The modules decide by the address what they show, so every address can be reloaded.
/// The interfaces of the console are below the same path, and a wrong address there is not a page.
pub const CONSOLE_PATHS: [&str; 28] = [
    "/console",
    "/console/account",
    "/console/activities",
    "/console/audit",
    "/console/board",
    "/console/board/{*page}",
    "/console/calendars",
    "/console/channels",
    "/console/channels/{*page}",
    "/console/chatbots",
    "/console/chatbots/{*page}",
    "/console/contacts",
    "/console/contacts/{*page}",
    "/console/conversations",
    "/console/conversations/{*page}",
    "/console/deals/{*page}",
    "/console/domains",
    "/console/domains/{*page}",
    "/console/faqs",
    "/console/faqs/{*page}",
    "/console/inbox",
    "/console/inbox/{*page}",
    "/console/keys",
    "/console/profile",
    "/console/team",
    "/console/usage",
    "/console/webhooks",
    "/console/webhooks/{*page}",
];

/// The Content-Security-Policy of the page: its own files and its own service. No text is ever read as
/// markup, which browsers enforce, and no other website may show it in a frame.
pub const CONSOLE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types lit-html";

/// The symbol in the tab of a browser: the bell of a front desk.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' \
    fill='none' stroke='%233f8f5f' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='M4 17.5h16M6 17.5a6 \
    6 0 0 1 12 0M12 11.5V8M9.5 8h5M3 20.5h18'/%3E%3C/svg%3E";

/// Returns the page as it is served at a path. Its addresses are relative to that, so it also works below a
/// path prefix of a proxy.
pub fn console(path: &str) -> String {
    let depth = path.matches('/').count().saturating_sub(1);
    let web = format!("{}web/{}", "../".repeat(depth), release());
    let styles: String = console_styles()
        .iter()
        .map(|sheet| format!("<link rel=\"stylesheet\" href=\"{web}/{sheet}\">\n"))
        .collect();
    let preloads: String = console_modules()
        .iter()
        .map(|module| format!("<link rel=\"modulepreload\" href=\"{web}/{module}\">\n"))
        .collect();
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Frontdesk</title>
<link rel="icon" href="{ICON}">
{styles}{preloads}<script type="module" src="{web}/console/main.js"></script>
<link rel="license" href="{web}/vendor/lit/LICENSE">
</head>
<body><noscript>The console needs JavaScript.</noscript></body>
</html>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_every_depth() {
        let release = release();
        for (path, address) in [
            ("/console", format!("\"web/{release}/console/main.js\"")),
            ("/console/keys", format!("\"../web/{release}/console/main.js\"")),
            ("/console/chatbots/1/websites/2", format!("\"../../../../web/{release}/console/main.js\"")),
        ] {
            assert!(console(path).contains(&address), "{path}: {address}");
        }
    }
}
