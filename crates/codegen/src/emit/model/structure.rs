//! Structs: fields, serialization, constructors, setters and defaults.

use super::{
    super::{
        Imports, deprecated, expect_deprecated, ident,
        prose::first_sentence,
        types::{From, Presence, write, write_element, write_field},
        validation,
    },
    defaults,
    plain::Plain,
    union, wire,
};
use crate::{
    ir::{Api, Element, Field, Shape, Struct, Type, TypeDef, TypeId},
    render::{Block, docs, markdown, packed, raw_docs, spelled},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::fmt::Write;

/// Longer examples say less than they take.
const LONGEST_EXAMPLE: usize = 60;

/// Everything that a struct comes with.
pub(super) fn emit(
    api: &Api,
    id: TypeId,
    shape: &Struct,
    docs: &str,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Vec<Block> {
    let def = api.type_def(id);
    let docs = raw_docs(docs);
    let name = ident(&def.name);
    let from = From::Crate;
    let fields: Vec<TokenStream> =
        shape.fields.iter().map(|field| structure_field(api, field, imports)).collect();
    let extra = shape.extra.as_ref().map(|extra| {
        imports.add("std::collections", "BTreeMap");
        let ty = write_element(api, extra, from, imports);
        quote! {
            /// Additional members.
            pub extra: BTreeMap<String, #ty>,
        }
    });
    // Servers may make an answer by naming all of its fields, and are then told of a new one.
    let non_exhaustive = if def.usage.request && !def.usage.response {
        quote!(#[non_exhaustive])
    } else {
        quote!(#[cfg_attr(not(feature = "server"), non_exhaustive)])
    };
    let default = (shape.fields.iter().all(|field| !field.required)).then(|| quote!(Default,));
    let derive = if plain.is_plain(id) {
        quote!(#[derive(Clone, Debug, #default PartialEq)])
    } else {
        quote!(#[derive(Debug, #default)])
    };
    let mut blocks = vec![Block::Rust(quote! {
        #docs
        #derive
        #non_exhaustive
        pub struct #name {
            #(#fields)*
            #extra
        }
    })];
    blocks.extend(wire::of_struct(api, id, shape, plain, imports).into_iter().map(Block::Text));
    // Clients never make an answer, so they need not compile what makes one.
    let for_servers = !def.usage.request && def.usage.response;
    if let Some(required) = &def.required {
        blocks.push(Block::Text(by_name(api, def, shape, required, for_servers, imports)));
    }
    blocks.extend(constructor(api, def, shape, for_servers, imports).map(Block::Rust));
    let defaults = defaults::emit(api, def, shape, imports);
    if !defaults.is_empty() {
        blocks.push(Block::Rust(defaults));
    }
    if def.usage.request {
        blocks.push(Block::Rust(validation::of_struct(api, &def.name, shape, imports)));
    }
    blocks
}

fn structure_field(api: &Api, field: &Field, imports: &mut Imports) -> TokenStream {
    let docs = field_docs(field);
    let deprecation = deprecated(field.deprecated);
    let rust = ident(&field.rust);
    let ty = write_field(api, field, From::Crate, imports);
    quote! {
        #docs
        #deprecation
        pub #rust: #ty,
    }
}

fn field_docs(field: &Field) -> TokenStream {
    let mut text = field.docs.as_deref().map_or_else(|| format!("`{}`.", field.wire), markdown);
    let shown = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_short = |text: &String| {
        !text.is_empty()
            && text.len() <= LONGEST_EXAMPLE
            && !text.contains(['`', '\n', '\r'])
            && text.trim() == text
    };
    let secret = field.element.ty == Type::Secret;
    let default = field.default.as_ref().filter(|_| !field.required && !secret);
    if let Some(value) = default.map(shown).filter(is_short) {
        text.push_str(&format!("\n\nAbsence means `{value}`."));
    }
    if let Some(value) = field.example.as_ref().map(shown).filter(is_short).filter(|_| !secret) {
        text.push_str(&format!("\n\nFor example `{value}`."));
    }
    raw_docs(&text)
}

/// An invocation of the runtime's macro for a `new` that takes the required fields by name.
fn by_name(
    api: &Api,
    def: &TypeDef,
    shape: &Struct,
    required: &str,
    for_servers: bool,
    imports: &mut Imports,
) -> String {
    let mut text = String::new();
    // An import for servers only would take a group of its own in each file.
    let path = if for_servers {
        text.push_str("#[cfg(feature = \"server\")]\n");
        "frontdesk_runtime::"
    } else {
        imports.add("frontdesk_runtime", "required");
        ""
    };
    let _ = writeln!(text, "{path}required! {{\n    {required} for {} {{", def.name);
    for field in shape.fields.iter().filter(|field| field.required) {
        let ty = spelled(write_field(api, field, From::Crate, imports));
        let _ = writeln!(text, "        {}: {ty},", ident(&field.rust));
    }
    let extra = shape.extra.as_ref().map(|_| "extra".to_owned());
    let absent = shape.fields.iter().filter(|field| !field.required);
    let absent = absent.map(|field| ident(&field.rust).to_string()).chain(extra);
    let absent: Vec<String> = absent.map(|name| format!("{name},")).collect();
    let line = format!("    }} then {{ {} }}", absent.join(" ").trim_end_matches(','));
    if absent.is_empty() {
        text.push_str("    }");
    } else if line.len() <= wire::WIDTH {
        text.push_str(&line);
    } else {
        let _ = write!(text, "    }} then {{\n{}\n    }}", packed("       ", absent, wire::WIDTH));
    }
    text.push_str("\n}\n");
    text
}

/// `new` with the required fields, unless it takes them by name, and a setter for each of the others.
fn constructor(
    api: &Api,
    def: &TypeDef,
    shape: &Struct,
    for_servers: bool,
    imports: &mut Imports,
) -> Option<TokenStream> {
    let name = ident(&def.name);
    let from = From::Crate;
    let mut arguments = Vec::new();
    let mut values = Vec::new();
    let mut setters = Vec::new();
    for field in &shape.fields {
        let rust = ident(&field.rust);
        match Presence::of(field) {
            Presence::Required | Presence::RequiredNullable if def.required.is_some() => {}
            Presence::Required | Presence::RequiredNullable => {
                let (argument, value) = argument(api, field, &quote!(#rust), from, imports);
                arguments.push(quote!(#rust: #argument));
                values.push(if rust == value.to_string() { quote!(#rust) } else { quote!(#rust: #value) });
            }
            Presence::Optional => {
                values.push(quote!(#rust: None));
                setters.push(setter(api, shape, field, for_servers, imports));
            }
            Presence::Patch => {
                values.push(quote!(#rust: Patch::Absent));
                setters.push(setter(api, shape, field, for_servers, imports));
            }
        }
    }
    if shape.extra.is_some() {
        values.push(quote!(extra: BTreeMap::new()));
    }
    let new = def.required.is_none().then(|| {
        let about = if arguments.is_empty() {
            "Nothing is set yet."
        } else {
            "The required fields; nothing else is set yet."
        };
        let about = raw_docs(about);
        let body = if arguments.is_empty() { quote!(Self::default()) } else { quote!(Self { #(#values),* }) };
        let deprecation =
            expect_deprecated(!arguments.is_empty() && shape.fields.iter().any(|field| field.deprecated));
        quote! {
            #about
            #deprecation
            pub fn new(#(#arguments),*) -> Self {
                #body
            }
        }
    });
    let condition = for_servers.then(|| quote!(#[cfg(feature = "server")]));
    (new.is_some() || !setters.is_empty()).then(|| {
        quote! {
            #condition
            impl #name {
                #new

                #(#setters)*
            }
        }
    })
}

/// Returns the name of the method that sets a field: that of the field, unless the struct has a function of
/// this name itself.
fn setter_name(shape: &Struct, field: &Field) -> String {
    if !matches!(field.rust.as_str(), "new" | "default") {
        return field.rust.clone();
    }
    let mut name = format!("{}_", field.rust);
    while shape.fields.iter().any(|other| other.rust == name) {
        name.push_str("value_");
    }
    name
}

fn setter(api: &Api, shape: &Struct, field: &Field, for_servers: bool, imports: &mut Imports) -> TokenStream {
    let from = From::Crate;
    let (rust, method) = (ident(&field.rust), ident(&setter_name(shape, field)));
    let about = match first_sentence(field.docs.as_deref().unwrap_or_default()) {
        text if text.is_empty() => format!("Sets `{}`.", field.wire),
        text => format!("Sets `{}`: {text}", field.wire),
    };
    let about = docs(&about);
    let deprecation = deprecated(field.deprecated);
    let (argument, value) = if Presence::of(field) == Presence::Patch {
        let ty = write(api, &field.element.ty, from, imports);
        if for_servers {
            let field = quote!(frontdesk_runtime::ResponseField);
            (quote!(impl #field<#ty>), quote!(#field::into_field(value)))
        } else {
            (quote!(impl Into<Patch<#ty>>), quote!(value.into()))
        }
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
        Type::List(element) if !element.nullable => list_argument(api, element, value, from, imports),
        Type::Boxed(id) => {
            let inner = ident(&api.type_def(*id).name);
            if is_converted_to(api, *id) {
                return (quote!(impl Into<#inner>), quote!(Box::new(#value.into())));
            }
            (quote!(#inner), quote!(Box::new(#value)))
        }
        Type::Named(id) if is_converted_to(api, *id) => (quote!(impl Into<#ty>), quote!(#value.into())),
        _ => (quote!(#ty), quote!(#value)),
    }
}

/// Whether values of other types become one of this.
fn is_converted_to(api: &Api, id: TypeId) -> bool {
    match &api.type_def(id).shape {
        Shape::Union(shape) => union::is_converted_to(api, shape),
        _ => false,
    }
}

fn list_argument(
    api: &Api,
    element: &Element,
    value: &TokenStream,
    from: From<'_>,
    imports: &mut Imports,
) -> (TokenStream, TokenStream) {
    let entry = write(api, &element.ty, from, imports);
    match element.ty {
        Type::String => (
            quote!(impl IntoIterator<Item = impl Into<#entry>>),
            quote!(#value.into_iter().map(Into::into).collect()),
        ),
        _ => (quote!(impl IntoIterator<Item = #entry>), quote!(#value.into_iter().collect())),
    }
}
