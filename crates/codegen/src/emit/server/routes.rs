//! Owns the way of a request through the server crate: reading it, calling the handler, writing what comes of it.

use crate::{
    emit::{Imports, expect_deprecated, ident, model_crate, status_code, validation},
    ir::{Answer, Api, Caller, Content, Group, Location, Operation, Parameter, Status, Type},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Reads the request, calls the handler, writes the response.
pub(super) fn route(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let (function, name, trait_name) =
        (ident(&operation.function), ident(&operation.name), ident(&group.name));
    let failure = failure(operation);
    let deprecation = expect_deprecated(operation.deprecated);
    let mut reads = Vec::new();
    let mut fields = Vec::new();
    match operation.caller() {
        Caller::Nobody => {}
        Caller::Anybody => fields.push(quote!(caller: call.optional_caller())),
        Caller::Known => fields.push(quote!(caller: call.caller()?)),
    }
    for parameter in &operation.parameters {
        let rust = ident(&parameter.rust);
        let read = read(api, parameter, imports);
        reads.push(quote!(let #rust = #read;));
        fields.push(quote!(#rust: #rust?));
    }
    if let Some(body) = &operation.body {
        let read = if body.required { quote!(json()) } else { quote!(json_optional()) };
        reads.push(quote!(let body = call.#read.await;));
        fields.push(quote!(body: body?));
    }
    let finish = (!reads.is_empty()).then(|| quote!(call.finish()?;));
    let success = success(api, operation, imports);
    let call = if fields.is_empty() { quote!(_call) } else { quote!(mut call) };
    quote! {
        #deprecation
        async fn #function<S: #trait_name>(service: Arc<S>, #call: Call<S::Caller>) -> Answered {
            #(#reads)*
            #finish
            let request = #name { #(#fields),* };
            let outcome = service.#function(request).await;
            respond(outcome, #success, #failure)
        }
    }
}

/// The function that writes the errors of an operation.
fn failure_name(operation: &Operation) -> Ident {
    ident(&format!("{}_error", operation.function.trim_start_matches("r#").trim_end_matches('_')))
}

fn read(api: &Api, parameter: &Parameter, imports: &mut Imports) -> TokenStream {
    let wire = &parameter.wire;
    let list = matches!(parameter.element.ty, Type::List(_))
        && parameter.explode
        && parameter.location == Location::Query;
    let method = ident(match (parameter.location, parameter.required) {
        (Location::Path, _) => "path",
        (Location::Query, true) if list => "query_list",
        (Location::Query, false) if list => "query_list_optional",
        (Location::Query, true) => "query",
        (Location::Query, false) => "query_optional",
        (Location::Header, true) => "header",
        (Location::Header, false) => "header_optional",
    });
    let rules = validation::rules(api, &parameter.element, imports);
    let rules = if rules.is_empty() { quote!(|_| ()) } else { quote!(|value| { value #rules; }) };
    quote!(call.#method(#wire, #rules))
}

/// How the handler's success is written.
fn success(api: &Api, operation: &Operation, imports: &mut Imports) -> TokenStream {
    match &operation.successes[..] {
        [] => {
            imports.add("frontdesk_runtime", "StatusCode");
            imports.add("frontdesk_runtime::server", "empty");
            quote!(|()| empty(StatusCode::NO_CONTENT))
        }
        [only] if matches!(only.status, Status::Code(_)) => {
            imports.add("frontdesk_runtime", "StatusCode");
            let status = status_code(only.status);
            match &only.content {
                Content::Nothing => {
                    imports.add("frontdesk_runtime::server", "empty");
                    quote!(|()| empty(#status))
                }
                Content::Body(_) => {
                    imports.add("frontdesk_runtime::server", "json");
                    quote!(|body| json(#status, &body))
                }
                Content::Response(_) => {
                    imports.add("crate::responses", "Respond");
                    quote!(|response| response.respond(#status))
                }
            }
        }
        several => {
            let name = format!("{}Success", operation.name);
            imports.add(&model_crate(api), &name);
            let name = ident(&name);
            let arms: Vec<TokenStream> = several.iter().map(|answer| arm(&name, answer, imports)).collect();
            quote!(|success| match success { #(#arms)* })
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
pub(super) fn errors(operation: &Operation, imports: &mut Imports) -> Option<TokenStream> {
    if operation.errors.is_empty() {
        return None;
    }
    imports.add("frontdesk_runtime::server", "Response");
    let function = failure_name(operation);
    let name = ident(&format!("{}Error", operation.name));
    let short = ident("Error");
    let arms: Vec<TokenStream> = operation.errors.iter().map(|answer| arm(&short, answer, imports)).collect();
    Some(quote! {
        fn #function(error: #name) -> Response {
            use #name as Error;
            match error {
                #(#arms)*
            }
        }
    })
}

fn arm(name: &Ident, answer: &Answer, imports: &mut Imports) -> TokenStream {
    let variant = ident(&answer.variant);
    let status = status_code(answer.status);
    if status.is_some() {
        imports.add("frontdesk_runtime", "StatusCode");
    }
    let expression = status.clone().unwrap_or_else(|| quote!(status));
    let given = status.is_none().then(|| quote!(status,));
    match &answer.content {
        Content::Nothing => {
            imports.add("frontdesk_runtime::server", "empty");
            match given {
                Some(_) => quote!(#name::#variant(status) => empty(status),),
                None => quote!(#name::#variant => empty(#expression),),
            }
        }
        Content::Body(_) => {
            imports.add("frontdesk_runtime::server", "json");
            quote!(#name::#variant(#given body) => json(#expression, &body),)
        }
        Content::Response(_) => {
            imports.add("crate::responses", "Respond");
            quote!(#name::#variant(#given it) => it.respond(#expression),)
        }
    }
}
