//! The example of the server crate's docs and README: a service for the smallest group of operations that has
//! one with a caller and a body.

use super::{
    authenticator::{credential_parameters, result},
    mount_name, refusals,
};
use crate::{
    emit::{Imports, ident, model_crate, operations::success_type, prose::address, runtime_name::renamed},
    ir::{Api, Caller, Group},
    render::{Block, RenderError, body, example_header},
};
use quote::quote;

/// Returns the program. Its handlers are left to the reader; it compiles with the server crate, axum's
/// `serve` from there, and tokio.
pub(in crate::emit) fn example(api: &Api) -> Result<Option<String>, RenderError> {
    let shows_all = |group: &&Group| {
        let mut operations = group.operations.iter();
        operations.any(|operation| operation.caller() == Caller::Known && operation.body.is_some())
    };
    let smallest = |group: &&Group| (!shows_all(group), group.operations.len());
    let Some(group) = api.groups.iter().min_by_key(smallest) else { return Ok(None) };
    let (server, model) = (format!("{}_server", api.name.replace('-', "_")), model_crate(api));
    let mut imports = Imports::default();
    let root: &[&str] = if api.schemes.is_empty() {
        &["Authenticator", "Gate", "Routes"]
    } else {
        &["Authenticator", "Gate", "Incoming", "Rejection", "Routes"]
    };
    for name in root.iter().copied().chain(["Failure", &group.name, &mount_name(group).to_string()]) {
        imports.add(&server, name);
    }
    imports.add(&format!("{server}::runtime::server"), "axum");
    let methods = group.operations.iter().map(|operation| {
        imports.add(&server, &operation.name);
        let error = format!("{}Error", operation.name);
        imports.add(&model, &error);
        let success = success_type(api, operation, &model, &mut imports);
        let (function, request, error) = (ident(&operation.handler), ident(&operation.name), ident(&error));
        let caller = (operation.caller() != Caller::Nobody).then(|| quote!(<()>));
        let message = format!("respond to {}", address(operation).replace('`', ""));
        let message = message.replace('{', "{{").replace('}', "}}");
        quote! {
            async fn #function(&self, _request: #request #caller) -> Result<#success, Failure<#error>> {
                todo!(#message)
            }
        }
    });
    let methods: Vec<_> = methods.collect();
    let checks = api.schemes.iter().map(|scheme| {
        let (rust, parameters) = (ident(&scheme.rust), credential_parameters(&scheme.credential));
        let caller = result(&scheme.credential, &quote!(()));
        let message = format!("check the scheme {}", scheme.wire.replace('{', "{{").replace('}', "}}"));
        quote! {
            async fn #rust(&self, #parameters incoming: &Incoming) -> Result<#caller, Rejection> {
                todo!(#message)
            }
        }
    });
    let bodies = refusals::bodies(api, group.operations.iter(), &mut imports);
    let (stating, others): (Vec<_>, Vec<_>) = bodies.into_iter().partition(|body| body.states);
    let defaults = (!stating.is_empty()).then(|| {
        let types = stating.iter().map(|body| &body.ty);
        quote!(frontdesk_runtime::default_refusals!(Credentials => #(#types),*);)
    });
    let refusals = others.iter().map(|body| {
        for name in ["Refusal", "Refuse"] {
            imports.add(&server, name);
        }
        let ty = &body.ty;
        quote! {
            impl Refuse<#ty> for Credentials {
                fn refuse(&self, _refusal: &Refusal) -> #ty {
                    todo!("say why a request is refused")
                }
            }
        }
    });
    let refusals: Vec<_> = refusals.collect();
    let (name, mount) = (ident(&group.name), mount_name(group));
    let blocks = [
        Block::Rust(imports.tokens()),
        Block::Rust(quote! {
            struct Service;

            impl #name for Service {
                type Caller = ();

                #(#methods)*
            }

            struct Credentials;

            impl Authenticator for Credentials {
                type Caller = ();

                #(#checks)*
            }

            #defaults

            #(#refusals)*

            #[tokio::main]
            async fn main() -> std::io::Result<()> {
                let mut routes = Routes::new(Gate::new(Credentials));
                #mount(&mut routes, &std::sync::Arc::new(Service));
                let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
                axum::serve(listener, routes.into_router()).await
            }
        }),
    ];
    let text = body(&example_header("server/README.md"), &blocks)?;
    // One dependency is enough: the server crate re-exports the model and the runtime.
    let text = renamed(&text, &format!("{server}::runtime"))
        .replace(&format!("use {model}::"), &format!("use {server}::model::"));
    Ok(Some(text))
}
