//! Emitter of the call type of the client crate. Generated code implements methods for it, so it must be
//! defined in the crate itself.

use super::super::{Source, Text};
use crate::{ir::Api, render::Block};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/call.rs";

/// Returns the module `call`.
pub(super) fn emit<'a>(api: &Api) -> Source<'a> {
    let mut blocks = vec![
        Block::Rust(quote! {
            use frontdesk_runtime::{HeaderName, HeaderValue, client::{self, BoxFuture, Endpoint, Error, ResponseValue, RetryPolicy}};
            use std::{fmt::Display, future::IntoFuture, time::Duration};
        }),
        Block::Rust(quote! {
            /// One call of an operation; `.await` sends it.
            #[derive(Debug)]
            #[must_use = "a call is sent by awaiting it"]
            pub struct Call<E: Endpoint>(pub(crate) client::Call<E>);

            impl<E: Endpoint> Call<E> {
                /// Sets a header of this call only. A name or value that HTTP does not allow is an error of
                /// the call.
                pub fn header(self, name: impl TryInto<HeaderName>, value: impl TryInto<HeaderValue>) -> Self {
                    Self(self.0.header(name, value))
                }

                /// Adds a query parameter that the document does not declare.
                pub fn with_query(self, name: &str, value: impl Display) -> Self {
                    Self(self.0.with_query(name, value))
                }

                /// Sends the call without the client's credentials, even if the operation requires some.
                pub fn without_credentials(self) -> Self {
                    Self(self.0.without_credentials())
                }

                /// Limits the time of the whole call, with all retries and the delays between them. A call
                /// that would exceed it while it waits ends with the last response.
                pub fn deadline(self, limit: Duration) -> Self {
                    Self(self.0.deadline(limit))
                }

                /// Limits the time of one attempt of this call.
                pub fn timeout(self, timeout: Duration) -> Self {
                    Self(self.0.timeout(timeout))
                }

                /// Sets the retry policy of this call.
                pub fn retry(self, policy: RetryPolicy) -> Self {
                    Self(self.0.retry(policy))
                }
            }
        }),
    ];
    if api.operations().any(|operation| operation.pagination.is_some()) {
        blocks.push(Block::Rust(pages()));
    }
    blocks.push(Block::Rust(quote! {
        impl<E: Endpoint> IntoFuture for Call<E> {
            type Output = Result<ResponseValue<E::Success>, Error<E::Failure>>;
            type IntoFuture = BoxFuture<Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                self.0.into_future()
            }
        }
    }));
    let docs = "Calls of operations.".to_owned();
    Source { path: "client/src/call.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// Returns the additional methods of calls that return lists.
fn pages() -> TokenStream {
    quote! {
        impl<E: client::Paged> Call<E>
        where
            E::Success: 'static,
            E::Failure: 'static,
        {
            /// Returns the entries of all pages, beginning with the page that this call requests. Pages are
            /// fetched on demand.
            pub fn stream(self) -> client::Series<Result<E::Item, Error<E::Failure>>> {
                self.0.stream()
            }

            /// Returns the pages, beginning with the one that this call requests. Pages are fetched on
            /// demand.
            pub fn pages(self) -> client::Series<client::Page<E>> {
                self.0.pages()
            }
        }
    }
}
