//! Tests of the code for parameters, bodies, conditions and pages. Whole crates are tested by golden trees.

use super::{
    super::{Imports, empty_api, empty_operation},
    bodies, paging, parameters,
};
use crate::ir::{
    Answer, Body, Coding, Content, Element, Form, Location, Operation, Pages, Pagination, Parameter, Payload,
    Status, Style, Type,
};
use quote::quote;

fn parameter(location: Location, style: Style, explode: bool, ty: Type) -> Parameter {
    Parameter {
        wire: "X".to_owned(),
        rust: "x".to_owned(),
        docs: None,
        deprecated: false,
        location,
        required: true,
        style,
        explode,
        allow_reserved: false,
        allow_empty: false,
        default: None,
        element: Element::of(ty),
    }
}

fn form(media_type: &str, variant: &str, coding: Coding) -> Form {
    Form { media_type: media_type.to_owned(), variant: variant.to_owned(), coding }
}

fn json(ty: Type) -> Coding {
    Coding::Json(Element::of(ty))
}

fn list(ty: Type) -> Type {
    Type::List(Box::new(Element::of(ty)))
}

#[test]
fn parameters_are_written_in_their_styles() {
    let joined = quote!(x.into_iter().collect::<Vec<_>>());
    for (parameter, step) in [
        (parameter(Location::Path, Style::Simple, false, Type::Uuid), quote!(.path("X", x))),
        (parameter(Location::Cookie, Style::Form, true, Type::I64), quote!(.cookie("X", x))),
        (parameter(Location::Header, Style::Simple, false, Type::Bool), quote!(.header_parameter("x", x))),
        (parameter(Location::Query, Style::Form, true, list(Type::I64)), quote!(.query_list("X", x))),
        (
            parameter(Location::Query, Style::PipeDelimited, false, list(Type::I64)),
            quote!(.parameter(client::Param::query("X").style(client::Style::PipeDelimited, false), #joined)),
        ),
        (
            parameter(Location::Path, Style::Simple, false, list(Type::I64)),
            quote!(.parameter(client::Param::path("X"), #joined)),
        ),
        (
            parameter(Location::Path, Style::Matrix, false, Type::I64),
            quote!(.parameter(client::Param::path("X").style(client::Style::Matrix, false), x)),
        ),
        (
            parameter(Location::Query, Style::DeepObject, true, Type::Any),
            quote!(.parameter(client::Param::query("X").style(client::Style::DeepObject, true), x)),
        ),
    ] {
        let (_, found) =
            parameters::parts(&empty_api(), &empty_operation(), &parameter, &mut Imports::default());
        assert_eq!(found.to_string(), step.to_string(), "{parameter:?}");
    }
    let reserved =
        Parameter { allow_reserved: true, ..parameter(Location::Query, Style::Form, true, Type::String) };
    let (_, found) = parameters::parts(&empty_api(), &empty_operation(), &reserved, &mut Imports::default());
    let expected = quote!(.parameter(client::Param::query("X").reserved(), x.to_string()));
    assert_eq!(found.to_string(), expected.to_string());
}

#[test]
fn the_variant_of_a_body_chooses_its_media_type() {
    let payload = Payload {
        forms: vec![
            form("application/vnd.x+json", "Json", json(Type::Bool)),
            form("text/csv", "Csv", Coding::Text(Vec::new())),
            form("*/*", "Bytes", Coding::Bytes),
        ],
        name: Some("SendBody".to_owned()),
    };
    let body = Body { docs: None, required: true, payload };
    let argument = bodies::argument(&empty_api(), &body, &mut Imports::default());
    let expected = quote! {
        let call = match body {
            SendBody::Json(body) => call.json(&body).content_type("application/vnd.x+json"),
            SendBody::Csv(body) => call.text(body).content_type("text/csv"),
            SendBody::Bytes(body) => call.bytes(body),
        };
    };
    assert_eq!(argument.statements.to_string(), expected.to_string());
    let read = bodies::read(&empty_api(), &body.payload, &mut Imports::default());
    let expected = quote! {
        match response.alternative(&["application/vnd.x+json", "text/csv", "*/*"])? {
            0 => SendBody::Json(response.json()?),
            1 => SendBody::Csv(response.text()?),
            _ => SendBody::Bytes(response.bytes()),
        }
    };
    assert_eq!(read.to_string(), expected.to_string());
}

#[test]
fn a_list_is_followed_page_by_page() {
    let payload = Payload::of(form("application/json", "Json", json(list(Type::I64))));
    let operation = Operation {
        pagination: Some(Pagination {
            pages: Pages::Cursor { parameter: "after".to_owned(), next: vec!["a/b".to_owned()] },
            items: Vec::new(),
        }),
        successes: vec![Answer {
            status: Status::Code(200),
            docs: None,
            variant: "Ok".to_owned(),
            declared: true,
            content: Content::Body(payload),
        }],
        ..empty_operation()
    };
    let found = paging::paged(&empty_api(), &operation, &mut Imports::default()).unwrap();
    let expected = quote! {
        impl client::Paged for List {
            type Item = i64;

            const FOLLOWING: client::Following = client::Following::Cursor { parameter: "after", next: "/a~1b" };
            const ITEMS: &'static str = "";

            fn items(page: Self::Success) -> Vec<Self::Item> {
                page
            }
        }
    };
    assert_eq!(found.to_string(), expected.to_string());
}
