//! The contract as the derived tests read it: operations with their policies, parameters, bodies, responses
//! and links.

use std::{collections::BTreeMap, sync::LazyLock};

use frontdesk_contract::{Direction, Oracle};
use frontdesk_document::{Document, METHODS, MemoryLoader, NodeRef};
use serde_json::Value;

const BUNDLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.json"));
const CONSOLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/console/openapi.json"));

/// A node of the document.
pub(crate) type Node = NodeRef<'static>;

/// Every operation that is called with a key or without one, those of visitors, and oracles for the schemas
/// of requests and responses.
pub(crate) struct Contract {
    pub(crate) operations: Vec<Operation>,
    /// What the browsers of visitors call, with a token of their own: see `visitors`.
    pub(crate) of_visitors: Vec<Operation>,
    pub(crate) requests: Oracle,
    pub(crate) responses: Oracle,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: &'static str,
    pub(crate) method: String,
    /// The path template.
    pub(crate) path: &'static str,
    pub(crate) policy: Policy,
    /// Whether it is designed here; otherwise the interface gives it as it is.
    pub(crate) is_designed: bool,
    /// The parameters of the path, in its order.
    pub(crate) path_parameters: Vec<&'static str>,
    pub(crate) query: Vec<Parameter>,
    pub(crate) headers: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) responses: BTreeMap<u16, Response>,
    pub(crate) pagination: Option<Pagination>,
}

/// Access rules and cost of an operation: `x-policy`.
#[derive(Debug)]
pub(crate) struct Policy {
    /// Who calls: `key`, `session`, `visitor` or `none`.
    pub(crate) caller: &'static str,
    /// Whether the sign-in has to be recent.
    pub(crate) recent: bool,
    pub(crate) roles: Vec<&'static str>,
    /// Whether the account's plan has to include API access.
    pub(crate) needs_plan: bool,
    /// Which limit counts the call: `key` or `reply`.
    pub(crate) rate: &'static str,
    /// Whether a call uses credits.
    pub(crate) costs_credits: bool,
    /// The size limit of the body in bytes, if it differs from the general limit.
    pub(crate) body_bytes: Option<usize>,
}

/// A parameter of the query or a header.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) schema: Node,
    pub(crate) example: Option<Value>,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    pub(crate) media_type: &'static str,
    /// Every media type, of which the first is the one above.
    pub(crate) media_types: Vec<&'static str>,
    pub(crate) schema: Node,
    pub(crate) examples: Vec<(&'static str, Value)>,
}

/// A declared response.
#[derive(Debug)]
pub(crate) struct Response {
    /// The schema of its JSON body; `None` if it has no such body.
    pub(crate) schema: Option<Node>,
    /// The media type of its body, if it is not JSON.
    pub(crate) other_media_type: Option<&'static str>,
    pub(crate) headers: Vec<&'static str>,
    pub(crate) links: Vec<Link>,
}

/// A parameter of another operation that a response contains.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) operation: &'static str,
    pub(crate) parameter: &'static str,
    /// The pointer to the value within the body.
    pub(crate) pointer: &'static str,
}

/// Pagination of a list: `x-pagination`.
#[derive(Debug)]
pub(crate) struct Pagination {
    pub(crate) parameter: &'static str,
    /// The pointer to the next cursor.
    pub(crate) next: String,
    /// The pointer to the list.
    pub(crate) items: String,
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::read(BUNDLE));
static CONSOLE_CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::read(CONSOLE));

/// Returns the contract of the service, which is read once.
pub(crate) fn contract() -> &'static Contract {
    &CONTRACT
}

/// Returns the contract of the console, which is read once.
pub(crate) fn console_contract() -> &'static Contract {
    &CONSOLE_CONTRACT
}

