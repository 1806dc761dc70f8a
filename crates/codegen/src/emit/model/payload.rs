//! Enumerations of bodies that have several media types.

use super::{
    super::{
        Imports, ident,
        types::{From, write_form},
    },
    plain::Plain,
    union::{derive, growing},
};
use crate::{
    ir::{Api, Payload},
    render::raw_docs,
};
use proc_macro2::TokenStream;
use quote::quote;

/// The enumeration; nothing for a payload that needs none. That of responses may grow. That of requests may
/// not: the client writes each of its variants.
pub(in crate::emit) fn emit(
    api: &Api,
    payload: &Payload,
    about: &str,
    is_response: bool,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Option<TokenStream> {
    let name = ident(payload.name.as_ref()?);
    let variants: Vec<TokenStream> = payload
        .forms
        .iter()
        .map(|form| {
            let about = raw_docs(&format!("`{}`", form.media_type.replace('`', "'")));
            let (variant, ty) = (ident(&form.variant), write_form(api, form, From::Crate, imports));
            quote!(#about #variant(#ty),)
        })
        .collect();
    let (derive, growing) = (derive(plain.is_plain_payload(payload)), is_response.then(growing));
    let about = raw_docs(about);
    Some(quote! {
        #about
        #derive
        #growing
        pub enum #name {
            #(#variants)*
        }
    })
}
