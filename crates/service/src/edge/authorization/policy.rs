//! The access policies of all operations, as the contract states them in `x-policy`.

use std::{collections::HashMap, sync::Arc};

use frontdesk_runtime::Operation;
use frontdesk_store::Role;
use serde::{Deserialize, Deserializer, de};

use super::resources::Resolvers;

/// The extension key of operations that holds the policy.
const KEY: &str = "x-policy";

/// The size of the largest body that is read from somebody without a key, in bytes, unless the policy states
/// another.
const KEYLESS_BODY: usize = 64 << 10;

/// The access policy of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    /// Whether a key is needed.
    pub(super) caller: CallerKind,
    /// The roles that the creator of the key may have; empty if no key is needed.
    #[serde(default, deserialize_with = "roles")]
    pub(super) roles: Vec<Role>,
    /// What the plan of the caller's account must include.
    pub(super) plan: PlanRequirement,
    /// The rate limits that apply.
    pub(super) rate: RateClass,
    /// The credits that a call costs. Stated for clients; the handler charges them, because it knows the
    /// price.
    credits: CreditUse,
    /// Whether the sign-in or its confirmation must be recent.
    #[serde(default)]
    pub(super) recent: bool,
    /// Whether people may call the operation who lack the second factor that their account requires.
    #[serde(default)]
    pub(super) without_factor: bool,
    /// Which websites' scripts may call the operation from a browser. Stated for the layer that answers
    /// preflight requests: [`Policies::shared`].
    origins: Option<Origins>,
    /// The size of the largest body that the operation reads, in bytes, in place of the general limit.
    body_bytes: Option<usize>,
}

impl Policy {
    /// Returns the size of the largest body that the operation reads, in bytes. `general` is the limit of
    /// operations whose policy states none; of those that are called without a key it is a smaller one,
    /// because anybody may send to them.
    pub(super) fn body_limit(&self, general: usize) -> usize {
        self.body_bytes.unwrap_or(match self.caller {
            CallerKind::Key => general,
            CallerKind::Visitor | CallerKind::Session | CallerKind::None => general.min(KEYLESS_BODY),
        })
    }
}

/// The security scheme of visitors.
const VISITOR_TOKEN: &str = "visitorToken";

/// The security scheme of people who are signed in.
const SESSION: &str = "session";

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallerKind {
    /// Whoever has an API key.
    Key,
    /// The browser of a visitor, with the token of its session.
    Visitor,
    /// The browser of a person who is signed in.
    Session,
    /// Anybody.
    None,
}

impl CallerKind {
    /// Whether the security requirements of an operation ask for this caller and for nobody else.
    fn agrees_with(self, operation: &Operation) -> bool {
        let mut schemes = operation.security.iter().flat_map(|requirement| requirement.schemes);
        match self {
            Self::None => operation.allows_anonymous(),
            Self::Key => !operation.allows_anonymous() && schemes.all(|scheme| scheme.name != VISITOR_TOKEN),
            Self::Session => !operation.allows_anonymous() && schemes.all(|scheme| scheme.name == SESSION),
            Self::Visitor => {
                !operation.allows_anonymous() && schemes.all(|scheme| scheme.name == VISITOR_TOKEN)
            }
        }
    }
}

/// What a plan must include.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlanRequirement {
    ApiAccess,
    Any,
}

/// Which rate limits apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RateClass {
    /// The limit of the key.
    Key,
    /// The limits of the email reply: of the client address here, of the chatbot once the body is valid.
    Reply,
    /// The limits of contact forms: of the client address and of the form, both once the body is valid.
    Form,
    /// The limits of a widget: of the client address here, and those of sessions once the body is valid.
    Widget,
    /// The limits of visitors: of the session here, and those of messages once the body is valid.
    Visitor,
    /// The limit of a person's session.
    Session,
    /// The limits of failures to sign in, which the handlers count.
    SignIn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CreditUse {
    None,
    Answer,
}

/// Websites whose scripts may call an operation from a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Origins {
    Any,
}

fn roles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| name.parse().map_err(de::Error::custom)).collect()
}

