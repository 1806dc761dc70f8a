//! [`TypeLocations`]: descriptions of types that the document does not describe, by where they are used.

use crate::{
    emit::prose::{address, capitalized, status_text},
    ir::{Api, Content, Location, Operation, Payload, Response, Shape, Type, TypeDef, TypeId},
};

/// The place of every type that the document does not name.
#[derive(Debug)]
pub(in crate::emit) struct TypeLocations {
    by_type: Vec<Option<Place>>,
}

/// Where a type stands.
#[derive(Clone, Debug)]
struct Place {
    /// What stands there, as in: `tags` in `Pet`.
    words: String,
    /// Whether it is an entry or a member of that, and not the whole.
    within: bool,
}

impl TypeLocations {
    /// The first place of each type: operations before the types that hold it.
    pub(in crate::emit) fn of(api: &Api) -> Self {
        let mut places = Self { by_type: vec![None; api.types.len()] };
        for operation in api.operations() {
            places.operation(api, operation);
        }
        for response in &api.responses {
            places.response(response, || format!("the response `{}`", response.name));
        }
        for webhook in &api.webhooks {
            let body = || format!("the event `{}`", webhook.wire);
            webhook.payload.iter().for_each(|payload| places.payload(payload, body));
        }
        for def in api.types.iter().filter(|def| def.duplicate_of.is_none()) {
            places.parts(def);
        }
        // A type may be named by its aliases alone.
        for (index, def) in api.types.iter().enumerate() {
            if let Some(duplicate) = def.duplicate_of
                && places.by_type[duplicate.0].is_none()
            {
                let place = places.by_type[index].clone();
                places.by_type[duplicate.0] = place;
            }
        }
        places
    }

    /// A sentence on a type that has no description.
    pub(super) fn sentence(&self, api: &Api, id: TypeId) -> String {
        let def = api.type_def(id);
        let words = match (&def.component, &self.by_type[id.0]) {
            (Some(name), _) => format!("the schema `{name}`"),
            (None, Some(place)) => match def.shape {
                Shape::Enum(_) if !place.within => format!("the values of {}", place.words),
                _ => place.words.clone(),
            },
            (None, None) => "a schema without a name".to_owned(),
        };
        format!("{}.", capitalized(&words))
    }

    fn operation(&mut self, api: &Api, operation: &Operation) {
        let address = address(operation);
        for parameter in &operation.parameters {
            let place = match parameter.location {
                Location::Path => "path parameter",
                Location::Query => "query parameter",
                Location::Header => "header",
                Location::Cookie => "cookie",
            };
            self.put(&parameter.element.ty, || format!("the {place} `{}` of {address}", parameter.wire));
        }
        if let Some(body) = &operation.body {
            self.payload(&body.payload, || format!("the request body of {address}"));
        }
        for answer in operation.answers() {
            let words = || format!("what {address} answers with {}", status_text(answer.status));
            match &answer.content {
                Content::Body(payload) => self.payload(payload, words),
                // Others have a name in the document.
                Content::Response(id) if api.response(*id).group.is_some() => {
                    self.response(api.response(*id), words);
                }
                Content::Nothing | Content::Response(_) => {}
            }
        }
    }

    fn response(&mut self, response: &Response, words: impl Fn() -> String) {
        for header in &response.headers {
            self.put(&header.ty, || format!("the header `{}` of {}", header.wire, words()));
        }
        response.body.iter().for_each(|payload| self.payload(payload, &words));
    }

    fn payload(&mut self, payload: &Payload, words: impl Fn() -> String) {
        for form in &payload.forms {
            let Some(element) = form.element() else { continue };
            self.put(&element.ty, || match payload.name {
                Some(_) => format!("{} as `{}`", words(), form.media_type),
                None => words(),
            });
        }
    }

    fn parts(&mut self, def: &TypeDef) {
        let holder = &def.name;
        match &def.shape {
            Shape::Struct(shape) => {
                for field in &shape.fields {
                    self.put(&field.element.ty, || format!("`{}` in `{holder}`", field.wire));
                }
                if let Some(extra) = &shape.extra {
                    self.put(&extra.ty, || format!("a further member of `{holder}`"));
                }
            }
            Shape::Union(union) => {
                for branch in &union.branches {
                    self.put(&branch.element.ty, || format!("a form of `{holder}`"));
                }
            }
            Shape::Newtype(element) => self.put(&element.ty, || format!("what `{holder}` holds")),
            Shape::Enum(_) | Shape::Id => {}
        }
    }

    /// Notes the place of the type that stands there, or in its lists and maps, if it has none yet.
    fn put(&mut self, ty: &Type, words: impl Fn() -> String) {
        let Some(id) = ty.named() else { return };
        if self.by_type[id.0].is_some() {
            return;
        }
        let words = match ty {
            Type::List(_) => format!("an entry of {}", words()),
            Type::Map(_) => format!("a value of {}", words()),
            _ => words(),
        };
        self.by_type[id.0] = Some(Place { words, within: matches!(ty, Type::List(_) | Type::Map(_)) });
    }
}
