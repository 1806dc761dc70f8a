//! Operations as emitters see them: what becomes of parameters, bodies, answers, names, groups and events.

use std::fmt::Write as _;

use frontdesk_codegen::ir::{
    Api, Coding, Content, Credential, Location, Operation, Pages, Pagination, Payload, Shape, Status, Style,
    Type,
};
use frontdesk_codegen::{GenerateError, Options, generate, lower, survey};

use crate::fixtures::{document, options};

/// The IR of a document that goes on like this.
fn api(rest: &str) -> Api {
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The codes of the warnings of a document that goes on like this.
fn codes(rest: &str) -> Vec<&'static str> {
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let (_, warnings) =
        survey(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"));
    warnings.iter().map(|warning| warning.code).collect()
}

fn only(api: &Api) -> &Operation {
    api.operations().next().expect("the document has an operation")
}

const DONE: &str = "responses: {'204': {description: Done.}}";

fn with_parameters(path: &str, parameters: &str) -> Api {
    api(&format!("paths:\n  {path}:\n    get: {{{DONE}, parameters: [{parameters}]}}\n"))
}

#[test]
fn parameters_keep_their_styles() {
    let list = "schema: {type: array, items: {type: string}}";
    let api = with_parameters(
        "/a/{l}/{m}",
        &format!(
            "{{name: l, in: path, required: true, style: label, {list}}}, {{name: m, in: path, required: true, style: matrix, explode: true, {list}}}, \
             {{name: p, in: query, style: pipeDelimited, {list}}}, {{name: s, in: query, style: spaceDelimited, explode: true, {list}}}, \
             {{name: d, in: query, style: deepObject, schema: {{type: object, properties: {{a: {{type: string}}}}}}}}, \
             {{name: j, in: query, content: {{application/json: {{{list}}}}}}}, {{name: c, in: cookie, {list}}}, {{name: h, in: header, {list}}}"
        ),
    );
    let told: Vec<_> = only(&api)
        .parameters
        .iter()
        .map(|parameter| (parameter.wire.as_str(), parameter.location, parameter.style, parameter.explode))
        .collect();
    assert_eq!(
        told,
        [
            ("l", Location::Path, Style::Label, false),
            ("m", Location::Path, Style::Matrix, true),
            ("p", Location::Query, Style::PipeDelimited, false),
            // Joined by nothing, entries that stand for themselves are those of a form.
            ("s", Location::Query, Style::Form, true),
            ("d", Location::Query, Style::DeepObject, true),
            ("j", Location::Query, Style::Json, false),
            ("h", Location::Header, Style::Simple, false),
            ("c", Location::Cookie, Style::Form, true),
        ]
    );
}

#[test]
fn one_wire_name_in_two_places_is_two_rust_names() {
    let api = with_parameters(
        "/a/{id}",
        "{name: id, in: query, schema: {type: string}}, {name: id, in: path, required: true, schema: {type: integer}}, {name: body, in: query, schema: {type: string}}",
    );
    let names: Vec<_> = only(&api).parameters.iter().map(|parameter| parameter.rust.as_str()).collect();
    assert_eq!(names, ["id_path", "id", "body_parameter"]);
}

/// The wire name and the Rust name of each parameter.
fn named(api: &Api) -> Vec<(&str, &str)> {
    let parameters = only(api).parameters.iter();
    parameters.map(|parameter| (parameter.wire.as_str(), parameter.rust.as_str())).collect()
}

#[test]
fn a_name_goes_to_the_parameter_that_has_it() {
    let query = |names: &[&str]| {
        let listed: Vec<String> = names
            .iter()
            .map(|name| format!("{{in: query, schema: {{type: string}}, name: {name}}}"))
            .collect();
        with_parameters("/a", &listed.join(", "))
    };
    let api = query(&["frontendApi", "frontend_api"]);
    assert_eq!(named(&api), [("frontendApi", "frontend_api_query"), ("frontend_api", "frontend_api")]);
    let api = query(&["pageSize, deprecated: true", "PageSize"]);
    assert_eq!(named(&api), [("pageSize", "page_size_query"), ("PageSize", "page_size")]);
    let api = query(&["$top", "$skip", "skip", "$body"]);
    let told = [("$top", "top"), ("$skip", "dollar_skip"), ("skip", "skip"), ("$body", "dollar_body")];
    assert_eq!(named(&api), told);
}

#[test]
fn odd_paths_have_one_reading() {
    let api = with_parameters(
        "'a/{;color*}/{pet-id}?kind=cat '",
        "{name: petId, in: path, required: true, schema: {type: integer}}",
    );
    let operation = only(&api);
    assert_eq!(operation.path, "/a/{color}/{pet-id}");
    let told: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| (parameter.wire.as_str(), &parameter.element.ty))
        .collect();
    assert_eq!(told[..2], [("color", &Type::String), ("pet-id", &Type::I64)]);
    let (kind, Type::Named(id)) = told[2] else { panic!("{told:?}") };
    let Shape::Enum(values) = &api.type_def(*id).shape else { panic!("a fixed value is an enumeration") };
    assert_eq!((kind, values.values[0].wire.as_str()), ("kind", "cat"));
}