/// Why the policies of the contract cannot be enforced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// An operation has no policy.
    #[error("the operation {operation} has no x-policy; describe in spec/v1 who may call it")]
    Missing {
        /// Its `operationId`.
        operation: &'static str,
    },
    /// A policy cannot be read.
    #[error("the x-policy of the operation {operation} cannot be read")]
    Unreadable {
        /// Its `operationId`.
        operation: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The policy and the security requirements of an operation contradict each other, or the policy
    /// contradicts itself.
    #[error(
        "the x-policy of the operation {operation} and its security do not agree on who calls, or it opens an operation with a key to browsers"
    )]
    Contradiction {
        /// Its `operationId`.
        operation: &'static str,
    },
    /// A path parameter names a resource that nothing loads.
    #[error(
        "nothing resolves the path parameter {parameter} of the operation {operation}; implement `Resource` for it and add it to `api::resolvers`"
    )]
    Unresolved {
        /// Its `operationId`.
        operation: &'static str,
        /// The path parameter.
        parameter: String,
    },
}

/// The policies of all operations. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Policies(Arc<HashMap<&'static str, Policy>>);

impl Policies {
    /// Reads the policy of every operation, and checks that every path parameter is resolved.
    pub(super) fn read(
        operations: &[&'static Operation],
        resolvers: &Resolvers,
    ) -> Result<Self, PolicyError> {
        let mut policies = HashMap::new();
        for operation in operations {
            let id = operation.id;
            let text = operation.extension(KEY).ok_or(PolicyError::Missing { operation: id })?;
            let policy: Policy = serde_json::from_str(text)
                .map_err(|source| PolicyError::Unreadable { operation: id, source })?;
            if !policy.caller.agrees_with(operation)
                || (matches!(policy.caller, CallerKind::Key | CallerKind::Session) && policy.roles.is_empty())
                // A key in a browser is everybody's.
                || (matches!(policy.caller, CallerKind::Key | CallerKind::Session) && policy.origins.is_some())
                || (policy.caller != CallerKind::Session && policy.without_factor)
            {
                return Err(PolicyError::Contradiction { operation: id });
            }
            if let Some(parameter) = resolvers.missing(operation.path) {
                return Err(PolicyError::Unresolved { operation: id, parameter });
            }
            policies.insert(id, policy);
        }
        Ok(Self(Arc::new(policies)))
    }

    /// Whether the browsers of visitors call an operation.
    pub(super) fn are_for_visitors(operation: &Operation) -> bool {
        CallerKind::Visitor.agrees_with(operation)
    }

    /// Returns those of the operations that scripts of every website may call.
    pub(super) fn shared(&self, operations: &[&'static Operation]) -> Vec<&'static Operation> {
        let is_shared = |operation: &&'static Operation| self.of(operation).origins == Some(Origins::Any);
        operations.iter().copied().filter(is_shared).collect()
    }

    /// Returns the policy of an operation.
    pub(super) fn of(&self, operation: &Operation) -> &Policy {
        self.0.get(operation.id).expect("the policies of all operations were read at the start")
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_runtime::{Extension, Method, Stability};
    use frontdesk_server::OPERATIONS;

    use super::*;

    fn resolvers() -> Resolvers {
        Resolvers::that_find_nothing(OPERATIONS)
    }

    fn operation(path: &'static str, policy: Option<&'static str>) -> &'static Operation {
        let extensions: Vec<Extension> =
            policy.into_iter().map(|json| Extension { name: KEY, json }).collect();
        Box::leak(Box::new(Operation {
            id: "test",
            method: Method::GET,
            path,
            tag: "test",
            security: &[],
            stability: Stability::Stable,
            deprecated: false,
            statuses: &[200],
            extensions: extensions.leak(),
            example: None,
        }))
    }

    fn read(path: &'static str, policy: Option<&'static str>) -> Result<Policies, PolicyError> {
        Policies::read(&[operation(path, policy)], &resolvers())
    }

    #[test]
    fn the_contract_states_a_policy_for_every_operation() {
        let policies = Policies::read(OPERATIONS, &resolvers()).unwrap();
        for operation in OPERATIONS {
            let policy = policies.of(operation);
            let changes = !operation.method.is_safe();
            // What only reads is open to every role, so that a new group cannot close it by accident.
            // Exceptions are groups that are closed as a whole, and exports, which take everything along.
            let group = OPERATIONS.iter().filter(|other| other.tag == operation.tag);
            let is_closed = group.clone().all(|other| policies.of(other).roles != Role::ALL);
            let is_export = operation.id.starts_with("export");
            if policy.caller == CallerKind::Key && !changes && !is_closed && !is_export {
                assert_eq!(policy.roles, Role::ALL, "{}", operation.id);
            }
        }
    }

    #[test]
    fn the_body_limit_of_a_policy_replaces_the_general_one() {
        let limit = |caller: &str, stated: &str, general| {
            let text =
                format!(r#"{{"caller":"{caller}","plan":"any","rate":"key","credits":"none"{stated}}}"#);
            serde_json::from_str::<Policy>(&text).unwrap().body_limit(general)
        };
        let stated = r#","body_bytes":27262976"#;
        assert_eq!(limit("key", stated, 1 << 20), 27_262_976);
        assert_eq!(limit("key", r#","body_bytes":10"#, 1 << 20), 10);
        assert_eq!(limit("key", "", 1 << 20), 1 << 20);
        assert_eq!(limit("none", "", 1 << 20), 64 << 10);
        assert_eq!(limit("none", "", 1 << 10), 1 << 10);
    }

    #[test]
    fn nobody_without_a_key_makes_the_service_hold_more_than_64_kib() {
        let policies = Policies::read(OPERATIONS, &resolvers()).unwrap();
        for operation in OPERATIONS {
            let policy = policies.of(operation);
            if policy.caller != CallerKind::Key {
                assert!(policy.body_limit(usize::MAX) <= 64 << 10, "{}", operation.id);
            }
        }
    }

    #[test]
    fn websites_share_only_operations_without_a_key() {
        let policies = Policies::read(OPERATIONS, &resolvers()).unwrap();
        let shared = policies.shared(OPERATIONS);
        assert!(!shared.is_empty() && shared.len() < OPERATIONS.len());
        assert!(shared.iter().all(|operation| policies.of(operation).caller != CallerKind::Key));
    }

    #[test]
    fn a_policy_that_cannot_be_enforced_is_an_error() {
        const OPEN: &str = r#"{"caller":"none","plan":"any","rate":"reply","credits":"none"}"#;
        assert!(read("/a", Some(OPEN)).is_ok());
        assert!(matches!(read("/a", None), Err(PolicyError::Missing { .. })));
        for unreadable in [
            "{}",
            r#"{"caller":"none","plan":"gold","rate":"reply","credits":"none"}"#,
            r#"{"caller":"none","plan":"any","rate":"reply","credits":"none","color":"red"}"#,
            r#"{"caller":"none","roles":["boss"],"plan":"any","rate":"reply","credits":"none"}"#,
        ] {
            assert!(
                matches!(read("/a", Some(unreadable)), Err(PolicyError::Unreadable { .. })),
                "{unreadable}"
            );
        }
        let keyed = r#"{"caller":"key","roles":["owner"],"plan":"any","rate":"key","credits":"none"}"#;
        assert!(matches!(read("/a", Some(keyed)), Err(PolicyError::Contradiction { .. })));
        let keyed = r#"{"caller":"key","roles":["owner"],"plan":"any","rate":"key","credits":"none","origins":"any"}"#;
        assert!(matches!(read("/a", Some(keyed)), Err(PolicyError::Contradiction { .. })));
        let visitors = r#"{"caller":"visitor","plan":"any","rate":"visitor","credits":"none"}"#;
        assert!(matches!(read("/a", Some(visitors)), Err(PolicyError::Contradiction { .. })));
        let error = read("/a/{planet_id}", Some(OPEN)).unwrap_err();
        assert!(error.to_string().contains("planet_id"), "{error}");
    }
}
