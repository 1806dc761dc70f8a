//! The access policy of operations: presence and shape of `x-policy`, and its agreement with `security`.

use frontdesk_document::{NodeRef, Operation};

use super::finding::Drafts;
use super::rules::{MALFORMED_POLICY, MISSING_POLICY};
use super::survey::Survey;

const POLICY: &str = "x-policy";

const EXAMPLE: &str =
    "write `x-policy: { caller: key, roles: [owner, admin], plan: api_access, rate: key, credits: none }`";

/// The security scheme of visitors.
const VISITOR_TOKEN: &str = "visitorToken";

/// The security scheme of people who are signed in.
const SESSION: &str = "session";

const ROLES: &[&str] = &["owner", "admin", "collaborator"];

/// The members with a fixed set of values.
const CHOICES: &[(&str, &[&str])] = &[
    ("caller", &["key", "visitor", "session", "none"]),
    ("plan", &["api_access", "any"]),
    ("rate", &["key", "reply", "form", "widget", "visitor", "session", "sign_in"]),
    ("credits", &["none", "answer"]),
];

/// Checks the policy of every operation.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for operation in &survey.operations {
        match operation.node.get(POLICY) {
            None => {
                let message = format!("{} has no `{POLICY}`", operation.name());
                drafts.report(MISSING_POLICY, operation.node, message, EXAMPLE);
            }
            Some(policy) if !policy.is_object() => {
                let message = format!("the `{POLICY}` of {} is not an object", operation.name());
                drafts.report(MALFORMED_POLICY, policy, message, EXAMPLE);
            }
            Some(policy) => {
                members(policy, drafts);
                roles(policy, drafts);
                caller(survey, operation, policy, drafts);
            }
        }
    }
}

/// Checks each member on its own.
fn members<'d>(policy: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    for (name, choices) in CHOICES {
        let hint = format!("write `{name}: {}`", choices.join(&format!("` or `{name}: ")));
        match policy.get(name) {
            None => drafts.report(MALFORMED_POLICY, policy, format!("the policy has no `{name}`"), hint),
            Some(value) if value.as_str().is_none_or(|word| !choices.contains(&word)) => {
                let message = format!("`{name}` must be one of {}", choices.join(", "));
                drafts.report(MALFORMED_POLICY, value, message, hint);
            }
            Some(_) => {}
        }
    }
    if let Some(bytes) = policy.get("body_bytes")
        && bytes.as_i128().is_none_or(|bytes| bytes <= 0)
    {
        let hint = "write a number of bytes, such as `body_bytes: 65536`, or leave it out";
        drafts.report(MALFORMED_POLICY, bytes, "`body_bytes` must be a positive integer", hint);
    }
    if let Some(recent) = policy.get("recent")
        && (recent.as_bool() != Some(true)
            || !matches!(policy.get("caller").and_then(NodeRef::as_str), Some("key" | "session")))
    {
        let message = "`recent` must be `true`, and is for `caller: key` and `caller: session` only";
        drafts.report(MALFORMED_POLICY, recent, message, "write `recent: true`, or leave it out");
    }
    if let Some(without_factor) = policy.get("without_factor")
        && (without_factor.as_bool() != Some(true)
            || policy.get("caller").and_then(NodeRef::as_str) != Some("session"))
    {
        let message = "`without_factor` must be `true`, and is for `caller: session` only";
        let hint = "write `without_factor: true`, or leave it out";
        drafts.report(MALFORMED_POLICY, without_factor, message, hint);
    }
    if let Some(origins) = policy.get("origins") {
        let hint = "write `origins: any`, or leave it out";
        if origins.as_str() != Some("any") {
            drafts.report(MALFORMED_POLICY, origins, "`origins` must be `any`", hint);
        } else if policy
            .get("caller")
            .and_then(NodeRef::as_str)
            .is_some_and(|caller| matches!(caller, "key" | "session"))
        {
            let message = "the policy opens an operation to scripts of every website, but requires a credential that is secret";
            drafts.report(MALFORMED_POLICY, origins, message, "remove `origins`, or write `caller: none`");
        }
    }
    for (name, value) in policy.members() {
        let known = CHOICES.iter().any(|(choice, _)| *choice == name);
        if !known && !matches!(name, "roles" | "body_bytes" | "origins" | "recent" | "without_factor") {
            let hint =
                "correct the name, or remove the member; `spec/README.md` lists the members of a policy";
            drafts.report(MALFORMED_POLICY, value, format!("a policy has no member `{name}`"), hint);
        }
    }
}

