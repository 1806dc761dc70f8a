//! Owns the way of a request through the server crate: reading it, calling the handler, writing what comes of it.

use super::{answers, bodies, parameters};
use crate::{
    emit::{Imports, expect_deprecated, ident, model_crate, status_code},
    ir::{Answer, Api, Caller, Content, Group, Operation, Status},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// From where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// From the file that it stands in.
    Here,
    /// From the file that lists the module.
    Above,
}

/// Reads the request, calls the handler, writes the response.
pub(super) fn route(
    api: &Api,
    group: &Group,
    operation: &Operation,
    seen: Seen,
    imports: &mut Imports,
) -> TokenStream {
    let visibility = (seen == Seen::Above).then(|| quote!(pub(super)));
    let (function, name, trait_name) =
        (ident(&operation.function), ident(&operation.name), ident(&group.name));
    let failure = failure(operation);
    let deprecation = expect_deprecated(operation.deprecated);
    let mut reads = Vec::new();
    let mut fields = Vec::new();
    let offered = answers::offered(api, operation);
    if !offered.is_empty() {
        reads.push(quote!(call.answers_with(&[#(#offered),*]);));
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
    let alternatives = answers::alternatives(api, operation);
    let success = success(api, operation, alternatives.as_deref(), imports);
    // Read after the request is made, so that no parameter of this name is shadowed.
    let preferred =
        alternatives.map(|media_types| quote!(let preferred = call.preferred(&[#(#media_types),*]);));
    imports.add("frontdesk_runtime::server", "reply");
    let call = if fields.is_empty() && reads.is_empty() { quote!(_call) } else { quote!(mut call) };
    quote! {
        #deprecation
        #visibility async fn #function<S: #trait_name>(service: Arc<S>, #call: Call<S::Caller>) -> Answered {
            #(#reads)*
            #finish
            let request = #name { #(#fields),* };
            #preferred
            let outcome = service.#function(request).await;
            reply::respond(outcome, #success, #failure)
        }
    }
}

/// The function that writes the errors of an operation.
fn failure_name(operation: &Operation) -> Ident {
    ident(&format!("{}_error", operation.function.trim_start_matches("r#").trim_end_matches('_')))
}

/// How the handler's success is written, under the media type that the caller prefers where there are alternatives.
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
                Content::Response(_) => {
                    imports.add("crate::responses", "Respond");
                    let written = preferred(quote!(response.respond(#status)));
                    quote!(|response| #written)
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

/// How the errors of an operation are written; where there are none, nothing has to be.
fn failure(operation: &Operation) -> TokenStream {
    if operation.errors.is_empty() {
        let name = ident(&format!("{}Error", operation.name));
        return quote!(|error: #name| match error {});
    }
    let function = failure_name(operation);
    quote!(#function)
}

/// Writes the errors of an operation, if it declares any.
pub(super) fn errors(api: &Api, operation: &Operation, imports: &mut Imports) -> Option<TokenStream> {
    if operation.errors.is_empty() {
        return None;
    }
    imports.add("frontdesk_runtime::server", "Response");
    let function = failure_name(operation);
    let name = ident(&format!("{}Error", operation.name));
    let short = ident("Error");
    let arms: Vec<TokenStream> =
        operation.errors.iter().map(|answer| arm(api, &short, answer, imports)).collect();
    Some(quote! {
        fn #function(error: #name) -> Response {
            use #name as Error;
            match error {
                #(#arms)*
            }
        }
    })
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
    match &answer.content {
        Content::Nothing => match given {
            Some(_) => quote!(#name::#variant(status) => reply::empty(status),),
            None => quote!(#name::#variant => reply::empty(#expression),),
        },
        Content::Body(payload) => {
            let written = answers::write(api, payload, &expression, &quote!(body), imports);
            quote!(#name::#variant(#given body) => #written,)
        }
        Content::Response(_) => {
            imports.add("crate::responses", "Respond");
            quote!(#name::#variant(#given it) => it.respond(#expression),)
        }
    }
}
