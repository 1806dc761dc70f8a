//! Owns the request that a mock shows to begin with.

use crate::{operation::Served, prefer::Preferences, value, violation::Place};
use frontdesk_contract::Oracle;
use frontdesk_runtime::{Credential, Operation, codec};
use http::Method;

/// Arguments of `curl`, but for the host: of the first GET that needs nothing but its address and a credential.
pub(crate) fn of<'s>(
    operations: impl Iterator<Item = (&'static Operation, &'s Served)>,
    oracle: &Oracle,
) -> Option<String> {
    let mut gets = operations.filter(|(operation, _)| operation.method == Method::GET);
    gets.find_map(|(operation, served)| request(operation, served, oracle))
}

fn request(operation: &Operation, served: &Served, oracle: &Oracle) -> Option<String> {
    let mut path = operation.path.to_owned();
    let mut query = Vec::new();
    for parameter in served.parameters.iter().filter(|parameter| parameter.required) {
        let schema = parameter.schema?;
        let value = value::instance(schema, &Preferences::default(), oracle, 0).ok()?;
        let pairs = codec::encode(&parameter.param, &value).ok()?;
        match parameter.place {
            Place::Path => {
                let (_, text) = pairs.into_iter().next()?;
                path = path.replace(&format!("{{{}}}", parameter.param.name), &text);
            }
            Place::Query => query.extend(pairs.into_iter().map(|(name, value)| format!("{name}={value}"))),
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
                // Which is a key in this header, too, where one request needs both.
                Credential::Header(name) if name.eq_ignore_ascii_case("authorization") => {
                    headers.insert_str(0, " -H 'Authorization: Bearer any'");
                }
                Credential::Header(name) => headers.push_str(&format!(" -H '{name}: any'")),
                Credential::Cookie(name) => headers.push_str(&format!(" -H 'Cookie: {name}=any'")),
                Credential::Query(name) => query.push(format!("{name}=any")),
            }
        }
    }
    let target = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
    // It goes to a shell, between single quotes.
    (!target.contains(['\'', '{']) && !headers.contains('\\')).then(|| format!("{target}'{headers}"))
}
