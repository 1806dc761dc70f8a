//! The files that are the same for every document: the library that generated functions call.

use super::Context;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("runtime/", $name)))),+]
    };
}

/// Names and texts.
const FILES: &[(&str, &str)] = files![
    "address.js",
    "bodies.js",
    "call.js",
    "credentials.js",
    "errors.js",
    "events.js",
    "index.d.ts",
    "index.js",
    "keys.js",
    "limit.js",
    "multipart.js",
    "pages.js",
    "retries.js",
    "servers.js",
    "styles.js",
    "webhooks.js",
];

/// The runtime, as files of the package.
pub(super) fn files(context: &Context<'_>) -> Vec<(String, String)> {
    let file = |(name, text): &(&str, &str)| {
        let module = name.strip_suffix(".js").filter(|module| is_declared(module));
        let header = match module {
            Some(module) => context.module_header("runtime", module),
            None => context.header("runtime"),
        };
        (format!("runtime/{name}"), format!("{header}{text}"))
    };
    FILES.iter().map(file).collect()
}

/// Whether the declarations of a module are beside it.
fn is_declared(module: &str) -> bool {
    FILES.iter().any(|(name, _)| name.strip_suffix(".d.ts") == Some(module))
}
