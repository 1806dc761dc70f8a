//! Types of the IR as Rust syntax, and the imports that they need.

use super::{Imports, ident};
use crate::ir::{Api, Coding, Element, Field, Form, Payload, Shape, Style, Type, TypeId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Where named types are imported from.
#[derive(Clone, Copy, Debug)]
pub(super) enum From<'a> {
    /// A module of the model crate.
    Crate,
    /// Another crate.
    Model(&'a str),
}

/// The type as Rust writes it; notes what it needs.
pub(super) fn write(api: &Api, ty: &Type, from: From<'_>, imports: &mut Imports) -> TokenStream {
    let runtime = |name: &str, imports: &mut Imports| {
        imports.add("frontdesk_runtime", name);
        let name = ident(name);
        quote!(#name)
    };
    match ty {
        Type::Any | Type::Raw(_) => runtime("Value", imports),
        Type::I8 => quote!(i8),
        Type::I16 => quote!(i16),
        Type::U8 => quote!(u8),
        Type::U16 => quote!(u16),
        // A document has schemas of these names more often than not, so they are never imported.
        Type::Decimal { text: false } => quote!(frontdesk_runtime::Decimal),
        Type::Decimal { text: true } => quote!(frontdesk_runtime::DecimalText),
        Type::Base64 => quote!(frontdesk_runtime::Base64),
        Type::Date => quote!(frontdesk_runtime::Date),
        Type::Duration => quote!(frontdesk_runtime::Duration),
        Type::Ipv4 => quote!(std::net::Ipv4Addr),
        Type::Ipv6 => quote!(std::net::Ipv6Addr),
        Type::File => quote!(frontdesk_runtime::codec::File),
        Type::Foreign(path) => path.parse().expect("lowering only lets paths pass"),
        Type::Bool => quote!(bool),
        Type::I32 => quote!(i32),
        Type::I64 => quote!(i64),
        Type::U32 => quote!(u32),
        Type::U64 => quote!(u64),
        Type::F32 => quote!(f32),
        Type::F64 => quote!(f64),
        Type::String => quote!(String),
        Type::Secret => runtime("Secret", imports),
        Type::Uuid => runtime("Uuid", imports),
        Type::Timestamp => runtime("Timestamp", imports),
        Type::List(element) => {
            let element = write_element(api, element, from, imports);
            quote!(Vec<#element>)
        }
        Type::Map(element) => {
            imports.add("std::collections", "BTreeMap");
            let element = write_element(api, element, from, imports);
            quote!(BTreeMap<String, #element>)
        }
        Type::Named(id) => named(api, *id, from, imports),
        Type::Boxed(id) => {
            let name = named(api, *id, from, imports);
            quote!(Box<#name>)
        }
    }
}

/// The type of a value that may be `null`.
pub(super) fn write_element(
    api: &Api,
    element: &Element,
    from: From<'_>,
    imports: &mut Imports,
) -> TokenStream {
    let ty = write(api, &element.ty, from, imports);
    if element.nullable { quote!(Option<#ty>) } else { ty }
}

/// The type of a field, absence included.
pub(super) fn write_field(api: &Api, field: &Field, from: From<'_>, imports: &mut Imports) -> TokenStream {
    let ty = write(api, &field.element.ty, from, imports);
    match Presence::of(field) {
        Presence::Required => ty,
        Presence::RequiredNullable | Presence::Optional => quote!(Option<#ty>),
        Presence::Patch => {
            imports.add("frontdesk_runtime", "Patch");
            quote!(Patch<#ty>)
        }
    }
}

/// How a field may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is there and has a value.
    Required,
    /// It is there and may be `null`.
    RequiredNullable,
    /// It may be absent, not `null`.
    Optional,
    /// It may be absent or `null`.
    Patch,
}

impl Presence {
    pub(super) fn of(field: &Field) -> Self {
        match (field.required, field.element.nullable) {
            (true, false) => Self::Required,
            (true, true) => Self::RequiredNullable,
            (false, false) => Self::Optional,
            (false, true) => Self::Patch,
        }
    }
}

/// The name of a named type.
pub(super) fn named(api: &Api, id: TypeId, from: From<'_>, imports: &mut Imports) -> TokenStream {
    let def = api.type_def(id);
    match from {
        From::Crate => imports.add("crate", &def.name),
        From::Model(model) => imports.add(model, &def.name),
    }
    let name = ident(&def.name);
    quote!(#name)
}

/// The type of what a body holds.
pub(super) fn write_payload(
    api: &Api,
    payload: &Payload,
    from: From<'_>,
    imports: &mut Imports,
) -> TokenStream {
    match (&payload.name, payload.forms.first()) {
        (Some(name), _) => {
            // Within the model crate it stands in the module that uses it.
            if let From::Model(model) = from {
                imports.add(model, name);
            }
            let name = ident(name);
            quote!(#name)
        }
        (None, Some(form)) => write_form(api, form, from, imports),
        (None, None) => quote!(()),
    }
}

/// The type of one alternative of a body.
pub(super) fn write_form(api: &Api, form: &Form, from: From<'_>, imports: &mut Imports) -> TokenStream {
    match &form.coding {
        Coding::Json(element) | Coding::Urlencoded(element, _) | Coding::Multipart(element, _) => {
            write_element(api, element, from, imports)
        }
        Coding::Text(_) => quote!(String),
        Coding::Bytes => quote!(frontdesk_runtime::codec::ByteStream),
        Coding::Events(element) => {
            let element = write_element(api, element, from, imports);
            quote!(frontdesk_runtime::codec::EventStream<#element>)
        }
    }
}

/// Whether all styles write the type in the same way.
pub(super) fn is_plain(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Bool
        | Type::I8
        | Type::I16
        | Type::I32
        | Type::I64
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::F32
        | Type::F64
        | Type::Decimal { .. }
        | Type::String
        | Type::Uuid
        | Type::Timestamp
        | Type::Date
        | Type::Duration
        | Type::Ipv4
        | Type::Ipv6 => true,
        Type::Named(id) => matches!(api.type_def(*id).shape, Shape::Enum(_) | Shape::Id),
        Type::Any
        | Type::Raw(_)
        | Type::Secret
        | Type::Base64
        | Type::List(_)
        | Type::Map(_)
        | Type::Boxed(_)
        | Type::File
        | Type::Foreign(_) => false,
    }
}

/// Whether a value of the type is a single text.
pub(super) fn is_scalar(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Named(id) => matches!(api.type_def(*id).shape, Shape::Enum(_) | Shape::Id),
        Type::Any
        | Type::Raw(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Boxed(_)
        | Type::File
        | Type::Foreign(_) => false,
        _ => true,
    }
}

/// A style as the runtime names it, behind its `Style::`.
pub(super) fn style_name(style: Style) -> Ident {
    ident(match style {
        Style::Simple => "Simple",
        Style::Label => "Label",
        Style::Matrix => "Matrix",
        Style::Form => "Form",
        Style::SpaceDelimited => "SpaceDelimited",
        Style::PipeDelimited => "PipeDelimited",
        Style::DeepObject => "DeepObject",
        Style::Json => "Json",
        Style::JsonIfNested => "JsonIfNested",
    })
}
