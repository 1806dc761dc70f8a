//! Bodies written as in Swagger 2.0: parameters `in: body` and `in: formData`.

use super::{Lowering, docs, flag, names, schemas::Place, shown, text};
use crate::ir::{Body, Coding, Element, Field, Form, Payload, Shape, Struct, Type, TypeDef, TypeId};
use frontdesk_document::{Diagnostic, NodeRef, Operation};

impl<'d> Lowering<'d, '_> {
    /// The body that an operation describes by parameters, where it has no `requestBody`.
    pub(super) fn swagger_body(&mut self, operation: Operation<'d>, owner: &str) -> Option<Body> {
        let mut whole = None;
        let mut members = Vec::new();
        for parameter in operation.parameters() {
            let parameter = parameter.node;
            match text(parameter, "in") {
                Some("body") => whole = whole.or(Some(parameter)),
                Some("formData") => members.push(parameter),
                _ => continue,
            }
            if self.warned.insert((parameter.id(), "swagger-parameter")) {
                let reading = match operation.body() {
                    Some(_) => "left out, as there is a `requestBody`",
                    None => "read as part of the body",
                };
                self.problems.push(
                    Diagnostic::warning(
                        "swagger-parameter",
                        shown(parameter),
                        format!("a parameter in `body` or `formData` is one of Swagger 2.0; it is {reading}"),
                    )
                    .hint("describe the body by `requestBody`"),
                );
            }
        }
        if operation.body().is_some() {
            return None;
        }
        if let Some(parameter) = whole {
            let element = match parameter.get("schema") {
                Some(schema) => self.schema(schema, &Place::new(format!("{owner}Body"))),
                None => Element::of(Type::Any),
            };
            let form = Form {
                media_type: "application/json".to_owned(),
                variant: "Json".to_owned(),
                coding: Coding::Json(element),
            };
            let required = flag(parameter, "required");
            return Some(Body { docs: docs(parameter), required, payload: Payload::of(form) });
        }
        (!members.is_empty()).then(|| self.swagger_form(&members, owner))
    }

    fn swagger_form(&mut self, members: &[NodeRef<'d>], owner: &str) -> Body {
        let name = self.type_names.take(&format!("{owner}Body"), "Model");
        let root_module = names::module(&name);
        let mut taken = names::Scope::default();
        let mut fields: Vec<Field> = Vec::new();
        let mut has_files = false;
        for &parameter in members {
            let Some(wire) = text(parameter, "name") else { continue };
            if fields.iter().any(|field| field.wire == wire) {
                continue;
            }
            // Swagger 2.0 had no `schema` here, so its keywords may stand in the parameter itself.
            let schema = parameter.get("schema").unwrap_or(parameter);
            let is_file = text(schema, "type") == Some("file");
            has_files |= is_file;
            let place =
                Place { name: names::inline(&name, wire), root_module: Some(root_module.clone()), depth: 1 };
            let element = if is_file { Element::of(Type::File) } else { self.schema(schema, &place) };
            fields.push(Field {
                wire: wire.to_owned(),
                rust: taken.take(&names::snake(wire), "_"),
                docs: docs(parameter),
                deprecated: flag(parameter, "deprecated"),
                required: flag(parameter, "required"),
                read_only: false,
                write_only: false,
                default: None,
                example: None,
                element,
            });
        }
        let required = fields.iter().any(|field| field.required);
        let element = Element::of(Type::Named(TypeId(self.types.len())));
        let shape = Shape::Struct(Struct { fields, ..Struct::default() });
        self.types.push(TypeDef::made(name, root_module, shape));
        let (media_type, variant, coding) = if has_files {
            ("multipart/form-data", "Multipart", Coding::Multipart(element, Vec::new()))
        } else {
            ("application/x-www-form-urlencoded", "Form", Coding::Urlencoded(element, Vec::new()))
        };
        let form = Form { media_type: media_type.to_owned(), variant: variant.to_owned(), coding };
        Body { docs: None, required, payload: Payload::of(form) }
    }
}
