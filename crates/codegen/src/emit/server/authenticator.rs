//! Emitter of the `Authenticator` trait, and of its connection with the router.

use crate::{
    emit::{Source, Text, docs_or, ident},
    ir::{Api, Credential, Scheme},
    render::{Block, docs},
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/server/authenticator.rs";

/// Returns the module `authenticator`.
pub(super) fn emit<'a>(api: &Api) -> Source<'a> {
    let methods = api.schemes.iter().map(|scheme| {
        let (rust, parameters) = (ident(&scheme.rust), credential_parameters(&scheme.credential));
        let caller = result(&scheme.credential, &quote!(Self::Caller));
        let docs = match (&scheme.credential, &scheme.docs) {
            (Credential::Connection, described) => {
                let check = format!(
                    "Checks the scheme `{}`, which the connection proves and not the request. Returns `None` if the \
                     connection proves nobody, so that other alternatives are tried.",
                    scheme.wire
                );
                docs(&described.iter().chain([&check]).map(String::as_str).collect::<Vec<_>>().join("\n\n"))
            }
            (_, described) => docs_or(described.as_deref(), &format!("Checks the scheme `{}`.", scheme.wire)),
        };
        quote! {
            #docs
            fn #rust(&self, #parameters incoming: &Incoming) -> impl Future<Output = Result<#caller, Rejection>> + Send;
        }
    });
    let methods: Vec<TokenStream> = methods.collect();
    let (proven, presented): (Vec<&Scheme>, Vec<&Scheme>) =
        api.schemes.iter().partition(|scheme| scheme.credential == Credential::Connection);
    let arms = presented.into_iter().map(|scheme| {
        let (rust, wire) = (ident(&scheme.rust), &scheme.wire);
        match scheme.credential {
            Credential::Bearer => quote!((#wire, Presented::Bearer(token)) => Authenticator::#rust(&self.authenticator, &token, incoming).await,),
            Credential::Basic => {
                quote!((#wire, Presented::Basic(user, password)) => Authenticator::#rust(&self.authenticator, &user, &password, incoming).await,)
            }
            _ => quote!((#wire, Presented::Key(key)) => Authenticator::#rust(&self.authenticator, &key, incoming).await,),
        }
    });
    let arms: Vec<TokenStream> = arms.collect();
    let check = if arms.is_empty() {
        quote! {
            async fn check(&self, _scheme: &'static Scheme, _presented: Presented, _incoming: &Incoming) -> Result<A::Caller, Rejection> {
                Err(Rejection::fault())
            }
        }
    } else {
        quote! {
            async fn check(&self, scheme: &'static Scheme, presented: Presented, incoming: &Incoming) -> Result<A::Caller, Rejection> {
                match (scheme.name, presented) {
                    #(#arms)*
                    // The router presents to each scheme the credential that it asks for.
                    _ => Err(Rejection::fault()),
                }
            }
        }
    };
    let arms = proven.into_iter().map(|scheme| {
        let (rust, wire) = (ident(&scheme.rust), &scheme.wire);
        quote!(#wire => Authenticator::#rust(&self.authenticator, incoming).await,)
    });
    let arms: Vec<TokenStream> = arms.collect();
    let check_connection = (!arms.is_empty()).then(|| {
        quote! {
            async fn check_connection(&self, scheme: &'static Scheme, incoming: &Incoming) -> Result<Option<A::Caller>, Rejection> {
                match scheme.name {
                    #(#arms)*
                    _ => Err(Rejection::fault()),
                }
            }
        }
    });
    let combines =
        api.operations().any(|operation| operation.security.iter().any(|schemes| schemes.len() > 1));
    let combination = combines.then(|| {
        quote! {
            /// Makes one caller of those that a combined requirement identifies, in the order of its schemes;
            /// by default the last. There are at least two.
            fn combine(&self, mut callers: Vec<Self::Caller>) -> Result<Self::Caller, Rejection> {
                callers.pop().ok_or_else(Rejection::fault)
            }
        }
    });
    let combined = combines.then(|| {
        quote! {
            fn combine(&self, callers: Vec<A::Caller>) -> Result<A::Caller, Rejection> {
                self.authenticator.combine(callers)
            }
        }
    });
    let blocks = vec![
        Block::Rust(quote! {
            use frontdesk_runtime::{Bytes, Scheme, server::{Guard, Incoming, Presented, Refusal, Refuse, Rejection, Response}};
        }),
        Block::Rust(quote! {
            /// Authentication and authorization, with one method for each security scheme of the document.
            ///
            /// It also implements [`Refuse`] for the bodies that operations declare for requests that are
            /// refused.
            pub trait Authenticator: Send + Sync + 'static {
                /// The caller, as handlers receive it.
                type Caller: Send + Sync + 'static;

                #(#methods)*

                #combination

                /// Decides whether the caller may call the operation, for example by role, rate limit and
                /// existence of the resource. It runs before parameters and body are read. What it adds to
                /// [`Incoming::extensions_mut`] reaches the handler in the field `incoming` of its request.
                fn authorize(
                    &self,
                    _caller: Option<&Self::Caller>,
                    _incoming: &mut Incoming,
                ) -> impl Future<Output = Result<(), Rejection>> + Send {
                    async { Ok(()) }
                }

                /// Whether `inspect_body` wants to see the body of this request, which is authorized.
                fn inspects_body(&self, _caller: Option<&Self::Caller>, _incoming: &Incoming) -> bool {
                    false
                }

                /// Looks at the body of an authorized request before it is decoded, for example to recognise
                /// a repeated request. Only requests for which `inspects_body` returns `true` are read this
                /// early, once and within the limit of their operation.
                fn inspect_body(
                    &self,
                    _caller: Option<&Self::Caller>,
                    _incoming: &mut Incoming,
                    _body: &Bytes,
                ) -> impl Future<Output = Result<(), Rejection>> + Send {
                    async { Ok(()) }
                }

                /// Makes the responses that the router sends instead of a handler if the operation does not
                /// declare their status, or if the request calls no operation. [`Refuse`] makes all others.
                fn refuse(&self, refusal: Refusal) -> Response {
                    refusal.into_response()
                }
            }

            /// Connects an [`Authenticator`] with the router.
            #[derive(Debug)]
            pub struct Gate<A> {
                authenticator: A,
            }

            impl<A> Gate<A> {
                /// Wraps an authenticator.
                pub fn new(authenticator: A) -> Self {
                    Self { authenticator }
                }
            }

            impl<A: Authenticator> Guard for Gate<A> {
                type Caller = A::Caller;

                #check

                #check_connection

                #combined

                async fn authorize(&self, caller: Option<&A::Caller>, incoming: &mut Incoming) -> Result<(), Rejection> {
                    self.authenticator.authorize(caller, incoming).await
                }

                fn inspects_body(&self, caller: Option<&A::Caller>, incoming: &Incoming) -> bool {
                    self.authenticator.inspects_body(caller, incoming)
                }

                async fn inspect_body(&self, caller: Option<&A::Caller>, incoming: &mut Incoming, body: &Bytes) -> Result<(), Rejection> {
                    self.authenticator.inspect_body(caller, incoming, body).await
                }

                fn refuse(&self, refusal: Refusal) -> Response {
                    self.authenticator.refuse(refusal)
                }
            }

            impl<T, A: Refuse<T>> Refuse<T> for Gate<A> {
                fn refuse(&self, refusal: &Refusal) -> T {
                    self.authenticator.refuse(refusal)
                }
            }
        }),
    ];
    let module_docs = "Authentication, authorization and the router's own responses.".to_owned();
    Source {
        path: "server/src/authenticator.rs".to_owned(),
        emitter: EMITTER,
        text: Text::Rust { docs: module_docs, blocks },
    }
}

/// Returns the parameters of the method that checks a scheme.
pub(super) fn credential_parameters(credential: &Credential) -> TokenStream {
    match credential {
        Credential::Bearer => quote!(token: &str,),
        Credential::Basic => quote!(user: &str, password: &str,),
        Credential::Http(_) | Credential::Header(_) | Credential::Query(_) | Credential::Cookie(_) => {
            quote!(key: &str,)
        }
        Credential::Connection => TokenStream::new(),
    }
}

/// Returns the type of what the method that checks a scheme finds out, for this type of callers.
pub(super) fn result(credential: &Credential, caller: &TokenStream) -> TokenStream {
    match credential {
        Credential::Connection => quote!(Option<#caller>),
        _ => caller.clone(),
    }
}