#[test]
fn a_default_stands_where_it_fits() {
    let api = with_parameters(
        "/a",
        "{name: a, in: query, schema: {type: integer, format: int32, default: 7}}, {name: b, in: query, schema: {type: string, enum: [x], default: y}}",
    );
    let defaults: Vec<_> = only(&api).parameters.iter().map(|parameter| parameter.default.clone()).collect();
    assert_eq!(defaults, [Some(serde_json::json!(7)), None]);
}

fn with_body(content: &str) -> Api {
    api(&taking(content))
}

/// The paths and components of a document with one operation whose body is this.
fn taking(content: &str) -> String {
    format!(
        "paths:\n  /a:\n    post: {{operationId: add, {DONE}, requestBody: {{content: {{{content}}}}}}}\n\
         components: {{schemas: {{Pet: {{type: object, properties: {{name: {{type: string}}, photo: {{type: string, format: binary}}, photos: {{type: array, items: {{type: string, format: binary}}}}}}}}}}}}\n"
    )
}

fn payload(api: &Api) -> &Payload {
    &only(api).body.as_ref().expect("the operation has a body").payload
}

fn told(payload: &Payload) -> Vec<(&str, &str)> {
    payload.forms.iter().map(|form| (form.variant.as_str(), form.media_type.as_str())).collect()
}

#[test]
fn one_schema_under_two_codings_is_one_type() {
    let pet = "{schema: {$ref: '#/components/schemas/Pet'}}";
    let api = with_body(&format!(
        "application/json: {pet}, application/x-www-form-urlencoded: {pet}, application/xml: {pet}"
    ));
    let payload = payload(&api);
    assert_eq!(told(payload), [("Json", "application/json"), ("Form", "application/x-www-form-urlencoded")]);
    assert_eq!(payload.name, None);
}

#[test]
fn different_contents_are_variants() {
    let api = with_body(
        "application/json; charset=utf-8: {schema: {type: object, properties: {a: {type: string}}}}, text/csv: {schema: {type: string}}, image/png: {}, application/vnd.acme.v2+json: {schema: {type: array, items: {type: string}}}",
    );
    let payload = payload(&api);
    assert_eq!(payload.name.as_deref(), Some("AddBody"));
    assert_eq!(
        told(payload),
        [
            ("Json", "application/json"),
            ("Csv", "text/csv"),
            ("Png", "image/png"),
            ("AcmeV2", "application/vnd.acme.v2+json")
        ]
    );
}

#[test]
fn files_are_those_of_multipart_bodies_alone() {
    let pet = "{schema: {$ref: '#/components/schemas/Pet'}}";
    let members = |api: &Api, index: usize| {
        let (Coding::Multipart(element, _) | Coding::Json(element)) = &payload(api).forms[index].coding
        else {
            panic!("{:?}", payload(api))
        };
        let Type::Named(id) = element.ty else { panic!("{element:?}") };
        let Shape::Struct(shape) = &api.type_def(id).shape else { panic!("a form is a struct") };
        (
            api.type_def(id).name.clone(),
            shape.fields.iter().map(|field| field.element.ty.clone()).collect::<Vec<_>>(),
        )
    };
    let files = |types: &[Type]| {
        assert!(
            matches!(types, [Type::String, Type::File, Type::List(entry)] if entry.ty == Type::File),
            "{types:?}"
        );
    };
    let alone = with_body(&format!("multipart/form-data: {pet}"));
    let (name, types) = members(&alone, 0);
    assert_eq!(name, "Pet");
    files(&types);
    let both = with_body(&format!("application/json: {pet}, multipart/form-data: {pet}"));
    assert_eq!(members(&both, 0).1[1], Type::String);
    let (name, types) = members(&both, 1);
    assert_eq!((name.as_str(), payload(&both).name.as_deref()), ("PetForm", Some("AddBody")));
    files(&types);
}

