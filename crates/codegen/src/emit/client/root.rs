//! Owns the root of the client crate: the client itself, its handles, and where the service is found.

use super::super::{Source, Text, docs_or, features, first_line, ident, is_wide, model_crate, title};
use crate::{
    ir::{Api, Credential, Group, Operation, Server},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/root.rs";

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
    let unused = api
        .groups
        .is_empty()
        .then(|| quote!(#[expect(dead_code, reason = "the document has no operations")]));
    let blocks = vec![
        Block::Rust(modules),
        Block::Rust(quote! {
            pub use self::call::Call;
            #exports
            pub use #model as model;
            pub use frontdesk_runtime::client::{Answer, BuildError, Builder, Declared, Error, Raw, RetryPolicy};
            pub use frontdesk_runtime::client::prelude::*;
            use frontdesk_runtime::client::Transport;
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
        pub const SERVERS: &'static [frontdesk_runtime::client::Server] = &[#(#rows),*];

        /// Sets up a client of one of [`SERVERS`](Self::SERVERS), with the variables at their defaults; an address with other
        /// values, from [`url_with`](frontdesk_runtime::client::Server::url_with), goes to [`builder`](Self::builder).
        ///
        /// Only such a client follows the document where it gives an operation a server of its own.
        pub fn at(server: &frontdesk_runtime::client::Server) -> Builder<Self> {
            Builder::at(server)
        }
    }
}

fn server(server: &Server) -> TokenStream {
    let (url, description) = (&server.url, server.docs.as_deref().unwrap_or_default());
    let variables = server.variables.iter().map(|variable| {
        let (name, default, values) = (&variable.wire, &variable.default, &variable.values);
        quote!(frontdesk_runtime::client::Variable { name: #name, default: #default, values: &[#(#values),*] })
    });
    quote! {
        frontdesk_runtime::client::Server { url: #url, description: #description, variables: &[#(#variables),*] }
    }
}

/// The overview: an example, the groups, and what a call is.
fn docs(api: &Api) -> String {
    let mut text = format!("Client of the {} {}.\n\n", title(api), api.version);
    if let Some((group, operation)) = api.groups.iter().find_map(simple_call) {
        let bearer = api.schemes.iter().any(|scheme| scheme.credential == Credential::Bearer);
        let credentials = if bearer { ".bearer(\"…\")" } else { "" };
        // A call that needs its feature compiles only with it.
        let fence = if api.features { "ignore" } else { "no_run" };
        text.push_str(&format!("```{fence}\n"));
        text.push_str(&format!(
            "# async fn example() -> Result<(), Box<dyn std::error::Error>> {{\nuse {}_client::Client;\n\n",
            api.name.replace('-', "_")
        ));
        text.push_str(&format!(
            "let client = Client::builder(\"https://api.example.com\"){credentials}.build()?;\n"
        ));
        text.push_str(&format!("let answer = client.{}().{}().await?;\n", group.module, operation.short));
        text.push_str("println!(\"{:?}\", *answer);\n# Ok(())\n# }\n```\n\n");
    }
    for group in &api.groups {
        // Without its feature, a link to the group would lead nowhere.
        let module = group.module.trim_start_matches("r#");
        let name = if api.features { format!("`Client::{module}`") } else { format!("[`Client::{module}`]") };
        text.push_str(&format!("- {name}: {}\n", first_line(group.docs.as_deref())));
    }
    if !api.groups.is_empty() {
        text.push('\n');
    }
    text.push_str("A call is sent by awaiting it. Its [`Answer`] derefs to the body and keeps status and headers; its [`Error`] tells apart\n");
    text.push_str("what was never sent, what the document declares, and everything else, always with the bytes that came.\n");
    text
}

/// An operation of the group that can be called without arguments.
fn simple_call(group: &Group) -> Option<(&Group, &Operation)> {
    let operation = group.operations.iter().find(|operation| {
        operation.method == "GET"
            && operation.body.is_none()
            && !operation.deprecated
            && !operation.parameters.iter().any(|parameter| parameter.required)
    })?;
    Some((group, operation))
}
