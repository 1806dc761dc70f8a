//! Emitter of what the router needs to refuse requests as the operations declare it.

use super::routes;
use crate::{
    emit::{
        Imports, ident, model_crate,
        operations::with_headers,
        refusals::{api_wide, can_state, written},
        types::{From, write_payload},
    },
    ir::{Api, Content, Operation},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::collections::HashMap;

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
    for found in operations.flat_map(|operation| written(api, operation)) {
        let content = &found.answer.content;
        let Some(ty) = body(api, content, imports) else { continue };
        if !bodies.iter().any(|known| known.ty.to_string() == ty.to_string()) {
            bodies.push(Body { ty, states: can_state(api, content) });
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

/// The arrays of the responses that some operations declare for refused requests.
#[derive(Debug)]
pub(super) struct Tables {
    /// The definitions of those that several operations have.
    pub(super) shared: TokenStream,
    /// The expression for each operation, by its function.
    by_function: HashMap<String, TokenStream>,
    /// About how many lines all arrays take.
    pub(super) lines: usize,
}

impl Tables {
    pub(super) fn of<'a>(
        api: &Api,
        operations: impl Iterator<Item = &'a Operation>,
        imports: &mut Imports,
    ) -> Self {
        let mut found: Vec<(Vec<TokenStream>, Vec<&str>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for operation in operations {
            let entries = entries(api, operation, imports);
            let place = *places.entry(quote!(#(#entries),*).to_string()).or_insert_with(|| {
                found.push((entries, Vec::new()));
                found.len() - 1
            });
            found[place].1.push(&operation.handler);
        }
        let (mut shared, mut by_function) = (TokenStream::new(), HashMap::new());
        let mut lines = 0;
        for (entries, functions) in found {
            lines += lines_of(&entries);
            let (table, length) = (quote!([#(#entries),*]), entries.len());
            let several = length > 0 && functions.len() > 1;
            let Some(first) = functions.first().filter(|_| several) else {
                by_function
                    .extend(functions.into_iter().map(|function| (function.to_owned(), table.clone())));
                continue;
            };
            imports.add("frontdesk_runtime::server", "DeclaredRefusal");
            let name = ident(&format!("as_{}", first.trim_start_matches("r#")));
            let length = Literal::usize_unsuffixed(length);
            shared.extend(quote!(let #name: [DeclaredRefusal<Gate<A>>; #length] = #table;));
            by_function.extend(functions.into_iter().map(|function| (function.to_owned(), quote!(#name))));
        }
        Self { shared, by_function, lines }
    }

    /// Returns the array of an operation as an expression.
    pub(super) fn of_operation(&self, operation: &Operation) -> &TokenStream {
        &self.by_function[&operation.handler]
    }
}

/// The longest entry of an array that stands in one line, in characters of its tokens with spaces between
/// them.
const LINE: usize = 90;

/// The same characters of an entry that is broken, by line.
const BROKEN_LINE: usize = 20;

/// Estimates the lines of an array.
fn lines_of(entries: &[TokenStream]) -> usize {
    if entries.is_empty() {
        return 0;
    }
    let lines = entries.iter().map(|entry| match entry.to_string().len() {
        ..=LINE => 1,
        broken => 2 + broken / BROKEN_LINE,
    });
    // The brackets, and the type of a long name.
    lines.sum::<usize>() + 4
}

/// Returns the responses that an operation declares for refused requests, as entries of an array.
fn entries(api: &Api, operation: &Operation, imports: &mut Imports) -> Vec<TokenStream> {
    let entries = written(api, operation).into_iter().map(|found| {
        let (first, last) =
            (Literal::u16_unsuffixed(found.statuses.0), Literal::u16_unsuffixed(found.statuses.1));
        let write = writer(api, &found.answer.content, imports);
        quote!((#first, #last, #write))
    });
    entries.collect()
}

/// Returns the function that writes refusals of requests that call no operation, if all errors of the
/// document have one body.
pub(super) fn unknown(api: &Api, imports: &mut Imports) -> Option<TokenStream> {
    Some(writer(api, &api_wide(api)?.content, imports))
}

/// Returns the type that an authenticator makes for a response; nothing if the response has no content.
fn body(api: &Api, content: &Content, imports: &mut Imports) -> Option<TokenStream> {
    let model = model_crate(api);
    match content {
        Content::Nothing => None,
        Content::Body(payload) => Some(write_payload(api, payload, From::Model(&model), imports)),
        Content::Response(id) => {
            let response = api.response(*id);
            if response.headers.is_empty() && response.body.is_none() {
                return None;
            }
            imports.add(&model, &response.name);
            let name = ident(&response.name);
            Some(quote!(#name))
        }
    }
}

/// Returns the function that writes a response.
fn writer(api: &Api, content: &Content, imports: &mut Imports) -> TokenStream {
    imports.add("frontdesk_runtime::server", "reply");
    let Some(ty) = body(api, content, imports) else { return quote!(reply::refused_empty) };
    if routes::is_json(api, content) {
        let model = model_crate(api);
        let payload = content.payload(&api.responses);
        let sent = payload.map(|payload| write_payload(api, payload, From::Model(&model), imports));
        return quote!(reply::refused::<_, #ty, #sent>);
    }
    imports.add("crate", "Refuse");
    let sent = with_headers(api, content, From::Model(&model_crate(api)), imports);
    let written = routes::write_answer(api, content, &quote!(refusal.status()), imports);
    quote!(|gate, refusal| {
        let answer: #sent = Refuse::<#ty>::refuse(gate, refusal).into();
        #written
    })
}
