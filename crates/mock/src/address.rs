//! Addresses at which operations are served: path templates, and the base paths of the document's servers.

use frontdesk_document::NodeRef;

/// Converts a key under `paths` to a router template: it starts with a slash, has no query or fragment, and
/// only plain names in braces.
pub(crate) fn template(key: &str) -> String {
    let mut text = String::from(if key.trim().starts_with('/') { "" } else { "/" });
    let mut rest = key.trim();
    loop {
        let (before, expression, after) =
            match rest.split_once('{').map(|(before, from)| (before, from.split_once('}'))) {
                Some((before, Some((expression, after)))) => (before, Some(expression), after),
                _ => (rest, None, ""),
            };
        if let Some(end) = before.find(['?', '#']) {
            text.push_str(&before[..end]);
            return text;
        }
        text.push_str(before);
        let Some(expression) = expression else { return text };
        // `{?page,size}` continues the query, which the parameters describe.
        if !expression.starts_with(['?', '&']) {
            text.push('{');
            text.push_str(plain(expression));
            text.push('}');
        }
        rest = after;
    }
}

/// Whether a request tells where each parameter of the template ends: some text separates it from the next.
pub(crate) fn is_routable(template: &str) -> bool {
    !template.contains("}{")
}

/// Returns the variable name of an RFC 6570 expression, without operator, `*` and `:3`.
fn plain(expression: &str) -> &str {
    let name = expression.trim().trim_start_matches(['+', '#', '.', '/', ';']).trim_end_matches('*');
    match name.split_once(':') {
        Some((name, length)) if !name.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Returns the base paths of an operation's servers without trailing slash and duplicates. The innermost
/// `servers` list applies. Servers at the root are left out.
pub(crate) fn bases(owners: [NodeRef<'_>; 3]) -> Vec<String> {
    let servers = owners.into_iter().find_map(|owner| owner.get("servers").filter(|list| !list.is_empty()));
    let mut found = Vec::new();
    for server in servers.into_iter().flat_map(NodeRef::items) {
        let base = base(server).filter(|base| !base.is_empty() && !found.contains(base));
        found.extend(base);
    }
    found
}

fn base(server: NodeRef<'_>) -> Option<String> {
    let mut url = server.get("url")?.as_str()?.trim().to_owned();
    for (name, variable) in server.get("variables").into_iter().flat_map(NodeRef::entries) {
        let default = variable.get("default").and_then(|value| value.as_str().or_else(|| value.as_number()));
        url = url.replace(&format!("{{{}}}", name.text), default.unwrap_or_default());
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |start| &rest[start..]),
        None if url.starts_with("//") => url[2..].find('/').map_or("", |start| &url[2 + start..]),
        None => &url,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    // A variable without a default stays in braces.
    if path.contains(['{', '}']) {
        return None;
    }
    Some(if path.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
}

#[cfg(test)]
mod tests {
    use super::{bases, template};
    use frontdesk_document::{Document, MemoryLoader};

    #[test]
    fn keys_become_templates() {
        for (key, expected) in [
            ("/pets/{id}", "/pets/{id}"),
            (" pets ", "/pets"),
            ("/a?b={c}#d", "/a"),
            ("/a/{b}#/c", "/a/{b}"),
            ("/a/{+path}/{name*}{?page,size}", "/a/{path}/{name}"),
            ("/a/{b", "/a/{b"),
            ("", "/"),
        ] {
            assert_eq!(template(key), expected, "{key:?}");
        }
    }

    #[test]
    fn servers_give_base_paths() {
        let text = "
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths: {}
servers:
  - {url: 'https://{host}/{version}/', variables: {host: {default: a.example}, version: {default: v2}}}
  - {url: /api}
  - {url: 'https://b.example'}
  - {url: 'https://c.example/{open}'}
  - {url: 'http://d.example/api?x=1'}
  - {url: rest}
";
        let (document, _) = Document::read("a.yaml", &MemoryLoader::new().with("a.yaml", text));
        let document = document.unwrap_or_else(|| panic!("it is valid"));
        assert_eq!(bases([document.root(); 3]), ["/v2", "/api", "/rest"]);
    }
}
