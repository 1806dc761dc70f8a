//! The IR of small documents, as emitters see it.

use std::fmt::Write;

use frontdesk_codegen::ir::{Api, Element, Shape, Type};
use frontdesk_codegen::lower;
use frontdesk_document::MemoryLoader;
use insta::assert_snapshot;

use crate::fixtures::{self, document, options, root};

#[test]
fn the_whole_of_a_minimal_document() {
    let loader = fixtures::loader(&root().join("ok/minimal"));
    let document = fixtures::read("openapi.yaml", &loader);
    let api = lower(&document, &options("minimal", "openapi.yaml")).unwrap();
    insta::assert_debug_snapshot!(api);
}

/// The types of a document with these schemas, indented by four spaces, one line a field.
fn types(schemas: &str) -> String {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{schemas}"
    );
    let document = document(&text);
    let api = lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"));
    told(&api)
}

fn told(api: &Api) -> String {
    let mut text = String::new();
    for def in &api.types {
        let _ = writeln!(text, "{} in {}", def.name, def.root_module);
        match &def.shape {
            Shape::Struct(shape) => {
                for field in &shape.fields {
                    let needed = if field.required { "required" } else { "optional" };
                    let (rust, wire, element) = (&field.rust, &field.wire, element(api, &field.element));
                    let _ = writeln!(text, "  {rust} ({wire:?}): {needed} {element}");
                }
                if let Some(extra) = &shape.extra {
                    let _ = writeln!(text, "  ..: {}", element(api, extra));
                }
            }
            Shape::Enum(shape) => {
                for value in &shape.values {
                    let _ = writeln!(text, "  {} = {:?}", value.rust, value.wire);
                }
            }
            Shape::Id => text.push_str("  a UUID\n"),
            Shape::Newtype(element) => {
                let _ = writeln!(text, "  ({})", ty(api, &element.ty));
            }
            Shape::Union(shape) => {
                for branch in &shape.branches {
                    let _ = writeln!(text, "  | {}({})", branch.rust, ty(api, &branch.element.ty));
                }
            }
        }
    }
    text
}

fn element(api: &Api, element: &Element) -> String {
    let null = if element.nullable { "?" } else { "" };
    let rules: Vec<String> =
        element.constraints.iter().map(|constraint| format!(" {constraint:?}")).collect();
    format!("{}{null}{}", ty(api, &element.ty), rules.concat())
}

fn ty(api: &Api, ty: &Type) -> String {
    match ty {
        Type::List(entry) => format!("[{}]", element(api, entry)),
        Type::Map(value) => format!("{{{}}}", element(api, value)),
        Type::Named(id) => api.type_def(*id).name.clone(),
        Type::Boxed(id) => format!("Box {}", api.type_def(*id).name),
        other => format!("{other:?}"),
    }
}

#[test]
fn presence_and_constraints() {
    assert_snapshot!(types(
        "    Form:
      type: object
      required: [a, b]
      properties:
        a: {type: string, minLength: 1, maxLength: 9, pattern: '^a'}
        b: {type: string, nullable: true, format: email}
        c: {type: integer, format: int32, minimum: -3, exclusiveMinimum: true, maximum: 3}
        d: {type: array, nullable: true, minItems: 1, items: {type: number, multipleOf: 0.5}}
        e: {type: integer, format: uint64, maximum: 18446744073709551615}
"
    ));
}

