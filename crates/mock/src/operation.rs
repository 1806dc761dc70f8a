//! [`ServedOperation`]: an operation of the document, prepared for serving.

use crate::{
    media::{BodyFormat, Content, contents},
    paging::{List, Paging},
    parameter::{self, Parameter},
};
use frontdesk_document::{NodeId, NodeRef, Operation};
use frontdesk_runtime::codec::Param;
use http::{HeaderName, StatusCode, header};

/// An operation of the document, prepared for serving.
#[derive(Clone, Debug)]
pub(crate) struct ServedOperation {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<RequestBody>,
    pub(crate) responses: Vec<DescribedResponse>,
    /// The largest body that is read, in bytes, if the document states one: `body_bytes` of `x-policy`.
    pub(crate) body_limit: Option<usize>,
    /// The response to rejected requests whose statuses are not declared: the body that all errors of the
    /// operation have, or all of the document if the operation declares none.
    pub(crate) common: Option<DescribedResponse>,
    /// How the success is paged, if it is a list that comes in pages.
    pub(crate) paging: Option<Paging>,
}

/// The body that a request may carry.
#[derive(Clone, Debug)]
pub(crate) struct RequestBody {
    pub(crate) required: bool,
    pub(crate) contents: Vec<Content>,
    /// The media types of `contents`, in the same order.
    pub(crate) media_types: &'static [&'static str],
}

/// A response that the document describes.
#[derive(Clone, Debug)]
pub(crate) struct DescribedResponse {
    pub(crate) code: Code,
    pub(crate) contents: Vec<Content>,
    pub(crate) headers: Vec<Header>,
}

/// A header of a response.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: HeaderName,
    pub(crate) param: Param,
    pub(crate) node: NodeRef<'static>,
    pub(crate) schema: Option<NodeRef<'static>>,
    pub(crate) required: bool,
}

/// A key under `responses`: the statuses that a response applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Exact(StatusCode),
    /// A range such as `4XX`, by its first digit.
    Range(u16),
    Default,
}

impl Code {
    /// Parses a key under `responses`, or the `code` that a caller prefers.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("default") {
            return Some(Self::Default);
        }
        match text.as_bytes() {
            [digit @ b'1'..=b'5', b'X' | b'x', b'X' | b'x'] => Some(Self::Range(u16::from(digit - b'0'))),
            [_, _, _] => text
                .parse()
                .ok()
                .filter(|code: &StatusCode| (100..=599).contains(&code.as_u16()))
                .map(Self::Exact),
            _ => None,
        }
    }

    /// Returns whether a response under this key may have the status.
    pub(crate) fn covers(self, status: StatusCode) -> bool {
        match self {
            Self::Exact(own) => own == status,
            Self::Range(first) => status.as_u16() / 100 == first,
            Self::Default => true,
        }
    }

    /// Returns whether every response under this key is a success.
    fn is_success(self) -> bool {
        match self {
            Self::Exact(status) => status.is_success(),
            Self::Range(first) => first == 2,
            Self::Default => false,
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(status) => write!(formatter, "{}", status.as_u16()),
            Self::Range(first) => write!(formatter, "{first}XX"),
            Self::Default => formatter.write_str("default"),
        }
    }
}

impl ServedOperation {
    /// Reads an operation.
    pub(crate) fn new(operation: Operation<'static>) -> Self {
        let mut served = Self {
            parameters: parameter::declared(operation),
            body: operation.body().map(RequestBody::new),
            responses: operation
                .responses()
                .filter_map(|(key, node)| {
                    Some(DescribedResponse::new(Code::read(key.text)?, node.resolve().ok()?))
                })
                .collect(),
            body_limit: operation
                .node
                .get("x-policy")
                .and_then(|policy| policy.get("body_bytes")?.as_i128()?.try_into().ok()),
            common: None,
            paging: None,
        };
        served.common = common([&served]);
        served.paging = served.paging(operation);
        served
    }

    /// Returns how the success is paged; `None` if it does not come in pages.
    fn paging(&self, operation: Operation<'static>) -> Option<Paging> {
        let success = self.responses.iter().find(|response| response.code.is_success())?;
        let content = success.contents.iter().find(|content| content.format == BodyFormat::Json)?;
        Paging::of(&List {
            node: operation.node,
            method: operation.method,
            parameters: &self.parameters,
            body: self.body.as_ref().map_or(&[], |body| &body.contents),
            shape: &content.shape,
            links: success.headers.iter().any(|header| header.name == header::LINK),
        })
    }

