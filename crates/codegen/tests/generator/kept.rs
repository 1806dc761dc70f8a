//! What a schema says is generated: rules beside formats, `null`, families and events lose nothing.

use frontdesk_codegen::ir::{Api, Coding, Constraint, Shape, StringEnum, Type, Union};
use frontdesk_codegen::{lower, problems};

use crate::fixtures::{document, generated, options};

fn api(version: &str, rest: &str) -> Api {
    let document = document(&format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{rest}"));
    lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

fn schemas(version: &str, schemas: &str) -> Api {
    api(version, &format!("paths: {{}}\ncomponents:\n  schemas:\n{schemas}"))
}

fn shape<'a>(api: &'a Api, name: &str) -> &'a Shape {
    &api.types.iter().find(|def| def.name == name).unwrap_or_else(|| panic!("no {name}")).shape
}

/// The codes and messages of a document's problems.
fn told(version: &str, rest: &str) -> Vec<String> {
    let document = document(&format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let problems = problems(&document, "openapi.yaml");
    problems.iter().map(|problem| format!("{}: {}", problem.code, problem.message)).collect()
}

#[test]
fn rules_for_text_stay_beside_every_format() {
    for format in [
        "uuid",
        "date",
        "date-time",
        "byte",
        "decimal",
        "duration",
        "ipv4",
        "ipv6",
        "uri",
        "email",
        "password",
    ] {
        let api = schemas(
            "3.0.3",
            &format!(
                "    Subject: {{type: object, properties: {{a: {{type: string, format: {format}, pattern: '^6', minLength: 2, maxLength: 9}}}}}}\n"
            ),
        );
        let Shape::Struct(shape) = shape(&api, "Subject") else { panic!("{format}") };
        let rules = &shape.fields[0].element.constraints;
        assert!(rules.contains(&Constraint::MinChars(2)), "{format}: {rules:?}");
        assert!(rules.contains(&Constraint::MaxChars(9)), "{format}: {rules:?}");
        assert!(rules.iter().any(|rule| matches!(rule, Constraint::Pattern { .. })), "{format}: {rules:?}");
    }
}

#[test]
fn rules_of_parameters_that_cannot_be_checked_are_reported() {
    let rest = |format: &str| {
        format!(
            "paths:\n  /a: {{get: {{operationId: a, parameters: [{{name: p, in: query, schema: {{type: string, format: {format}, pattern: '^2'}}}}], responses: {{'204': {{description: Done.}}}}}}}}\n"
        )
    };
    // A day has one spelling, so its rules are checked.
    assert!(told("3.0.3", &rest("date")).is_empty());
    for format in ["uuid", "date-time", "byte", "duration"] {
        let told = told("3.0.3", &rest(format));
        assert!(told.iter().any(|problem| problem.starts_with("bound-ignored: ")), "{format}: {told:?}");
    }
}

#[test]
fn what_allows_null_alone_takes_nothing_else() {
    for schema in
        ["{type: 'null'}", "{const: null}", "{enum: [null]}", "{type: [string, 'null'], enum: [null]}"]
    {
        let api = schemas("3.1.0", &format!("    Subject: {{type: object, properties: {{a: {schema}}}}}\n"));
        let Shape::Struct(shape) = shape(&api, "Subject") else { panic!("{schema}") };
        let element = &shape.fields[0].element;
        assert!(element.nullable, "{schema}");
        assert_eq!(element.constraints, [Constraint::OneOf(vec![serde_json::Value::Null])], "{schema}");
    }
}

#[test]
fn a_part_of_all_of_rules_null_out_for_properties_too() {
    let api = schemas(
        "3.0.3",
        "    Base: {type: object, properties: {id: {type: string, nullable: true}, tag: {type: string, nullable: true}, of: {allOf: [{$ref: '#/components/schemas/Text'}], nullable: true}}}
    Text: {type: string}
    Narrow: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {id: {type: string}, tag: {maxLength: 3}, of: {allOf: [{$ref: '#/components/schemas/Text'}]}}}]}
