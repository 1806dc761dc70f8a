//! Unions, and named lists and maps.

use super::{
    super::{
        Imports, ident,
        prose::{bounds, ended, first_line},
        types::{From, write, write_element},
        validation,
    },
    plain::Plain,
    wire,
};
use crate::{
    ir::{Api, Branch, Element, Type, TypeId, Union},
    render::{Block, markdown, raw_docs},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The variant that keeps what has no form that the document lists; only answers need one.
pub(in crate::emit) fn unknown(api: &Api, id: TypeId, shape: &Union) -> Option<&'static str> {
    let name =
        if shape.branches.iter().any(|branch| branch.rust == "Unknown") { "Unlisted" } else { "Unknown" };
    api.type_def(id).usage.response.then_some(name)
}

/// What is said of a union that has no description: its place, and what tells its forms apart.
pub(super) fn docs(shape: &Union, place: &str) -> String {
    let place = place.trim_end_matches('.');
    match &told_by(shape) {
        _ if shape.branches.len() < 2 => format!("{place}."),
        Some(member) => format!("{place}: one of several variants, distinguished by `{member}`."),
        None => format!("{place}: one of several variants, distinguished by their content."),
    }
}

/// The member that tells the forms apart: the discriminator, or one that has other values in every form.
fn told_by(shape: &Union) -> Option<&str> {
    if let Some(tag) = &shape.tag {
        return Some(&tag.wire);
    }
    let (first, rest) = shape.branches.split_first()?;
    let values = |branch: &'_ Branch, member: &str| {
        let fixed = branch.test.fixed.iter().find(|(name, _)| name == member);
        fixed
            .filter(|_| branch.test.required.iter().any(|name| name == member))
            .map(|(_, values)| values.clone())
    };
    let tells = |member: &str| {
        let mut seen = values(first, member).unwrap_or_default();
        !seen.is_empty()
            && rest.iter().all(|branch| {
                let Some(next) = values(branch, member) else { return false };
                let new = next.iter().all(|value| !seen.contains(value));
                seen.extend(next);
                new
            })
    };
    first.test.fixed.iter().map(|(name, _)| name.as_str()).find(|name| !name.is_empty() && tells(name))
}

