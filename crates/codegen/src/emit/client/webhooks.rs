//! Emitter of the client's module `webhooks`: the events that the service sends, for their receivers.

use super::super::{
    Imports, Source, Text, docs_or,
    file_split::Unit,
    ident, model_crate, module_tree,
    types::{From, write_element},
};
use crate::{
    ir::{Api, Constraint, Element, Payload, Shape, Type, Webhook},
    render::{Block, raw_docs},
};
use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/webhooks.rs";

/// The members that may identify the kind of an event, in order of precedence.
const KINDS: [&str; 2] = ["type", "event"];

/// Returns the module `webhooks`.
pub(super) fn emit(api: &Api) -> Source<'_> {
    let mut told: Vec<(&Webhook, String)> = Vec::new();
    let mut others = Vec::new();
    let member = shared_member(api);
    let trust = Trust::of(api);
    for webhook in &api.webhooks {
        match member.and_then(|member| fixed_value(api, webhook, member)) {
            Some(value) if !told.iter().any(|(_, known)| *known == value) => told.push((webhook, value)),
            _ => others.push(webhook),
        }
    }
    if let Trust::Left(_) = trust {
        // An event without a body is only verified.
        others.retain(|webhook| webhook.payload.as_ref().and_then(Payload::json).is_some());
    }
    let mut unit = Unit { module: "webhooks".to_owned(), ..Unit::default() };
    if let Some(member) = member {
        let names = vec![event_name(api).to_owned(), trust.verb().to_owned()];
        unit = Unit::new("webhooks", names, 0, move |imports| {
            vec![Block::Rust(events(api, member, &told, trust, imports))]
        });
    }
    let units = others.into_iter().enumerate().map(|(index, webhook)| {
        let name = words(webhook);
        let names = vec![format!("{}_{name}", trust.verb())];
        let module = module_tree::joined(&module_tree::words(&name));
        Unit::new(module, names, index + 1, move |imports| {
            vec![Block::Rust(function(api, webhook, trust, imports))]
        })
    });
    unit.inner = units.collect();
    Source {
        path: "client/src/webhooks.rs".to_owned(),
        emitter: EMITTER,
        text: Text::Spread { docs: trust.docs(), unit },
    }
}

/// How events are authenticated.
#[derive(Clone, Copy)]
enum Trust<'a> {
    /// By the generated function, according to Standard Webhooks.
    Verified,
    /// By the receiver, with this header. The document describes its own scheme in prose, from which no code
    /// can be generated.
    Left(&'a str),
}

impl<'a> Trust<'a> {
    fn of(api: &'a Api) -> Self {
        let signature = api.webhooks.iter().find_map(|webhook| webhook.signature.as_deref());
        signature.map_or(Self::Verified, Self::Left)
    }

    /// Returns the prefix of functions that take an event.
    fn verb(self) -> &'static str {
        match self {
            Self::Verified => "receive",
            Self::Left(_) => "read",
        }
    }

    fn docs(self) -> String {
        match self {
            Self::Verified => {
                "The events that the service sends, verified (Standard Webhooks) and read.".to_owned()
            }
            Self::Left(header) => format!(
                "The events that the service sends, without verification. Before reading an event, verify it by its header\n\
                 `{header}`, as the service describes it."
            ),
        }
    }

    /// Returns what a function does with an event.
    fn deed(self, event: &str) -> String {
        match self {
            Self::Verified => format!("Verifies and reads {event}"),
            Self::Left(_) => format!("Reads {event} that was verified before"),
        }
    }

    /// Returns the arguments before the body.
    fn arguments(self, imports: &mut Imports) -> TokenStream {
        match self {
            Self::Verified => {
                imports.add("frontdesk_runtime", "HeaderMap");
                quote!(verifier: &webhook::Verifier, headers: &HeaderMap,)
            }
            Self::Left(_) => TokenStream::new(),
        }
    }

    /// Returns the function that reads the body.
    fn read(self) -> TokenStream {
        match self {
            Self::Verified => quote!(verifier.receive(headers, body)),
            Self::Left(_) => quote!(webhook::read(body)),
        }
    }
}

/// Returns an event's name as a part of a function's name.
fn words(webhook: &Webhook) -> String {
    webhook.rust.trim_start_matches("r#").to_snake_case()
}

/// Returns the name of the enumeration of self-describing events, unless a payload has the name.
fn event_name(api: &Api) -> &'static str {
    if api.types.iter().any(|def| def.name == "Event") { "WebhookEvent" } else { "Event" }
}

/// Returns the member that identifies the kind of the events.
fn shared_member(api: &Api) -> Option<&'static str> {
    KINDS
        .into_iter()
        .find(|member| api.webhooks.iter().any(|webhook| fixed_value(api, webhook, member).is_some()))
}