impl Contract {
    fn read(bundle: &str) -> Self {
        let loader = MemoryLoader::new().with("openapi.json", bundle);
        let (document, problems) = Document::read("openapi.json", &loader);
        let document: &'static Document = Box::leak(Box::new(
            document.unwrap_or_else(|| panic!("the bundle cannot be read: {problems:?}")),
        ));
        let mut operations = Vec::new();
        for (path, item) in document.root().get("paths").unwrap().members() {
            let item = item.resolve().unwrap();
            for method in METHODS {
                if let Some(node) = item.get(method) {
                    operations.push(Operation::read(document.root(), path, method, item, node));
                }
            }
        }
        let (of_visitors, operations): (Vec<Operation>, Vec<Operation>) =
            operations.into_iter().partition(|operation| operation.policy.rate == "visitor");
        let all = || operations.iter().chain(&of_visitors);
        let requests = all().flat_map(|operation| {
            let parameters = operation.query.iter().chain(&operation.headers);
            parameters.map(|parameter| parameter.schema).chain(operation.body.iter().map(|body| body.schema))
        });
        let responses =
            all().flat_map(|operation| operation.responses.values()).filter_map(|found| found.schema);
        let requests = Oracle::new(requests, Direction::Request).unwrap();
        let responses = Oracle::new(responses, Direction::Response).unwrap();
        Self { operations, of_visitors, requests, responses }
    }

    pub(crate) fn operation(&self, id: &str) -> &Operation {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.unwrap_or_else(|| panic!("the contract has no operation {id}"))
    }

    /// Returns the operation with this method and path template.
    pub(crate) fn at(&self, method: &str, path: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.method == method && operation.path == path)
    }
}

impl Operation {
    fn read(root: Node, path: &'static str, method: &str, item: Node, node: Node) -> Self {
        let id = node.get("operationId").and_then(NodeRef::as_str).unwrap();
        let declared: Vec<Node> = [node, item]
            .iter()
            .flat_map(|owner| owner.get("parameters").into_iter().flat_map(NodeRef::items))
            .map(|parameter| parameter.resolve().unwrap())
            .collect();
        let parameters = |place: &str| -> Vec<Parameter> {
            let here = declared.iter().filter(|node| text(**node, "in") == place);
            here.map(|node| Parameter::read(*node)).collect()
        };
        let responses = node.get("responses").unwrap().members().map(|(status, response)| {
            let status = status.parse().unwrap_or_else(|_| panic!("{id} declares the status {status}"));
            (status, Response::read(response.resolve().unwrap()))
        });
        Self {
            id,
            method: method.to_uppercase(),
            path,
            policy: Policy::read(id, root, node),
            is_designed: node.get("x-provenance").and_then(NodeRef::as_str) == Some("designed"),
            path_parameters: path.split(['{', '}']).skip(1).step_by(2).collect(),
            query: parameters("query"),
            headers: parameters("header"),
            body: node.get("requestBody").map(|body| Body::read(id, body.resolve().unwrap())),
            responses: responses.collect(),
            pagination: node.get("x-pagination").map(Pagination::read),
        }
    }

    /// Returns the declared success response with the lowest status.
    pub(crate) fn success(&self) -> (u16, &Response) {
        let found = self.responses.iter().find(|(status, _)| (200..300).contains(*status));
        let (status, response) = found.unwrap_or_else(|| panic!("{} never succeeds", self.id));
        (*status, response)
    }

    pub(crate) fn declares(&self, status: u16) -> bool {
        self.responses.contains_key(&status)
    }

    /// Returns whether a key is needed.
    pub(crate) fn is_keyed(&self) -> bool {
        self.policy.caller == "key"
    }

    /// Returns whether the operation only reads.
    pub(crate) fn is_safe(&self) -> bool {
        self.method == "GET"
    }

    /// Returns whether the operation declares this header parameter.
    pub(crate) fn takes_header(&self, name: &str) -> bool {
        self.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name))
    }
}

impl Policy {
    fn read(id: &str, root: Node, node: Node) -> Self {
        let policy = node.get("x-policy").unwrap_or_else(|| panic!("{id} has no x-policy"));
        let caller = text(policy, "caller");
        assert_eq!(caller == "visitor", text(policy, "rate") == "visitor", "{id}: who calls?");
        let security = node.get("security").or_else(|| root.get("security")).unwrap();
        assert_eq!(caller != "none", !security.is_empty(), "{id}: x-policy and security disagree on the key");
        let roles = policy.get("roles").into_iter().flat_map(NodeRef::items);
        Self {
            caller,
            recent: policy.get("recent").and_then(NodeRef::as_bool) == Some(true),
            roles: roles.map(|role| role.as_str().unwrap()).collect(),
            needs_plan: text(policy, "plan") == "api_access",
            rate: text(policy, "rate"),
            costs_credits: text(policy, "credits") != "none",
            body_bytes: policy.get("body_bytes").map(|bytes| bytes.as_i128().unwrap().try_into().unwrap()),
        }
    }
}

