//! Sample request that the mock prints when it starts.

use crate::{operation::ServedOperation, prefer::Preferences, value, violation::Location};
use frontdesk_contract::Oracle;
use frontdesk_runtime::{Credential, Operation, codec};
use http::Method;

/// Returns the arguments of `curl`, after the host, for the first GET that needs only an address and a
/// credential.
pub(crate) fn of<'s>(
    operations: impl Iterator<Item = (&'static Operation, &'s ServedOperation)>,
    oracle: &Oracle,
) -> Option<String> {
    let mut gets = operations.filter(|(operation, _)| operation.method == Method::GET);
    gets.find_map(|(operation, served)| request(operation, served, oracle))
}

fn request(operation: &Operation, served: &ServedOperation, oracle: &Oracle) -> Option<String> {
    let mut path = operation.path.to_owned();
    let mut query = Vec::new();
    for parameter in served.parameters.iter().filter(|parameter| parameter.required) {
        let schema = parameter.schema?;
        let value = value::instance(schema, &Preferences::default(), oracle, 0).ok()?;
        let pairs = codec::encode(&parameter.param, &value).ok()?;
        match parameter.location {
            Location::Path => {
                let (_, text) = pairs.into_iter().next()?;
                path = path.replace(&format!("{{{}}}", parameter.param.name), &text);
            }
            Location::Query => query.extend(pairs.into_iter().map(|(name, value)| format!("{name}={value}"))),
            _ => return None,
        }
    }
    let mut headers = String::new();
    if let Some(requirement) = operation.security.first().filter(|_| !operation.allows_anonymous()) {
        for scheme in requirement.schemes {
            match scheme.credential {
                Credential::Bearer => headers.push_str(" -H 'Authorization: Bearer any'"),
                // `any:any`
                Credential::Basic => headers.push_str(" -H 'Authorization: Basic YW55OmFueQ=='"),
                Credential::Http(name) => headers.push_str(&format!(" -H 'Authorization: {name} any'")),
                // If a request needs both, the bearer token is the value of this header too.
                Credential::Header(name) if name.eq_ignore_ascii_case("authorization") => {
                    headers.insert_str(0, " -H 'Authorization: Bearer any'");
                }
                Credential::Header(name) => headers.push_str(&format!(" -H '{name}: any'")),
                Credential::Cookie(name) => headers.push_str(&format!(" -H 'Cookie: {name}=any'")),
                Credential::Query(name) => query.push(format!("{name}=any")),
                Credential::Connection => {}
            }
        }
    }
    let target = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
    // The text goes into a shell command, between single quotes.
    (!target.contains(['\'', '{']) && !headers.contains('\\')).then(|| format!("{target}'{headers}"))
}
