//! Emitter of request bodies: their types in request structs, and the expressions that read them.

use super::parameters::rules;
use crate::{
    emit::{
        Imports, ident, model_crate,
        types::{From, style_name, write, write_element},
    },
    ir::{Api, Body, Coding, Element, Form, Part, Payload, Type},
};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the type of a request's body.
pub(super) fn body_type(api: &Api, body: &Body, imports: &mut Imports) -> TokenStream {
    let ty = payload_type(api, &body.payload, imports);
    // An absent body and `null` have the same meaning.
    if body.required || is_nullable(&body.payload) { ty } else { quote!(Option<#ty>) }
}

/// Returns the type that a payload holds.
fn payload_type(api: &Api, payload: &Payload, imports: &mut Imports) -> TokenStream {
    let model = model_crate(api);
    if let Some(name) = &payload.name {
        imports.add(&model, name);
        let name = ident(name);
        return quote!(#name);
    }
    match payload.forms.first().map(|form| &form.coding) {
        Some(Coding::Json(element) | Coding::Urlencoded(element, _)) => {
            write_element(api, element, From::Model(&model), imports)
        }
        Some(Coding::Multipart(element, _)) => write(api, &element.ty, From::Model(&model), imports),
        Some(Coding::Text(_) | Coding::Events(_)) => quote!(String),
        Some(Coding::Bytes) | None => {
            imports.add("frontdesk_runtime", "codec");
            quote!(codec::ByteStream)
        }
    }
}

fn is_nullable(payload: &Payload) -> bool {
    payload.name.is_none()
        && payload.forms.iter().any(|form| {
            matches!(&form.coding, Coding::Json(element) | Coding::Urlencoded(element, _) if element.nullable)
        })
}

/// Whether a request with the body can be cloned: streams and files can be read only once.
pub(super) fn is_clone(body: Option<&Body>) -> bool {
    body.is_none_or(|body| {
        body.payload.forms.iter().all(|form| !matches!(form.coding, Coding::Bytes | Coding::Multipart(..)))
    })
}

/// Returns the expression that reads the body from `call`.
pub(super) fn read(api: &Api, body: &Body, imports: &mut Imports) -> TokenStream {
    let payload = &body.payload;
    let flatten = (!body.required && is_nullable(payload)).then(|| quote!(.map(Option::flatten)));
    if let [form] = &payload.forms[..] {
        let expecting = (!is_usual(form)).then(|| {
            let media_type = &form.media_type;
            quote!(.expecting(&[#media_type]))
        });
        let read = read_form(api, form, body.required, imports);
        return quote!(call #expecting.#read #flatten);
    }
    let media_types = payload.forms.iter().map(|form| &form.media_type);
    let last = payload.forms.len() - 1;
    let arms = payload.forms.iter().enumerate().map(|(index, form)| {
        let read = read_form(api, form, body.required, imports);
        let pattern = if index == last {
            quote!(Some(_))
        } else {
            let index = proc_macro2::Literal::usize_unsuffixed(index);
            quote!(Some(#index))
        };
        let variant = payload.name.as_ref().map(|name| {
            imports.add(&model_crate(api), name);
            let (name, variant) = (ident(name), ident(&form.variant));
            if body.required {
                quote!(.map(#name::#variant))
            } else {
                quote!(.map(|body| body.map(#name::#variant)))
            }
        });
        quote!(#pattern => call.#read #variant,)
    });
    let arms: Vec<TokenStream> = arms.collect();
    let none = ident(if body.required { "unexpected_media_type" } else { "unexpected_media_type_optional" });
    quote! {
        match call.body_media_type(&[#(#media_types),*]) {
            #(#arms)*
            None => call.#none().await,
        } #flatten
    }
}

/// Whether the runtime accepts the media type by default.
fn is_usual(form: &Form) -> bool {
    let media_type = form.media_type.to_ascii_lowercase();
    match &form.coding {
        Coding::Json(_) => media_type == "application/json",
        Coding::Urlencoded(..) => media_type == "application/x-www-form-urlencoded",
        Coding::Multipart(..) => media_type == "multipart/form-data",
        Coding::Text(_) => media_type == "text/plain",
        Coding::Bytes => media_type == "*/*",
        Coding::Events(_) => false,
    }
}

/// Returns the call that reads the body in one media type.
fn read_form(api: &Api, form: &Form, required: bool, imports: &mut Imports) -> TokenStream {
    let name = |name: &str| if required { ident(name) } else { ident(&format!("{name}_optional")) };
    match &form.coding {
        Coding::Json(element) => {
            let method = name("json");
            if is_free(api, element, imports) {
                return quote!(#method().await);
            }
            let method = ident(&format!("{method}_with"));
            let rules = whole_rules(api, element, imports);
            quote!(#method(#rules).await)
        }
        Coding::Urlencoded(element, parts) => {
            let (method, members) = (name("form"), members(parts, imports));
            let rules = whole_rules(api, element, imports);
            quote!(#method(#members, #rules).await)
        }
        Coding::Multipart(element, _) => {
            let method = name("multipart");
            let rules = rules(api, element, imports);
            quote!(#method(#rules).await)
        }
        Coding::Text(constraints) => {
            let element = Element { constraints: constraints.clone(), ..Element::of(Type::String) };
            let (method, rules) = (name("text"), whole_rules(api, &element, imports));
            quote!(#method(#rules).await)
        }
        Coding::Events(_) => {
            let method = name("text");
            quote!(#method(|_| ()).await)
        }
        Coding::Bytes => {
            let method = name("bytes");
            quote!(#method())
        }
    }
}

fn is_free(api: &Api, element: &Element, imports: &mut Imports) -> bool {
    crate::emit::validation::rules(api, element, imports).is_empty()
}

/// Returns the rules for the whole body, which may be `null` if its type allows that.
fn whole_rules(api: &Api, element: &Element, imports: &mut Imports) -> TokenStream {
    let rules = crate::emit::validation::rules(api, element, imports);
    if rules.is_empty() { quote!(|_| ()) } else { quote!(|body| { body #rules; }) }
}

/// Returns the encoding of the members of a form, as an argument for the runtime.
pub(super) fn members(parts: &[Part], imports: &mut Imports) -> TokenStream {
    if parts.is_empty() {
        return quote!(&[]);
    }
    imports.add("frontdesk_runtime", "codec");
    let members = parts.iter().map(|part| {
        let (wire, style, explode, reserved) =
            (&part.wire, style_name(part.style), part.explode, part.allow_reserved);
        quote!(codec::Member { name: #wire, style: codec::Style::#style, explode: #explode, reserved: #reserved })
    });
    quote!(&[#(#members),*])
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{
        emit::{Imports, empty_api},
        ir::{Body, Coding, Constraint, Element, Form, Payload, Type},
    };

    fn form(media_type: &str, variant: &str, coding: Coding) -> Form {
        Form { media_type: media_type.to_owned(), variant: variant.to_owned(), coding }
    }

    fn written(forms: Vec<Form>, name: Option<&str>, required: bool) -> String {
        let payload = Payload { forms, name: name.map(str::to_owned) };
        let text =
            read(&empty_api(), &Body { docs: None, required, payload }, &mut Imports::default()).to_string();
        text.split_whitespace().collect()
    }

    #[test]
    fn one_form_is_one_call_and_several_are_one_match() {
        let json = || form("application/json", "Json", Coding::Json(Element::of(Type::Bool)));
        assert_eq!(written(vec![json()], None, true), "call.json().await");
        let csv = form("text/csv", "Csv", Coding::Text(Vec::new()));
        assert_eq!(
            written(vec![csv], None, false),
            r#"call.expecting(&["text/csv"]).text_optional(|_|()).await"#
        );
        let short = form("text/plain", "Text", Coding::Text(vec![Constraint::MaxChars(9)]));
        assert_eq!(written(vec![short], None, true), "call.text(|body|{body.max_chars(9);}).await");
        let png = form("image/png", "Png", Coding::Bytes);
        assert_eq!(
            written(vec![json(), png], Some("Picture"), true),
            "matchcall.body_media_type(&[\"application/json\",\"image/png\"]){\
             Some(0)=>call.json().await.map(Picture::Json),\
             Some(_)=>call.bytes().map(Picture::Png),\
             None=>call.unexpected_media_type().await,}"
        );
    }

    #[test]
    fn a_body_that_is_left_out_and_one_that_is_null_are_the_same() {
        let element = Element { nullable: true, ..Element::of(Type::String) };
        let form = form("application/json", "Json", Coding::Json(element));
        assert_eq!(written(vec![form], None, false), "call.json_optional().await.map(Option::flatten)");
    }
}
