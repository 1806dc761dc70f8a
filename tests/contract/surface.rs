//! The surface of our contract in one snapshot: routes, statuses and types, so that a change of them is read
//! in review.

use frontdesk_codegen::ir::Shape;
use frontdesk_codegen::{Options, lower};
use frontdesk_document::{Document, MemoryLoader};
use frontdesk_server::OPERATIONS;

/// The bundle, relative to this package.
const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.yaml");

#[test]
fn routes_statuses_and_types() {
    let mut shown = String::new();
    for operation in OPERATIONS {
        let statuses: Vec<String> = operation.statuses.iter().map(u16::to_string).collect();
        shown.push_str(&format!(
            "{} {} {}: {}\n",
            operation.method,
            operation.path,
            operation.id,
            statuses.join(" ")
        ));
    }
    shown.push('\n');
    let text = std::fs::read_to_string(BUNDLE).unwrap();
    let loader = MemoryLoader::new().with("openapi.yaml", text);
    let document = Document::read("openapi.yaml", &loader).0.unwrap();
    let api = lower(&document, &Options::of_workspace("frontdesk", "openapi.yaml")).unwrap();
    // Types of components; the others are named after the operations above.
    let mut types: Vec<String> = api.types.iter().filter(|def| def.component.is_some()).map(line).collect();
    types.sort();
    shown.push_str(&types.concat());
    insta::assert_snapshot!(shown);
}

fn line(def: &frontdesk_codegen::ir::TypeDef) -> String {
    let content = match &def.shape {
        Shape::Struct(shape) => {
            let field = |field: &frontdesk_codegen::ir::Field| {
                format!("{}{}", field.wire, if field.required { "" } else { "?" })
            };
            format!("{{{}}}", shape.fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Shape::Enum(values) => {
            values.values.iter().map(|value| value.wire.as_str()).collect::<Vec<_>>().join(" | ")
        }
        Shape::Union(union) => format!("one of {}", union.branches.len()),
        Shape::Id => "a UUID".to_owned(),
        Shape::Newtype(_) => "a named list or map".to_owned(),
    };
    format!("{}: {content}\n", def.name)
}
