//! Emitter of the client's builder, and of the methods that set the credentials of each security scheme.

use super::super::{Imports, Source, Text, ident, model_crate, operations::scheme_constant};
use crate::{
    ir::{Api, Credential, Operation, Scheme, SchemeUse, Server},
    render::{Block, docs, raw_docs},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/builder.rs";

/// The methods that every builder has; the method of a scheme with such a name gets a suffix.
const OWN_METHODS: [&str; 16] = [
    "new",
    "at",
    "bearer",
    "basic",
    "key",
    "middleware",
    "http_client",
    "service",
    "header",
    "user_agent",
    "timeout",
    "deadline",
    "connect_timeout",
    "retry",
    "response_limit",
    "stream_idle_timeout",
];

/// Returns the module `builder`.
pub(super) fn emit<'a>(api: &Api) -> Source<'a> {
    let mut imports = Imports::default();
    imports.add("crate", "Client");
    imports.add("frontdesk_runtime", "client");
    imports.add("frontdesk_runtime", "client_builder");
    let used = api.credentials();
    let methods: Vec<TokenStream> = used.iter().map(|scheme| method(api, scheme, &mut imports)).collect();
    let methods = (!methods.is_empty()).then(|| quote!(impl Builder { #(#methods)* }));
    let constants: Vec<Ident> = used.into_iter().map(scheme_constant).collect();
    let schemes = if constants.is_empty() {
        (!api.schemes.is_empty()).then(|| {
            quote!(
                const DESCRIBES_CREDENTIALS: bool = true;
            )
        })
    } else {
        imports.add("frontdesk_runtime", "Scheme");
        Some(quote!(const SCHEMES: &'static [Scheme] = &[#(#constants),*];))
    };
    let of_client = of_client(api);
    let document = quote! {
        #methods

        #of_client

        impl client::Document for Client {
            #schemes
            const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        }
    };
    let blocks = vec![
        Block::Rust(imports.tokens()),
        Block::Text("client_builder!(Builder for Client);\n".to_owned()),
        Block::Rust(document),
    ];
    let docs = "Configuration of a client, with the credentials of the document.".to_owned();
    Source { path: "client/src/builder.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// Returns the name of a scheme's method on the builder.
fn setter(api: &Api, scheme: &Scheme) -> String {
    let taken = |name: &str| {
        OWN_METHODS.contains(&name)
            || name == "build"
            || name != scheme.rust && api.schemes.iter().any(|other| other.rust == name)
    };
    let mut name = scheme.rust.clone();
    while taken(&name) {
        name = format!("{}_scheme", name.trim_start_matches("r#"));
    }
    name
}

fn method(api: &Api, scheme: &Scheme, imports: &mut Imports) -> TokenStream {
    let (name, constant) = (ident(&setter(api, scheme)), scheme_constant(scheme));
    imports.add(&format!("{}::operations", model_crate(api)), &constant.to_string());
    let docs = scheme_docs(scheme);
    if scheme.credential == Credential::Basic {
        imports.add("frontdesk_runtime", "Secret");
        return quote! {
            #docs
            pub fn #name(self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
                Self(self.0.password(&#constant, user, password))
            }
        };
    }
    quote! {
        #docs
        pub fn #name(self, token: impl Into<client::Token>) -> Self {
            Self(self.0.token(&#constant, token))
        }
    }
}

fn scheme_docs(scheme: &Scheme) -> TokenStream {
    let place = place(scheme);
    match &scheme.docs {
        Some(text) => docs(&format!("{text}\n\n{place}")),
        None => {
            raw_docs(&format!("Sets the credential of the security scheme `{}`.\n\n{place}", scheme.wire))
        }
    }
}

/// Returns where a credential is sent.
fn place(scheme: &Scheme) -> String {
    let place = match &scheme.credential {
        Credential::Bearer => "as `Authorization: Bearer …`".to_owned(),
        Credential::Basic => "as `Authorization: Basic …`".to_owned(),
        Credential::Http(name) => format!("as `Authorization: {name} …`"),
        Credential::Header(name) => format!("in the header `{name}`"),
        Credential::Query(name) => format!("in the query parameter `{name}`"),
        Credential::Cookie(name) => format!("in the cookie `{name}`"),
        Credential::Connection => "with the connection".to_owned(),
    };
    format!("It is sent {place}, to operations that accept it.")
}

/// Returns the scheme that is enough for most operations that require a credential, if it is the only one.
fn usual_scheme(api: &Api) -> Option<&Scheme> {
    let schemes = api.credentials();
    if let [only] = schemes[..] {
        return Some(only);
    }
    let secured = || api.operations().filter(|operation| !operation.security.is_empty());
    let is_enough = |operation: &Operation, scheme: &Scheme| {
        let is_it =
            |used: &SchemeUse| api.schemes.get(used.scheme).is_some_and(|used| used.wire == scheme.wire);
        operation.security.iter().any(|uses| !uses.is_empty() && uses.iter().all(is_it))
    };
    let is_usual = |scheme: &&Scheme| {
        2 * secured().filter(|operation| is_enough(operation, scheme)).count() > secured().count()
    };
    let mut usual = schemes.into_iter().filter(is_usual);
    // Where each of several is enough, the caller has to say which one a token is for.
    usual.next().filter(|_| usual.next().is_none())
}

/// Returns the scheme whose key or token is all that the client needs for most operations.
fn only_needed(api: &Api) -> Option<&Scheme> {
    usual_scheme(api).filter(|scheme| scheme.credential != Credential::Basic)
}

/// Whether the document's first server has a host, without which a program cannot call it.
fn has_server(api: &Api) -> bool {
    let is_usable = |server: &Server| server.url.starts_with("https://") || server.url.starts_with("http://");
    api.servers.first().is_some_and(is_usable)
}

/// Returns the functions that make a client of one key or token, for a document most of whose operations need
/// no other.
pub(super) fn constructors(api: &Api) -> TokenStream {
    let Some(scheme) = only_needed(api) else { return TokenStream::new() };
    let method = ident(&setter(api, scheme));
    let crate_name = api.name.replace('-', "_").to_uppercase();
    let key =
        format!("{crate_name}_{}", scheme.rust.trim_start_matches("r#").trim_end_matches('_').to_uppercase());
    let url = format!("{crate_name}_BASE_URL");
    let has_server = has_server(api);
    let new = has_server.then(|| {
        let place = place(scheme);
        let docs = raw_docs(&format!(
            "Makes a client of the first of [`SERVERS`](Self::SERVERS) with the credential of the security scheme\n`{}`. {place}",
            scheme.wire
        ));
        quote! {
            #docs
            ///
            /// # Errors
            ///
            /// The HTTP engine could not start.
            pub fn new(token: impl Into<client::Token>) -> Result<Self, BuildError> {
                Builder::at(&Self::SERVERS[0]).#method(token).build()
            }
        }
    });
    let (about, base) = if has_server {
        (
            format!(
                "Makes a client with the credential in the environment variable `{key}`.\n\nIt calls the service at the URL in `{url}`, or the first of [`SERVERS`](Self::SERVERS) if that is not\nset."
            ),
            quote! {
                match client::environment(#url)? {
                    Some(url) => Builder::new(url),
                    None => Builder::at(&Self::SERVERS[0]),
                }
            },
        )
    } else {
        (
            format!(
                "Makes a client of the service at the URL in the environment variable `{url}`, with the credential in\n`{key}`."
            ),
            quote!(Builder::new(client::required_environment(#url)?)),
        )
    };
    let about = raw_docs(&about);
    quote! {
        #new

        #about
        ///
        /// # Errors
        ///
        /// A variable is missing or is not a URL, or the HTTP engine could not start.
        pub fn from_env() -> Result<Self, BuildError> {
            let builder = #base;
            builder.#method(client::required_environment(#key)?).build()
        }
    }
}

/// Whether the client has methods that exchange a credential.
pub(super) fn exchanges_credentials(api: &Api) -> bool {
    !api.credentials().is_empty() || has_bearer(api)
}

fn has_bearer(api: &Api) -> bool {
    let is_bearer = |scheme: &Scheme| scheme.credential == Credential::Bearer;
    (api.schemes.is_empty() || api.credentials().into_iter().any(is_bearer)) && !is_group(api, "with_bearer")
}

/// Whether the client has a method of this name for a group.
fn is_group(api: &Api, name: &str) -> bool {
    api.groups.iter().any(|group| group.module == name)
}

/// Returns the client's methods that exchange a credential on a clone which shares connections.
fn of_client(api: &Api) -> Option<TokenStream> {
    let methods = api.credentials().into_iter().map(|scheme| {
        let mut name = format!("with_{}", scheme.rust.trim_start_matches("r#"));
        while is_group(api, &name) || name == "with_bearer" {
            name.push_str("_scheme");
        }
        let (name, constant) = (ident(&name), scheme_constant(scheme));
        let docs = raw_docs(&format!(
            "Returns a client with another credential of the security scheme `{}`. It shares the connections of this one.",
            scheme.wire
        ));
        if scheme.credential == Credential::Basic {
            return quote! {
                #docs
                #[must_use]
                pub fn #name(&self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
                    self.transport.with_password(&#constant, user, password).into()
                }
            };
        }
        quote! {
            #docs
            #[must_use]
            pub fn #name(&self, token: impl Into<client::Token>) -> Self {
                self.transport.with_token(&#constant, token).into()
            }
        }
    });
    let bearer = has_bearer(api).then(|| {
        quote! {
            /// Returns a client with another bearer token. It shares the connections of this one.
            #[must_use]
            pub fn with_bearer(&self, token: impl Into<client::Token>) -> Self {
                self.transport.with_bearer(token).into()
            }
        }
    });
    exchanges_credentials(api).then(|| quote!(impl Client { #bearer #(#methods)* }))
}

/// Returns the expression that makes a client in an example, in the shortest form that the client has.
pub(super) fn example(api: &Api) -> String {
    if has_server(api) && only_needed(api).is_some() {
        return "Client::new(\"…\")?".to_owned();
    }
    let start = if has_server(api) {
        "Client::at(&Client::SERVERS[0])"
    } else {
        "Client::builder(\"https://api.example.com\")"
    };
    format!("{start}{}.build()?", example_credential(api))
}

/// Returns the call that sets a credential in an example: that of the usual scheme, or else of the first.
fn example_credential(api: &Api) -> String {
    match usual_scheme(api).or_else(|| api.credentials().first().copied()) {
        Some(scheme) => {
            let arguments =
                if scheme.credential == Credential::Basic { "\"user\", \"…\"" } else { "\"…\"" };
            format!(".{}({arguments})", setter(api, scheme))
        }
        None => String::new(),
    }
}