    /// Returns the response to a request without preferences, and its status: the lowest success.
    ///
    /// Returns `None` if the document describes no response that a server could send.
    pub(crate) fn default_response(&self) -> Option<(&DescribedResponse, StatusCode)> {
        let exact = |statuses: std::ops::Range<u16>| {
            let fitting = self.responses.iter().filter_map(|response| match response.code {
                Code::Exact(status) if statuses.contains(&status.as_u16()) => Some((response, status)),
                _ => None,
            });
            fitting.min_by_key(|(_, status)| *status)
        };
        let of = |code: Code| self.responses.iter().find(|response| response.code == code);
        exact(200..300)
            .or_else(|| Some((of(Code::Range(2))?, StatusCode::OK)))
            .or_else(|| Some((of(Code::Default)?, StatusCode::OK)))
            .or_else(|| exact(300..400))
            .or_else(|| exact(400..600))
            .or_else(|| {
                let mut ranges = [3, 4, 5].into_iter().filter_map(|first| of(Code::Range(first)));
                ranges.find_map(|range| Some((range, of_range(range.code)?)))
            })
    }

    /// Returns the response for a code, and its status: the response declared for this code, else for its
    /// range, else `default`.
    pub(crate) fn response_for(&self, code: Code) -> Option<(&DescribedResponse, StatusCode)> {
        let named = self.responses.iter().find(|response| response.code == code);
        match code {
            Code::Exact(status) => {
                let range = |response: &&DescribedResponse| {
                    matches!(response.code, Code::Range(_)) && response.code.covers(status)
                };
                let response = named
                    .or_else(|| self.responses.iter().find(range))
                    .or_else(|| self.responses.iter().find(|response| response.code == Code::Default));
                Some((response?, status))
            }
            Code::Default => {
                // Beside a declared success, `default` describes errors.
                let alone = self.default_response().is_some_and(|(usual, _)| usual.code == Code::Default);
                Some((named?, if alone { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }))
            }
            Code::Range(_) => Some((named?, of_range(code)?)),
        }
    }

    /// Returns the documented response for a rejected request. The first of `statuses` that is declared
    /// explicitly wins; otherwise a range or `default` is used, with the first status that it covers.
    pub(crate) fn error_response(&self, statuses: &[StatusCode]) -> Option<(&DescribedResponse, StatusCode)> {
        self.declared_error(statuses).or_else(|| Some((self.common.as_ref()?, *statuses.first()?)))
    }

    /// Returns the response that the operation declares for an error, by one of the statuses, by a range or
    /// as `default`.
    pub(crate) fn declared_error(&self, statuses: &[StatusCode]) -> Option<(&DescribedResponse, StatusCode)> {
        let find = |wanted: &dyn Fn(Code, StatusCode) -> bool| {
            statuses.iter().find_map(|status| {
                let response = self.responses.iter().find(|response| wanted(response.code, *status))?;
                Some((response, *status))
            })
        };
        // A `default` that describes successes does not describe errors.
        let success = self.default_response().map(|(usual, _)| usual.code);
        find(&|code, status| code == Code::Exact(status))
            .or_else(|| find(&|code, status| matches!(code, Code::Range(_)) && code.covers(status)))
            .or_else(|| find(&|code, _| code == Code::Default && success != Some(Code::Default)))
    }

    /// Returns the media types of the successes if an `Accept` header that excludes all of them is refused,
    /// as by generated servers: the operation declares 406, and each success has a body of certain types.
    pub(crate) fn negotiated_types(&self) -> Option<Vec<&'static str>> {
        let usual = self.default_response().map(|(usual, _)| usual.code);
        // A `default` that describes successes, as nothing else does, describes errors as well.
        if self.declared_error(&[StatusCode::NOT_ACCEPTABLE]).is_none() && usual != Some(Code::Default) {
            return None;
        }
        let mut types = Vec::new();
        let is_success = |code: Code| code.is_success() || code == Code::Default && usual == Some(code);
        for response in self.responses.iter().filter(|response| is_success(response.code)) {
            let contents = &response.contents;
            if contents.is_empty() || contents.iter().any(|content| content.media_type == "*/*") {
                return None;
            }
            types.extend(contents.iter().map(|content| content.media_type));
        }
        Some(types)
    }

    /// Returns the responses that describe errors.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &DescribedResponse> {
        let success = self.default_response().map(|(usual, _)| usual.code);
        self.responses.iter().filter(move |response| match response.code {
            Code::Exact(status) => status.is_client_error() || status.is_server_error(),
            Code::Range(first) => first >= 4,
            Code::Default => success != Some(Code::Default),
        })
    }

    /// Returns every schema of requests.
    pub(crate) fn request_schemas(&self) -> impl Iterator<Item = NodeRef<'static>> {
        let bodies = self.body.iter().flat_map(|body| &body.contents).filter_map(|content| content.schema);
        self.parameters.iter().filter_map(|parameter| parameter.schema).chain(bodies)
    }

    /// Returns every schema of responses.
    pub(crate) fn response_schemas(&self) -> impl Iterator<Item = NodeRef<'static>> {
        self.responses.iter().flat_map(|response| {
            let contents = response.contents.iter().filter_map(|content| content.schema);
            contents.chain(response.headers.iter().filter_map(|header| header.schema))
        })
    }
}

