//! Emitter of the root of the client crate: the client, its handles, and the servers.

use super::{
    super::{Source, Text, docs_or, features, ident, is_wide, model_crate, overview, prose::listed, title},
    builder, example,
};
use crate::{
    ir::{Answer, Api, Caller, Group, Operation, Server, Status, Type},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/root.rs";

/// The maximum length of the call that the overview opens with, in columns; its body has a line of its own.
const WIDEST_BODY: usize = 160;

/// What the overview says of calls and their errors.
const CALLS: &str = "\
Awaiting a call sends it. Its [`ResponseValue`] dereferences to the body and keeps status and headers. Its [`Error`] distinguishes
requests that were not sent, declared errors and all other responses, always with the received bytes.

[`ApiError`] is one error for all operations, with the code, the message and the fields that a response states. `?` converts
the error of each operation to it.

";

/// What the overview says of calls that the document does not describe.
const REACH: &str = "\
`with_query` and `header` of a call add what the document does not declare, and [`Client::raw_request`] reaches paths that it
does not describe.
";

/// The maximum line length of the example, in columns.
const WIDEST: usize = 90;

/// Returns `lib.rs`, and the list of its exports in a file of its own if that is long.
pub(super) fn emit(api: &Api) -> Vec<Source<'_>> {
    let mut modules = quote!(
        mod builder;
        mod call;
    );
    let mut exports = TokenStream::new();
    let mut handles = TokenStream::new();
    for group in &api.groups {
        let (module, name) = (ident(&group.module), ident(&group.name));
        let condition = features::of_group(api, group);
        modules.extend(quote!(#condition pub mod #module;));
        let from = if is_wide(api) { quote!(crate) } else { quote!(self) };
        exports.extend(quote!(#condition pub use #from::#module::#name;));
        let accessor = accessor(group);
        handles.extend(quote!(#condition #accessor));
    }
    let verifier = (!api.webhooks.is_empty()).then(|| {
        let feature = features::WEBHOOKS;
        quote!(
            #[cfg(feature = #feature)]
            pub use frontdesk_runtime::webhook::prelude::*;
        )
    });
    let mut preludes = quote!(
        pub use frontdesk_runtime::client::prelude::*;
        #verifier
    );
    let mut sources = Vec::new();
    if is_wide(api) {
        // A name that a file exports itself hides that of a prelude there; elsewhere the two would be
        // ambiguous.
        let preludes = std::mem::take(&mut preludes);
        // Each group defines the client's method that returns its handle.
        handles = TokenStream::new();
        modules.extend(quote!(
            mod exports;
        ));
        sources.push(Source {
            path: "client/src/exports.rs".to_owned(),
            emitter: EMITTER,
            text: Text::Rust {
                docs: "What the operations of each tag are called on, and what their calls need.".to_owned(),
                blocks: vec![Block::Rust(quote!(#exports #preludes))],
            },
        });
        let lenient = api.features.then(|| quote!(#[cfg_attr(not(feature = "all"), allow(unused_imports))]));
        exports = quote!(#lenient pub use self::exports::*;);
    }
    if !api.webhooks.is_empty() {
        let feature = features::WEBHOOKS;
        modules.extend(quote!(
            #[cfg(feature = #feature)]
            pub mod webhooks;
        ));
    }
    let model = ident(&model_crate(api));
    let servers = servers(api);
    let constructors = builder::constructors(api);
    let transport = if api.servers.is_empty() && constructors.is_empty() {
        quote!(
            use frontdesk_runtime::client::Transport;
        )
    } else {
        quote!(
            use frontdesk_runtime::client::{self, Transport};
        )
    };
    let lenient_links = features::lenient_links(api);
    let blocks = vec![
        Block::Rust(quote!(#lenient_links #modules)),
        Block::Rust(quote! {
            pub use self::builder::Builder;
            pub use self::call::Call;
            #exports
            pub use #model as model;
            pub use frontdesk_runtime as runtime;
            pub use frontdesk_runtime::client::{BuildError, Declared, Error, Raw, ResponseValue, RetryPolicy};
            #preludes
            #transport
        }),
        Block::Rust(quote! {
            /// A client. It is cheap to clone; a program needs only one.
            #[derive(Clone, Debug)]
            pub struct Client {
                transport: Transport,
            }

            impl Client {
                #servers

                #constructors

                /// Configures a client of the service at this URL.
                pub fn builder(base_url: impl Into<String>) -> Builder {
                    Builder::new(base_url)
                }

                /// Starts a request to a path that the document does not describe, with the base URL,
                /// credentials, middleware, time limits and retries of this client.
                pub fn raw_request(&self, method: &frontdesk_runtime::Method, path: &str) -> RawCall {
                    RawCall::new(&self.transport, method, path)
                }

                #handles
            }

            impl From<Transport> for Client {
                fn from(transport: Transport) -> Self {
                    Self { transport }
                }
            }
        }),
    ];
    sources.push(Source {
        path: "client/src/lib.rs".to_owned(),
        emitter: EMITTER,
        text: Text::Rust { docs: docs(api), blocks },
    });
    sources
}

/// Returns the client's method that returns the handle of a group.
pub(super) fn accessor(group: &Group) -> TokenStream {
    let (module, name) = (ident(&group.module), ident(&group.name));
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    quote! {
        #docs
        pub fn #module(&self) -> #name<'_> {
            #name { transport: &self.transport }
        }
    }
}

/// Returns the constant and the constructor for the servers of the document.
fn servers(api: &Api) -> TokenStream {
    if api.servers.is_empty() {
        return TokenStream::new();
    }
    let rows = api.servers.iter().map(server);
    quote! {
        /// The servers that the document declares.
        pub const SERVERS: &'static [client::Server] = &[#(#rows),*];

        /// Configures a client of one of [`SERVERS`](Self::SERVERS), with the default values of its
        /// variables. For other values, pass the URL from [`url_with`](client::Server::url_with) to
        /// [`builder`](Self::builder).
        ///
        /// Only such a client sends operations to servers of their own, if the document declares such.
        pub fn at(server: &client::Server) -> Builder {
            Builder::at(server)
        }
    }
}

fn server(server: &Server) -> TokenStream {
    let (url, description) = (&server.url, server.docs.as_deref().unwrap_or_default());
    let variables = server.variables.iter().map(|variable| {
        let (name, default, values) = (&variable.wire, &variable.default, &variable.values);
        quote!(client::Variable { name: #name, default: #default, values: &[#(#values),*] })
    });
    quote! {
        client::Server { url: #url, description: #description, variables: &[#(#variables),*] }
    }
}

/// Returns the overview: an example, the groups, and an explanation of calls.
fn docs(api: &Api) -> String {
    let mut text = format!("Client of the {} {}.\n\n", title(api), api.version);
    text.push_str(&overview(api));
    let task = task(api);
    match &task {
        Some(program) => text.push_str(&format!("```no_run\n{program}```\n\n")),
        None => text.push_str(&example_call(api).unwrap_or_default()),
    }
    text.push_str(CALLS);
    if let Some(program) = error_example(api).filter(|_| task.is_none()) {
        // The example compiles only if its feature is enabled.
        let fence = if api.features { "ignore" } else { "no_run" };
        text.push_str(&format!("```{fence}\n{program}```\n\n"));
    }
    text.push_str(REACH);
    if !api.groups.is_empty() {
        text.push_str("\n# Operations\n\n");
    }
    for group in &api.groups {
        let module = group.module.trim_start_matches("r#");
        text.push_str(&listed(&format!("[`Client::{module}`]"), group));
    }
    text
}

/// Returns a program for the first operation with credentials and a body that the document gives an example
/// of: the client, the call, its response, and an error that the operation declares.
fn task(api: &Api) -> Option<String> {
    let operations =
        api.groups.iter().flat_map(|group| group.operations.iter().map(move |operation| (group, operation)));
    let (group, operation, made, call) = operations
        .filter(|(_, operation)| operation.caller() == Caller::Known && !operation.deprecated)
        .find_map(|(group, operation)| {
            let call = example::call(api, group, operation, WIDEST_BODY)?;
            call.given.is_empty().then_some((group, operation, call.made?, call.expression))
        })?;
    let client = format!("{}_client", api.name.replace('-', "_"));
    let (binding, shown) = example::answer(api, operation);
    let answer = binding.trim_start_matches("let ").trim_end_matches(" = ");
    let answer = if shown.is_some() { answer } else { "_" };
    let shown = shown.as_deref().unwrap_or("println!(\"Done.\");").trim_end_matches(';');
    let is_told = |answer: &&Answer| {
        matches!(answer.status, Status::Code(400..=499)) && answer.content.payload(&api.responses).is_some()
    };
    // What a program can do about an error is known best of an invalid request and of a conflict.
    let rank = |answer: &&Answer| match answer.status {
        Status::Code(422) => 0,
        Status::Code(409) => 1,
        Status::Code(400) => 2,
        _ => 3,
    };
    let declared = operation.errors.iter().filter(is_told).min_by_key(rank).map(|refused| {
        format!(
            "        Err(error) => match error.declared() {{\n            \
             Some({}Error::{}(refused)) => println!(\"{{refused:?}}\"),\n            \
             _ => return Err(error.into()),\n        }},\n",
            operation.name, refused.variant
        )
    });
    let declared = declared.unwrap_or_else(|| "        Err(error) => return Err(error.into()),\n".to_owned());
    // The example needs the feature of its group.
    let condition =
        if api.features { format!("# #[cfg(feature = \"{}\")]\n", group.feature()) } else { String::new() };
    Some(format!(
        "use {client}::Client;\n\n\
         {condition}async fn run() -> Result<(), Box<dyn std::error::Error>> {{\n    \
         use {client}::model::*;\n\n    \
         let client = {};\n    \
         let body = {made};\n    \
         match {}.await {{\n        \
         Ok({answer}) => {shown},\n{declared}    }}\n    Ok(())\n}}\n",
        builder::example(api),
        call.replace(&made, "body"),
    ))
}

/// Returns an example call, of the operation that requires least.
fn example_call(api: &Api) -> Option<String> {
    let (client, call) = (builder::example(api), call(api)?);
    // The example compiles only if its feature is enabled.
    let fence = if api.features { "ignore" } else { "no_run" };
    Some(format!(
        "```{fence}\n\
         # async fn example() -> Result<(), Box<dyn std::error::Error>> {{\n\
         use {}_client::Client;\n\n\
         let client = {client};\n\
         {call}\n\
         println!(\"{{:?}}\", *response);\n# Ok(())\n# }}\n```\n\n",
        api.name.replace('-', "_"),
    ))
}

/// Returns a function that handles the errors of all operations as one, with the call that requires least.
pub(in crate::emit) fn error_example(api: &Api) -> Option<String> {
    let (_, group, call) = simplest_call(api)?;
    Some(format!(
        "use {}_client::{{ApiError, Client}};\n\n\
         async fn show(client: &Client) -> Result<(), ApiError> {{\n    \
         match client.{}().{call}.await.map_err(ApiError::from) {{\n        \
         Ok(response) => println!(\"{{:?}}\", *response),\n        \
         Err(error) if error.is_not_found() => println!(\"There is none.\"),\n        \
         Err(error) => return Err(error),\n    }}\n    Ok(())\n}}\n",
        api.name.replace('-', "_"),
        group.module,
    ))
}

/// Returns whether the docs have an example that `cargo test` compiles.
pub(in crate::emit) fn has_compiled_example(api: &Api) -> bool {
    let has_example = |group: &Group| {
        group.operations.iter().any(|operation| !example::docs(api, group, operation).is_empty())
    };
    api.groups.iter().any(has_example)
}

/// Returns the program of the README: the same call, or only a client if every call needs more than an
/// example can know.
pub(in crate::emit) fn program(api: &Api) -> String {
    let (call, shown) = match call(api) {
        Some(call) => (call, "*response"),
        None => ("// Every operation is a method of the client.".to_owned(), "client"),
    };
    let client = builder::example(api);
    let lines = format!("let client = {client};\n{call}\nprintln!(\"{{:?}}\", {shown});\nOk(())");
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "use {}_client::Client;\n\n#[tokio::main]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{lines}}}\n",
        api.name.replace('-', "_"),
    )
}

/// Returns the call of the operation that requires least.
fn call(api: &Api) -> Option<String> {
    let (_, group, call) = simplest_call(api)?;
    let (group, call) = (format!("client.{}()", group.module), format!("{call}.await?;"));
    Some(match format!("let response = {group}.{call}") {
        line if line.chars().count() <= WIDEST => line,
        _ => format!("let response = {}\n    .{call}", group.replacen('.', "\n    .", 1))
            .replace(".await", "\n    .await"),
    })
}

/// Returns the operation that can be called with the fewest arguments: their number, its group, and the call.
fn simplest_call(api: &Api) -> Option<(usize, &Group, String)> {
    api.groups.iter().filter_map(simple_call).min_by_key(|(arguments, ..)| *arguments)
}

/// Returns the operation of the group that can be called with the fewest arguments, all of which have an
/// obvious literal: their number, and the call.
fn simple_call(group: &Group) -> Option<(usize, &Group, String)> {
    let calls = group.operations.iter().filter_map(|operation| {
        let arguments: Vec<String> = arguments(operation)?;
        Some((arguments.len(), group, format!("{}({})", operation.short, arguments.join(", "))))
    });
    calls.min_by_key(|(arguments, ..)| *arguments)
}

/// Returns literals for the arguments of a read-only operation; nothing if they would have to be invented.
fn arguments(operation: &Operation) -> Option<Vec<String>> {
    if operation.method != "GET" || operation.body.is_some() || operation.deprecated {
        return None;
    }
    let required = operation.parameters.iter().filter(|parameter| parameter.required);
    required
        .map(|parameter| match parameter.element.ty {
            Type::String => Some(format!("{:?}", parameter.wire)),
            Type::I32 | Type::I64 | Type::U32 | Type::U64 => Some("1".to_owned()),
            Type::Bool => Some("true".to_owned()),
            _ => None,
        })
        .collect()
}
