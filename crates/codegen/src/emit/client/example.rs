//! Emitter of the example in the docs of each method, which `cargo test` compiles: the call with its required
//! arguments, and a use of the response. The body is made of the document's own example if that is short.

use super::{
    super::{Imports, ident, model_crate, prose::variable},
    bodies, parameters,
};
use crate::ir::{Api, Coding, Element, Field, Group, Operation, Shape, Type};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

/// The maximum line length of an example, in columns.
const WIDEST: usize = 96;

/// A call of an operation, as an example shows it.
#[derive(Debug)]
pub(super) struct Call {
    /// The expression without `.await`: `client.deals().get(deal_id)`.
    pub(super) expression: String,
    /// The arguments that the reader has: names and types.
    pub(super) given: String,
    /// The last argument, if it is a body made of the document's example. It names types of the model without
    /// a path.
    pub(super) made: Option<String>,
}

/// The lines below the docs of a method; empty for an operation that the document advises against.
pub(super) fn docs(api: &Api, group: &Group, operation: &Operation) -> String {
    let Some(call) = call(api, group, operation, WIDEST).filter(|_| !operation.deprecated) else {
        return String::new();
    };
    let client = format!("{}_client", api.name.replace('-', "_"));
    let types = if call.made.is_some() { format!(" use {client}::model::*;") } else { String::new() };
    let given = &call.given;
    let (binding, shown) = answer(api, operation);
    let shown = shown.map_or_else(String::new, |line| format!("{line}\n"));
    format!(
        "\n```no_run\n\
         # async fn example(client: {client}::Client{given}) -> Result<(), Box<dyn std::error::Error>> {{{types}\n\
         {binding}{}.await?;\n{shown}# Ok(()) }}\n```",
        call.expression
    )
}

/// The call of an operation, with the document's example of the body if that fits into lines of this width.
pub(super) fn call(api: &Api, group: &Group, operation: &Operation, width: usize) -> Option<Call> {
    let (client, model) = (format!("{}_client", api.name.replace('-', "_")), model_crate(api));
    let mut imports = Imports::default();
    imports.add("frontdesk_runtime", "client");
    let mut given = String::new();
    let mut arguments = Vec::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        if parameter.rust == "client" {
            return None;
        }
        let (taken, _) = parameters::parts(api, operation, parameter, &mut imports);
        given.push_str(&argument(&imports, taken));
        arguments.push(ident(&parameter.rust).to_string());
    }
    let start = format!("client.{}().{}(", group.module, operation.short);
    let mut made = None;
    if let Some(body) = &operation.body {
        let taken = bodies::argument(api, body, &mut imports).taken;
        made = made_body(api, operation, width).filter(|made| {
            let arguments = arguments.iter().chain([made]).map(String::as_str).collect::<Vec<_>>().join(", ");
            answer(api, operation).0.len() + start.len() + arguments.len() + ").await?;".len() <= width
        });
        arguments.push(made.clone().unwrap_or_else(|| {
            given.push_str(&argument(&imports, taken));
            "body".to_owned()
        }));
    }
    let given = given.replace(" :: ", "::").replace(":: ", "::").replace(" < ", "<").replace(" >", ">");
    let given = given.replace(" : ", ": ").replace(" , ", ", ");
    let given = reexported(&given, "frontdesk_runtime::", &format!("{client}::runtime::"));
    let given = reexported(&given, &format!("{model}::"), &format!("{client}::model::"));
    Some(Call { expression: format!("{start}{})", arguments.join(", ")), given, made })
}

/// An argument behind others, whose type is named by its path.
fn argument(imports: &Imports, taken: TokenStream) -> String {
    let mut tokens = taken.into_iter();
    let mut name = TokenStream::new();
    for token in tokens.by_ref() {
        let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        name.extend([token]);
        if is_colon {
            break;
        }
    }
    format!(", {name} {}", imports.qualified(tokens.collect()))
}

/// The text in which paths that begin with a crate begin with the path of its re-export.
fn reexported(text: &str, name: &str, path: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(name) {
        replaced.push_str(before);
        let goes_on = |last: char| last.is_alphanumeric() || "_:#".contains(last);
        replaced.push_str(if replaced.ends_with(goes_on) { name } else { path });
        rest = behind;
    }
    replaced.push_str(rest);
    replaced
}

/// The start of a statement that binds the response, and a line that uses it.
pub(super) fn answer(api: &Api, operation: &Operation) -> (String, Option<String>) {
    let [only] = &operation.successes[..] else { return ("let response = ".to_owned(), None) };
    let Some(payload) = only.content.payload(&api.responses) else { return (String::new(), None) };
    let Some(element) = payload.only().and_then(|form| match &form.coding {
        Coding::Json(element) => Some(element),
        _ => None,
    }) else {
        return ("let response = ".to_owned(), None);
    };
    let (Type::Named(id) | Type::Boxed(id), false) = (&element.ty, element.nullable) else {
        return ("let response = ".to_owned(), Some("println!(\"{:?}\", *response);".to_owned()));
    };
    let id = *id;
    let def = api.type_def(id);
    let name = variable(&def.name);
    let field = match &api.type_def(api.original(id)).shape {
        Shape::Struct(shape) => shape.fields.iter().find(|field| is_shown(api, field)),
        _ => None,
    };
    let line = match field {
        Some(field) => format!("println!(\"{{}}\", {name}.{});", field.rust),
        None => format!("println!(\"{{:?}}\", *{name});"),
    };
    (format!("let {name} = "), Some(line))
}

