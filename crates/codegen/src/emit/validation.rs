//! Owns the `Validate` impl of a struct: one line a field.

use super::{Imports, expect_deprecated, ident, types::Presence};
use crate::ir::{Api, Constraint, Element, Format, Shape, Struct, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Where the words for constraints come from; imported for servers only.
pub(super) const CHECKS: &str = "frontdesk_runtime::check";

/// The impl that servers check request bodies with.
pub(super) fn emit(api: &Api, name: &str, shape: &Struct, imports: &mut Imports) -> TokenStream {
    let name = ident(name);
    let lines: Vec<TokenStream> = shape
        .fields
        .iter()
        .map(|field| {
            let method = ident(match Presence::of(field) {
                Presence::Required | Presence::RequiredNullable => "required",
                Presence::Optional => "optional",
                Presence::Patch => "patch",
            });
            let (wire, rust) = (&field.wire, ident(&field.rust));
            let element = if Presence::of(field) == Presence::RequiredNullable {
                field.element.clone()
            } else {
                Element { nullable: false, ..field.element.clone() }
            };
            let rules = rules(api, &element, imports);
            quote!(check.#method(#wire, |it| &it.#rust) #rules;)
        })
        .collect();
    imports.add(CHECKS, "Check");
    imports.add(CHECKS, "Validate");
    let deprecation = expect_deprecated(shape.fields.iter().any(|field| field.deprecated));
    let check = ident(if lines.is_empty() { "_check" } else { "check" });
    quote! {
        #[cfg(feature = "server")]
        #deprecation
        impl Validate for #name {
            fn validate(#check: &mut Check<'_, Self>) {
                #(#lines)*
            }
        }
    }
}

/// The chained calls that state the constraints of one value.
pub(super) fn rules(api: &Api, element: &Element, imports: &mut Imports) -> TokenStream {
    let mut calls = TokenStream::new();
    let constrained = !element.constraints.is_empty()
        || inner(api, &element.ty, imports).is_some()
        || needs_known(api, &element.ty);
    if element.nullable && constrained {
        calls.extend(quote!(.non_null()));
    }
    for constraint in &element.constraints {
        calls.extend(rule(&element.ty, constraint, imports));
    }
    if needs_known(api, &element.ty) {
        calls.extend(quote!(.known()));
    }
    calls.extend(inner(api, &element.ty, imports));
    calls
}

/// The rules for the entries of a list.
fn inner(api: &Api, ty: &Type, imports: &mut Imports) -> Option<TokenStream> {
    let Type::List(element) = ty else { return None };
    let rules = rules(api, element, imports);
    (!rules.is_empty()).then(|| quote!(.each(|entry| { entry #rules; })))
}

/// Whether the type also reads values that the document does not list, and only the server must refuse them.
fn needs_known(api: &Api, ty: &Type) -> bool {
    let Type::Named(id) = ty else { return false };
    let def = api.type_def(*id);
    matches!(&def.shape, Shape::Enum(shape) if !shape.extensible && def.usage.response)
}

fn rule(ty: &Type, constraint: &Constraint, imports: &mut Imports) -> TokenStream {
    let size = |size: &u64| separated(&size.to_string());
    match constraint {
        Constraint::MinChars(least) => {
            let least = size(least);
            quote!(.min_chars(#least))
        }
        Constraint::MaxChars(most) => {
            let most = size(most);
            quote!(.max_chars(#most))
        }
        Constraint::MinItems(least) => {
            let least = size(least);
            quote!(.min_items(#least))
        }
        Constraint::MaxItems(most) => {
            let most = size(most);
            quote!(.max_items(#most))
        }
        Constraint::UniqueItems => quote!(.unique_items()),
        Constraint::Minimum(bound) => {
            let bound = number(ty, bound);
            quote!(.minimum(#bound))
        }
        Constraint::Above(bound) => {
            let bound = number(ty, bound);
            quote!(.above(#bound))
        }
        Constraint::Maximum(bound) => {
            let bound = number(ty, bound);
            quote!(.maximum(#bound))
        }
        Constraint::Below(bound) => {
            let bound = number(ty, bound);
            quote!(.below(#bound))
        }
        Constraint::MultipleOf(step) => {
            let step = number(ty, step);
            quote!(.multiple_of(#step))
        }
        Constraint::Pattern(source) => {
            imports.add(CHECKS, "pattern");
            quote!(.pattern(pattern!(#source)))
        }
        Constraint::Format(format) => {
            let format = ident(match format {
                Format::Uri => "Uri",
                Format::Email => "Email",
                Format::Hostname => "Hostname",
            });
            imports.add(CHECKS, "Format");
            quote!(.format(Format::#format))
        }
    }
}

/// A bound as a literal of the value's type.
fn number(ty: &Type, text: &str) -> TokenStream {
    match ty {
        Type::F32 | Type::F64 if !text.contains(['.', 'e', 'E']) => separated(&format!("{text}.0")),
        _ => separated(text),
    }
}

/// A number as a person would write it: from five digits up, in groups of three.
fn separated(number: &str) -> TokenStream {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = digits.split_at(whole);
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text.push_str(rest);
    text.parse().expect("lowering only lets numbers pass")
}

#[cfg(test)]
mod tests {
    use super::separated;

    #[test]
    fn long_numbers_are_grouped() {
        for (number, written) in [
            ("0", "0"),
            ("1000", "1000"),
            ("10000", "10_000"),
            ("-1234567.5", "- 1_234_567.5"),
            ("1e5", "1e5"),
        ] {
            assert_eq!(separated(number).to_string(), written);
        }
    }
}