/// Returns the only value that a member of the event may have.
fn fixed_value(api: &Api, webhook: &Webhook, member: &str) -> Option<String> {
    let element = webhook.payload.as_ref().and_then(Payload::json)?;
    let (Type::Named(id) | Type::Boxed(id)) = element.ty else { return None };
    let Shape::Struct(shape) = &api.type_def(id).shape else { return None };
    let field = shape.fields.iter().find(|field| field.wire == member && field.required)?;
    only_value(api, &field.element)
}

fn only_value(api: &Api, element: &Element) -> Option<String> {
    if let Type::Named(id) = element.ty
        && let Shape::Enum(values) = &api.type_def(id).shape
        && let [value] = &values.values[..]
    {
        return Some(value.wire.clone());
    }
    element.constraints.iter().find_map(|constraint| match constraint {
        Constraint::OneOf(values) => match &values[..] {
            [value] => value.as_str().map(str::to_owned),
            _ => None,
        },
        _ => None,
    })
}

/// Returns the type of the event; nothing if it is not JSON.
fn payload(api: &Api, webhook: &Webhook, imports: &mut Imports) -> Option<TokenStream> {
    let element = webhook.payload.as_ref().and_then(Payload::json)?;
    Some(write_element(api, element, From::Model(&model_crate(api)), imports))
}

/// Returns the enumeration of self-describing events, and the function that reads it.
fn events(
    api: &Api,
    member: &str,
    told: &[(&Webhook, String)],
    trust: Trust<'_>,
    imports: &mut Imports,
) -> TokenStream {
    imports.add("frontdesk_runtime", "webhook");
    let event = ident(event_name(api));
    let variants = told.iter().map(|(webhook, value)| {
        let name = ident(&webhook.rust);
        let docs = docs_or(webhook.docs.as_deref(), &format!("`{value}`."));
        let ty = payload(api, webhook, imports);
        quote!(#docs #name(#ty),)
    });
    let variants: Vec<TokenStream> = variants.collect();
    let arms = told.iter().map(|(webhook, value)| {
        let name = ident(&webhook.rust);
        quote!(#value => #event::#name(webhook::read(body)?),)
    });
    let unknown = ident(unknown_name(told));
    let about = raw_docs(&format!("{}; its `{member}` determines which one it is.", trust.deed("an event")));
    let kept = raw_docs(&format!(
        "An event whose `{member}` the document does not declare, which a later version may send.\nRespond with 2xx as to any other event."
    ));
    let (verb, arguments) = (ident(trust.verb()), trust.arguments(imports));
    let verify = match trust {
        Trust::Verified => Some(quote!(verifier.verify(headers, body)?;)),
        Trust::Left(_) => None,
    };
    quote! {
        /// An event that the service sends.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum #event {
            #(#variants)*
            #kept
            #unknown {
                /// The type of the event; empty if it has none.
                kind: String,
                /// The body, as it was received.
                body: frontdesk_runtime::Bytes,
            },
        }

        #about
        ///
        /// `body` must be the unchanged bytes.
        ///
        /// # Errors
        ///
        /// Why the event is not taken.
        pub fn #verb(#arguments body: &[u8]) -> Result<#event, webhook::WebhookError> {
            #verify
            let kind = webhook::kind(body, #member)?;
            Ok(match kind.as_str() {
                #(#arms)*
                _ => #event::#unknown { kind, body: frontdesk_runtime::Bytes::copy_from_slice(body) },
            })
        }
    }
}

/// Returns the name of the variant of events that the document does not declare.
fn unknown_name(told: &[(&Webhook, String)]) -> &'static str {
    let names = ["Unknown", "Unlisted", "UnlistedEvent"];
    let is_free = |name: &&str| told.iter().all(|(webhook, _)| webhook.rust != **name);
    names.into_iter().find(is_free).unwrap_or("UnlistedEventOfAnyType")
}

/// Returns the function that reads an event which only the receiver's URL identifies.
fn function(api: &Api, webhook: &Webhook, trust: Trust<'_>, imports: &mut Imports) -> TokenStream {
    imports.add("frontdesk_runtime", "webhook");
    let name = ident(&format!("{}_{}", trust.verb(), words(webhook)));
    let deed = format!("{}.", trust.deed(&format!("the event `{}`", webhook.wire)));
    let docs = docs_or(webhook.docs.as_deref(), &deed);
    let (ty, read) = match payload(api, webhook, imports) {
        Some(ty) => (ty, trust.read()),
        None => (quote!(()), quote!(verifier.verify(headers, body))),
    };
    let arguments = trust.arguments(imports);
    let about = webhook.docs.as_ref().map(|_| {
        let deed = raw_docs(&deed);
        quote!(#[doc = ""] #deed)
    });
    quote! {
        #docs
        #about
        ///
        /// `body` must be the unchanged bytes.
        ///
        /// # Errors
        ///
        /// Why the event is not taken.
        pub fn #name(#arguments body: &[u8]) -> Result<#ty, webhook::WebhookError> {
            #read
        }
    }
}