#[test]
fn a_member_in_base64_is_no_file_also_behind_a_single_all_of() {
    let byte = "{allOf: [{type: string, format: byte}]}";
    let binary = "{allOf: [{type: string, format: binary}]}";
    let api = with_body(&format!(
        "multipart/form-data: {{schema: {{type: object, properties: {{sum: {byte}, sums: {{type: array, items: {byte}}}, \
         picture: {binary}}}}}}}"
    ));
    let Coding::Multipart(element, _) = &payload(&api).forms[0].coding else { panic!("{:?}", payload(&api)) };
    let Type::Named(id) = element.ty else { panic!("{element:?}") };
    let Shape::Struct(shape) = &api.type_def(id).shape else { panic!("a form is a struct") };
    let types: Vec<&Type> = shape.fields.iter().map(|field| &field.element.ty).collect();
    assert!(
        matches!(types[..], [Type::Base64, Type::List(entry), Type::File] if entry.ty == Type::Base64),
        "{types:?}"
    );
}

#[test]
fn bytes_that_become_text_are_told() {
    let pet = "{schema: {$ref: '#/components/schemas/Pet'}}";
    assert!(codes(&taking(&format!("multipart/form-data: {pet}"))).is_empty());
    for content in [
        format!("application/json: {pet}"),
        format!("application/json: {pet}, multipart/form-data: {pet}"),
        format!("application/x-www-form-urlencoded: {pet}"),
    ] {
        assert_eq!(codes(&taking(&content)), ["format-ignored"], "{content}");
    }
}

#[test]
fn what_has_no_decoder_is_counted() {
    let document = document(&format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post: {{operationId: add, {DONE}, requestBody: {{content: {{application/xml: {{schema: {{type: object, properties: {{a: {{type: string}}}}}}}}}}}}}}\n    get: {{operationId: list, {DONE}}}\n"
    ));
    let (report, _) = survey(&document, &options("t", "openapi.yaml")).unwrap();
    assert_eq!((report.operations, report.typed), (2, 1));
    assert_eq!(report.untyped[0].operations, ["add"]);
    assert!(report.to_string().starts_with("1 of 2 operations fully typed\n"), "{report}");
}

fn statuses(responses: &str) -> (Vec<Status>, Vec<Status>) {
    let api = api(&format!("paths:\n  /a:\n    get: {{responses: {{{responses}}}}}\n"));
    let operation = only(&api);
    let of = |answers: &[frontdesk_codegen::ir::Answer]| answers.iter().map(|answer| answer.status).collect();
    (of(&operation.successes), of(&operation.errors))
}

