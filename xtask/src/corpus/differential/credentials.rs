//! Credentials of an operation, as its security requirements ask for them.

use frontdesk_document::NodeRef;

use super::draft::Draft;

/// The security requirements of an operation: any one alternative is enough.
#[derive(Clone, Debug)]
pub(super) struct Credentials<'d> {
    alternatives: Vec<Vec<Scheme<'d>>>,
}

/// Where a credential is sent.
#[derive(Clone, Copy, Debug)]
enum Scheme<'d> {
    /// `Authorization`, with the name of its scheme.
    Http(&'d str),
    /// `in` and `name` of an API key.
    Key(&'d str, &'d str),
    /// Nowhere: the connection proves it, and the servers of the test take every connection.
    Connection,
}

/// Returns the requirements of an operation. A requirement with a scheme that is not defined is left out.
pub(super) fn of<'d>(root: NodeRef<'d>, operation: NodeRef<'d>) -> Credentials<'d> {
    let listed = operation.get("security").or_else(|| root.get("security"));
    let requirements = listed.into_iter().flat_map(NodeRef::items);
    let alternatives = requirements.filter_map(|requirement| {
        requirement.members().map(|(name, _)| scheme(root, name)).collect::<Option<Vec<_>>>()
    });
    Credentials { alternatives: alternatives.collect() }
}

fn scheme<'d>(root: NodeRef<'d>, name: &str) -> Option<Scheme<'d>> {
    let node = root.get("components")?.get("securitySchemes")?.get(name)?.resolve().ok()?;
    let text = |key| node.get(key).and_then(NodeRef::as_str);
    match text("type")? {
        "http" => Some(Scheme::Http(text("scheme")?)),
        "apiKey" => Some(Scheme::Key(text("in")?, text("name")?)),
        "mutualTLS" => Some(Scheme::Connection),
        "oauth2" | "openIdConnect" => Some(Scheme::Http("Bearer")),
        _ => None,
    }
}

impl Credentials<'_> {
    /// Returns the number of alternatives.
    pub(super) fn alternatives(&self) -> usize {
        self.alternatives.len()
    }

    /// Returns the number of schemes of an alternative.
    pub(super) fn schemes(&self, number: usize) -> usize {
        self.alternatives[number].len()
    }

    /// Returns whether a request needs none.
    pub(super) fn is_optional(&self) -> bool {
        let is_met =
            |schemes: &Vec<Scheme<'_>>| schemes.iter().all(|scheme| matches!(scheme, Scheme::Connection));
        self.alternatives.is_empty() || self.alternatives.iter().any(is_met)
    }

    /// Adds the credentials of an alternative.
    pub(super) fn present(&self, draft: &mut Draft, number: usize) {
        self.present_without(draft, number, usize::MAX);
    }

    /// Adds the credentials of an alternative, except one.
    pub(super) fn present_without(&self, draft: &mut Draft, number: usize, left_out: usize) {
        let schemes = self.alternatives.get(number).into_iter().flatten().enumerate();
        let has_token = schemes
            .clone()
            .any(|(position, scheme)| position != left_out && matches!(scheme, Scheme::Http(_)));
        for scheme in schemes.filter(|(position, _)| *position != left_out).map(|(_, scheme)| *scheme) {
            match scheme {
                // `user:password`
                Scheme::Http(name) if name.eq_ignore_ascii_case("basic") => {
                    draft.headers.push(("Authorization".to_owned(), "Basic dXNlcjpwYXNzd29yZA==".to_owned()));
                }
                Scheme::Connection => {}
                Scheme::Http(name) => {
                    draft.headers.push(("Authorization".to_owned(), format!("{name} differential")));
                }
                Scheme::Key(place, name) => {
                    let pair = (name.to_owned(), "differential".to_owned());
                    match place {
                        "query" => draft.query.push(pair),
                        "cookie" => draft.cookies.push(pair),
                        // Beside a token, the header that has both is that of the token.
                        _ if name.eq_ignore_ascii_case("authorization") && has_token => {}
                        _ => draft.headers.push(pair),
                    }
                }
            }
        }
    }

    /// Removes all credentials.
    pub(super) fn clear(&self, draft: &mut Draft) {
        draft.headers.retain(|(name, _)| name != "Authorization");
        for scheme in self.alternatives.iter().flatten() {
            let Scheme::Key(place, own) = scheme else { continue };
            match *place {
                "query" => draft.query.retain(|(name, _)| name != own),
                "cookie" => draft.cookies.retain(|(name, _)| name != own),
                _ => draft.headers.retain(|(name, _)| name != own),
            }
        }
    }
}