",
    );
    let Shape::Struct(shape) = shape(&api, "Narrow") else { panic!() };
    let nullable: Vec<(&str, bool)> =
        shape.fields.iter().map(|field| (field.wire.as_str(), field.element.nullable)).collect();
    // `maxLength` alone says that the value is text, as everywhere in a document without `type`.
    assert_eq!(nullable, [("id", false), ("tag", false), ("of", false)]);
}

#[test]
fn a_family_has_grandchildren_and_its_head() {
    let family = |head: &str| {
        schemas(
            "3.0.3",
            &format!(
                "    Pet: {{type: object, required: [kind], properties: {{kind: {head}, name: {{type: string}}}}, discriminator: {{propertyName: kind, mapping: {{dog: Dog}}}}}}
    Dog: {{allOf: [{{$ref: '#/components/schemas/Pet'}}, {{type: object, properties: {{bark: {{type: string}}}}}}]}}
    Puppy: {{allOf: [{{$ref: '#/components/schemas/Dog'}}, {{type: object, properties: {{age: {{type: integer}}}}}}]}}
"
            ),
        )
    };
    let tags = |api: &Api| -> Vec<(String, String)> {
        let Shape::Union(Union { branches, tag: Some(tag) }) = shape(api, "Pet") else { panic!() };
        tag.values.iter().map(|(value, at)| (value.clone(), branches[*at].rust.clone())).collect()
    };
    let pair = |value: &str, branch: &str| (value.to_owned(), branch.to_owned());
    let all = family("{type: string}");
    assert_eq!(tags(&all), [pair("dog", "Dog"), pair("Puppy", "Puppy"), pair("Pet", "Base")]);
    let Shape::Struct(base) = shape(&all, "PetBase") else { panic!() };
    assert_eq!(base.fields.iter().map(|field| field.wire.as_str()).collect::<Vec<_>>(), ["kind", "name"]);
    // A head whose discriminator lists no value for it stands for its children alone.
    let listed = family("{type: string, enum: [dog, Puppy]}");
    assert_eq!(tags(&listed), [pair("dog", "Dog"), pair("Puppy", "Puppy")]);
}

#[test]
fn a_schema_of_the_whole_event_is_that_of_its_data() {
    let stream = |schema: &str| {
        api(
            "3.0.3",
            &format!(
                "paths:\n  /a: {{get: {{operationId: listen, responses: {{'200': {{description: Events., content: {{text/event-stream: {{schema: {schema}}}}}}}}}}}}}\n"
            ),
        )
    };
    let data = |api: &Api| {
        let operation = api.operations().next().unwrap();
        let payload = operation.successes[0].content.payload(&api.responses).unwrap();
        let Coding::Events(element) = &payload.forms[0].coding else { panic!() };
        element.ty.clone()
    };
    let whole =
        "{type: object, properties: {event: {type: string}, id: {type: string}, data: {type: integer}}}";
    assert_eq!(data(&stream(whole)), Type::I64);
    // What has other members too, or nothing but `data`, is the data itself.
    for schema in [
        "{type: object, properties: {data: {type: integer}}}",
        "{type: object, properties: {data: {type: integer}, id: {type: string}, more: {type: string}}}",
    ] {
        assert!(matches!(data(&stream(schema)), Type::Named(_)), "{schema}");
    }
}

#[test]
fn dynamic_anchors_mean_what_the_outermost_schema_says() {
    let api = schemas(
        "3.1.0",
        "    Page: {type: object, properties: {items: {type: array, items: {$dynamicRef: '#item'}}, first: {$ref: '#/components/schemas/Cell'}}, $defs: {item: {$dynamicAnchor: item, type: string}}}
    Cell: {type: object, properties: {value: {$dynamicRef: '#item'}}}
    PetPage: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/Pet'}}}
    NumberPage: {allOf: [{$ref: '#/components/schemas/Page'}], $defs: {item: {$dynamicAnchor: item, type: integer}}}
    Pet: {type: object, properties: {name: {type: string}}}
    Tree: {$dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}}}
    NamedTree: {$dynamicAnchor: node, $ref: '#/components/schemas/Tree', properties: {name: {type: string}}}
