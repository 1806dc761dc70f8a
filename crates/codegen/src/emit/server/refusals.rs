//! Emitter of what the router needs to refuse requests as the operations declare it.

use super::routes;
use crate::{
    emit::{
        Imports, model_crate,
        operations::with_headers,
        refusals::{api_wide, can_state, made_type, of_set},
        types::{From, write_payload},
    },
    ir::{Api, Content, Operation},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// A body that an authenticator must make.
#[derive(Debug)]
pub(super) struct Body {
    /// Its type.
    pub(super) ty: TokenStream,
    /// Whether it implements `FromRefusal`.
    pub(super) states: bool,
}

/// Returns the bodies that operations declare for refused requests, each once.
pub(super) fn bodies<'a>(
    api: &'a Api,
    operations: impl Iterator<Item = &'a Operation>,
    imports: &mut Imports,
) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    let model = model_crate(api);
    let sets: BTreeSet<usize> = operations.map(|operation| operation.error_set).collect();
    for set in sets {
        for answer in of_set(api, &api.error_sets[set]).all() {
            let content = &answer.content;
            let Some(ty) = made_type(api, content, From::Model(&model), imports) else { continue };
            if !bodies.iter().any(|known| known.ty.to_string() == ty.to_string()) {
                bodies.push(Body { ty, states: can_state(api, content) });
            }
        }
    }
    bodies
}

/// Returns the further bounds of an authenticator, each behind a `+`.
pub(super) fn bounds(bodies: &[Body], imports: &mut Imports) -> TokenStream {
    if bodies.is_empty() {
        return TokenStream::new();
    }
    imports.add("crate", "Refuse");
    let types = bodies.iter().map(|body| &body.ty);
    quote!(#(+ Refuse<#types>)*)
}

/// Returns the function that writes refusals of requests that call no operation, if all errors of the
/// document have one body.
pub(super) fn unknown(api: &Api, imports: &mut Imports) -> Option<TokenStream> {
    Some(writer(api, &api_wide(api)?.content, imports))
}

/// Returns the function that writes a response.
fn writer(api: &Api, content: &Content, imports: &mut Imports) -> TokenStream {
    imports.add("frontdesk_runtime::server", "reply");
    let model = model_crate(api);
    // A response without a body is not that of all errors.
    let ty = made_type(api, content, From::Model(&model), imports);
    if routes::is_json(api, content) {
        let payload = content.payload(&api.responses);
        let sent = payload.map(|payload| write_payload(api, payload, From::Model(&model), imports));
        return quote!(reply::refused::<_, #ty, #sent>);
    }
    imports.add("crate", "Refuse");
    let sent = with_headers(api, content, From::Model(&model), imports);
    let written = routes::write_answer(api, content, &quote!(refusal.status()), imports);
    quote!(|gate, refusal| {
        let answer: #sent = Refuse::<#ty>::refuse(gate, refusal).into();
        #written
    })
}
