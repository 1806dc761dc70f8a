//! Owns the client crate: one handle a tag, one method an operation, the reading of answers.

use super::{
    Imports, Source, Text, docs_or, expect_many_arguments, first_line, ident, model_crate,
    operations::{about, has_success_enum, success_type},
    responses::{body_only, is_body_only},
    server::operation_docs,
    types::{From, write},
};
use crate::{
    ir::{Answer, Api, Content, Credential, Group, Location, Operation, Parameter, Response, Status, Type},
    render::Block,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client.rs";

/// Adds the sources of the client crate.
pub(super) fn emit(api: &Api, sources: &mut Vec<Source>) {
    sources.push(root(api));
    sources.push(call());
    if !api.responses.is_empty() {
        sources.push(responses(api));
    }
    sources.extend(api.groups.iter().map(|group| module(api, group)));
}

fn root(api: &Api) -> Source {
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let handles: Vec<TokenStream> = api
        .groups
        .iter()
        .map(|group| {
            let (module, name) = (ident(&group.module), ident(&group.name));
            let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
            quote! {
                #docs
                pub fn #module(&self) -> #name<'_> {
                    #name { transport: &self.transport }
                }
            }
        })
        .collect();
    let names: Vec<_> = api
        .groups
        .iter()
        .map(|group| {
            let (module, name) = (ident(&group.module), ident(&group.name));
            quote!(#module::#name)
        })
        .collect();
    let model = ident(&model_crate(api));
    let responses = if api.responses.is_empty() {
        TokenStream::new()
    } else {
        quote!(
            mod responses;
        )
    };
    let blocks = vec![
        Block::Rust(quote!(mod call; #(pub mod #modules;)* #responses)),
        Block::Rust(quote! {
            pub use self::{call::Call, #(#names),*};
            pub use #model as model;
            pub use frontdesk_runtime::client::{Answer, BuildError, Builder, Declared, Error, Raw, RetryPolicy};
            use frontdesk_runtime::client::Transport;
        }),
        Block::Rust(quote! {
            /// A client; cheap to clone, and one is enough for a program.
            #[derive(Clone, Debug)]
            pub struct Client {
                transport: Transport,
            }

            impl Client {
                /// Sets up a client of the service at this address.
                pub fn builder(base_url: impl Into<String>) -> Builder<Self> {
                    Builder::new(base_url)
                }

                #(#handles)*
            }

            impl From<Transport> for Client {
                fn from(transport: Transport) -> Self {
                    Self { transport }
                }
            }
        }),
    ];
    Source {
        path: "client/src/lib.rs".to_owned(),
        emitter: EMITTER,
        text: Text::Rust { docs: root_docs(api), blocks },
    }
}

fn root_docs(api: &Api) -> String {
    let mut text = format!("Client of the {} {}.\n\n", api.title, api.version);
    let example = api.groups.iter().find_map(|group| {
        let operation = group.operations.iter().find(|operation| {
            operation.method == "GET"
                && operation.body.is_none()
                && !operation.parameters.iter().any(|parameter| parameter.required)
        })?;
        Some((group, operation))
    });
    if let Some((group, operation)) = example {
        let bearer = api.schemes.iter().any(|scheme| scheme.credential == Credential::Bearer);
        let credentials = if bearer { ".bearer(\"…\")" } else { "" };
        text.push_str("```no_run\n");
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
        text.push_str(&format!("- [`Client::{}`]: {}\n", group.module, first_line(group.docs.as_deref())));
    }
    text.push_str("\nA call is sent by awaiting it. Its [`Answer`] derefs to the body and keeps status and headers; its [`Error`] tells apart\n");
    text.push_str("what was never sent, what the document declares, and everything else, always with the bytes that came.\n");
    text
}

/// The crate's own call type, so that generated code can give it methods.
fn call() -> Source {
    let blocks = vec![
        Block::Rust(quote! {
            use frontdesk_runtime::{HeaderName, HeaderValue, client::{self, Answer, BoxFuture, Endpoint, Error}};
            use std::{fmt::Display, future::IntoFuture, time::Duration};
        }),
        Block::Rust(quote! {
            /// One request; `.await` sends it.
            #[derive(Debug)]
            #[must_use = "a call is sent by awaiting it"]
            pub struct Call<E: Endpoint>(pub(crate) client::Call<E>);

            impl<E: Endpoint> Call<E> {
                /// Sets a header of this call alone.
                pub fn header(self, name: HeaderName, value: HeaderValue) -> Self {
                    Self(self.0.header(name, value))
                }

                /// The time that one attempt of this call may take.
                pub fn timeout(self, timeout: Duration) -> Self {
                    Self(self.0.timeout(timeout))
                }

                /// Sends `Idempotency-Key`, which makes the call safe to repeat where the service honours it.
                pub fn idempotency_key(self, key: impl Display) -> Self {
                    Self(self.0.idempotency_key(key))
                }
            }

            impl<E: Endpoint> IntoFuture for Call<E> {
                type Output = Result<Answer<E::Success>, Error<E::Failure>>;
                type IntoFuture = BoxFuture<Self::Output>;

                fn into_future(self) -> Self::IntoFuture {
                    self.0.into_future()
                }
            }
        }),
    ];
    let docs = "One request on its way.".to_owned();
    Source { path: "client/src/call.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// How a response that is a body alone is read.
const BODY_ONLY: &str = "\
\x20       $(impl Read for $response {
            fn read(answer: &Raw) -> Result<Self, serde_json::Error> {
                Ok(Self { body: answer.json()? })
            }
        })+
";

fn responses(api: &Api) -> Source {
    let model_name = model_crate(api);
    let mut imports = Imports::default();
    imports.add("frontdesk_runtime::client", "Raw");
    let mut items = Vec::new();
    for response in &api.responses {
        imports.add(&model_name, &response.name);
        if !is_body_only(response) {
            items.push(Block::Rust(read_response(response, &mut imports)));
        }
    }
    items.extend(body_only(api, BODY_ONLY));
    let mut blocks = vec![
        Block::Rust(imports.tokens()),
        Block::Rust(quote! {
            /// A response of the document, read from an answer.
            pub(crate) trait Read: Sized {
                /// Reads body and headers.
                fn read(answer: &Raw) -> Result<Self, serde_json::Error>;
            }
        }),
    ];
    blocks.extend(items);
    let docs = "How the responses of the document are read.".to_owned();
    Source { path: "client/src/responses.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

fn read_response(response: &Response, imports: &mut Imports) -> TokenStream {
    let name = ident(&response.name);
    let mut fields = Vec::new();
    for header in &response.headers {
        imports.add("frontdesk_runtime", "HeaderName");
        let (rust, wire) = (ident(&header.rust), header.wire.to_ascii_lowercase());
        let parsed = !matches!(header.ty, Type::List(_) | Type::Named(_) | Type::Secret);
        if !parsed {
            imports.add("frontdesk_runtime::check", "Parameter");
        }
        fields.push(match (header.required, parsed) {
            (true, true) => quote!(#rust: answer.header(&HeaderName::from_static(#wire))?),
            (false, true) => quote!(#rust: answer.optional_header(&HeaderName::from_static(#wire))),
            (true, false) => quote! {
                #rust: {
                    let text: String = answer.header(&HeaderName::from_static(#wire))?;
                    Parameter::from_text(&text).map_err(serde_json::Error::custom)?
                }
            },
            (false, false) => quote! {
                #rust: answer
                    .optional_header::<String>(&HeaderName::from_static(#wire))
                    .and_then(|text| Parameter::from_text(&text).ok())
            },
        });
        if header.required && !parsed {
            imports.add("frontdesk_runtime::macros::serde::de", "Error");
        }
    }
    if response.body.is_some() {
        fields.push(quote!(body: answer.json()?));
    }
    let answer = if fields.is_empty() { quote!(_answer) } else { quote!(answer) };
    quote! {
        impl Read for #name {
            fn read(#answer: &Raw) -> Result<Self, serde_json::Error> {
                Ok(Self { #(#fields),* })
            }
        }
    }
}

fn module(api: &Api, group: &Group) -> Source {
    let mut imports = Imports::default();
    let model_name = model_crate(api);
    imports.add("crate", "Call");
    imports.add("frontdesk_runtime", "Operation");
    for name in ["Endpoint", "Outcome", "Raw", "Transport"] {
        imports.add("frontdesk_runtime::client", name);
    }
    if group.operations.iter().any(|operation| !operation.successes.is_empty()) {
        imports.add("frontdesk_runtime::client::Reading", "Success");
    }
    if group.operations.iter().any(|operation| !operation.errors.is_empty()) {
        imports.add("frontdesk_runtime::client::Reading", "Failure");
    }
    if group
        .operations
        .iter()
        .any(|operation| !operation.errors.iter().any(|answer| answer.status == Status::Default))
    {
        imports.add("frontdesk_runtime::client::Reading", "Undocumented");
    }
    imports.add("frontdesk_runtime", "client");
    imports.add(&format!("{model_name}::operations"), &group.module);
    let name = ident(&group.name);
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let methods: Vec<TokenStream> =
        group.operations.iter().map(|operation| method(api, operation, &mut imports)).collect();
    let endpoints: Vec<Block> = group
        .operations
        .iter()
        .map(|operation| Block::Rust(endpoint(api, group, operation, &mut imports)))
        .collect();
    let setters: Vec<Block> = group
        .operations
        .iter()
        .filter_map(|operation| setters(api, operation, &mut imports))
        .map(Block::Rust)
        .collect();
    let mut blocks = vec![
        Block::Rust(imports.tokens()),
        Block::Rust(quote! {
            #docs
            #[derive(Clone, Copy, Debug)]
            pub struct #name<'c> {
                pub(crate) transport: &'c Transport,
            }

            impl #name<'_> {
                #(#methods)*
            }
        }),
    ];
    blocks.extend(setters);
    blocks.extend(endpoints);
    let docs = format!(
        "The operations of the tag `{}`: how each is called and how its answers are read.",
        group.tag
    );
    Source {
        path: format!("client/src/{}.rs", group.module),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// The method that makes a call: what is required is an argument.
fn method(api: &Api, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let (short, endpoint) = (ident(&operation.short), ident(&operation.name));
    let docs = operation_docs(operation);
    let deprecation = super::deprecated(operation.deprecated);
    let mut arguments = Vec::new();
    let mut steps = Vec::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let (argument, step) = parameter_parts(api, parameter, imports);
        arguments.push(argument);
        steps.push(step);
    }
    let mut optional_body = TokenStream::new();
    if let Some(body) = &operation.body {
        let ty = write(api, &body.ty, From::Model(&model_name), imports);
        if body.required {
            imports.add("std::borrow", "Borrow");
            arguments.push(quote!(body: impl Borrow<#ty>));
            steps.push(quote!(.json(body.borrow())));
        } else {
            arguments.push(quote!(body: impl Into<Option<#ty>>));
            optional_body = quote! {
                let call = match body.into() {
                    Some(body) => call.json(&body),
                    None => call,
                };
            };
        }
    }
    let body = if optional_body.is_empty() {
        quote!(Call(client::Call::new(self.transport) #(#steps)*))
    } else {
        quote! {
            let call = client::Call::new(self.transport) #(#steps)*;
            #optional_body
            Call(call)
        }
    };
    // The receiver counts too.
    let expectation = expect_many_arguments(arguments.len() + 1);
    quote! {
        #docs
        #deprecation
        #expectation
        pub fn #short(self, #(#arguments),*) -> Call<#endpoint> {
            #body
        }
    }
}

/// An argument or setter, and the step that puts it into the request.
fn parameter_parts(api: &Api, parameter: &Parameter, imports: &mut Imports) -> (TokenStream, TokenStream) {
    let model_name = model_crate(api);
    let (rust, wire) = (ident(&parameter.rust), &parameter.wire);
    let ty = write(api, &parameter.element.ty, From::Model(&model_name), imports);
    let (argument, value) = match &parameter.element.ty {
        Type::String => {
            imports.add("std::fmt", "Display");
            (quote!(#rust: impl Display), quote!(#rust))
        }
        Type::Secret => (quote!(#rust: impl Into<#ty>), quote!(#rust.into().expose())),
        Type::List(element) => {
            let entry = if element.ty == Type::String {
                imports.add("std::fmt", "Display");
                quote!(impl Display)
            } else {
                write(api, &element.ty, From::Model(&model_name), imports)
            };
            let joined =
                quote!(#rust.into_iter().map(|entry| entry.to_string()).collect::<Vec<_>>().join(","));
            let repeated = parameter.explode && parameter.location == Location::Query;
            (quote!(#rust: impl IntoIterator<Item = #entry>), if repeated { quote!(#rust) } else { joined })
        }
        _ => (quote!(#rust: #ty), quote!(#rust)),
    };
    let step = match parameter.location {
        Location::Path => quote!(.path(#wire, #value)),
        Location::Query if matches!(parameter.element.ty, Type::List(_)) && parameter.explode => {
            quote!(.query_list(#wire, #value))
        }
        Location::Query => quote!(.query(#wire, #value)),
        Location::Header => {
            let wire = wire.to_ascii_lowercase();
            quote!(.header_parameter(#wire, #value))
        }
    };
    (argument, step)
}

/// The methods of a call for what is optional.
fn setters(api: &Api, operation: &Operation, imports: &mut Imports) -> Option<TokenStream> {
    let endpoint = ident(&operation.name);
    let methods: Vec<TokenStream> = operation
        .parameters
        .iter()
        .filter(|parameter| !parameter.required)
        .map(|parameter| {
            let name = match parameter.rust.as_str() {
                // A call has methods of these names itself.
                "header" | "timeout" | "idempotency_key" | "into_future" => {
                    ident(&format!("{}_parameter", parameter.rust))
                }
                rust => ident(rust),
            };
            let docs = docs_or(parameter.docs.as_deref(), &format!("Sets `{}`.", parameter.wire));
            let (argument, step) = parameter_parts(api, parameter, imports);
            quote! {
                #docs
                pub fn #name(self, #argument) -> Self {
                    Self(self.0 #step)
                }
            }
        })
        .collect();
    (!methods.is_empty()).then(|| {
        quote! {
            impl Call<#endpoint> {
                #(#methods)*
            }
        }
    })
}

fn endpoint(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let (name, module, constant) = (ident(&operation.name), ident(&group.module), ident(&operation.constant));
    let success = success_type(api, operation, &model_name, imports);
    let error = format!("{}Error", operation.name);
    imports.add(&model_name, &error);
    let error = ident(&error);
    let about = about(operation);
    let alias = (!operation.errors.is_empty()).then(|| quote!(use #error as Error;));
    let arms: Vec<TokenStream> = arms(operation, imports);
    quote! {
        #[doc = #about]
        #[derive(Clone, Copy, Debug)]
        pub enum #name {}

        impl Endpoint for #name {
            type Success = #success;
            type Failure = #error;

            const OPERATION: &'static Operation = &#module::#constant;

            fn read(answer: &Raw) -> Outcome<Self> {
                #alias
                let reading = match answer.status.as_u16() {
                    #(#arms)*
                };
                Ok(reading)
            }
        }
    }
}

/// One arm a status: exact statuses first, then classes, then the rest.
fn arms(operation: &Operation, imports: &mut Imports) -> Vec<TokenStream> {
    let mut answers: Vec<(&Answer, bool)> = operation.successes.iter().map(|answer| (answer, true)).collect();
    answers.extend(operation.errors.iter().map(|answer| (answer, false)));
    answers.sort_by_key(|(answer, _)| match answer.status {
        Status::Code(_) => 0,
        Status::Class(_) => 1,
        Status::Default => 2,
    });
    let several = has_success_enum(operation);
    let success = ident(&format!("{}Success", operation.name));
    let mut arms: Vec<TokenStream> = answers
        .iter()
        .map(|(answer, succeeded)| {
            let pattern = match answer.status {
                Status::Code(code) => {
                    let code = Literal::u16_unsuffixed(code);
                    quote!(#code)
                }
                Status::Class(class) => {
                    let (low, high) =
                        (Literal::u16_unsuffixed(class * 100), Literal::u16_unsuffixed(class * 100 + 99));
                    quote!(#low..=#high)
                }
                Status::Default => quote!(_),
            };
            let value = match &answer.content {
                Content::Nothing => None,
                Content::Body(_) => Some(quote!(answer.json()?)),
                Content::Response(_) => {
                    imports.add("crate::responses", "Read");
                    Some(quote!(Read::read(answer)?))
                }
            };
            let status = (!matches!(answer.status, Status::Code(_))).then(|| quote!(answer.status));
            let parts: Vec<&TokenStream> = status.iter().chain(&value).collect();
            let parts = (!parts.is_empty()).then(|| quote!((#(#parts),*)));
            let variant = ident(&answer.variant);
            match (succeeded, several) {
                (true, false) => {
                    let value = value.unwrap_or_else(|| quote!(()));
                    quote!(#pattern => Success(#value),)
                }
                (true, true) => quote!(#pattern => Success(#success::#variant #parts),),
                (false, _) => quote!(#pattern => Failure(Error::#variant #parts),),
            }
        })
        .collect();
    if !answers.iter().any(|(answer, _)| answer.status == Status::Default) {
        arms.push(quote!(_ => Undocumented,));
    }
    arms
}