#[test]
fn some_status_is_success() {
    let none = "{description: None}";
    for (responses, successes, errors) in [
        (
            format!("200: {none}, '302': {none}, 4xx: {none}"),
            vec![Status::Code(200)],
            vec![Status::Code(302), Status::Class(4)],
        ),
        (format!("'302': {none}, '404': {none}"), vec![Status::Code(302)], vec![Status::Code(404)]),
        (format!("'101': {none}, default: {none}"), vec![Status::Code(101)], vec![Status::Default]),
        (
            format!("default: {none}, '404': {none}"),
            vec![Status::Class(2)],
            vec![Status::Default, Status::Code(404)],
        ),
        (format!("'404': {none}"), vec![Status::Class(2)], vec![Status::Code(404)]),
        (String::new(), vec![Status::Class(2)], vec![]),
    ] {
        assert_eq!(statuses(&responses), (successes, errors), "{responses}");
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    let api = api(
        "paths:\n  /a:\n    head: {responses: {'200': {description: A, content: {application/json: {schema: {type: string}}}}}}\n",
    );
    assert!(matches!(only(&api).successes[0].content, Content::Nothing));
}

#[test]
fn doubled_ids_are_told_apart_by_path_and_method() {
    let api = api(&format!(
        "paths:\n  /pets: {{get: {{operationId: list, {DONE}}}, post: {{operationId: list, {DONE}}}}}\n  /api/v1/pets: {{get: {{operationId: list, {DONE}}}}}\n"
    ));
    let mut names: Vec<_> = api.operations().map(|operation| operation.function.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["list", "list_api_v1", "list_post"]);
}

#[test]
fn untagged_operations_are_grouped_by_their_paths() {
    let get = format!("{{get: {{{DONE}}}}}");
    let api = api(&format!(
        "tags: [{{name: Charges}}]\npaths:\n  /v1/customers: {get}\n  /v1/customers/{{id}}: {{get: {{{DONE}, parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]}}}}\n  /v1/charges: {get}\n"
    ));
    let groups: Vec<_> = api
        .groups
        .iter()
        .map(|group| (group.tag.as_str(), group.module.as_str(), group.operations.len()))
        .collect();
    assert_eq!(groups, [("Charges", "charges", 1), ("customers", "customers", 2)]);
    assert!(!api.features);
}

#[test]
fn a_group_has_another_name_than_a_type() {
    let named = |schemas: &str, tags: &[&str]| -> Vec<(String, String)> {
        let mut text = "paths:\n".to_owned();
        for (index, tag) in tags.iter().enumerate() {
            let _ =
                writeln!(text, "  /{index}: {{get: {{operationId: op{index}, tags: ['{tag}'], {DONE}}}}}");
        }
        let api = api(&format!("{text}components: {{schemas: {{{schemas}}}}}\n"));
        api.groups.into_iter().map(|group| (group.name, group.module)).collect()
    };
    let pair = |name: &str, module: &str| (name.to_owned(), module.to_owned());
    let (user, users) =
        ("User: {type: object, properties: {id: {type: string}}}", "Users: {type: string, enum: [a]}");
    assert_eq!(named("", &["user"]), [pair("User", "user")]);
    assert_eq!(named(user, &["user"]), [pair("Users", "user")]);
    assert_eq!(named(&format!("{user}, {users}"), &["user"]), [pair("UserGroup", "user")]);
    assert_eq!(named(user, &["user", "users"]), [pair("UserGroup", "user"), pair("Users", "users")]);
    assert_eq!(named("", &["$fake?", "tags #%"]), [pair("Fake", "fake"), pair("Tags", "tags")]);
    let told = [pair("DollarFake", "dollar_fake"), pair("Fake", "fake")];
    assert_eq!(named("", &["$fake", "fake"]), told);
}

#[test]
fn a_group_says_its_word_once() {
    let api = api(&format!(
        "paths:\n  /a: {{post: {{operationId: createRedirectURL, tags: [Redirect URLs], {DONE}}}, get: {{operationId: ListRedirectURLs, tags: [Redirect URLs], {DONE}}}}}\n"
    ));
    assert_eq!(api.groups[0].name, "RedirectUrls");
    let short: Vec<&str> = api.operations().map(|operation| operation.short.as_str()).collect();
    assert_eq!(short, ["list", "create"]);
}

#[test]
fn what_a_tag_gates_is_imported_only_where_it_is() {
    let mut paths = String::new();
    for number in 0..160 {
        paths.push_str(&format!(
            "  /a{number}:\n    get: {{tags: [t{}], operationId: get{number}, {DONE}}}\n",
            number % 2
        ));
    }
    let schema =
        |member: &str| format!("{{schema: {{type: object, properties: {{{member}: {{type: string}}}}}}}}");
    let content = format!("{{application/json: {}, application/scim+json: {}}}", schema("a"), schema("b"));
    let header = "headers: {Link: {schema: {type: string}}}";
    paths.push_str(&format!(
        "  /b:\n    get: {{tags: [t0], operationId: getB, responses: {{'200': {{description: Done., content: {content}, {header}}}}}}}\n"
    ));
    let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{paths}");
    let made = generate(&document(&text), &options("t", "openapi.yaml")).unwrap();
    let in_server = made.files.iter().filter(|(path, _)| path.starts_with("server/"));
    let users: Vec<&str> =
        in_server.filter(|(_, text)| text.contains("GetBOkBody")).map(|(path, _)| path).collect();
    assert!(!users.is_empty() && users.iter().all(|path| path.starts_with("server/src/t0")), "{users:?}");
}

#[test]
fn alternatives_of_a_shared_response_are_imported_where_its_body_is_named() {
    let body =
        |member: &str| format!("{{schema: {{type: object, properties: {{{member}: {{type: string}}}}}}}}");
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{get: {{tags: [t], responses: {{'204': {{description: Done.}}, '400': {{$ref: '#/components/responses/Bad'}}}}}}}}\ncomponents: {{responses: {{Bad: {{description: Bad., content: {{application/json: {}, application/scim+json: {}}}}}}}}}\n",
        body("a"),
        body("b")
    );
    let made = generate(&document(&text), &options("t", "openapi.yaml")).unwrap();
    let operations = made.files.get("model/src/operations/t.rs").unwrap();
    assert!(operations.contains("WithHeaders<BadBody>"), "{operations}");
    assert!(operations.contains("use crate::BadBody;"), "{operations}");
}