impl RequestBody {
    fn new(node: NodeRef<'static>) -> Self {
        let contents = contents(node);
        let media_types: Vec<&'static str> = contents.iter().map(|content| content.media_type).collect();
        Self {
            required: node.get("required").and_then(NodeRef::as_bool) == Some(true),
            media_types: Box::leak(media_types.into_boxed_slice()),
            contents,
        }
    }
}

impl DescribedResponse {
    fn new(code: Code, node: NodeRef<'static>) -> Self {
        let headers = node.get("headers").into_iter().flat_map(NodeRef::entries);
        Self {
            code,
            contents: contents(node),
            headers: headers
                .filter_map(|(key, header)| Header::new(key.text, header.resolve().ok()?))
                .collect(),
        }
    }

    /// Returns the content to use for errors: the first one, which is JSON if there is a JSON content.
    pub(crate) fn first(&self) -> Option<&Content> {
        self.contents.first()
    }
}

impl Header {
    fn new(name: &'static str, node: NodeRef<'static>) -> Option<Self> {
        // `content` determines `Content-Type`, and the server the other three.
        const OWN: [&str; 4] = ["connection", "content-length", "content-type", "transfer-encoding"];
        let header = HeaderName::try_from(name.trim()).ok().filter(|name| !OWN.contains(&name.as_str()))?;
        let (param, schema) = parameter::of_header(name, node);
        let required = node.get("required").and_then(NodeRef::as_bool) == Some(true);
        Some(Self { name: header, param, node, schema, required })
    }
}

/// Returns the response with the body that all errors of some operations have; `None` if they differ.
pub(crate) fn common<'s>(served: impl IntoIterator<Item = &'s ServedOperation>) -> Option<DescribedResponse> {
    let body = |response: &DescribedResponse| -> Option<Vec<(&str, NodeId)>> {
        let each = response.contents.iter();
        each.map(|content| Some((content.media_type, content.schema?.resolve().ok()?.id()))).collect()
    };
    let mut errors = served.into_iter().flat_map(ServedOperation::errors);
    let first = errors.next()?;
    let own = body(first).filter(|body| !body.is_empty())?;
    let is_common = errors.all(|response| body(response).as_ref() == Some(&own));
    // The headers are those of its status.
    is_common.then(|| DescribedResponse { code: Code::Default, headers: Vec::new(), ..first.clone() })
}

fn of_range(code: Code) -> Option<StatusCode> {
    match code {
        Code::Exact(status) => Some(status),
        Code::Range(2) | Code::Default => Some(StatusCode::OK),
        Code::Range(3) => Some(StatusCode::FOUND),
        Code::Range(4) => Some(StatusCode::BAD_REQUEST),
        Code::Range(5) => Some(StatusCode::INTERNAL_SERVER_ERROR),
        Code::Range(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Code;
    use http::StatusCode;

    #[test]
    fn codes_are_read_as_documents_write_them() {
        for (text, code) in [
            ("404", Some(Code::Exact(StatusCode::NOT_FOUND))),
            (" 200 ", Some(Code::Exact(StatusCode::OK))),
            ("4xx", Some(Code::Range(4))),
            ("5XX", Some(Code::Range(5))),
            ("Default", Some(Code::Default)),
            ("0", None),
            ("999", None),
            ("6XX", None),
            ("x-note", None),
            ("ok", None),
        ] {
            assert_eq!(Code::read(text), code, "{text}");
        }
        assert_eq!(Code::Range(4).to_string(), "4XX");
    }
}
