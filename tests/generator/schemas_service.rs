//! The service of `ok/schemas`: it answers with what it was sent.

use std::net::SocketAddr;

use frontdesk_runtime::Failure;
use frontdesk_testkit::stand_in;
use schemas_client::Client;
use schemas_model as model;
use schemas_server::{self as server, Authenticator, Echo};

/// What the service is.
#[derive(Debug)]
pub(crate) struct Service;

/// Serves on a port of its own.
pub(crate) async fn start() -> SocketAddr {
    stand_in::serve(server::router(Service, Service)).await
}

/// A client of the service at this address.
pub(crate) fn client_of(address: SocketAddr) -> Client {
    Client::builder(format!("http://{address}")).build().unwrap()
}

/// A client of a service on a port of its own.
pub(crate) async fn client() -> Client {
    client_of(start().await)
}

type Outcome<T, E> = Result<T, Failure<E>>;

impl Echo for Service {
    type Caller = ();

    async fn scalars(
        &self,
        request: server::EchoScalars,
    ) -> Outcome<model::Scalars, model::EchoScalarsError> {
        Ok(request.body)
    }

    async fn bounds(&self, request: server::EchoBounds) -> Outcome<model::Bounds, model::EchoBoundsError> {
        Ok(request.body)
    }

    async fn enumerations(
        &self,
        request: server::EchoEnumerations,
    ) -> Outcome<model::Enumerations, model::EchoEnumerationsError> {
        Ok(request.body)
    }

    async fn presence(
        &self,
        request: server::EchoPresence,
    ) -> Outcome<model::Presence, model::EchoPresenceError> {
        Ok(request.body)
    }

    async fn composition(
        &self,
        request: server::EchoComposition,
    ) -> Outcome<model::Composition, model::EchoCompositionError> {
        Ok(request.body)
    }

    async fn unions(&self, request: server::EchoUnions) -> Outcome<model::Unions, model::EchoUnionsError> {
        Ok(request.body)
    }

    async fn maps(&self, request: server::EchoMaps) -> Outcome<model::Maps, model::EchoMapsError> {
        Ok(request.body)
    }

    async fn store_account(
        &self,
        request: server::StoreAccount,
    ) -> Outcome<model::Account, model::StoreAccountError> {
        let model::AccountInput { name, profile, .. } = request.body;
        let account = model::Account::new("6f1d5a5c-6f6e-4a56-8e0f-3c2f8f9d7a10".parse()?, name);
        Ok(match profile.and_then(|profile| profile.motto) {
            Some(motto) => account.profile(model::Profile::new(1).motto(motto)),
            None => account,
        })
    }

    /// Answers with what absence means, where the model says it as a value.
    async fn defaults(
        &self,
        request: server::EchoDefaults,
    ) -> Outcome<model::Defaults, model::EchoDefaultsError> {
        let body = request.body;
        Ok(model::Defaults {
            text: Some(body.text_or_default().to_owned()),
            whole: Some(body.whole_or_default()),
            wide: Some(body.wide_or_default()),
            ratio: Some(body.ratio_or_default()),
            flag: Some(body.flag_or_default()),
            mood: Some(body.mood_or_default()),
            inline_mood: Some(body.inline_mood_or_default()),
            words: Some(body.words_or_default().to_vec()),
            ..body
        })
    }

    async fn recursion(
        &self,
        request: server::EchoRecursion,
    ) -> Outcome<model::Recursion, model::EchoRecursionError> {
        Ok(request.body)
    }

    async fn names(&self, request: server::EchoNames) -> Outcome<model::Type, model::EchoNamesError> {
        Ok(request.body)
    }

    async fn post_inline(
        &self,
        request: server::PostInline,
    ) -> Outcome<model::PostInlineOk, model::PostInlineError> {
        let kind = request.body.outer.kind.map(|kind| match kind {
            model::PostInlineBodyOuterKind::A => model::PostInlineOkKind::A,
            model::PostInlineBodyOuterKind::B => model::PostInlineOkKind::B,
        });
        // A value that no version of the client knows yet stands behind the one that was sent.
        let later = model::PostInlineOkKind::Unknown("later".to_owned());
        Ok(model::PostInlineOk::new(kind.into_iter().chain([later])))
    }
}

impl Authenticator for Service {
    type Caller = ();
}

frontdesk_runtime::default_refusals!(Service => model::Refused);