#[test]
fn large_documents_have_features() {
    let paths: String =
        (0..150).map(|index| format!("  /g{}/p{index}: {{get: {{{DONE}}}}}\n", index % 2)).collect();
    assert!(api(&format!("paths:\n{paths}")).features);
}

#[test]
fn other_schemes_than_bearer_and_basic_are_raw() {
    let api = api(
        "paths: {}\ncomponents: {securitySchemes: {d: {type: http, scheme: Digest}, k: {type: apiKey, in: cookie, name: sid}, o: {type: openIdConnect, openIdConnectUrl: 'https://a.example'}}}\n",
    );
    let credentials: Vec<_> = api.schemes.iter().map(|scheme| scheme.credential.clone()).collect();
    assert_eq!(
        credentials,
        [Credential::Http("digest".to_owned()), Credential::Cookie("sid".to_owned()), Credential::Bearer]
    );
}

#[test]
fn servers_have_variables() {
    let api = api(&format!(
        "servers: [{{url: 'https://{{region}}.a.example', variables: {{region: {{default: eu, enum: [eu, us]}}}}}}]\npaths:\n  /a:\n    servers: [{{url: https://b.example}}]\n    get: {{{DONE}}}\n"
    ));
    assert_eq!(
        (api.servers[0].variables[0].default.as_str(), api.servers[0].variables[0].values.len()),
        ("eu", 2)
    );
    assert_eq!(only(&api).servers[0].url, "https://b.example");
}

#[test]
fn pages_are_declared_or_follow_from_a_link_header() {
    let list = "responses: {'200': {description: A, content: {application/json: {schema: {type: object, properties: {data: {type: array, items: {type: string}}, page: {type: object, properties: {next: {type: string, nullable: true}}}}}}}}}";
    let parameters = "parameters: [{name: cursor, in: query, schema: {type: string}}, {name: page, in: query, schema: {type: integer}}]";
    let declared = |pagination: &str| {
        let api = api(&format!(
            "paths:\n  /a:\n    get: {{{list}, {parameters}, x-pagination: {{{pagination}}}}}\n"
        ));
        only(&api).pagination.clone().expect("it has pages")
    };
    let cursor = declared("style: cursor, parameter: cursor, next: page.next, items: data");
    assert_eq!(
        cursor.pages,
        Pages::Cursor { parameter: "cursor".to_owned(), next: vec!["page".to_owned(), "next".to_owned()] }
    );
    assert_eq!(cursor.items, ["data"]);
    let number = declared("style: page, parameter: page, items: data, first: 0");
    assert_eq!(number.pages, Pages::Number { parameter: "page".to_owned(), first: 0 });
    let linked = api(
        "paths:\n  /a:\n    get: {responses: {'200': {description: A, headers: {Link: {schema: {type: string}}}, content: {application/json: {schema: {type: array, items: {type: string}}}}}}}\n",
    );
    assert_eq!(only(&linked).pagination.as_ref().map(|pages| &pages.pages), Some(&Pages::Link));
}