impl Parameter {
    fn read(node: Node) -> Self {
        let first = node.get("examples").and_then(|examples| examples.members().next());
        let named = first.and_then(|(_, example)| example.resolve().unwrap().get("value"));
        let schema = node.get("schema").unwrap();
        let own = || schema.resolve().unwrap().get("example");
        Self {
            name: text(node, "name"),
            required: node.get("required").and_then(NodeRef::as_bool) == Some(true),
            schema,
            example: node.get("example").or(named).or_else(own).map(NodeRef::to_json),
        }
    }
}

impl Body {
    fn read(id: &str, node: Node) -> Self {
        let media_types = node.get("content").unwrap().members().map(|(media_type, _)| media_type);
        let mut content = node.get("content").unwrap().members();
        let (media_type, content) =
            content.next().unwrap_or_else(|| panic!("{id} has a body without content"));
        let named = content.get("examples").into_iter().flat_map(NodeRef::members);
        let examples =
            named.map(|(name, example)| (name, example.resolve().unwrap().get("value").unwrap().to_json()));
        Self {
            required: node.get("required").and_then(NodeRef::as_bool) == Some(true),
            media_type,
            media_types: media_types.collect(),
            schema: content.get("schema").unwrap(),
            examples: examples.collect(),
        }
    }

    /// Returns whether the body is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.media_type == "application/json"
    }

    /// Returns whether the body is a form of parts, some of them files.
    pub(crate) fn is_form(&self) -> bool {
        self.media_type == "multipart/form-data"
    }

    /// Returns the fields of a form that are files.
    pub(crate) fn files(&self) -> Vec<&'static str> {
        let properties = self.schema.resolve().unwrap().get("properties");
        let fields = properties.into_iter().flat_map(NodeRef::members);
        let is_file = |schema: Node| {
            schema.resolve().unwrap().get("format").and_then(NodeRef::as_str) == Some("binary")
        };
        fields.filter(|(_, schema)| is_file(*schema)).map(|(name, _)| name).collect()
    }

    /// Returns whether the body has named fields.
    pub(crate) fn has_fields(&self) -> bool {
        self.is_json() || self.is_form()
    }

    /// Returns whether the body is a text, such as a CSV file.
    pub(crate) fn is_text(&self) -> bool {
        self.media_type.starts_with("text/")
    }
}

impl Response {
    fn read(node: Node) -> Self {
        let json = node.get("content").and_then(|content| content.get("application/json"));
        let headers = node.get("headers").into_iter().flat_map(NodeRef::members);
        let required = |header: &Node| header.get("required").and_then(NodeRef::as_bool) == Some(true);
        let mut links = Vec::new();
        for (_, link) in node.get("links").into_iter().flat_map(NodeRef::members) {
            let link = link.resolve().unwrap();
            for (parameter, value) in link.get("parameters").into_iter().flat_map(NodeRef::members) {
                let expression = value.as_str().unwrap_or_default();
                if let Some(pointer) = expression.strip_prefix("$response.body#") {
                    links.push(Link { operation: text(link, "operationId"), parameter, pointer });
                }
            }
        }
        Self {
            schema: json.map(|json| json.get("schema").unwrap()),
            other_media_type: node
                .get("content")
                .into_iter()
                .flat_map(NodeRef::members)
                .map(|(media_type, _)| media_type)
                .find(|_| json.is_none()),
            headers: headers
                .filter(|(_, header)| required(&header.resolve().unwrap()))
                .map(|(name, _)| name)
                .collect(),
            links,
        }
    }
}

impl Pagination {
    fn read(node: Node) -> Self {
        assert_eq!(text(node, "style"), "cursor", "only lists with cursors are known here");
        let pointer = |key| format!("/{}", text(node, key).replace('.', "/"));
        Self { parameter: text(node, "parameter"), next: pointer("next"), items: pointer("items") }
    }
}

fn text(node: Node, key: &str) -> &'static str {
    node.get(key).and_then(NodeRef::as_str).unwrap_or_else(|| panic!("no {key} at {}", node.pointer()))
}