#[test]
fn names_that_rust_cannot_have() {
    assert_snapshot!(types("    String: {type: object, properties: {x: {type: string}}}
    type: {type: object, properties: {self: {type: string}, type: {type: string}, '': {type: string}, '+1': {type: string}, '-1': {type: string}}}
    odd-name: {type: object, properties: {fooBar: {type: string}, foo_bar: {type: string}, foo-bar: {type: string}, 404: {type: string}}}
    OddName: {type: string, enum: [a, A, '', '*', self, unknown]}
    renamed: {type: object, x-rust-name: not an identifier, properties: {x: {type: string, x-rust-name: 'no: name'}}}
"));
}

#[test]
fn fields_are_named_as_the_document_writes_them() {
    assert_snapshot!(types("    $special[name]: {type: object, properties: {$ref: {type: string}, '@id': {type: string}, '#id': {type: string}, id: {type: string}}}
    SubCategory: {type: object, properties: {category: {type: string, enum: [a]}}}
    Api: {type: object, properties: {isOpen: {type: string, deprecated: true}, IsOpen: {type: string}, keyID: {type: string}, key_id: {type: string}}}
"));
}

#[test]
fn enumerations_named_in_place_are_one_type() {
    assert_snapshot!(types(
        "    User:
      type: object
      properties:
        state: {type: string, enum: [on, off], x-ms-enum: {name: StateContract}, description: That of a user.}
        states: {type: array, items: {type: string, enum: [on, off], x-ms-enum: {name: StateContract}}}
        other: {type: string, enum: [on, off, gone], x-ms-enum: {name: StateContract}}
        own: {type: string, enum: [on, off], x-rust-name: Own, x-ms-enum: {name: StateContract}}
        role: {type: string, enum: [a], x-ms-enum: {name: Role}}
        group: {type: string, nullable: true, enum: [on, off], x-ms-enum: {name: StateContract}}
    Role: {type: string, enum: [a]}
"
    ));
}

#[test]
fn only_what_holds_itself_directly_is_boxed() {
    assert_snapshot!(types(
        "    Node:
      type: object
      properties:
        parent: {$ref: '#/components/schemas/Node'}
        children: {type: array, items: {$ref: '#/components/schemas/Node'}}
        by_name: {type: object, additionalProperties: {$ref: '#/components/schemas/Node'}}
        leaf: {$ref: '#/components/schemas/Leaf'}
    Leaf:
      type: object
      properties: {weight: {type: integer}}
    Ping: {type: object, properties: {pong: {$ref: '#/components/schemas/Pong'}}}
    Pong: {type: object, properties: {ping: {$ref: '#/components/schemas/Ping'}}}
    Either:
      oneOf:
        - {type: string}
        - {type: object, required: [again], properties: {again: {$ref: '#/components/schemas/Either'}}}
"
    ));
}

#[test]
fn what_is_large_is_boxed_where_something_else_holds_it() {
    let texts = |count: usize| -> String {
        (0..count).map(|index| format!("t{index}: {{type: string}}, ")).collect::<String>()
    };
    let told = types(&format!(
        "    Large: {{type: object, properties: {{{}}}}}
    Half: {{type: object, properties: {{{}}}}}
    Halves:
      type: object
      properties:
        one: {{$ref: '#/components/schemas/Half'}}
        other: {{$ref: '#/components/schemas/Half'}}
    Holder:
      type: object
      properties:
        large: {{$ref: '#/components/schemas/Large'}}
        half: {{$ref: '#/components/schemas/Half'}}
        halves: {{$ref: '#/components/schemas/Halves'}}
        list: {{type: array, items: {{$ref: '#/components/schemas/Large'}}}}
        either: {{oneOf: [{{$ref: '#/components/schemas/Large'}}, {{$ref: '#/components/schemas/Half'}}]}}
      additionalProperties: {{$ref: '#/components/schemas/Holder'}}
",
        texts(50),
        texts(25),
    ));
    let holder = "Holder in holder
  large (\"large\"): optional Box Large
  half (\"half\"): optional Half
  halves (\"halves\"): optional Box Halves
  list (\"list\"): optional [Large]
  either (\"either\"): optional HolderEither
  ..: Holder
HolderEither in holder
  | Large(Box Large)
  | Half(Half)
";
    assert!(told.contains(holder), "{told}");
}

#[test]
fn a_schema_has_its_type_however_deep_it_stands() {
    let deep = (0..12).fold("{type: string, enum: [a, b]}".to_owned(), |inner, level| {
        format!("{{type: object, properties: {{a_member_of_some_length_{level}: {inner}}}}}")
    });
    let told = types(&format!("    Deep: {deep}\n"));
    assert!(told.contains("  A = \"a\"\n  B = \"b\"\n"), "{told}");
    assert!(!told.contains("Raw("), "{told}");
}

#[test]
fn compositions() {
    assert_snapshot!(types("    Base: {type: object, required: [id], properties: {id: {type: string}, note: {type: string}}}
    Merged:
      allOf:
        - {$ref: '#/components/schemas/Base'}
        - {type: object, required: [note, own], properties: {own: {type: boolean}}}
    Same: {allOf: [{$ref: '#/components/schemas/Base'}], description: Only described again.}
    Holder:
      type: object
      properties:
        described: {allOf: [{$ref: '#/components/schemas/Base'}], nullable: true, description: Maybe.}
        alias: {$ref: '#/components/schemas/Same'}
        either: {anyOf: [{$ref: '#/components/schemas/Base'}, {type: array, items: {type: string}}]}
        lonely: {oneOf: [{$ref: '#/components/schemas/Base'}]}
        inline: {type: object, properties: {deep: {type: object, properties: {deeper: {type: string, enum: [x]}}}}}
    Open: {type: object, properties: {known: {type: string}}, additionalProperties: {type: integer}}
    Map: {type: object, additionalProperties: {type: array, items: {$ref: '#/components/schemas/Open'}}}
"));
}

#[test]
fn what_extends_a_choice_has_chosen_itself() {
    let told = types(
        "    Key:
      type: object
      properties: {use: {type: string}}
      oneOf: [{$ref: '#/components/schemas/Curve'}, {$ref: '#/components/schemas/Rsa'}]
    Curve: {allOf: [{$ref: '#/components/schemas/Key'}], properties: {x: {type: string}}}
    Rsa: {allOf: [{$ref: '#/components/schemas/Key'}], properties: {n: {type: string}}}
",
    );
    for name in ["Curve", "Rsa"] {
        let member = if name == "Curve" { "x" } else { "n" };
        let expected = format!(
            "{name} in {}\n  r#use (\"use\"): optional String\n  {member} (\"{member}\"): optional String\n",
            name.to_lowercase()
        );
        assert!(told.contains(&expected), "{told}");
    }
}

#[test]
fn a_child_that_adds_nothing_is_no_second_head_of_its_family() {
    let told = types(
        "    Vehicle: {type: object, properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
    Truck: {allOf: [{$ref: '#/components/schemas/Vehicle'}], properties: {load: {type: integer}}}
    Bike: {allOf: [{$ref: '#/components/schemas/Vehicle'}]}
",
    );
    assert!(told.contains("  | Bike(Bike)\n"), "{told}");
    assert!(told.contains("Bike in bike\n  kind (\"kind\"): optional String\n"), "{told}");
}

#[test]
fn enumerations_in_a_choice_become_one() {
    assert_snapshot!(types(
        "    Size:
      oneOf:
        - {type: string, enum: [small, large]}
        - {const: huge}
        - {type: string, enum: [large], nullable: true}
    Model:
      anyOf:
        - {type: string}
        - {type: string, enum: [small-1, large-1]}
    Holder: {type: object, properties: {size: {$ref: '#/components/schemas/Size'}}}
    Bounded:
      anyOf:
        - {type: string, minLength: 3}
        - {type: string, enum: [no]}
"
    ));
}

#[test]
fn a_choice_between_texts_is_one_text() {
    let told = types(
        "    Net: {oneOf: [{title: v4, allOf: [{$ref: '#/components/schemas/V4'}]}, {$ref: '#/components/schemas/V6'}]}
    V4: {type: string, pattern: '^[0-9.]+$', x-pattern-rule: must be digits and dots}
    V6: {type: string, pattern: '^[0-9a-f:]+$', x-pattern-rule: must be digits and colons}
    Loose: {anyOf: [{type: string, pattern: '^a$'}, {type: string}]}
    Holder: {type: object, properties: {net: {$ref: '#/components/schemas/Net'}, loose: {$ref: '#/components/schemas/Loose'}}}
",
    );
    assert_eq!(
        told,
        "Holder in holder
  net (\"net\"): optional String Pattern { source: \"(?:^[0-9.]+$)|(?:^[0-9a-f:]+$)\", rule: Some(\"must be digits and dots, or must be digits and colons\") }
  loose (\"loose\"): optional String
"
    );
}

#[test]
fn a_branch_that_adds_nothing_is_what_stands_beside_the_choice() {
    let told = types(
        "    Update:
      type: object
      properties: {archived: {type: boolean}}
      oneOf:
        - {title: list, required: [options], properties: {options: {type: array, items: {type: string}}}}
        - {title: other}
",
    );
    assert!(!told.contains("Box<Update>") && !told.contains("(Update)"), "{told}");
    assert!(told.contains("archived (\"archived\")"), "{told}");
}

#[test]
fn what_only_describes_a_schema_may_invite_members_and_rule_out_null() {
    let told = types(
        "    Scopes: {type: object, nullable: true, properties: {id: {type: string}}}
    Open: {allOf: [{$ref: '#/components/schemas/Scopes'}, {type: object, additionalProperties: true}]}
    Firm: {type: object, allOf: [{$ref: '#/components/schemas/Scopes'}]}
    Soft: {description: No type., allOf: [{$ref: '#/components/schemas/Scopes'}, {title: Still none.}]}
    Both: {allOf: [{$ref: '#/components/schemas/Scopes'}, {type: object, nullable: true, properties: {own: {type: string}}}]}
    Holder:
      type: object
      properties:
        open: {$ref: '#/components/schemas/Open'}
        open_or_null: {nullable: true, allOf: [{$ref: '#/components/schemas/Open'}]}
        firm: {$ref: '#/components/schemas/Firm'}
        soft: {$ref: '#/components/schemas/Soft'}
        both: {$ref: '#/components/schemas/Both'}
",
    );
    assert!(told.contains("Open in open\n  id (\"id\"): optional String\n  ..: Any"), "{told}");
    let holder = "Holder in holder
  open (\"open\"): optional Open
  open_or_null (\"open_or_null\"): optional Open?
  firm (\"firm\"): optional Scopes
  soft (\"soft\"): optional Scopes?
  both (\"both\"): optional Both?
";
    assert!(told.contains(holder), "{told}");
}

#[test]
fn parts_that_disagree_leave_raw_json() {
    assert_snapshot!(types(
        "    Pet:
      allOf:
        - {type: object, properties: {age: {type: integer}, name: {type: string}}}
        - {type: object, properties: {age: {type: string}}}
"
    ));
}

/// The schemas of a document, one for each number.
fn numbered(count: usize, schema: impl Fn(usize) -> String) -> String {
    (0..count).map(|index| format!("    S{index}: {}\n", schema(index))).collect()
}

#[test]
fn a_chain_of_schemas_may_be_longer_than_the_stack() {
    let reference = |index: usize| format!("{{$ref: '#/components/schemas/S{index}'}}");
    let held = numbered(3000, |index| format!("{{properties: {{next: {}}}}}", reference((index + 1) % 3000)));
    assert_eq!(types(&held).matches("(\"next\")").count(), 3000);
    let extended = numbered(500, |index| format!("{{allOf: [{}, {{}}]}}", reference(index + 1)));
    assert_eq!(types(&format!("{extended}    S500: {{properties: {{a: {{}}}}}}\n")).lines().count(), 2);
}

#[test]
fn parts_that_go_together_in_too_many_ways_leave_raw_json() {
    let choice = |index: usize| {
        let next = format!("{{$ref: '#/components/schemas/S{}'}}", index + 1);
        format!("{{oneOf: [{next}, {{allOf: [{next}, {{properties: {{p{index}: {{type: string}}}}}}]}}]}}")
    };
    let schemas = numbered(14, choice) + "    S14: {properties: {a: {type: string}}}\n";
    let told = types(&schemas);
    let types = told.lines().filter(|line| !line.starts_with(' ')).count();
    assert!((5000..5100).contains(&types), "{types}");
    assert!(told.contains("Raw("));
}

#[test]
fn defaults_of_choices_that_lead_to_each_other_are_judged() {
    let loader = MemoryLoader::new().with(
        "openapi.yaml",
        "openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    One: {oneOf: [{$ref: '#/components/schemas/Two'}, {type: integer}]}
    Two: {oneOf: [{$ref: '#/components/schemas/One'}, {type: string}]}
    Holder:
      type: object
      properties:
        text: {allOf: [{$ref: '#/components/schemas/One'}], default: x}
        flag: {allOf: [{$ref: '#/components/schemas/One'}], default: true}
",
    );
    let document = fixtures::read("openapi.yaml", &loader);
    let api = lower(&document, &options("t", "openapi.yaml")).unwrap();
    let holder = api.types.iter().find(|def| def.name == "Holder").unwrap();
    let Shape::Struct(shape) = &holder.shape else { panic!("{holder:?}") };
    let defaults: Vec<_> = shape.fields.iter().map(|field| field.default.is_some()).collect();
    assert_eq!(defaults, [true, false]);
}
