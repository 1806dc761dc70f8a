//! Emitter of pagination: the location of the entries, and the reference to the next page.

use super::super::{
    Imports, ident, model_crate,
    operations::common_payload,
    types::{From, Presence, write_element},
};
use crate::ir::{Api, Element, Operation, Pages, Shape, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Returns the implementation that lets a call be followed page by page; nothing if the operation has no
/// pagination.
pub(super) fn paged(api: &Api, operation: &Operation, imports: &mut Imports) -> Option<TokenStream> {
    let pagination = operation.pagination.as_ref()?;
    let payload = common_payload(api, operation)??;
    let mut value = quote!(page);
    let mut element = payload.json()?;
    // Each `?` handles a missing member on the path to the list; a page without its list has no entries.
    let (mut fallible, mut optional) = (false, element.nullable);
    for member in &pagination.items {
        let (id, boxed) = match element.ty {
            Type::Named(id) => (id, false),
            Type::Boxed(id) => (id, true),
            _ => return None,
        };
        let Shape::Struct(shape) = &api.type_def(id).shape else { return None };
        let field = shape.fields.iter().find(|field| field.wire == *member)?;
        let name = ident(&field.rust);
        if optional {
            fallible = true;
            value = quote!(#value?);
        }
        value = if boxed { quote!((*#value).#name) } else { quote!(#value.#name) };
        optional = match Presence::of(field) {
            Presence::Required => false,
            Presence::RequiredNullable | Presence::Optional => true,
            Presence::Patch => {
                value = quote!(#value.into_value());
                true
            }
        };
        element = &field.element;
    }
    let Type::List(entry) = &element.ty else { return None };
    let item = item_type(api, entry, imports);
    let name = ident(&operation.name);
    let pointer = pointer(&pagination.items);
    let following = following(&pagination.pages);
    let items = match (fallible, optional) {
        (false, false) => value,
        (false, true) => quote!(#value.unwrap_or_default()),
        (true, _) => {
            let list = if optional { value } else { quote!(Some(#value)) };
            quote! {
                let list = || #list;
                list().unwrap_or_default()
            }
        }
    };
    Some(quote! {
        impl client::Paged for #name {
            type Item = #item;

            const FOLLOWING: client::Following = #following;
            const ITEMS: &'static str = #pointer;

            fn items(page: Self::Success) -> Vec<Self::Item> {
                #items
            }
        }
    })
}

fn item_type(api: &Api, entry: &Element, imports: &mut Imports) -> TokenStream {
    write_element(api, entry, From::Model(&model_crate(api)), imports)
}

fn following(pages: &Pages) -> TokenStream {
    match pages {
        Pages::Cursor { parameter, next } => {
            let next = pointer(next);
            quote!(client::Following::Cursor { parameter: #parameter, next: #next })
        }
        Pages::Number { parameter, first } => {
            let first = Literal::i64_unsuffixed(*first);
            quote!(client::Following::Number { parameter: #parameter, first: #first })
        }
        Pages::Offset { parameter } => quote!(client::Following::Offset { parameter: #parameter }),
        Pages::Link => quote!(client::Following::Link),
        Pages::Address { next } => {
            let next = pointer(next);
            quote!(client::Following::Address { next: #next })
        }
        Pages::Single => quote!(client::Following::Single),
    }
}

/// Formats a JSON pointer (RFC 6901).
fn pointer(members: &[String]) -> String {
    members.iter().map(|member| format!("/{}", member.replace('~', "~0").replace('/', "~1"))).collect()
}
