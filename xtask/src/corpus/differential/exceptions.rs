//! Disagreements that are meant, each with its reason.

use std::collections::BTreeSet;

use super::judgement::{Difference, Judgement};

/// A kind of disagreement that is meant.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The kind, in a few words.
    pub name: &'static str,
    /// The reason, in one sentence.
    pub reason: &'static str,
    covers: fn(&Difference) -> bool,
}

/// Name and reason for responses that a client cannot read because the mock itself says that something is
/// wrong with them.
pub const WARNED: (&str, &str) = (
    "a response with `X-Mock-Warning`",
    "the document's example does not match its schema, or a keyword of the schema is not checked, and the mock \
     says so in the response",
);

/// Every kind of disagreement that is meant.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        name: "another status, which the document declares",
        reason: "the operation does not declare the status of the router, or only as one of a range, so the \
                 server sends what the lint rule `router-status-undeclared` reports, and the mock, which also \
                 stands for services of others, the declared status with the closest meaning",
        covers: prefers_declared,
    },
    Exception {
        name: "an operation without a response",
        reason: "the document describes no response that the mock could send, so it answers every request with \
                 501, where a server leaves the response to its handler",
        covers: has_no_response,
    },
    Exception {
        name: "a media type that servers leave out",
        reason: "of several media types of a response, generated servers send those that they can write and warn \
                 of the others (`media-type-left-out`), which the mock sends from examples",
        covers: is_left_out,
    },
    Exception {
        name: "a place within a part",
        reason: "a server decodes each part of a multipart body as a whole and names the part, while the mock \
                 judges the whole body as JSON and names the member in it",
        covers: is_within_part,
    },
    Exception {
        name: "further members that a form lacks",
        reason: "of several missing members of a form, which is read member by member, a server names the first, \
                 and the mock all",
        covers: names_first_missing,
    },
    Exception {
        name: "a place within nested unions",
        reason: "a server reads the branches of a union within a union as its own and finds the one that a value \
                 was meant for, where the mock names the value as a whole",
        covers: is_within_union,
    },
];

/// Returns name and reason of the exception that a disagreement belongs to.
pub fn of(difference: &Difference) -> Option<(&'static str, &'static str)> {
    let exception = EXCEPTIONS.iter().find(|exception| (exception.covers)(difference))?;
    Some((exception.name, exception.reason))
}

fn is_left_out(difference: &Difference) -> bool {
    let is_refused = matches!(difference.server, Judgement::Refused { status: 406, .. });
    is_refused
        && matches!(difference.mock, Judgement::Accepted(_))
        && difference.purpose.starts_with("Accept: ")
}

fn has_no_response(difference: &Difference) -> bool {
    matches!(difference.mock, Judgement::Refused { status: 501, fields: None })
}

fn prefers_declared(difference: &Difference) -> bool {
    let Difference { mock, server, declared, .. } = difference;
    let (
        Judgement::Refused { status: of_mock, fields },
        Judgement::Refused { status: of_server, fields: other_fields },
    ) = (mock, server)
    else {
        return false;
    };
    // How exactly the document declares a status: by itself, within a range, for whatever else, or not.
    let exactness = |status: u16| {
        let of = |wanted: &str| declared.iter().any(|key| key.trim().eq_ignore_ascii_case(wanted));
        [of("default"), of(&format!("{}xx", status / 100)), of(&status.to_string())]
            .iter()
            .rposition(|is_declared| *is_declared)
    };
    // The statuses among which the mock chooses a declared one.
    let mean_the_same = [400, 404, 422].contains(of_mock) && [400, 404, 422].contains(of_server);
    let same_place = match (fields, other_fields) {
        (Some(fields), Some(other_fields)) => fields == other_fields || are_within(fields, other_fields),
        _ => true,
    };
    mean_the_same && same_place && of_mock != of_server && exactness(*of_mock) > exactness(*of_server)
}

/// Returns the fields that mock and server name, if both refuse the request with the same status.
fn named_by_both(difference: &Difference) -> Option<[&BTreeSet<String>; 2]> {
    match (&difference.mock, &difference.server) {
        (
            Judgement::Refused { status, fields: Some(of_mock) },
            Judgement::Refused { status: of_server, fields: Some(fields) },
        ) if status == of_server => Some([of_mock, fields]),
        _ => None,
    }
}

