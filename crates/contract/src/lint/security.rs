//! Security requirements, security schemes and servers.

use std::collections::BTreeSet;

use frontdesk_document::{NodeRef, Version};

use super::finding::Drafts;
use super::rules::{
    INSECURE_SERVER, SECURITY_MISSING, SECURITY_SCHEME_UNUSED, SECURITY_SCOPE, SERVER_MISSING,
    SERVER_TRAILING_SLASH,
};
use super::survey::{Survey, object, text};

/// Checks requirements, schemes and servers. The generator reports requirements with unknown schemes.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let root = survey.document.root();
    let schemes = root.get("components").and_then(|components| components.get("securitySchemes"));
    let mut lists: Vec<NodeRef<'d>> = root.get("security").into_iter().collect();
    lists.extend(survey.operations.iter().filter_map(|operation| operation.node.get("security")));
    if lists.is_empty() && !survey.operations.is_empty() {
        let message = "neither the document nor any operation has `security`";
        drafts.report(
            SECURITY_MISSING,
            root,
            message,
            "add `security`, or `security: []` if no credentials are needed",
        );
    } else if root.get("security").is_none() {
        let bare = survey.operations.iter().filter(|operation| operation.node.get("security").is_none());
        for operation in bare {
            let message = format!("{} has no `security`", operation.name());
            drafts.report(
                SECURITY_MISSING,
                operation.node,
                message,
                "add `security`, or `security: []` if no credentials are needed",
            );
        }
    }
    lists.extend(survey.events.iter().filter_map(|event| event.get("security")));
    let mut used = BTreeSet::new();
    for (name, scopes) in lists.iter().flat_map(|list| list.items()).flat_map(NodeRef::members) {
        used.insert(name);
        if let Some(scheme) = schemes.and_then(|schemes| schemes.get(name)).and_then(object) {
            check_scopes(survey, name, scheme, scopes, drafts);
        }
    }
    for (name, scheme) in
        schemes.into_iter().flat_map(NodeRef::members).filter(|(name, _)| !used.contains(name))
    {
        let message = format!("no requirement names the security scheme `{name}`");
        drafts.report(SECURITY_SCHEME_UNUSED, scheme, message, "remove it, or require it");
    }
    check_servers(survey, drafts);
}

fn check_scopes<'d>(
    survey: &Survey<'d>,
    name: &str,
    scheme: NodeRef<'d>,
    scopes: NodeRef<'d>,
    drafts: &mut Drafts<'d>,
) {
    let declared: Vec<&str> = scheme
        .get("flows")
        .into_iter()
        .flat_map(NodeRef::members)
        .filter_map(|(_, flow)| flow.get("scopes"))
        .flat_map(NodeRef::members)
        .map(|(scope, _)| scope)
        .collect();
    for scope in scopes.items() {
        let Some(written) = scope.as_str() else { continue };
        let message = match text(scheme, "type") {
            Some("oauth2") if !declared.contains(&written) => {
                format!("no flow of `{name}` declares the scope `{written}`")
            }
            // Since OpenAPI 3.1 they are names of roles.
            Some("apiKey" | "http") if survey.document.version() == Version::V3_0 => {
                format!("`{name}` is not a scheme with scopes, so `{written}` has no effect")
            }
            _ => continue,
        };
        drafts.report(
            SECURITY_SCOPE,
            scope,
            message,
            "declare the scope in a flow of the scheme, or remove it here",
        );
    }
}

fn check_servers<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let root = survey.document.root();
    let servers = |node: NodeRef<'d>| node.get("servers").into_iter().flat_map(NodeRef::items);
    let mut all: Vec<NodeRef<'d>> = servers(root).collect();
    if all.is_empty() && !survey.operations.is_empty() {
        let hint = "add `servers` with the `url` of the service";
        drafts.report(SERVER_MISSING, root, "the document has no `servers`", hint);
    }
    for operation in &survey.operations {
        for server in servers(operation.node).chain(servers(operation.item.node)) {
            if !all.contains(&server) {
                all.push(server);
            }
        }
    }
    for url in all.into_iter().filter_map(|server| server.get("url")) {
        let Some(written) = url.as_str() else { continue };
        let host = written.strip_prefix("http://");
        let local = |host: &str| {
            let host = host.split(['/', ':']).next().unwrap_or_default();
            matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[") || host.ends_with(".localhost")
        };
        // If the host is a variable, whether it is local is unknown.
        if host.is_some_and(|host| !local(host) && !host.starts_with('{')) {
            let hint = format!("use `https{}`", &written[4..]);
            drafts.report(INSECURE_SERVER, url, format!("`{written}` is not encrypted"), hint);
        }
        if written.len() > 1 && written.ends_with('/') {
            let hint = format!("write `{}`", written.trim_end_matches('/'));
            drafts.report(SERVER_TRAILING_SLASH, url, format!("`{written}` ends in a slash"), hint);
        }
    }
}