",
    );
    let field = |name: &str, wire: &str| {
        let Shape::Struct(shape) = shape(&api, name) else { panic!("{name}") };
        shape
            .fields
            .iter()
            .find(|field| field.wire == wire)
            .unwrap_or_else(|| panic!("{wire}"))
            .element
            .ty
            .clone()
    };
    let held = |ty: Type| match ty.innermost() {
        Type::Named(id) | Type::Boxed(id) => api.type_def(*id).name.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(held(field("Page", "items")), "String");
    assert_eq!(held(field("PetPage", "items")), "Pet");
    assert_eq!(held(field("NumberPage", "items")), "I64");
    assert_eq!(held(field("Tree", "children")), "Tree");
    assert_eq!(held(field("NamedTree", "children")), "NamedTree");
    // Also through a schema on the way.
    let cell = held(field("PetPage", "first"));
    assert_eq!(held(field(&cell, "value")), "Pet");
}

#[test]
fn ten_thousand_equal_values_are_one_problem() {
    let list = ["a"].repeat(10_000).join(", ");
    let rest =
        format!("paths: {{}}\ncomponents: {{schemas: {{Subject: {{type: string, enum: [{list}, b]}}}}}}\n");
    assert_eq!(told("3.0.3", &rest), ["duplicate-value: the value is listed twice"]);
    let api = api("3.0.3", &rest);
    let Shape::Enum(StringEnum { values, .. }) = shape(&api, "Subject") else { panic!() };
    assert_eq!(values.len(), 2);
}

#[test]
fn numbers_without_json_do_not_lose_the_document() {
    let rest = "paths: {}\nx-limit: .nan\ncomponents: {schemas: {A: {type: object, properties: {a: {type: number, default: 1e400, example: .inf}}}}}\n";
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let generated = generated(&document, &options("t", "openapi.yaml"));
    assert!(generated.files.get("openapi.json").is_some_and(|bundle| bundle.contains("\"1e400\"")));
}

#[test]
fn names_of_300_letters_become_files() {
    let name = "LongName".repeat(40);
    let rest = format!(
        "paths:\n  /a: {{post: {{tags: [{name}], operationId: do{name}, requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/{name}'}}}}}}}}, responses: {{'204': {{description: Done.}}}}}}}}\ncomponents:\n  schemas:\n    {name}: {{type: object, properties: {{p{name}: {{type: string, enum: [a]}}}}}}\n    {name}2: {{type: object, properties: {{b: {{type: string}}}}}}\n"
    );
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let generated = generated(&document, &options("t", "openapi.yaml"));
    for (path, _) in generated.files.iter() {
        assert!(path.split('/').all(|name| name.len() <= 250), "{path}");
    }
}

/// A declared `readOnly` member is not an unknown one: it is ignored in requests, as in an open object.
#[test]
fn members_that_only_responses_have_are_ignored_in_requests() {
    let rest = |further: &str| {
        format!(
            "paths:\n  /bugs:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Bug'}}}}}}}}\n      responses: {{'201': {{description: A bug, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Bug'}}}}}}}}}}\ncomponents:\n  schemas:\n    Bug: {{type: object, additionalProperties: {further}, properties: {{id: {{type: integer, readOnly: true}}, name: {{type: string}}}}}}\n"
        )
    };
    for (further, read) in [
        ("false", "closed except [\"id\"] BugInput {"),
        ("false", "closed(&[\"name\", \"id\"])"),
        ("{type: string}", "except [\"id\"] BugInput {"),
    ] {
        assert!(all_text("3.0.3", &rest(further)).contains(read), "{further}: {read}");
    }
    assert!(!all_text("3.0.3", &rest("true")).contains("closed except"), "an open object refuses nothing");
}