/// Everything that a union comes with.
pub(super) fn emit(
    api: &Api,
    id: TypeId,
    shape: &Union,
    docs: &str,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Vec<Block> {
    let def = api.type_def(id);
    let docs = raw_docs(docs);
    let name = ident(&def.name);
    let from = From::Crate;
    let branches: Vec<TokenStream> = shape
        .branches
        .iter()
        .map(|branch| {
            let (rust, ty) = (ident(&branch.rust), write_element(api, &branch.element, from, imports));
            let about = raw_docs(&variant_text(api, branch));
            quote!(#about #rust(#ty),)
        })
        .collect();
    let unknown = unknown(api, id, shape);
    let other = unknown.map(|unknown| {
        imports.add("frontdesk_runtime", "Value");
        let unknown = ident(unknown);
        quote! {
            /// Matches no documented variant; kept as raw JSON.
            #unknown(Value),
        }
    });
    let conversions = conversions(api, &name, shape, imports);
    let (derive, growing) = (derive(plain.is_plain(id)), growing());
    let mut blocks = vec![Block::Rust(quote! {
        #docs
        #derive
        #growing
        pub enum #name {
            #(#branches)*
            #other
        }
    })];
    if plain.is_plain(id) {
        imports.add("frontdesk_runtime", "union");
        blocks.push(Block::Text(wire::of_union(api, &def.name, shape, unknown)));
    }
    if !conversions.is_empty() {
        blocks.push(Block::Rust(quote!(#(#conversions)*)));
    }
    if def.usage.request && plain.is_plain(id) {
        blocks.push(Block::Rust(validation::of_union(api, &def.name, shape, unknown, imports)));
    }
    blocks
}

/// What a variant is: the description of its branch, or that of the type which the branch refers to.
fn variant_text(api: &Api, branch: &Branch) -> String {
    let mut text = match &branch.docs {
        Some(docs) => markdown(docs),
        None => described(api, &branch.element.ty).unwrap_or_else(|| about(api, &branch.element.ty)),
    };
    if let Some(bounds) = bounds(&branch.element) {
        // Beside what the document says, they are a paragraph of their own.
        text.push_str(if branch.docs.is_some() { "\n\n" } else { " " });
        text.push_str(&bounds);
    }
    if branch.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    text
}

/// The first sentence of what the document says of a type, if it is one: some descriptions are an example in
/// JSON.
fn described(api: &Api, ty: &Type) -> Option<String> {
    let (Type::Named(id) | Type::Boxed(id)) = ty else { return None };
    let line = first_line(api.type_def(*id).docs.as_deref());
    line.starts_with(|first: char| !"{[<".contains(first)).then(|| ended(&line))
}

/// What a form is, where the document does not say it.
fn about(api: &Api, ty: &Type) -> String {
    match ty {
        Type::Named(id) | Type::Boxed(id) => format!("A value of [`{}`].", api.type_def(*id).name),
        Type::Bool => "`true` or `false`.".to_owned(),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
            "An integer.".to_owned()
        }
        Type::F32 | Type::F64 | Type::Decimal { text: false } => "A number.".to_owned(),
        Type::List(_) => "A list.".to_owned(),
        Type::Map(_) => "Values by name.".to_owned(),
        Type::Uuid => "A UUID.".to_owned(),
        Type::Timestamp => "A point in time.".to_owned(),
        Type::Date => "A date.".to_owned(),
        Type::Duration => "A length of time.".to_owned(),
        Type::Ipv4 | Type::Ipv6 => "An address.".to_owned(),
        Type::String | Type::Secret | Type::Base64 | Type::Decimal { text: true } => "A text.".to_owned(),
        Type::Any | Type::Raw(_) | Type::File | Type::Foreign(_) => "A value of another form.".to_owned(),
    }
}

/// `From` for every form whose values can be meant for no other.
fn conversions(api: &Api, name: &Ident, shape: &Union, imports: &mut Imports) -> Vec<TokenStream> {
    let mut conversions = Vec::new();
    for branch in &shape.branches {
        if !converts(api, shape, branch) {
            continue;
        }
        let rust = ident(&branch.rust);
        let (ty, value) = match &branch.element.ty {
            Type::Boxed(id) => (write(api, &Type::Named(*id), From::Crate, imports), quote!(Box::new(value))),
            ty => (write(api, ty, From::Crate, imports), quote!(value)),
        };
        let conversion = |ty: &TokenStream, value: &TokenStream| {
            quote! {
                impl From<#ty> for #name {
                    fn from(value: #ty) -> Self {
                        Self::#rust(#value)
                    }
                }
            }
        };
        conversions.push(conversion(&ty, &value));
        if branch.element.ty == Type::String {
            conversions.push(conversion(&quote!(&str), &quote!(value.to_owned())));
        }
    }
    conversions
}

/// Whether a value may be passed where a union is wanted, because one of its forms is made of it.
pub(super) fn is_converted_to(api: &Api, shape: &Union) -> bool {
    shape.branches.iter().any(|branch| converts(api, shape, branch))
}

/// Whether a value of the branch's type can be meant for no other branch.
fn converts(api: &Api, shape: &Union, branch: &Branch) -> bool {
    let same = |other: &&Branch| match (&branch.element.ty, &other.element.ty) {
        (Type::Named(one) | Type::Boxed(one), Type::Named(other) | Type::Boxed(other)) => {
            api.original(*one) == api.original(*other)
        }
        // Both are one type in Rust.
        (Type::Decimal { .. }, Type::Decimal { .. }) => true,
        (one, other) => one == other,
    };
    let has_one_type = !matches!(
        branch.element.ty,
        Type::List(_) | Type::Map(_) | Type::Any | Type::Raw(_) | Type::File | Type::Foreign(_)
    );
    has_one_type && !branch.element.nullable && shape.branches.iter().filter(same).count() == 1
}

/// Everything that a newtype comes with.
pub(super) fn newtype(
    api: &Api,
    id: TypeId,
    element: &Element,
    docs: &str,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Vec<Block> {
    let def = api.type_def(id);
    let docs = raw_docs(docs);
    let name = ident(&def.name);
    let ty = write_element(api, element, From::Crate, imports);
    let derive = derive(plain.is_plain(id));
    let mut blocks = vec![Block::Rust(quote!(#docs #derive pub struct #name(pub #ty);))];
    if plain.is_plain(id) {
        imports.add("frontdesk_runtime", "newtype");
        let ty = ty.to_string().replace(" < ", "<").replace(" >", ">").replace(" ,", ",");
        blocks.push(Block::Text(format!("newtype! {{ {}({ty}) }}\n", def.name)));
    }
    if def.usage.request {
        blocks.push(Block::Rust(validation::of_newtype(api, &def.name, element, imports)));
    }
    blocks
}

/// What lets a later version of the document add variants to an enumeration without breaking clients, who
/// then cannot match it completely. Servers can, so that the compiler shows them what is new.
pub(in crate::emit) fn growing() -> TokenStream {
    quote!(#[cfg_attr(not(feature = "server"), non_exhaustive)])
}

/// The derived traits of a value, or of something that can only be read once.
pub(in crate::emit) fn derive(plain: bool) -> TokenStream {
    if plain { quote!(#[derive(Clone, Debug, PartialEq)]) } else { quote!(#[derive(Debug)]) }
}
