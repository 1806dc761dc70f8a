//! The package: its manifest for npm, its README, and the index of everything that it exports.

use super::{Context, client, lines, text::literal};
use crate::{emit, ir::Operation, package::Package, render::Origin};
use serde_json::{Value, json};

/// What the runtime exports as values, and as types.
pub(super) const VALUES: &[&str] =
    &["ApiError", "BodyError", "ConnectionError", "EventStream", "WebhookError"];
const TYPES: &[&str] = &[
    "Api",
    "ByteStream",
    "Bytes",
    "Call",
    "CallOptions",
    "ConnectionOptions",
    "Credential",
    "Failure",
    "Message",
    "PagedCall",
    "Password",
    "StreamCall",
    "Success",
    "WebhookOptions",
];

/// The end of the manifest. The first condition that fits is taken, so `default` is the last one.
const EXPORTS: &str = r#"  "exports": {
    ".": { "types": "./index.d.ts", "default": "./index.js" },
    "./package.json": "./package.json",
    "./*": { "types": "./*.d.ts", "default": "./*.js" }
  },
  "files": ["*.js", "*.d.ts", "runtime"]
}
"#;

/// The manifest, the README and the index.
pub(super) fn files(context: &Context<'_>, package: &Package) -> Vec<(String, String)> {
    let mut modules: Vec<&str> = context.names.modules.iter().map(String::as_str).collect();
    if !context.api.webhooks.is_empty() {
        modules.push("webhooks");
    }
    let all: String = modules.iter().map(|module| format!("export * from './{module}.js';\n")).collect();
    let header = context.header("package");
    let code = format!(
        "{}export {{ connect }} from './client.js';\n{all}{}",
        context.module_header("package", "index"),
        lines::names("export", VALUES, "./runtime/index.js")
    );
    // A type of the document comes before one of the runtime, which is in the module `runtime/index` too.
    let types: Vec<&str> = TYPES.iter().filter(|name| !context.names.has_type(name)).copied().collect();
    let list = |keyword: &str, names: &[&str]| lines::names(keyword, names, "./runtime/index.js");
    let declarations = format!(
        "{header}export {{ connect, type ConnectOptions }} from './client.js';\n{all}export type * from './types.js';\n{}{}",
        list("export", VALUES),
        list("export type", &types)
    );
    vec![
        ("package.json".to_owned(), manifest(context, package)),
        ("README.md".to_owned(), readme(context, package)),
        ("index.js".to_owned(), code),
        ("index.d.ts".to_owned(), declarations),
    ]
}

/// The name of the package.
fn name(context: &Context<'_>) -> String {
    let own = context.options.javascript.as_ref().and_then(|options| options.name.clone());
    own.unwrap_or_else(|| format!("{}-client", context.api.name))
}

fn manifest(context: &Context<'_>, package: &Package) -> String {
    let title = package.title.as_deref().unwrap_or(emit::title(context.api));
    let mut members: Vec<(&str, Value)> = vec![
        // Comments are no part of JSON; npm leaves this key alone.
        ("//", Origin::of(context.options).mark().into()),
        ("name", name(context).into()),
        ("version", package.version.clone().into()),
        ("description", format!("Client of the {title}").into()),
    ];
    if !package.publish {
        members.push(("private", true.into()));
    }
    members.extend(package.license.clone().map(|license| ("license", license.into())));
    if let Some((author, others)) = package.authors.split_first() {
        members.push(("author", author.clone().into()));
        if !others.is_empty() {
            members.push(("contributors", others.into()));
        }
    }
    let repository = package.repository.as_ref();
    members.extend(repository.map(|url| ("repository", json!({ "type": "git", "url": url }))));
    members.extend(package.homepage.clone().map(|homepage| ("homepage", homepage.into())));
    members.extend([
        ("keywords", package.keywords.clone().into()),
        ("type", "module".into()),
        ("sideEffects", false.into()),
        ("engines", json!({ "node": ">=20" })),
        ("types", "./index.d.ts".into()),
    ]);
    let mut text = "{\n".to_owned();
    for (key, value) in members {
        text.push_str(&format!("  {}: {value},\n", Value::from(key)));
    }
    text + EXPORTS
}

/// How calls are made.
const USE: &str = "\
- `await operation(api, request, options)` is the body of a success. Anything else is an `ApiError` with `status`, `code`,
  `message`, `fields`, `requestId` and `retryAfter`; without a response it is a `ConnectionError`.
- `.response()` also has `status` and `headers`. `.result()` returns errors too, as a union by `status`. `.raw()` is the
  response of `fetch`.
- `.items()` and `.pages()` of lists follow their pages. A stream of events is iterated with `for await`.
- Requests that are safe to repeat are sent again after a lost connection, 408, 429, 500, 502, 503 or 504, and `Retry-After` is
  honored. An operation that takes an `Idempotency-Key` gets one, which all attempts share.
- `signal`, `timeout`, `retries`, `headers` and `idempotencyKey` are options of each call.
- Names are those of the interface, so nothing is renamed. Integers beyond 2^53 lose digits, as always in JavaScript.
";

/// A call that can be shown, with its module: one that needs no parameters if there is one.
fn shown<'a>(context: &'a Context<'_>) -> Option<(String, &'a str)> {
    let find = |is_fit: fn(&Operation) -> bool| {
        context.api.groups.iter().enumerate().find_map(|(index, group)| {
            let at = group.operations.iter().position(is_fit)?;
            Some((context.names.functions[index][at].name.as_str(), context.names.modules[index].as_str()))
        })
    };
    let needs_nothing = |operation: &Operation| {
        operation.method == "GET" && operation.parameters.iter().all(|parameter| !parameter.required)
    };
    let plain = find(needs_nothing).map(|(name, module)| (name, module, "api"));
    let (name, module, arguments) =
        plain.or_else(|| find(|_| true).map(|(name, module)| (name, module, "api, request")))?;
    Some((format!("{name}({arguments})"), module))
}

fn readme(context: &Context<'_>, package: &Package) -> String {
    let api = context.api;
    let (mark, name) = (Origin::of(context.options).mark(), name(context));
    let title = package.title.as_deref().unwrap_or(emit::title(api));
    let mut text = format!(
        "<!-- {mark} -->\n# {name}\n\nClient of the {title} {}, for browsers, Node (20 or later), Deno and workers.\n\n",
        api.version
    );
    text.push_str(&emit::overview(api));
    let Some((call, module)) = shown(context) else { return text };
    let function = call.split('(').next().unwrap_or_default();
    let option = client::options(api)
        .first()
        .map(|(_, option)| format!(", {}: () => credential", super::text::property(option)));
    let server = api.servers.first().map_or("https://api.example.com", |server| server.url.as_str());
    let server = if server.contains("://") { server } else { "https://api.example.com" };
    text.push_str(&format!(
        "```js\nimport {{ ApiError, connect }} from '{name}';\nimport {{ {function} }} from '{name}/{module}';\n\n\
         const api = connect({{ server: {}{} }});\nconst body = await {call};\n```\n\n",
        literal(server),
        option.unwrap_or_default()
    ));
    text.push_str(USE);
    if let Some(license) = &package.license {
        text.push_str(&format!("\nLicense: {license}\n"));
    }
    text
}
