//! Owns the types of the model crate: `schemas`, `responses` and the crate's root.

use super::{
    Imports, Source, Text, deprecated, docs_or, expect_deprecated, expect_many_arguments, first_sentence,
    ident, type_docs,
    types::{From, Presence, write, write_field},
    validation,
};
use crate::{
    ir::{Api, Field, Response, Shape, StringEnum, Struct, Type, TypeDef, Union},
    render::{Block, doc_comment, docs, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::fmt::Write;

const EMITTER: &str = "crates/codegen/src/emit/model.rs";

/// Adds the sources of the model crate, but for its operations.
pub(super) fn emit(api: &Api, sources: &mut Vec<Source>) {
    sources.push(root(api));
    sources.push(schemas(api));
    for home in homes(api) {
        sources.push(schema(api, home));
    }
    if !api.responses.is_empty() {
        sources.push(responses(api));
    }
}

fn root(api: &Api) -> Source {
    let mut docs = format!(
        "Types of the {} {}: what requests send, what answers hold, which errors an operation declares.\n\n",
        api.title, api.version
    );
    docs.push_str("- [`operations`]: every operation as a constant, with its errors.\n");
    docs.push_str("- Schemas and responses are at the root, under their names in the document.\n\n");
    docs.push_str(
        "Requests are made with `new`, which takes the required fields, and setters for the rest.\n",
    );
    docs.push_str("Servers switch on the feature `server`, which adds the checks of request bodies, and `new` and setters for answers.\n");
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let responses = if api.responses.is_empty() {
        TokenStream::new()
    } else {
        quote! { mod responses; }
    };
    let reexport = if api.responses.is_empty() {
        quote!(
            pub use self::schemas::*;
        )
    } else {
        quote!(
            pub use self::{responses::*, schemas::*};
        )
    };
    let blocks = vec![
        Block::Rust(quote! { pub mod operations; #responses mod schemas; }),
        Block::Rust(quote! { pub use self::operations::{#(#modules::*),*}; #reexport }),
    ];
    Source { path: "model/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// The modules of schemas, in the document's order.
fn homes(api: &Api) -> Vec<&str> {
    let mut homes: Vec<&str> = Vec::new();
    for def in &api.types {
        if !homes.contains(&def.home.as_str()) {
            homes.push(&def.home);
        }
    }
    homes
}

fn schemas(api: &Api) -> Source {
    let homes = homes(api);
    let modules = homes.iter().map(|home| ident(home)).map(|home| quote!(mod #home;));
    let uses = homes.iter().map(|home| {
        let names: Vec<_> =
            api.types.iter().filter(|def| def.home == *home).map(|def| ident(&def.name)).collect();
        let home = ident(home);
        match &names[..] {
            [name] => quote!(#home::#name),
            names => quote!(#home::{#(#names),*}),
        }
    });
    let blocks = vec![Block::Rust(quote!(#(#modules)*)), Block::Rust(quote!(pub use self::{#(#uses),*};))];
    let docs = "The document's schemas, one module each; inline types live with the schema that uses them."
        .to_owned();
    Source { path: "model/src/schemas.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

fn schema(api: &Api, home: &str) -> Source {
    let mut imports = Imports::default();
    let mut items = Vec::new();
    for def in api.types.iter().filter(|def| def.home == home) {
        match &def.shape {
            Shape::Struct(shape) => items.push(Block::Rust(structure(api, def, shape, &mut imports))),
            Shape::Enum(shape) => items.push(Block::Text(enumeration(def, shape, &mut imports))),
            Shape::Union(shape) => items.push(Block::Rust(union(api, def, shape, &mut imports))),
        }
    }
    let mut blocks = vec![Block::Rust(imports.tokens_with(&[validation::CHECKS]))];
    blocks.append(&mut items);
    Source {
        path: format!("model/src/schemas/{home}.rs"),
        emitter: EMITTER,
        text: Text::Rust { docs: String::new(), blocks },
    }
}

fn structure(api: &Api, def: &TypeDef, shape: &Struct, imports: &mut Imports) -> TokenStream {
    imports.add("serde", "Deserialize");
    imports.add("serde", "Serialize");
    let docs =
        raw_docs(&type_docs(def, &format!("`{}` of the document, which does not describe it.", def.name)));
    let name = ident(&def.name);
    let from = From::Home(&def.home);
    let fields: Vec<TokenStream> =
        shape.fields.iter().map(|field| structure_field(api, def, field, imports)).collect();
    let extra = shape.extra.as_ref().map(|extra| {
        imports.add("std::collections", "BTreeMap");
        let ty = super::types::write_element(api, extra, from, imports);
        quote! {
            /// Further members.
            #[serde(flatten)]
            pub extra: BTreeMap<String, #ty>,
        }
    });
    let open = def.usage.request && !def.usage.response;
    let non_exhaustive = open.then(|| quote!(#[non_exhaustive]));
    let default = (shape.fields.iter().all(|field| !field.required)).then(|| quote!(Default,));
    // Clients never make an answer, so they need not compile what makes one.
    let for_servers = !def.usage.request && def.usage.response;
    let constructor = constructor(api, def, shape, for_servers, imports);
    let validation = def.usage.request.then(|| validation::emit(api, &def.name, shape, imports));
    quote! {
        #docs
        #[derive(Clone, Debug, #default PartialEq, Serialize, Deserialize)]
        #non_exhaustive
        pub struct #name {
            #(#fields)*
            #extra
        }

        #constructor

        #validation
    }
}

fn structure_field(api: &Api, def: &TypeDef, field: &Field, imports: &mut Imports) -> TokenStream {
    let docs =
        docs_or(field.docs.as_deref(), &format!("`{}`; the document does not describe it.", field.wire));
    let deprecation = deprecated(field.deprecated);
    let rust = ident(&field.rust);
    let ty = write_field(api, field, From::Home(&def.home), imports);
    let mut attributes = Vec::new();
    if field.rust.trim_start_matches("r#") != field.wire {
        let wire = &field.wire;
        attributes.push(quote!(rename = #wire));
    }
    match Presence::of(field) {
        Presence::Required => {}
        Presence::RequiredNullable => {
            imports.add("frontdesk_runtime", "wire");
            attributes.push(quote!(deserialize_with = "wire::nullable"));
        }
        Presence::Optional => {
            attributes.push(quote!(default));
            if def.usage.request {
                imports.add("frontdesk_runtime", "wire");
                attributes.push(quote!(deserialize_with = "wire::some"));
            }
            attributes.push(quote!(skip_serializing_if = "Option::is_none"));
        }
        Presence::Patch => attributes.push(quote!(default, skip_serializing_if = "Patch::is_absent")),
    }
    let serde = (!attributes.is_empty()).then(|| quote!(#[serde(#(#attributes),*)]));
    quote! {
        #docs
        #deprecation
        #serde
        pub #rust: #ty,
    }
}

/// `new` with the required fields, and a setter for each of the others.
fn constructor(
    api: &Api,
    def: &TypeDef,
    shape: &Struct,
    for_servers: bool,
    imports: &mut Imports,
) -> TokenStream {
    let name = ident(&def.name);
    let from = From::Home(&def.home);
    let mut arguments = Vec::new();
    let mut values = Vec::new();
    let mut setters = Vec::new();
    for field in &shape.fields {
        let rust = ident(&field.rust);
        match Presence::of(field) {
            Presence::Required | Presence::RequiredNullable => {
                let (argument, value) = argument(api, field, &quote!(#rust), from, imports);
                arguments.push(quote!(#rust: #argument));
                values.push(if rust == value.to_string() { quote!(#rust) } else { quote!(#rust: #value) });
            }
            Presence::Optional => {
                values.push(quote!(#rust: None));
                setters.push(setter(api, field, from, imports));
            }
            Presence::Patch => {
                values.push(quote!(#rust: Patch::Absent));
                setters.push(setter(api, field, from, imports));
            }
        }
    }
    if shape.extra.is_some() {
        values.push(quote!(extra: BTreeMap::new()));
    }
    let about = if arguments.is_empty() {
        "Nothing is set yet."
    } else {
        "The required fields; nothing else is set yet."
    };
    let body = if arguments.is_empty() { quote!(Self::default()) } else { quote!(Self { #(#values),* }) };
    let expectation = expect_many_arguments(arguments.len());
    let deprecation =
        expect_deprecated(!arguments.is_empty() && shape.fields.iter().any(|field| field.deprecated));
    let condition = for_servers.then(|| quote!(#[cfg(feature = "server")]));
    quote! {
        #condition
        impl #name {
            #[doc = #about]
            #deprecation
            #expectation
            pub fn new(#(#arguments),*) -> Self {
                #body
            }

            #(#setters)*
        }
    }
}

fn setter(api: &Api, field: &Field, from: From<'_>, imports: &mut Imports) -> TokenStream {
    let rust = ident(&field.rust);
    // The struct has functions of these names itself.
    let method = if matches!(field.rust.as_str(), "new" | "default") {
        ident(&format!("{}_", field.rust))
    } else {
        rust.clone()
    };
    let about =
        format!("Sets `{}`. {}", field.wire, first_sentence(field.docs.as_deref().unwrap_or_default()));
    let about = docs(about.trim_end());
    let deprecation = deprecated(field.deprecated);
    let (argument, value) = if Presence::of(field) == Presence::Patch {
        let ty = write(api, &field.element.ty, from, imports);
        (quote!(impl Into<Patch<#ty>>), quote!(value.into()))
    } else {
        let (argument, value) = argument(api, field, &quote!(value), from, imports);
        (argument, quote!(Some(#value)))
    };
    let expectation = expect_deprecated(field.deprecated);
    quote! {
        #about
        #deprecation
        #expectation
        pub fn #method(mut self, value: #argument) -> Self {
            self.#rust = #value;
            self
        }
    }
}

/// The type that a caller may pass for a field, and the expression that makes the field of it.
fn argument(
    api: &Api,
    field: &Field,
    value: &TokenStream,
    from: From<'_>,
    imports: &mut Imports,
) -> (TokenStream, TokenStream) {
    let nullable = Presence::of(field) == Presence::RequiredNullable;
    let ty = write(api, &field.element.ty, from, imports);
    match &field.element.ty {
        _ if nullable => (quote!(impl Into<Option<#ty>>), quote!(#value.into())),
        Type::String | Type::Secret => (quote!(impl Into<#ty>), quote!(#value.into())),
        Type::List(element) if !element.nullable => {
            let entry = write(api, &element.ty, from, imports);
            match element.ty {
                Type::String => (
                    quote!(impl IntoIterator<Item = impl Into<#entry>>),
                    quote!(#value.into_iter().map(Into::into).collect()),
                ),
                _ => (quote!(impl IntoIterator<Item = #entry>), quote!(#value.into_iter().collect())),
            }
        }
        Type::Boxed(id) => {
            let inner = ident(&api.type_def(*id).name);
            (quote!(#inner), quote!(Box::new(#value)))
        }
        _ => (quote!(#ty), quote!(#value)),
    }
}

/// An enumeration as an invocation of the runtime's macro, laid out as a person would.
fn enumeration(def: &TypeDef, shape: &StringEnum, imports: &mut Imports) -> String {
    let open = shape.extensible || def.usage.response;
    // A single value cannot grow without being said so.
    let open = open && (shape.extensible || shape.values.len() > 1);
    let name = if open { "open_enum" } else { "closed_enum" };
    imports.add("frontdesk_runtime", name);
    let mut text = format!("{name}! {{\n");
    let docs = type_docs(def, &format!("`{}` of the document, which does not describe it.", def.name));
    text.push_str(&doc_comment(&docs, "    "));
    let _ = writeln!(text, "    pub enum {} {{", def.name);
    for value in &shape.values {
        let _ = writeln!(text, "        /// `{}`", value.wire.replace('`', "'"));
        let _ = writeln!(text, "        {} = {:?},", value.rust, value.wire);
    }
    text.push_str("    }\n}\n");
    text
}

fn union(api: &Api, def: &TypeDef, shape: &Union, imports: &mut Imports) -> TokenStream {
    imports.add("serde", "Deserialize");
    imports.add("serde", "Serialize");
    let docs = raw_docs(&type_docs(def, "One of several forms, told apart by their fields."));
    let name = ident(&def.name);
    let branches = shape.branches.iter().map(|branch| {
        let (rust, ty) = (ident(&branch.rust), write(api, &branch.ty, From::Home(&def.home), imports));
        let about = format!("The form of `{ty}`.").replace(" < ", "<").replace(" >", ">");
        quote! {
            #[doc = #about]
            #rust(#ty),
        }
    });
    let branches: Vec<TokenStream> = branches.collect();
    let from: Vec<TokenStream> = shape
        .branches
        .iter()
        .filter(|branch| {
            matches!(branch.ty, Type::Named(_))
                && shape.branches.iter().filter(|other| other.ty == branch.ty).count() == 1
        })
        .map(|branch| {
            let (rust, ty) = (ident(&branch.rust), write(api, &branch.ty, From::Home(&def.home), imports));
            quote! {
                impl From<#ty> for #name {
                    fn from(value: #ty) -> Self {
                        Self::#rust(value)
                    }
                }
            }
        })
        .collect();
    let validation = def.usage.request.then(|| union_validation(api, def, shape, imports));
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(untagged)]
        pub enum #name {
            #(#branches)*
        }

        #(#from)*

        #validation
    }
}

/// A decoded union is checked by its branch; raw JSON that fits no branch is told as such.
fn union_validation(api: &Api, def: &TypeDef, shape: &Union, imports: &mut Imports) -> TokenStream {
    for name in ["Path", "Report", "Validate", "Value"] {
        imports.add(validation::CHECKS, name);
    }
    let name = ident(&def.name);
    let arms = shape.branches.iter().map(|branch| {
        let rust = ident(&branch.rust);
        quote!(Self::#rust(value) => value.verify(at, report),)
    });
    let forms: Vec<String> = shape
        .branches
        .iter()
        .map(|branch| match &branch.ty {
            Type::Named(id) | Type::Boxed(id) => api.type_def(*id).name.clone(),
            _ => branch.rust.clone(),
        })
        .collect();
    let rule = format!("must have the form of one of: {}", forms.join(", "));
    quote! {
        #[cfg(feature = "server")]
        impl Validate for #name {
            fn verify(&self, at: &Path<'_>, report: &mut Report) {
                match self {
                    #(#arms)*
                }
            }

            fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
                if Self::deserialize(value).is_err() {
                    report.push(at, #rule);
                }
            }
        }
    }
}

fn responses(api: &Api) -> Source {
    let mut imports = Imports::default();
    let items: Vec<Block> = api
        .responses
        .iter()
        .map(|response| Block::Rust(response_type(api, response, &mut imports)))
        .collect();
    let mut blocks = vec![Block::Rust(imports.tokens())];
    blocks.extend(items);
    let docs = "Responses with a type of their own: a body, and the headers that come with it.".to_owned();
    Source { path: "model/src/responses.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

fn response_type(api: &Api, response: &Response, imports: &mut Imports) -> TokenStream {
    let docs = docs_or(response.docs.as_deref(), "A response that the document does not describe.");
    let name = ident(&response.name);
    let headers = response.headers.iter().map(|header| {
        let about = format!("The header `{}`.", header.wire);
        let docs = docs_or(header.docs.as_deref(), &about);
        let (rust, ty) = (ident(&header.rust), write(api, &header.ty, From::Crate, imports));
        let ty = if header.required { ty } else { quote!(Option<#ty>) };
        quote!(#docs pub #rust: #ty,)
    });
    let headers: Vec<TokenStream> = headers.collect();
    let body = response.body.as_ref().map(|ty| {
        let ty = write(api, ty, From::Crate, imports);
        quote! {
            /// The body.
            pub body: #ty,
        }
    });
    let from = response.body.as_ref().filter(|_| response.headers.is_empty()).map(|ty| {
        let ty = write(api, ty, From::Crate, imports);
        quote! {
            impl From<#ty> for #name {
                fn from(body: #ty) -> Self {
                    Self { body }
                }
            }
        }
    });
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        pub struct #name {
            #(#headers)*
            #body
        }

        #from
    }
}