/// Checks `roles`, which a policy has if and only if it requires a key.
fn roles<'d>(policy: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let caller = policy.get("caller").and_then(NodeRef::as_str);
    match (caller, policy.get("roles")) {
        (Some("key" | "session"), None) => {
            let hint = "list the roles that may call the operation, such as `roles: [owner, admin]`";
            drafts.report(MALFORMED_POLICY, policy, "the policy requires a person and has no `roles`", hint);
        }
        (Some(caller @ ("none" | "visitor")), Some(roles)) => {
            let message = format!("the policy has `roles`, but `caller: {caller}` identifies no person");
            drafts.report(MALFORMED_POLICY, roles, message, "remove `roles`, or write `caller: key`");
        }
        (_, Some(roles)) => {
            let named: Vec<Option<&str>> = roles.items().map(NodeRef::as_str).collect();
            let known = named.iter().all(|role| role.is_some_and(|role| ROLES.contains(&role)));
            let repeated = (1..named.len()).any(|index| named[..index].contains(&named[index]));
            if named.is_empty() || !known || repeated {
                let message = format!("`roles` must list one or more of {}, each once", ROLES.join(", "));
                drafts.report(MALFORMED_POLICY, roles, message, "write for example `roles: [owner, admin]`");
            }
        }
        (_, None) => {}
    }
}

/// Checks whether the policy and the security requirements agree on who may call.
fn caller<'d>(survey: &Survey<'d>, operation: &Operation<'d>, policy: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let Some(caller) = policy.get("caller") else { return };
    let security = operation.node.get("security").or_else(|| survey.document.root().get("security"));
    let requirements = || security.into_iter().flat_map(NodeRef::items);
    let (keyless, keyed) = (
        requirements().next().is_none(),
        requirements().next().is_some() && requirements().all(|it| it.members().next().is_some()),
    );
    let schemes = || requirements().flat_map(NodeRef::members).map(|(name, _)| name);
    let (message, hint) = match caller.as_str() {
        Some("key") if !keyed => (
            "the policy requires a key, but `security` allows calls without one",
            "write `caller: none`, or remove `security: []` from the operation",
        ),
        Some("key") if schemes().any(|name| name == VISITOR_TOKEN) => (
            "the policy requires a key, but `security` takes the token of a visitor",
            "write `caller: visitor`, or remove `security` from the operation",
        ),
        Some("visitor") if !keyed || schemes().any(|name| name != VISITOR_TOKEN) => (
            "the policy requires the token of a visitor, but `security` takes something else",
            "write `security: [visitorToken: []]` in the operation, or another `caller`",
        ),
        Some("session") if !keyed || schemes().any(|name| name != SESSION) => (
            "the policy requires a session, but `security` takes something else",
            "write `security: [session: []]`, or another `caller`",
        ),
        Some("key") if schemes().any(|name| name == SESSION) => (
            "the policy requires a key, but `security` takes a session",
            "write `caller: session`, or remove `security` from the operation",
        ),
        Some("none") if !keyless => (
            "the policy requires no key, but `security` requires credentials",
            "write `caller: key`, or add `security: []` to the operation",
        ),
        _ => return rate(policy, drafts),
    };
    drafts.report(MALFORMED_POLICY, caller, message, hint);
}

/// Checks whether the caller has what the rate counts requests by.
fn rate<'d>(policy: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let caller = policy.get("caller").and_then(NodeRef::as_str);
    let Some(rate) = policy.get("rate") else { return };
    let hint = match (caller, rate.as_str()) {
        (Some("none"), Some("key" | "visitor")) => "write `rate: reply`",
        (Some("visitor"), Some("key")) => "write `rate: visitor`",
        (Some("key"), Some("visitor")) => "write `rate: key`",
        _ => return,
    };
    let message = if rate.as_str() == Some("key") {
        "`rate: key` counts requests per key, but the operation is called without one"
    } else {
        "`rate: visitor` counts requests per token of a visitor, but the operation is called without one"
    };
    drafts.report(MALFORMED_POLICY, rate, message, hint);
}
