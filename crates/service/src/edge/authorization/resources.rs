//! Resources that requests name: one resolver for each kind, used for ids in paths, queries and bodies alike.
//!
//! Path parameters are resolved in the order of the path, each inside the scope of the caller and below the
//! resources before it. The rows are added to the request's extensions, where the handler takes them with
//! [`loaded`]. What does not exist and what belongs to another account look the same.

use std::fmt;

use frontdesk_model::{Message, NotFound};
use frontdesk_runtime::server::Incoming;
use frontdesk_store::{Scope, StoreError};
use futures_util::future::BoxFuture;
use http::Extensions;
use uuid::Uuid;

use crate::edge::Edge;

/// The operation whose path is being resolved, among what was loaded before. Deleted resources that can be
/// restored exist for some operations only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CurrentOperation(pub(crate) &'static str);

/// A kind of resource with a path parameter of its own.
pub(crate) trait Resource: Clone + Send + Sync + Sized + 'static {
    /// The path parameter that names a resource of this kind.
    const PARAMETER: &'static str;
    /// The text of the 404 when there is none.
    const NOT_FOUND: &'static str;

    /// Loads the resource with this id, if it is inside the scope and below the resources that the path has
    /// named before it. Calls without a key have no scope.
    fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> impl Future<Output = Result<Option<Self>, StoreError>> + Send;
}

/// A kind of resource whose ids are numbers. It belongs to an account, and to nothing else.
pub(crate) trait NumberedResource: Clone + Send + Sync + Sized + 'static {
    /// As of a [`Resource`].
    const PARAMETER: &'static str;
    /// As of a [`Resource`].
    const NOT_FOUND: &'static str;

    /// Loads the resource with this number, if it is inside the scope.
    fn load(
        service: &Edge,
        scope: Option<&Scope>,
        number: i64,
    ) -> impl Future<Output = Result<Option<Self>, StoreError>> + Send;
}

type Load = for<'a> fn(
    &'a Edge,
    Option<&'a Scope>,
    &'a mut Extensions,
    &'a str,
) -> BoxFuture<'a, Result<bool, StoreError>>;

/// How the resources of one kind are found.
#[derive(Clone, Copy)]
pub(crate) struct Resolver {
    parameter: &'static str,
    not_found: &'static str,
    load: Load,
}

impl Resolver {
    /// The resolver of a kind of resource.
    pub(crate) fn of<R: Resource>() -> Self {
        Self {
            parameter: R::PARAMETER,
            not_found: R::NOT_FOUND,
            load: |service, scope, loaded, text| {
                Box::pin(async move {
                    let Ok(id) = text.parse::<Uuid>() else { return Ok(false) };
                    let found = R::load(service, scope, loaded, id).await?;
                    Ok(found.map(|row| loaded.insert(row)).is_some())
                })
            },
        }
    }

    /// Stands for a parameter that the handler looks up itself: it loads nothing.
    pub(super) fn by_handler(parameter: &'static str) -> Self {
        Self { parameter, not_found: "", load: |_, _, _, _| Box::pin(std::future::ready(Ok(true))) }
    }

    /// The resolver of a kind of resource with numbers.
    pub(crate) fn numbered<R: NumberedResource>() -> Self {
        Self {
            parameter: R::PARAMETER,
            not_found: R::NOT_FOUND,
            load: |service, scope, loaded, text| {
                Box::pin(async move {
                    // Another way to write the number, such as `+7`, is not the id.
                    let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
                    let Some(number) = number else { return Ok(false) };
                    let found = R::load(service, scope, number).await?;
                    Ok(found.map(|row| loaded.insert(row)).is_some())
                })
            },
        }
    }
}

/// Why the resources of a path are not there.
#[derive(Debug)]
pub(crate) enum Unresolved {
    /// One does not exist; this is what to say.
    NotFound(&'static str),
    /// The store failed.
    Store(StoreError),
}

/// The resolvers of all path parameters.
#[derive(Clone)]
pub(crate) struct Resolvers(Vec<Resolver>);

impl fmt::Debug for Resolvers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|resolver| resolver.parameter)).finish()
    }
}

