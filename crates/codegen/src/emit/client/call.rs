//! Owns the call type of the client crate, which generated code gives methods, so that it must be the crate's own.

use super::super::{Source, Text};
use crate::{ir::Api, render::Block};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/call.rs";

/// The module `call`.
pub(super) fn emit<'a>(api: &Api) -> Source<'a> {
    let mut blocks = vec![
        Block::Rust(quote! {
            use frontdesk_runtime::{HeaderName, HeaderValue, client::{self, Answer, BoxFuture, Endpoint, Error, RetryPolicy}};
            use std::{fmt::Display, future::IntoFuture, time::Duration};
        }),
        Block::Rust(quote! {
            /// One request; `.await` sends it.
            #[derive(Debug)]
            #[must_use = "a call is sent by awaiting it"]
            pub struct Call<E: Endpoint>(pub(crate) client::Call<E>);

            impl<E: Endpoint> Call<E> {
                /// Sets a header of this call alone.
                pub fn header(self, name: HeaderName, value: HeaderValue) -> Self {
                    Self(self.0.header(name, value))
                }

                /// The time that one attempt of this call may take.
                pub fn timeout(self, timeout: Duration) -> Self {
                    Self(self.0.timeout(timeout))
                }

                /// When this call is repeated.
                pub fn retry(self, policy: RetryPolicy) -> Self {
                    Self(self.0.retry(policy))
                }

                /// Sends `Idempotency-Key`, which makes the call safe to repeat where the service honours it.
                pub fn idempotency_key(self, key: impl Display) -> Self {
                    Self(self.0.idempotency_key(key))
                }
            }
        }),
    ];
    if api.operations().any(|operation| operation.pagination.is_some()) {
        blocks.push(Block::Rust(pages()));
    }
    blocks.push(Block::Rust(quote! {
        impl<E: Endpoint> IntoFuture for Call<E> {
            type Output = Result<Answer<E::Success>, Error<E::Failure>>;
            type IntoFuture = BoxFuture<Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                self.0.into_future()
            }
        }
    }));
    let docs = "One request on its way.".to_owned();
    Source { path: "client/src/call.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// What calls of lists have besides.
fn pages() -> TokenStream {
    quote! {
        impl<E: client::Paged> Call<E>
        where
            E::Success: 'static,
            E::Failure: 'static,
        {
            /// The entries of all pages, from the page that this call asks for; each page is fetched when it is needed.
            pub fn stream(self) -> client::Series<Result<E::Item, Error<E::Failure>>> {
                self.0.stream()
            }

            /// The pages, from the one that this call asks for; each is fetched when it is needed.
            pub fn pages(self) -> client::Series<client::Page<E>> {
                self.0.pages()
            }
        }
    }
}