#[test]
fn pages_of_autorest_are_at_the_address_that_the_response_names() {
    let declared = |pageable: &str, properties: &str| {
        let rest = format!(
            "paths:\n  /a:\n    get:\n      responses: {{'200': {{description: A, content: {{application/json: {{schema: {{type: object, properties: {{{properties}}}}}}}}}}}}}\n      x-ms-pageable: {pageable}\n"
        );
        (codes(&rest), only(&api(&rest)).pagination.clone())
    };
    let list = "type: array, items: {type: string}";
    let usual = format!("value: {{{list}}}, nextLink: {{type: string}}, count: {{type: integer}}");
    let address = |next: &str, items: &str| {
        let pages = Pages::Address { next: vec![next.to_owned()] };
        (Vec::new(), Some(Pagination { pages, items: vec![items.to_owned()] }))
    };
    assert_eq!(declared("{nextLinkName: nextLink}", &usual), address("nextLink", "value"));
    assert_eq!(
        declared("{nextLinkName: nextLink, operationName: listNext}", &usual),
        address("nextLink", "value")
    );
    // A name with dots is not a path.
    let odata = format!("items: {{{list}}}, odata.nextLink: {{type: string, format: uri, nullable: true}}");
    assert_eq!(
        declared("{nextLinkName: odata.nextLink, itemName: items}", &odata),
        address("odata.nextLink", "items")
    );
    let one = Pagination { pages: Pages::Single, items: vec!["value".to_owned()] };
    assert_eq!(declared("{nextLinkName: null}", &usual), (Vec::new(), Some(one)));
    for (pageable, code) in [
        ("true", "extension-ignored"),
        ("{itemName: value}", "invalid-pagination"),
        ("{nextLinkName: 7}", "invalid-pagination"),
        ("{nextLinkName: count}", "invalid-pagination"),
        ("{nextLinkName: next}", "invalid-pagination"),
        ("{nextLinkName: nextLink, itemName: items}", "invalid-pagination"),
        ("{nextLinkName: nextLink, itemName: count}", "invalid-pagination"),
    ] {
        assert_eq!(declared(pageable, &usual), (vec![code], None), "{pageable}");
    }
}

#[test]
fn webhooks_and_callbacks_are_events() {
    let body = "requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}";
    let api = api(&format!(
        "x-webhooks: {{pet.adopted: {{post: {{{body}, {DONE}}}}}}}\npaths:\n  /a:\n    post: {{operationId: add, {DONE}, callbacks: {{done: {{'{{$url}}': {{post: {{{body}, {DONE}}}}}}}}}}}\n  /b:\n    post: {{operationId: change, {DONE}, callbacks: {{done: {{'{{$url}}': {{post: {{{DONE}}}}}}}}}}}\n"
    ));
    let events: Vec<_> = api
        .webhooks
        .iter()
        .map(|event| (event.rust.as_str(), event.operation.as_deref(), event.payload.is_some()))
        .collect();
    assert_eq!(
        events,
        [("Done", Some("add"), true), ("ChangeDone", Some("change"), false), ("PetAdopted", None, true)]
    );
}

#[test]
fn an_event_may_be_signed_in_a_way_of_the_service() {
    let signed_by = |headers: &str| {
        let api = api(&format!(
            "x-webhooks: {{pushed: {{post: {{parameters: [{headers}], {DONE}}}}}}}\npaths: {{}}\n"
        ));
        api.webhooks[0].signature.clone()
    };
    let header = |name: &str| format!("{{name: {name}, in: header, schema: {{type: string}}}}");
    assert_eq!(signed_by(&header("X-Delivery")), None);
    assert_eq!(signed_by(&header("Webhook-Signature")), None);
    let both = format!("{}, {}", header("X-Signature"), header("X-Signature-256"));
    assert_eq!(signed_by(&both), Some("X-Signature-256".to_owned()));
    // Nothing is said to be verified that is not, and what holds nothing has no reader.
    let body = "requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\nx-webhooks: {{pushed: {{post: {{parameters: [{}], {body}, {DONE}}}}}, pinged: {{post: {{{DONE}}}}}}}\npaths: {{}}\n",
        header("X-Signature")
    );
    let made = generate(&document(&text), &options("t", "openapi.yaml")).unwrap();
    let webhooks = made.files.get("client/src/webhooks.rs").unwrap();
    assert!(webhooks.contains("pub fn read_pushed(body: &[u8])"), "{webhooks}");
    assert!(webhooks.contains("`X-Signature`"), "{webhooks}");
    assert!(!webhooks.contains("Verifier") && !webhooks.contains("pinged"), "{webhooks}");
}

