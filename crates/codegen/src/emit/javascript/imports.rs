//! What modules of tags import from the runtime.

use super::lines::names;
use std::collections::BTreeSet;

/// The modules of the runtime, with what modules of tags import from them.
pub(super) const RUNTIME: &[(&str, &[&str])] = &[
    ("address", &["exploded", "keepReserved", "simple"]),
    (
        "bodies",
        &[
            "readByType",
            "readBytes",
            "readForm",
            "readJson",
            "readText",
            "sendByType",
            "sendBytes",
            "sendForm",
            "sendJson",
            "sendText",
        ],
    ),
    ("call", &["call"]),
    ("events", &["readEvents", "readTextEvents", "stream"]),
    ("keys", &["keyed"]),
    ("multipart", &["sendMultipart"]),
    ("pages", &["byAddress", "byCursor", "byLink", "byNumber", "byOffset", "onePage", "paged"]),
    ("servers", &["ownServer"]),
    (
        "styles",
        &[
            "asJson",
            "brackets",
            "commas",
            "header",
            "headerExploded",
            "headerJson",
            "inCookies",
            "jsonIfNested",
            "label",
            "labelExploded",
            "matrix",
            "matrixExploded",
            "pipes",
            "simpleExploded",
            "simpleJson",
            "spaces",
        ],
    ),
];

/// The lines that import these functions, with a blank line behind them.
pub(super) fn runtime_imports(calls: &BTreeSet<&'static str>) -> String {
    let mut lines = String::new();
    for (module, exported) in RUNTIME {
        let used: Vec<&str> = exported.iter().copied().filter(|name| calls.contains(name)).collect();
        if !used.is_empty() {
            lines.push_str(&names("import", &used, &format!("./runtime/{module}.js")));
        }
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}
