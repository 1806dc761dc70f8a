//! Owns the root of the client crate: the client itself, its handles, and where the service is found.

use super::super::{
    Source, Text, docs_or, features, ident, is_wide, model_crate, overview, prose::listed, title,
};
use crate::{
    ir::{Api, Credential, Group, Operation, Server, Type},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/root.rs";

/// The most columns of a line of the example.
const WIDEST: usize = 90;

/// `lib.rs`, and a list of what it exports where that is long.
pub(super) fn emit(api: &Api) -> Vec<Source<'_>> {
    let mut modules = quote!(
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
    let mut sources = Vec::new();
    if is_wide(api) {
        // Each group says itself how a client gives it.
        handles = TokenStream::new();
        modules.extend(quote!(
            mod exports;
        ));
        sources.push(Source {
            path: "client/src/exports.rs".to_owned(),
            emitter: EMITTER,
            text: Text::Rust {
                docs: "What the operations of each tag are called on.".to_owned(),
                blocks: vec![Block::Rust(exports)],
            },
        });
        let lenient = api.features.then(|| quote!(#[allow(unused_imports)]));
        exports = quote!(#lenient pub use self::exports::*;);
    }
    if !api.responses.is_empty() {
        modules.extend(quote!(
            mod responses;
        ));
    }
    if !api.webhooks.is_empty() {
        // What only events hold is compiled with everything.
        let condition = api.features.then(|| quote!(#[cfg(feature = "all")]));
        modules.extend(quote!(
            #condition
            pub mod webhooks;
        ));
    }
    let model = ident(&model_crate(api));
    let servers = servers(api);
    let transport = if api.servers.is_empty() {
        quote!(
            use frontdesk_runtime::client::Transport;
        )
    } else {
        quote!(
            use frontdesk_runtime::client::{self, Transport};
        )
    };
    let unused = api
        .groups
        .is_empty()
        .then(|| quote!(#[expect(dead_code, reason = "the document has no operations")]))
        .or_else(|| features::allow_unused(api));
    let blocks = vec![
        Block::Rust(modules),
        Block::Rust(quote! {
            pub use self::call::Call;
            #exports
            pub use #model as model;
            pub use frontdesk_runtime::client::{Answer, BuildError, Builder, Declared, Error, Raw, RetryPolicy};
            pub use frontdesk_runtime::client::prelude::*;
            #transport
        }),
        Block::Rust(quote! {
            /// A client; cheap to clone, and one is enough for a program.
            #[derive(Clone, Debug)]
            pub struct Client {
                #unused
                transport: Transport,
            }

            impl Client {
                #servers

                /// Sets up a client of the service at this address.
                pub fn builder(base_url: impl Into<String>) -> Builder<Self> {
                    Builder::new(base_url)
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

/// The method of a client that gives a group.
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

/// Where the document says that the service is found.
fn servers(api: &Api) -> TokenStream {
    if api.servers.is_empty() {
        return TokenStream::new();
    }
    let rows = api.servers.iter().map(server);
    quote! {
        /// Where the document says that the service is found.
        pub const SERVERS: &'static [client::Server] = &[#(#rows),*];

        /// Sets up a client of one of [`SERVERS`](Self::SERVERS), with the variables at their defaults; an address with other
        /// values, from [`url_with`](client::Server::url_with), goes to [`builder`](Self::builder).
        ///
        /// Only such a client follows the document where it gives an operation a server of its own.
        pub fn at(server: &client::Server) -> Builder<Self> {
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

/// The overview: an example, the groups, and what a call is.
fn docs(api: &Api) -> String {
    let mut text = format!("Client of the {} {}.\n\n", title(api), api.version);
    text.push_str(&overview(api));
    text.push_str(&example(api).unwrap_or_default());
    for group in &api.groups {
        // Without its feature, a link to the group would lead nowhere.
        let module = group.module.trim_start_matches("r#");
        let name = if api.features { format!("`Client::{module}`") } else { format!("[`Client::{module}`]") };
        text.push_str(&listed(&name, group));
    }
    if !api.groups.is_empty() {
        text.push('\n');
    }
    text.push_str("A call is sent by awaiting it. Its [`Answer`] derefs to the body and keeps status and headers; its [`Error`] tells apart\n");
    text.push_str("what was never sent, what the document declares, and everything else, always with the bytes that came.\n");
    text
}

/// A first call, of the operation that asks for least.
fn example(api: &Api) -> Option<String> {
    let (_, group, call) =
        api.groups.iter().filter_map(simple_call).min_by_key(|(arguments, ..)| *arguments)?;
    let bearer = api.schemes.iter().any(|scheme| scheme.credential == Credential::Bearer);
    let credentials = if bearer { ".bearer(\"…\")" } else { "" };
    // A server with a host is one that a reader can call.
    let is_usable = |server: &Server| server.url.starts_with("https://") || server.url.starts_with("http://");
    let builder = if api.servers.first().is_some_and(is_usable) {
        "at(&Client::SERVERS[0])"
    } else {
        "builder(\"https://api.example.com\")"
    };
    let (group, call) = (format!("client.{}()", group.module), format!("{call}.await?;"));
    let call = match format!("let answer = {group}.{call}") {
        line if line.chars().count() <= WIDEST => line,
        _ => format!("let answer = {}\n    .{call}", group.replacen('.', "\n    .", 1))
            .replace(".await", "\n    .await"),
    };
    // A call that needs its feature compiles only with it.
    let fence = if api.features { "ignore" } else { "no_run" };
    Some(format!(
        "```{fence}\n\
         # async fn example() -> Result<(), Box<dyn std::error::Error>> {{\n\
         use {}_client::Client;\n\n\
         let client = Client::{builder}{credentials}.build()?;\n\
         {call}\n\
         println!(\"{{:?}}\", *answer);\n# Ok(())\n# }}\n```\n\n",
        api.name.replace('-', "_"),
    ))
}

/// The operation of the group that can be called with the fewest arguments, all of which have an obvious literal: how many
/// these are, and the call.
fn simple_call(group: &Group) -> Option<(usize, &Group, String)> {
    let calls = group.operations.iter().filter_map(|operation| {
        let arguments: Vec<String> = arguments(operation)?;
        Some((arguments.len(), group, format!("{}({})", operation.short, arguments.join(", "))))
    });
    calls.min_by_key(|(arguments, ..)| *arguments)
}

/// Literals for the arguments of an operation that only reads; nothing where they would have to be made up.
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