#[test]
fn bodies_of_swagger_are_read() {
    let api = api(&format!(
        "paths:\n  /a:\n    post: {{operationId: add, {DONE}, parameters: [{{name: photo, in: formData, required: true, schema: {{type: file}}}}, {{name: note, in: formData, schema: {{type: string}}}}]}}\n"
    ));
    assert_eq!(told(payload(&api)), [("Multipart", "multipart/form-data")]);
    assert!(only(&api).body.as_ref().is_some_and(|body| body.required));
}

#[test]
fn defects_are_errors_where_strictness_is_asked_for() {
    let rest = format!("paths:\n  /a/{{id}}:\n    get: {{{DONE}}}\n");
    assert_eq!(codes(&rest), ["undeclared-path-parameter"]);
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let strict = Options { strict: true, ..options("t", "openapi.yaml") };
    let Err(GenerateError::Refused(problems)) = lower(&document, &strict) else {
        panic!("a defect was taken")
    };
    assert_eq!(problems.counts().errors, 1);
}

/// The client crate of a document with these servers and requirements, as one text. Its schemes are a bearer
/// token, a key, and basic authentication.
fn client_with(servers: &str, security: &str) -> String {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{servers}paths:\n  /a:\n    get: {{{DONE}, security: {security}}}\n\
         components:\n  securitySchemes:\n    main_token: {{type: http, scheme: bearer}}\n    \
         old_key: {{type: apiKey, in: header, name: X-Old}}\n    sign_in: {{type: http, scheme: basic}}\n"
    );
    let generated = generate(&document(&text), &options("my-shop", "openapi.yaml")).unwrap();
    let files = generated.files.iter().filter(|(path, _)| path.starts_with("client/src/"));
    files.map(|(_, text)| text).collect()
}

#[test]
fn a_client_names_only_schemes_that_an_operation_uses() {
    for (security, named) in [
        ("[{main_token: []}]", [true, false, false]),
        ("[{old_key: []}, {sign_in: []}]", [false, true, true]),
        ("[{main_token: [], old_key: []}, {}]", [true, true, false]),
        ("[]", [false, false, false]),
    ] {
        let client = client_with("", security);
        let found = ["main_token", "old_key", "sign_in"].map(|name| {
            let constant = name.to_uppercase();
            assert_eq!(client.contains(name), client.contains(&constant), "{name}");
            client.contains(name)
        });
        assert_eq!(found, named, "{security}");
    }
}

#[test]
fn a_client_of_one_key_is_made_of_it_or_of_the_environment() {
    let servers = "servers: [{url: 'https://api.example.com'}]\n";
    for (servers, security, new, from_env) in [
        (servers, "[{main_token: []}]", true, true),
        (servers, "[{old_key: []}]", true, true),
        (servers, "[{sign_in: []}]", false, false),
        (servers, "[{main_token: []}, {old_key: []}]", false, false),
        (servers, "[]", false, false),
        ("", "[{main_token: []}]", false, true),
        ("servers: [{url: /v1}]\n", "[{main_token: []}]", false, true),
    ] {
        let client = client_with(servers, security);
        assert_eq!(
            client.contains("pub fn new(token: impl Into<client::Token>)"),
            new,
            "{servers} {security}"
        );
        assert_eq!(client.contains("pub fn from_env()"), from_env, "{servers} {security}");
        let variables = ["MY_SHOP_BASE_URL", "MY_SHOP_MAIN_TOKEN", "MY_SHOP_OLD_KEY"];
        let named = variables.map(|name| client.contains(&format!("\"{name}\"")));
        let expected =
            [from_env, from_env && security.contains("main"), from_env && security.contains("old")];
        assert_eq!(named, expected, "{servers} {security}");
    }
}
