//! `Validate` impls: one line for each field, media type or value, with its rules chained.

mod bounds;

use super::{Imports, expect_deprecated, ident, types::Presence};
use crate::ir::{Api, Constraint, Element, Format, Shape, Struct, Type, Union};
use bounds::bound;

pub(super) use bounds::separated;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// Where the words for constraints come from.
const CHECKS: &str = "frontdesk_runtime::check";

/// Where the dispatch of unions comes from.
const MACROS: &str = "frontdesk_runtime::macros";

/// What is imported for servers only.
pub(super) const CONDITIONAL: &[&str] = &[CHECKS, MACROS];

/// The impl for a struct.
pub(super) fn of_struct(api: &Api, name: &str, shape: &Struct, imports: &mut Imports) -> TokenStream {
    let mut lines: Vec<TokenStream> = shape
        .fields
        .iter()
        .filter_map(|field| {
            let presence = Presence::of(field);
            let (wire, rust) = (&field.wire, ident(&field.rust));
            if is_foreign(&field.element.ty) {
                return field.required.then(|| quote!(check.present(#wire);));
            }
            let method = ident(match presence {
                Presence::Required | Presence::RequiredNullable => "required",
                Presence::Optional => "optional",
                Presence::Patch => "patch",
            });
            let nullable = presence == Presence::RequiredNullable;
            let element = Element { nullable, ..field.element.clone() };
            let rules = rules(api, &element, imports);
            Some(quote!(check.#method(#wire, |it| &it.#rust) #rules;))
        })
        .collect();
    lines.extend(further(api, shape, imports));
    lines.extend(shape.constraints.iter().filter_map(|constraint| members(shape, constraint)));
    let deprecation =
        expect_deprecated(shape.fields.iter().any(|field| field.deprecated && uses(shape, field)));
    implementation(&deprecation, name, &lines, &TokenStream::new(), imports)
}

/// Whether the impl names the field.
fn uses(shape: &Struct, field: &crate::ir::Field) -> bool {
    !is_foreign(&field.element.ty) || (!field.required && !shape.constraints.is_empty())
}

/// The rules for members that are no fields.
fn further(api: &Api, shape: &Struct, imports: &mut Imports) -> Option<TokenStream> {
    let names = shape.fields.iter().map(|field| &field.wire).chain(&shape.skipped);
    match &shape.extra {
        Some(extra) if is_foreign(&extra.ty) => None,
        Some(extra) => {
            let rules = rules(api, extra, imports);
            let rules = if rules.is_empty() { quote!(|_| ()) } else { quote!(|entry| { entry #rules; }) };
            Some(quote!(check.further(&[#(#names),*], |it| &it.extra, #rules);))
        }
        None => shape.closed.then(|| quote!(check.closed(&[#(#names),*]);)),
    }
}

/// A bound on the number of members.
fn members(shape: &Struct, constraint: &Constraint) -> Option<TokenStream> {
    let (method, bound) = match constraint {
        Constraint::MinMembers(least) => ("min_members", size(*least)),
        Constraint::MaxMembers(most) => ("max_members", size(*most)),
        // Lowering puts no other constraint on an object.
        _ => return None,
    };
    let always = shape.fields.iter().filter(|field| field.required).count();
    let mut terms: Vec<TokenStream> = Vec::new();
    if always > 0 {
        let always = Literal::usize_unsuffixed(always);
        terms.push(quote!(#always));
    }
    terms.extend(shape.fields.iter().filter_map(|field| {
        let rust = ident(&field.rust);
        match Presence::of(field) {
            Presence::Required | Presence::RequiredNullable => None,
            Presence::Optional => Some(quote!(usize::from(it.#rust.is_some()))),
            Presence::Patch => Some(quote!(usize::from(!it.#rust.is_absent()))),
        }
    }));
    terms.extend(shape.extra.iter().map(|_| quote!(it.extra.len())));
    let method = ident(method);
    let count = if terms.is_empty() {
        quote!(|_| 0)
    } else if terms.len() == usize::from(always > 0) {
        quote!(|_| #(#terms)*)
    } else {
        quote!(|it| #(#terms)+*)
    };
    Some(quote!(check.#method(#bound, #count);))
}

/// The impl for a union: one line for every form.
pub(super) fn of_union(
    api: &Api,
    name: &str,
    shape: &Union,
    unknown: Option<&str>,
    imports: &mut Imports,
) -> TokenStream {
    let only = shape.branches.len() == 1 && unknown.is_none();
    let mut lines: Vec<TokenStream> = shape
        .branches
        .iter()
        .enumerate()
        .filter(|(_, branch)| !is_foreign(&branch.element.ty))
        .map(|(index, branch)| {
            let (index, variant) = (Literal::usize_unsuffixed(index), ident(&branch.rust));
            let rules = rules(api, &branch.element, imports);
            if only {
                quote!(check.branch(#index, |Self::#variant(value)| Some(value)) #rules;)
            } else {
                let get = quote!(|it| if let Self::#variant(value) = it { Some(value) } else { None });
                quote!(check.branch(#index, #get) #rules;)
            }
        })
        .collect();
    lines.extend(unknown.map(|unknown| {
        let unknown = ident(unknown);
        quote!(check.listed(|it| matches!(it, Self::#unknown(_)));)
    }));
    for name in ["Path", "Report"] {
        imports.add(CHECKS, name);
    }
    imports.add(MACROS, "inspect_union");
    imports.add_for_servers("frontdesk_runtime", "Value");
    let inspect = quote! {
        fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
            inspect_union::<Self>(value, at, report);
        }
    };
    implementation(&TokenStream::new(), name, &lines, &inspect, imports)
}

/// The impl for a list or a map with a name of its own.
pub(super) fn of_newtype(api: &Api, name: &str, element: &Element, imports: &mut Imports) -> TokenStream {
    let lines: Vec<TokenStream> = (!is_foreign(&element.ty))
        .then(|| {
            let rules = rules(api, element, imports);
            quote!(check.value(|it| &it.0) #rules;)
        })
        .into_iter()
        .collect();
    for name in ["Path", "Report"] {
        imports.add(CHECKS, name);
    }
    imports.add_for_servers("frontdesk_runtime", "Value");
    let inspect = quote! {
        fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
            Self::validate(&mut Check::whole(value, *at, report));
        }
    };
    implementation(&TokenStream::new(), name, &lines, &inspect, imports)
}

fn implementation(
    deprecation: &TokenStream,
    name: &str,
    lines: &[TokenStream],
    inspect: &TokenStream,
    imports: &mut Imports,
) -> TokenStream {
    imports.add(CHECKS, "Check");
    imports.add(CHECKS, "Validate");
    let (name, check) = (ident(name), ident(if lines.is_empty() { "_check" } else { "check" }));
    quote! {
        #[cfg(feature = "server")]
        #deprecation
        impl Validate for #name {
            fn validate(#check: &mut Check<'_, Self>) {
                #(#lines)*
            }

            #inspect
        }
    }
}

/// Whether a type of the user's is inside, of which nothing is known.
fn is_foreign(ty: &Type) -> bool {
    match ty {
        Type::Foreign(_) => true,
        Type::List(element) | Type::Map(element) => is_foreign(&element.ty),
        _ => false,
    }
}

/// The chained calls that state the constraints of one value.
pub(super) fn rules(api: &Api, element: &Element, imports: &mut Imports) -> TokenStream {
    let mut calls = TokenStream::new();
    let mut written = TokenStream::new();
    for constraint in &element.constraints {
        match constraint {
            Constraint::MinChars(_)
            | Constraint::MaxChars(_)
            | Constraint::Pattern { .. }
            | Constraint::Format(_)
                if !matches!(element.ty, Type::String | Type::Secret) =>
            {
                written.extend(text_rule(constraint, imports));
            }
            constraint => calls.extend(rule(&element.ty, constraint, imports)),
        }
    }
    if !written.is_empty() && is_text(api, &element.ty) {
        let method = ident(if has_one_spelling(api, &element.ty) { "written" } else { "spelled" });
        calls.extend(quote!(.#method(|text| { text #written; })));
    }
    if needs_known(api, &element.ty) {
        calls.extend(quote!(.known()));
    }
    calls.extend(inner(api, &element.ty, imports));
    if element.nullable && !calls.is_empty() { quote!(.non_null() #calls) } else { calls }
}

/// Whether a value of the type is text on the wire, whatever it is here.
fn is_text(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Base64
        | Type::Uuid
        | Type::Timestamp
        | Type::Date
        | Type::Duration
        | Type::Ipv4
        | Type::Ipv6
        | Type::Decimal { text: true }
        | Type::Any
        | Type::Raw(_) => true,
        Type::Named(id) | Type::Boxed(id) => {
            matches!(api.type_def(*id).shape, Shape::Enum(_) | Shape::Union(_) | Shape::Id)
        }
        _ => false,
    }
}

/// Whether each value of a type that is text on the wire is always written as the same text.
fn has_one_spelling(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Named(id) | Type::Boxed(id) => matches!(api.type_def(*id).shape, Shape::Enum(_)),
        ty => !ty.has_several_spellings(),
    }
}

/// The rules for the entries of a list or a map.
fn inner(api: &Api, ty: &Type, imports: &mut Imports) -> Option<TokenStream> {
    let (element, each) = match ty {
        Type::List(element) => (element, ident("each")),
        Type::Map(element) => (element, ident("each_value")),
        _ => return None,
    };
    let rules = rules(api, element, imports);
    (!rules.is_empty()).then(|| quote!(.#each(|entry| { entry #rules; })))
}

/// Whether the type also reads values that the document does not list, and only the server must refuse them.
fn needs_known(api: &Api, ty: &Type) -> bool {
    let Type::Named(id) = ty else { return false };
    let def = api.type_def(*id);
    matches!(&def.shape, Shape::Enum(shape) if !shape.extensible && def.usage.response)
}

fn size(size: u64) -> TokenStream {
    // A size that a machine cannot have bounds nothing, on either side.
    separated(&size.min(u32::MAX.into()).to_string())
}

fn rule(ty: &Type, constraint: &Constraint, imports: &mut Imports) -> Option<TokenStream> {
    let is_list = matches!(ty, Type::List(_));
    let call = |method: &str, least: u64| {
        let (method, bound) = (Ident::new(method, proc_macro2::Span::call_site()), size(least));
        quote!(.#method(#bound))
    };
    match constraint {
        Constraint::MinItems(least) => is_list.then(|| call("min_items", *least)),
        Constraint::MaxItems(most) => is_list.then(|| call("max_items", *most)),
        Constraint::UniqueItems => {
            let streams = matches!(ty, Type::List(element) if matches!(element.ty, Type::File));
            (is_list && !streams).then(|| quote!(.unique_items()))
        }
        Constraint::MinMembers(least) => matches!(ty, Type::Map(_)).then(|| call("min_members", *least)),
        Constraint::MaxMembers(most) => matches!(ty, Type::Map(_)).then(|| call("max_members", *most)),
        Constraint::OneOf(values) => {
            let values = serde_json::Value::Array(values.clone()).to_string();
            (!matches!(ty, Type::File)).then(|| quote!(.one_of(#values)))
        }
        Constraint::Minimum(_)
        | Constraint::Above(_)
        | Constraint::Maximum(_)
        | Constraint::Below(_)
        | Constraint::MultipleOf(_) => bound(ty, constraint),
        Constraint::MinChars(_)
        | Constraint::MaxChars(_)
        | Constraint::Pattern { .. }
        | Constraint::Format(_) => Some(text_rule(constraint, imports)),
    }
}

fn text_rule(constraint: &Constraint, imports: &mut Imports) -> TokenStream {
    match constraint {
        Constraint::MinChars(least) => {
            let least = size(*least);
            quote!(.min_chars(#least))
        }
        Constraint::MaxChars(most) => {
            let most = size(*most);
            quote!(.max_chars(#most))
        }
        Constraint::Pattern { source, rule } => {
            imports.add(CHECKS, "pattern");
            let rule = rule.as_ref().map(|rule| quote!(, #rule));
            quote!(.pattern(pattern!(#source #rule)))
        }
        Constraint::Format(format) => {
            let format = ident(match format {
                Format::Uri => "Uri",
                Format::Email => "Email",
                Format::Hostname => "Hostname",
                Format::Time => "Time",
            });
            imports.add(CHECKS, "Format");
            quote!(.format(Format::#format))
        }
        _ => TokenStream::new(),
    }
}
