//! Emitter of the functions that read a request, call the handler and write its response.

use super::{answers, bodies, parameters};
use crate::{
    emit::{
        Imports, expect_deprecated, ident, model_crate, operations::with_headers, refusals, status_code,
        types::From,
    },
    ir::{Answer, Api, Caller, Content, Group, Operation, Status},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The media type of bodies that need no name.
const JSON: &str = "application/json";

/// The place from which a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// The file that defines it.
    Here,
    /// The file that lists its module.
    Above,
}

/// Whether the document declares a response to an `Accept` header that excludes every media type. Without one
/// the header is a wish that the server may disregard (RFC 9110, section 12.5.1).
fn declares_not_acceptable(operation: &Operation) -> bool {
    refusals::declared(operation).iter().any(|found| (found.statuses.0..=found.statuses.1).contains(&406))
}

/// Returns the function that reads the request, calls the handler and writes the response.
pub(super) fn route(
    api: &Api,
    group: &Group,
    operation: &Operation,
    seen: Seen,
    imports: &mut Imports,
) -> TokenStream {
    let visibility = (seen == Seen::Above).then(|| quote!(pub(super)));
    let (function, name, trait_name) =
        (ident(&operation.handler), ident(&operation.name), ident(&group.name));
    let deprecation = expect_deprecated(operation.deprecated);
    let mut reads = Vec::new();
    let mut fields = Vec::new();
    let offered = answers::offered(api, operation);
    if !offered.is_empty() && declares_not_acceptable(operation) {
        reads.push(quote!(call.require_acceptable(&[#(#offered),*]);));
    }
    match operation.caller() {
        Caller::Nobody => {}
        Caller::Anybody => fields.push(quote!(caller: call.optional_caller())),
        Caller::Known => fields.push(quote!(caller: call.caller()?)),
    }
    for parameter in &operation.parameters {
        let rust = ident(&parameter.rust);
        let read = parameters::read(api, operation, parameter, imports);
        reads.push(quote!(let #rust = #read;));
        fields.push(quote!(#rust: #rust?));
    }
    if let Some(body) = &operation.body {
        let read = bodies::read(api, body, imports);
        reads.push(quote!(let body = #read;));
        fields.push(quote!(body: body?));
    }
    let finish = (!reads.is_empty()).then(|| quote!(call.finish()?;));
    let mutable = (!fields.is_empty() || !reads.is_empty()).then(|| quote!(mut));
    // Last, because it consumes the call.
    fields.push(quote!(incoming: call.into_incoming()));
    let alternatives = answers::alternatives(api, operation);
    let success = success(api, operation, alternatives.as_deref(), imports);
    // Read after the request struct is built, so that it shadows no parameter of this name.
    let preferred = alternatives
        .map(|media_types| quote!(let preferred = request.incoming.preferred(&[#(#media_types),*]);));
    imports.add("frontdesk_runtime::server", "reply");
    let error = format!("{}Error", operation.name);
    imports.add(&model_crate(api), &error);
    let error = ident(&error);
    quote! {
        #deprecation
        #visibility async fn #function<S: #trait_name>(service: Arc<S>, #mutable call: Call<S::Caller>) -> HandlerResult<#error> {
            #(#reads)*
            #finish
            let request = #name { #(#fields),* };
            #preferred
            let outcome = #trait_name::#function(&*service, request).await;
            reply::respond(outcome, #success)
        }
    }
}

/// Returns the closure that writes the handler's success, in the media type that the caller prefers if there
/// are alternatives.
fn success(
    api: &Api,
    operation: &Operation,
    alternatives: Option<&[String]>,
    imports: &mut Imports,
) -> TokenStream {
    let preferred = |written: TokenStream| match alternatives {
        Some(media_types) => quote!(reply::prefer(#written, &[#(#media_types),*], preferred)),
        None => written,
    };
    match &operation.successes[..] {
        [] => {
            imports.add("frontdesk_runtime", "StatusCode");
            quote!(|()| reply::empty(StatusCode::NO_CONTENT))
        }
        [only] if matches!(only.status, Status::Code(_)) => {
            imports.add("frontdesk_runtime", "StatusCode");
            let status = status_code(only.status);
            match &only.content {
                Content::Nothing => quote!(|()| reply::empty(#status)),
                Content::Body(payload) => {
                    let written = answers::write(api, payload, &quote!(#status), &quote!(body), imports);
                    let written = preferred(written);
                    quote!(|body| #written)
                }
                content @ Content::Response(_) => {
                    let ty = with_headers(api, content, From::Model(&model_crate(api)), imports);
                    let written = preferred(write_answer(api, content, &quote!(#status), imports));
                    quote!(|response| {
                        let answer: #ty = response.into();
                        #written
                    })
                }
            }
        }
        several => {
            let name = format!("{}Success", operation.name);
            imports.add(&model_crate(api), &name);
            let name = ident(&name);
            let arms: Vec<TokenStream> =
                several.iter().map(|answer| arm(api, &name, answer, imports)).collect();
            let written = preferred(quote!(match success { #(#arms)* }));
            quote!(|success| #written)
        }
    }
}

fn arm(api: &Api, name: &Ident, answer: &Answer, imports: &mut Imports) -> TokenStream {
    let variant = ident(&answer.variant);
    let status = status_code(answer.status);
    if status.is_some() {
        imports.add("frontdesk_runtime", "StatusCode");
    }
    imports.add("frontdesk_runtime::server", "reply");
    let expression = status.clone().unwrap_or_else(|| quote!(status));
    let given = status.is_none().then(|| quote!(status,));
    let written = write_answer(api, &answer.content, &expression, imports);
    quote!(#name::#variant(#given answer) => #written,)
}

/// Whether the body is JSON under its usual media type.
pub(super) fn is_json(api: &Api, content: &Content) -> bool {
    let payload = content.payload(&api.responses);
    payload.is_some_and(|payload| payload.json().is_some() && payload.forms[0].media_type == JSON)
}

/// Returns the expression that writes `answer`, a body with headers.
pub(super) fn write_answer(
    api: &Api,
    content: &Content,
    status: &TokenStream,
    imports: &mut Imports,
) -> TokenStream {
    if is_json(api, content) {
        return quote!(reply::answer(#status, answer));
    }
    let payload = content.payload(&api.responses);
    let body = match payload {
        Some(payload) => answers::write(api, payload, status, &quote!(answer.body), imports),
        None => quote!(reply::empty(#status)),
    };
    quote!(reply::with_headers(#body, *answer.headers))
}