impl Resolvers {
    pub(crate) fn new(resolvers: impl IntoIterator<Item = Resolver>) -> Self {
        Self(resolvers.into_iter().collect())
    }

    /// Returns resolvers of all parameters of these operations, which find nothing.
    #[cfg(test)]
    pub(super) fn that_find_nothing(operations: &[&'static frontdesk_runtime::Operation]) -> Self {
        let resolver = |parameter| Resolver {
            parameter,
            not_found: "",
            load: |_, _, _, _| Box::pin(std::future::ready(Ok(false))),
        };
        Self::new(operations.iter().flat_map(|operation| parameters(operation.path)).map(resolver))
    }

    fn find(&self, parameter: &str) -> Option<&Resolver> {
        self.0.iter().find(|resolver| resolver.parameter == parameter)
    }

    /// Returns the first parameter of a path template that no resolver is for.
    pub(crate) fn missing(&self, path: &str) -> Option<String> {
        parameters(path).find(|parameter| self.find(parameter).is_none()).map(str::to_owned)
    }

    /// Returns the id that the first path parameter holds, if it is one.
    pub(super) fn first_id(incoming: &Incoming) -> Option<Uuid> {
        let parameter = parameters(incoming.operation().path).next()?;
        incoming.path_text(parameter)?.parse().ok()
    }

    /// Returns the text of the 404 for a path parameter.
    pub(super) fn not_found(&self, parameter: &str) -> &'static str {
        self.find(parameter).map_or("There is no such resource.", |resolver| resolver.not_found)
    }

    /// Loads the resources that the path of a request names, in their order, into the request's extensions.
    pub(crate) async fn resolve(
        &self,
        service: &Edge,
        scope: Option<&Scope>,
        incoming: &mut Incoming,
    ) -> Result<(), Unresolved> {
        let operation = incoming.operation();
        incoming.extensions_mut().insert(CurrentOperation(operation.id));
        for parameter in parameters(operation.path) {
            let resolver = self.find(parameter).ok_or(Unresolved::NotFound("There is no such resource."))?;
            let Some(text) = incoming.path_text(parameter).map(str::to_owned) else {
                return Err(Unresolved::NotFound(resolver.not_found));
            };
            let loaded = (resolver.load)(service, scope, incoming.extensions_mut(), &text).await;
            if !loaded.map_err(Unresolved::Store)? {
                return Err(Unresolved::NotFound(resolver.not_found));
            }
        }
        Ok(())
    }
}

/// Returns the names of the parameters of a path template, in their order.
fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// Authorization has not loaded a resource that a handler needs: the path of the operation does not name one.
#[derive(Debug, thiserror::Error)]
#[error("the path parameter {parameter} was not resolved for this operation")]
pub(crate) struct NotLoaded {
    parameter: &'static str,
}

/// Returns the resource that authorization has loaded for a request.
pub(crate) fn loaded<R: Resource>(incoming: &Incoming) -> Result<R, NotLoaded> {
    incoming.extensions().get::<R>().cloned().ok_or(NotLoaded { parameter: R::PARAMETER })
}

/// Returns the resource with a number that authorization has loaded for a request.
pub(crate) fn loaded_numbered<R: NumberedResource>(incoming: &Incoming) -> Result<R, NotLoaded> {
    incoming.extensions().get::<R>().cloned().ok_or(NotLoaded { parameter: R::PARAMETER })
}

/// The 404 of an operation whose resource was there when the request was authorized and is gone now.
pub(crate) fn gone<R: Resource>() -> NotFound {
    NotFound { body: Message::new(R::NOT_FOUND) }
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_come_in_the_order_of_the_path() {
        let path = "/api/v1/chatbots/{chatbot_id}/tags/{tag_id}";
        assert_eq!(parameters(path).collect::<Vec<_>>(), ["chatbot_id", "tag_id"]);
        assert_eq!(parameters("/api/v1/chatbots").count(), 0);
    }
}