/// Refusals that no operation declares have the body that all declared errors have.
#[test]
fn a_body_that_all_errors_share_is_that_of_every_refusal() {
    let operation = |name: &str, body: &str| {
        format!(
            "  /{name}:\n    get:\n      operationId: {name}\n      parameters: [{{name: n, in: query, schema: {{type: integer}}}}]\n      responses: {{'204': {{description: Done}}, '404': {{description: None, content: {{application/problem+json: {{schema: {{$ref: '#/components/schemas/{body}'}}}}}}}}}}\n"
        )
    };
    let components = "components:\n  schemas:\n    Problem: {type: object, properties: {title: {type: string}}}\n    Other: {type: object, properties: {text: {type: string}}}\n";
    let bare = "  /c:\n    get: {operationId: c, parameters: [{name: n, in: query, schema: {type: integer}}], responses: {'204': {description: Done}}}\n";
    let text = |second: &str| {
        let rest =
            format!("paths:\n{}{}{bare}{components}", operation("a", "Problem"), operation("b", second));
        all_text("3.0.3", &rest)
    };
    let every_status = |text: &str| text.matches("\n    otherwise (").count();
    let bare_too =
        "Error {}\n    otherwise (Problem) as json(\"application/problem+json\") refuses (Problem)";
    let shared = text("Problem");
    assert!(shared.contains(".refuse_unknown("), "unknown paths and methods");
    assert_eq!(every_status(&shared), 2, "two operations have the same errors");
    assert!(shared.contains(bare_too), "also of the operation that declares no error");
    let mixed = text("Other");
    assert!(!mixed.contains(".refuse_unknown("));
    assert_eq!(every_status(&mixed), 2, "each operation has a body of its own");
    assert!(!mixed.contains(bare_too));
}

/// A document that says which credentials there are, and that operations require none in a request, does not
/// leave open where a client sends those that it is given.
#[test]
fn only_a_document_without_credentials_leaves_open_where_they_go() {
    let text = |security: &str, schemes: &str| {
        all_text(
            "3.1.0",
            &format!(
                "security: {security}\npaths:\n  /a:\n    get: {{responses: {{'204': {{description: Done}}}}}}\n\
                 components: {{securitySchemes: {{{schemes}}}}}\n"
            ),
        )
    };
    let bearer = "token: {type: http, scheme: bearer}";
    for (security, schemes, described, exchanged) in [
        ("[]", "", false, true),
        ("[]", bearer, true, false),
        ("[{certificate: []}]", "certificate: {type: mutualTLS}", true, false),
        ("[{token: []}]", bearer, false, true),
    ] {
        let text = text(security, schemes);
        assert_eq!(
            text.contains("const DESCRIBES_CREDENTIALS: bool = true;"),
            described,
            "{security} {schemes}"
        );
        assert_eq!(text.contains("pub fn with_bearer("), exchanged, "{security} {schemes}");
    }
}

#[test]
fn a_misnamed_path_parameter_is_shown_where_it_is_declared() {
    let rest = "paths:\n  /pets/{pet_id}:\n    get:\n      parameters: [{name: petId, in: path, required: true, schema: {type: string}}]\n      responses: {'204': {description: Done}}\n";
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let problems = problems(&document, "openapi.yaml");
    let found: Vec<_> = problems.iter().filter(|it| it.code == "undeclared-path-parameter").collect();
    let [problem] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(problem.primary.span.start.to_string(), "6:27");
    assert!(problem.hint.as_deref().is_some_and(|hint| hint.contains("`name: pet_id`")), "{problem:?}");
}

/// Returns the texts of all generated files, one after the other.
fn all_text(version: &str, rest: &str) -> String {
    let document = document(&format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let generated = generated(&document, &options("t", "openapi.yaml"));
    generated.files.iter().map(|(_, text)| text).collect()
}