/// Whether the field is a single value that every response has.
fn is_shown(api: &Api, field: &Field) -> bool {
    let is_text = match &field.element.ty {
        Type::String | Type::Uuid | Type::I32 | Type::I64 | Type::U32 | Type::U64 => true,
        Type::Named(id) => matches!(api.type_def(*id).shape, Shape::Id),
        _ => false,
    };
    field.required && !field.element.nullable && !field.deprecated && is_text
}

/// The body that the document's example shows, as an expression: the required fields, and further ones as
/// long as there is room.
fn made_body(api: &Api, operation: &Operation, width: usize) -> Option<String> {
    let example = operation.request_example.as_ref()?.as_object()?;
    let body = operation.body.as_ref()?;
    let (Type::Named(id), true) = (&body.payload.json()?.ty, body.required) else { return None };
    let def = api.type_def(*id);
    let Shape::Struct(shape) = &api.type_def(api.original(*id)).shape else { return None };
    let is_by_name = api.type_def(api.original(*id)).required.is_some();
    let required = shape.fields.iter().filter(|field| field.required);
    let arguments: Option<Vec<String>> = required
        .map(|field| {
            let value = example.get(&field.wire).filter(|_| !field.element.nullable)?;
            let value = literal(api, &field.element, value)?;
            Some(if is_by_name {
                format!("{}: {}", field.rust, owned(&field.element.ty, value))
            } else {
                value
            })
        })
        .collect();
    let arguments = arguments?.join(", ");
    let mut made = match &api.type_def(api.original(*id)).required {
        Some(required) => format!("{}::new({required} {{ {arguments} }})", def.name),
        None => format!("{}::new({arguments})", def.name),
    };
    for field in shape.fields.iter().filter(|field| !field.required && !field.deprecated) {
        let value = example.get(&field.wire).and_then(|value| literal(api, &field.element, value));
        if let Some(value) = value.filter(|_| !matches!(field.rust.as_str(), "new" | "default")) {
            let longer = format!("{made}.{}({value})", field.rust);
            if longer.len() > width / 2 {
                break;
            }
            made = longer;
        }
    }
    // A body without anything of the example shows nothing.
    (example.is_empty() || !made.ends_with("::new()")).then_some(made)
}

/// A literal as a field holds it, which is not converted as an argument is.
fn owned(ty: &Type, literal: String) -> String {
    match ty {
        Type::String => format!("{literal}.into()"),
        Type::List(entry) if entry.ty == Type::String => {
            format!("{literal}.map(String::from).into()")
        }
        Type::List(_) => format!("vec!{literal}"),
        _ => literal,
    }
}

/// The value as Rust writes it, if that is shorter than to say how it is made.
fn literal(api: &Api, element: &Element, value: &Value) -> Option<String> {
    match &element.ty {
        Type::String => value.as_str().map(|text| format!("{text:?}")),
        Type::Bool => value.as_bool().map(|value| value.to_string()),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
            (value.is_i64() || value.is_u64()).then(|| value.to_string())
        }
        Type::List(entry) if !entry.nullable && !element.nullable && !matches!(entry.ty, Type::List(_)) => {
            let values = value.as_array().filter(|values| !values.is_empty())?;
            let values: Option<Vec<String>> = values.iter().map(|value| literal(api, entry, value)).collect();
            Some(format!("[{}]", values?.join(", ")))
        }
        Type::Named(id) => {
            let def = api.type_def(*id);
            let Shape::Enum(shape) = &api.type_def(api.original(*id)).shape else { return None };
            let text = value.as_str()?;
            let variant = shape.values.iter().find(|value| value.wire == text)?;
            Some(format!("{}::{}", def.name, variant.rust))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{argument, reexported};
    use crate::emit::Imports;
    use quote::quote;

    #[test]
    fn only_types_get_paths() {
        let mut imports = Imports::default();
        imports.add("std::fmt", "Display");
        imports.add("t_model", "Pet");
        imports.add("t_model", "pet");
        assert_eq!(argument(&imports, quote!(pet: impl Display)), ", pet : impl std :: fmt :: Display");
        assert_eq!(argument(&imports, quote!(r#type: Pet)), ", r#type : t_model :: Pet");
        assert_eq!(
            reexported("a: t_model::Pet, b: at_model::Pet, c: Vec<t_model::Pet>", "t_model::", "t::model::"),
            "a: t::model::Pet, b: at_model::Pet, c: Vec<t::model::Pet>"
        );
    }
}
