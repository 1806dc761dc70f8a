//! The tables that the generated crates hand to the macros of the runtime.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Token, Visibility, braced};

use super::read::is_gated;
use crate::render::spelled;

/// `#[…] pub enum Name { #[…] Variant = "text", }`
pub(super) fn listed(input: ParseStream<'_>) -> syn::Result<(bool, syn::Ident, Vec<String>)> {
    let gated = is_gated(&input.call(Attribute::parse_outer)?);
    input.parse::<Visibility>()?;
    input.parse::<Token![enum]>()?;
    let name = input.parse()?;
    let inner;
    braced!(inner in input);
    let mut values = Vec::new();
    while !inner.is_empty() {
        inner.call(Attribute::parse_outer)?;
        values.push(inner.parse::<syn::Ident>()?.to_string());
        inner.parse::<Token![=]>()?;
        inner.parse::<syn::Lit>()?;
        inner.parse::<Option<Token![,]>>()?;
    }
    Ok((gated, name, values))
}

/// `Builder for Client`
pub(super) fn configured(input: ParseStream<'_>) -> syn::Result<syn::Ident> {
    let builder = input.parse()?;
    input.parse::<Token![for]>()?;
    input.parse::<syn::Ident>()?;
    Ok(builder)
}

/// An error of a set.
pub(super) struct DeclaredError {
    pub(super) variant: syn::Ident,
    pub(super) payload: String,
    /// The response that `?` converts to it.
    pub(super) response: Option<syn::Ident>,
}

/// `#[…] pub enum Name { #[…] 404 => Variant(Type) from Response, }`, and what is said of refusals.
pub(super) fn declared(
    input: ParseStream<'_>,
) -> syn::Result<(Vec<Attribute>, syn::Ident, Vec<DeclaredError>)> {
    let attributes = input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    input.parse::<Token![enum]>()?;
    let name = input.parse()?;
    let inner;
    braced!(inner in input);
    let mut errors = Vec::new();
    while !inner.is_empty() {
        inner.call(Attribute::parse_outer)?;
        while !inner.peek(Token![=>]) {
            inner.parse::<TokenTree>()?;
        }
        inner.parse::<Token![=>]>()?;
        let variant = inner.parse()?;
        let payload = spelled(inner.parse::<TokenTree>()?);
        let mut response = None;
        while !inner.is_empty() && inner.parse::<Option<Token![,]>>()?.is_none() {
            if inner.parse::<TokenTree>()?.to_string() == "from" {
                response = Some(inner.parse()?);
            }
        }
        errors.push(DeclaredError { variant, payload, response });
    }
    input.parse::<TokenStream>()?;
    Ok((attributes, name, errors))
}

/// `Name(Type)`
pub(super) fn wrapped(input: ParseStream<'_>) -> syn::Result<(bool, syn::Ident, String)> {
    let gated = is_gated(&input.call(Attribute::parse_outer)?);
    let name = input.parse()?;
    let inner;
    syn::parenthesized!(inner in input);
    let ty: TokenStream = inner.parse()?;
    Ok((gated, name, spelled(ty)))
}

/// `#[…] pub struct Name;`
pub(super) fn identified(input: ParseStream<'_>) -> syn::Result<(Vec<Attribute>, syn::Ident)> {
    let item: syn::ItemStruct = input.parse()?;
    Ok((item.attrs, item.ident))
}

/// The required members of an object.
pub(super) struct RequiredMembers {
    /// The struct that has them.
    pub(super) required: syn::Ident,
    /// The object that is made of them.
    pub(super) name: syn::Ident,
    pub(super) fields: Vec<(syn::Ident, String)>,
}

/// `NameRequired for Name { field: Type, }`, and what is absent at first.
pub(super) fn required_members(input: ParseStream<'_>) -> syn::Result<RequiredMembers> {
    let required = input.parse()?;
    input.parse::<Token![for]>()?;
    let name = input.parse()?;
    let inner;
    braced!(inner in input);
    let mut fields = Vec::new();
    while !inner.is_empty() {
        let field = inner.call(syn::Ident::parse_any)?;
        inner.parse::<Token![:]>()?;
        fields.push((field, spelled(inner.parse::<syn::Type>()?)));
        inner.parse::<Token![,]>()?;
    }
    input.parse::<TokenStream>()?;
    Ok(RequiredMembers { required, name, fields })
}

/// `#[…] pub Name = constant => Success, Failure { … }`, and facts.
pub(super) fn endpoint(input: ParseStream<'_>) -> syn::Result<(Vec<Attribute>, syn::Ident, String)> {
    let attributes = input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    let name = input.parse()?;
    input.parse::<Token![=]>()?;
    input.parse::<syn::Path>()?;
    input.parse::<Token![=>]>()?;
    let success = input.parse::<syn::Type>()?;
    input.parse::<Token![,]>()?;
    let failure = input.parse::<syn::Type>()?;
    input.parse::<TokenStream>()?;
    Ok((attributes, name, format!("Success = {}, Failure = {}", spelled(success), spelled(failure))))
}