fn is_within_part(difference: &Difference) -> bool {
    let Some([of_mock, of_server]) = named_by_both(difference) else { return false };
    let is_multipart = difference.request.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type") && value.starts_with("multipart/form-data")
    });
    let is_in = |inner: &String, outer: &String| {
        inner.strip_prefix(outer.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    is_multipart
        && of_mock.iter().all(|inner| of_server.iter().any(|outer| is_in(inner, outer)))
        && of_server.iter().all(|outer| of_mock.iter().any(|inner| is_in(inner, outer)))
}

fn names_first_missing(difference: &Difference) -> bool {
    let Some([of_mock, of_server]) = named_by_both(difference) else { return false };
    let form = "application/x-www-form-urlencoded";
    let is_form =
        |(name, value): &(String, String)| name.eq_ignore_ascii_case("content-type") && value == form;
    difference.request.headers.iter().any(is_form) && of_mock.is_superset(of_server)
}

fn is_within_union(difference: &Difference) -> bool {
    named_by_both(difference).is_some_and(|[of_mock, of_server]| are_within(of_mock, of_server))
}

/// Whether the mock names one value, and the server only places at least two steps within it.
fn are_within(of_mock: &BTreeSet<String>, of_server: &BTreeSet<String>) -> bool {
    let mut of_mock = of_mock.iter();
    let (Some(whole), None) = (of_mock.next(), of_mock.next()) else { return false };
    let is_inside =
        |field: &String| field.strip_prefix(whole.as_str()).is_some_and(|rest| rest.matches('.').count() > 1);
    of_server.iter().all(is_inside)
}

#[cfg(test)]
mod tests {
    use super::super::exchange::Request;
    use super::*;

    fn refused(status: u16, fields: &[&str]) -> Judgement {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect::<BTreeSet<_>>();
        Judgement::Refused { status, fields: Some(fields) }
    }

    fn is_meant(mock: Judgement, server: Judgement, declared: &[&str], content_type: &str) -> bool {
        let request = Request {
            method: "POST".to_owned(),
            target: "/".to_owned(),
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body: None,
        };
        let difference = Difference {
            kind: "the statuses differ",
            operation: "POST /".to_owned(),
            purpose: String::new(),
            mock,
            server,
            declared: declared.iter().map(|key| (*key).to_owned()).collect(),
            request,
        };
        of(&difference).is_some()
    }

    #[test]
    fn only_an_undeclared_status_is_replaced() {
        let is_meant = |mock, server, declared: &[&str]| is_meant(mock, server, declared, "application/json");
        assert!(is_meant(refused(422, &["a"]), refused(404, &["a"]), &["200", "422"]));
        assert!(!is_meant(refused(422, &["a"]), refused(404, &["a"]), &["200", "422", "404"]));
        assert!(!is_meant(refused(422, &["a"]), refused(404, &["a"]), &["200", "4XX"]));
        assert!(is_meant(refused(400, &["a"]), refused(422, &["a"]), &["200", "400", "default"]));
        assert!(!is_meant(refused(422, &["a"]), refused(400, &["a"]), &["200", "400", "default"]));
        assert!(!is_meant(refused(422, &["a"]), refused(404, &["a"]), &["200"]));
        assert!(!is_meant(refused(422, &["a"]), refused(404, &["b"]), &["200", "422"]));
        assert!(!is_meant(refused(422, &["a"]), refused(415, &["a"]), &["200", "422"]));
        assert!(!is_meant(Judgement::Accepted(None), refused(404, &["a"]), &["200", "422"]));
    }

    #[test]
    fn only_parts_are_named_as_a_whole() {
        let is_meant = |mock: &[&str], server: &[&str], kind| {
            is_meant(refused(422, mock), refused(422, server), &[], kind)
        };
        let multipart = "multipart/form-data; boundary=a";
        assert!(is_meant(&["a.b", "a.c.0"], &["a"], multipart));
        assert!(!is_meant(&["a.b"], &["a"], "application/json"));
        assert!(is_meant(&["a"], &["a.b.c"], "application/json"));
        assert!(!is_meant(&["a", "b"], &["a.b.c"], "application/json"));
        let form = "application/x-www-form-urlencoded";
        assert!(is_meant(&["a", "b"], &["a"], form) && !is_meant(&["a"], &["a", "b"], form));
        assert!(!is_meant(&["a"], &["a.b"], multipart));
        assert!(!is_meant(&["ab"], &["a"], multipart));
        assert!(!is_meant(&["a.b", "c"], &["a"], multipart));
        assert!(!is_meant(&["a.b"], &["a", "c"], multipart));
    }
}
