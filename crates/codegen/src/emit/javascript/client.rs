//! `connect`: where the service is, and the credentials that its operations require.

use super::{
    Context, lines,
    text::{comment, literal, paragraphs, property, prose},
};
use crate::ir::{Api, Credential, Scheme, Server};
use std::collections::BTreeSet;

/// What every connection takes beside credentials.
const TAKEN: &[&str] =
    &["allowInBrowser", "fetch", "headers", "init", "retries", "server", "timeout", "variables"];

/// The credentials that `connect` takes, with the names of their options.
pub(super) fn options(api: &Api) -> Vec<(&Scheme, String)> {
    let mut taken: BTreeSet<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    let mut options = Vec::new();
    for scheme in api.credentials() {
        let mut option = scheme.wire.clone();
        while !taken.insert(option.clone()) {
            option.push('_');
        }
        options.push((scheme, option));
    }
    options
}

/// The module with `connect`, and its declarations.
pub(super) fn files(context: &Context<'_>) -> Vec<(String, String)> {
    let api = context.api;
    let options = options(api);
    let header = context.header("client");
    vec![
        (
            "client.js".to_owned(),
            format!("{}{}", context.module_header("client", "client"), code(&api.servers, &options)),
        ),
        ("client.d.ts".to_owned(), format!("{header}{}", declarations(&api.servers, &options))),
    ]
}

fn code(servers: &[Server], options: &[(&Scheme, String)]) -> String {
    let mut imports = BTreeSet::new();
    let schemes: String = options
        .iter()
        .filter_map(|(scheme, option)| {
            let (name, argument) = match &scheme.credential {
                Credential::Bearer => ("bearer", None),
                Credential::Basic => ("basic", None),
                Credential::Http(name) => ("authorization", Some(name)),
                Credential::Header(name) => ("inHeader", Some(name)),
                Credential::Query(name) => ("inQuery", Some(name)),
                Credential::Cookie(name) => ("inCookie", Some(name)),
                Credential::Connection => return None,
            };
            imports.insert(name);
            let attach =
                argument.map_or_else(|| name.to_owned(), |argument| format!("{name}({})", literal(argument)));
            let server_only = if scheme.server_only { ", serverOnly" } else { "" };
            if scheme.server_only {
                imports.insert("serverOnly");
            }
            Some(format!("  [{}, {}, {attach}{server_only}],\n", literal(&scheme.wire), literal(option)))
        })
        .collect();
    let mut text = "import { connectTo } from './runtime/call.js';\n".to_owned();
    // Whatever a document does not need, no page loads.
    let (mut constants, mut described) = (String::new(), Vec::new());
    if let Some(server) = servers.first() {
        constants.push_str(&format!("const server = {};\n", literal(&server.url)));
        described.push("server");
    }
    let variables: Vec<String> = variables(servers)
        .iter()
        .map(|variable| format!("[{}, {}]", literal(&variable.wire), literal(&variable.default)))
        .collect();
    if !schemes.is_empty() {
        imports.insert("authorizer");
        constants.push_str(&format!("const schemes = [\n{schemes}];\n"));
        described.push("authorize: authorizer(options, schemes)");
    }
    let imports: Vec<&str> = imports.into_iter().collect();
    text.push_str(&lines::names("import", &imports, "./runtime/credentials.js"));
    if !variables.is_empty() {
        text.push_str("import { filler } from './runtime/servers.js';\n");
        constants.push_str(&format!("{};\n", lines::array("const variables = ", &variables)));
        described.push("fill: filler(options, variables)");
    }
    if !constants.is_empty() {
        text.push_str(&format!("\n{constants}"));
    }
    let described = described.join(", ");
    let described = if described.is_empty() { described } else { format!(", {{ {described} }}") };
    text.push_str(&format!(
        "\nexport function connect(options = {{}}) {{\n  return connectTo(options{described});\n}}\n"
    ));
    text
}

fn variables(servers: &[Server]) -> Vec<&crate::ir::ServerVariable> {
    let mut found: Vec<&crate::ir::ServerVariable> = Vec::new();
    for variable in servers.iter().flat_map(|server| &server.variables) {
        if !found.iter().any(|known| known.wire == variable.wire) {
            found.push(variable);
        }
    }
    found
}

fn declarations(servers: &[Server], options: &[(&Scheme, String)]) -> String {
    let mut members = String::new();
    let is_absolute = |server: &Server| server.url.contains("://") || server.url.starts_with('{');
    let is_known = servers.first().is_some_and(is_absolute);
    let mut urls: Vec<String> = Vec::new();
    for url in servers.iter().filter(|server| is_absolute(server)).map(|server| literal(&server.url)) {
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    urls.push(if urls.is_empty() { "string".to_owned() } else { "(string & {})".to_owned() });
    let described: Vec<String> = servers
        .iter()
        .filter_map(|server| {
            let docs = prose(server.docs.as_deref()).replace('\n', " ");
            (!docs.is_empty()).then(|| format!("- `{}`: {docs}", server.url.replace('`', "'")))
        })
        .collect();
    let default = match servers.first() {
        Some(server) => format!("The URL of the service; without one, `{}`.", server.url.replace('`', "'")),
        None => "The URL of the service.".to_owned(),
    };
    let docs = comment(&paragraphs(&[&default, &described.join("\n")]), &[], "  ");
    let mark = if servers.is_empty()
        || !is_known && servers.first().is_some_and(|server| !server.url.starts_with('/'))
    {
        ""
    } else {
        "?"
    };
    members.push_str(&format!("{docs}  server{mark}: {};\n", urls.join(" | ")));
    let variables = variables(servers);
    if !variables.is_empty() {
        members.push_str("  /** Variables in the URL of the service. */\n  variables?: {\n");
        for variable in variables {
            let docs = paragraphs(&[
                &prose(variable.docs.as_deref()),
                &format!("Without a value, `{}`.", variable.default.replace('`', "'")),
            ]);
            let ty = if variable.values.is_empty() {
                "string".to_owned()
            } else {
                variable.values.iter().map(|value| literal(value)).collect::<Vec<_>>().join(" | ")
            };
            members.push_str(&format!(
                "{}    {}?: {ty};\n",
                comment(&docs, &[], "    "),
                property(&variable.wire)
            ));
        }
        members.push_str("  };\n");
    }
    for (scheme, option) in options {
        let ty = if scheme.credential == Credential::Basic {
            "runtime.Credential<runtime.Password>"
        } else {
            "runtime.Credential"
        };
        let docs = prose(scheme.docs.as_deref());
        members.push_str(&format!("{}  {}?: {ty};\n", comment(&docs, &[], "  "), property(option)));
    }
    let optional = if mark.is_empty() { "" } else { "?" };
    format!(
        "import type * as runtime from './runtime/index.js';\n\n\
         /** Where the service is, and the credentials for it. */\n\
         export interface ConnectOptions extends runtime.ConnectionOptions {{\n{members}}}\n\n\
         /** Connects with the service. Nothing is sent before the first call. */\n\
         export function connect(options{optional}: ConnectOptions): runtime.Api;\n"
    )
}
