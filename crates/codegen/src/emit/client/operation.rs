//! Emitter of an operation in the client: the method, the setters, and the endpoint that reads its responses.

use super::{
    super::{
        Imports, deprecated, expect_many_arguments, idempotency, ident, model_crate,
        operations::{common_payload, read_type},
        prose::{
            Methods, about, address, argument_line, ended, linked, operation_text, paragraph_line,
            parameter_text,
        },
    },
    bodies, example, parameters,
};
use crate::{
    ir::{Answer, Api, Coding, Form, Group, Operation, Status},
    render::{Block, doc_comment, raw_docs, spelled},
};
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::quote;
use std::fmt::Write;

/// The methods of the call type; a setter with such a name gets a suffix.
const OWN_METHODS: [&str; 10] = [
    "header",
    "with_query",
    "without_credentials",
    "deadline",
    "timeout",
    "retry",
    "into_future",
    "pages",
    "stream",
    "fmt",
];

/// Imports of an operation's module from the runtime.
pub(super) fn import(imports: &mut Imports) {
    imports.add("crate", "Call");
    imports.add("frontdesk_runtime", "client");
}

/// Returns the method that makes a call, whose arguments are the required parameters.
pub(super) fn method(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let (short, endpoint) = (ident(&operation.short), ident(&operation.name));
    let docs = method_docs(api, group, operation);
    let deprecation = deprecated(operation.deprecated);
    let mut arguments = Vec::new();
    let mut steps = Vec::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let (argument, step) = parameters::parts(api, operation, parameter, imports);
        arguments.push(argument);
        steps.push(step);
    }
    let mut statements = TokenStream::new();
    if let Some(body) = &operation.body {
        let body = bodies::argument(api, body, imports);
        arguments.push(body.taken);
        steps.push(body.steps);
        statements = body.statements;
    }
    let body = if statements.is_empty() {
        quote!(Call(client::Call::new(self.transport) #(#steps)*))
    } else {
        quote! {
            let call = client::Call::new(self.transport) #(#steps)*;
            #statements
            Call(call)
        }
    };
    // The receiver counts as an argument.
    let expectation = expect_many_arguments(arguments.len() + 1);
    quote! {
        #docs
        #deprecation
        #expectation
        pub fn #short(self, #(#arguments),*) -> Call<#endpoint> {
            #body
        }
    }
}

/// Returns the docs of a method: summary, description, method and path, and further notes for the caller.
fn method_docs(api: &Api, group: &Group, operation: &Operation) -> TokenStream {
    let mut text = operation_text(operation);
    if let Some((name, url)) = &operation.link {
        let link = if name == url { format!("<{url}>") } else { format!("[{name}]({url})") };
        text.push_str(&format!("See {link}.\n\n"));
    }
    if let Some(date) = &operation.sunset {
        text.push_str(&format!("The service may remove it on {date}.\n\n"));
    }
    for form in operation.body.iter().flat_map(|body| &body.payload.forms) {
        text.extend(range_docs(form));
    }
    text.extend(idempotency::note(operation));
    text.push_str(&address(operation));
    let arguments = argument_docs(operation);
    let example = example::docs(api, group, operation);
    if arguments.is_empty() {
        return raw_docs(&(linked(api, Methods::Client, group, operation, &text) + &example));
    }
    let linked = |text: &str| linked(api, Methods::Client, group, operation, text);
    raw_docs(&format!("{}{example}\n\n# Arguments\n\n{}", linked(&text), linked(&arguments)))
}

/// Returns a note for a body whose media type is a range.
fn range_docs(form: &Form) -> Option<String> {
    let range = match form.media_type.as_str() {
        "*/*" => "any content type".to_owned(),
        range if range.contains('*') => format!("any content type of `{range}`"),
        _ => return None,
    };
    Some(match &form.coding {
        Coding::Json(_) => format!("Sent as JSON; the document accepts {range}.\n\n"),
        Coding::Urlencoded(..) => format!("Sent as a form; the document accepts {range}.\n\n"),
        Coding::Multipart(..) => format!("Sent in parts; the document accepts {range}.\n\n"),
        Coding::Text(_) | Coding::Bytes | Coding::Events(_) => {
            format!("The document accepts {range}; the call's `header` sets the body's `Content-Type`.\n\n")
        }
    })
}

/// Returns a list of the arguments that the document describes.
fn argument_docs(operation: &Operation) -> String {
    let parameters = operation.parameters.iter().filter(|parameter| parameter.required);
    let parameters = parameters.map(|parameter| (parameter.rust.as_str(), argument_line(parameter)));
    let body = operation.body.iter().map(|body| ("body", paragraph_line(body.docs.as_deref())));
    parameters
        .chain(body)
        .filter(|(_, docs)| !docs.is_empty())
        .map(|(name, docs)| format!("- `{}`: {}\n", name.trim_start_matches("r#"), ended(&docs)))
        .collect()
}

/// Returns the setters of optional parameters.
pub(super) fn setters(
    api: &Api,
    group: &Group,
    operation: &Operation,
    imports: &mut Imports,
) -> Option<TokenStream> {
    let endpoint = ident(&operation.name);
    let optional = || operation.parameters.iter().filter(|parameter| !parameter.required);
    let methods: Vec<TokenStream> = optional()
        .map(|parameter| {
            let mut name = parameter.rust.clone();
            while OWN_METHODS.contains(&name.as_str())
                || name != parameter.rust && optional().any(|other| other.rust == name)
            {
                name.push_str("_parameter");
            }
            let name = ident(&name);
            let text = match (parameter_text(parameter), &parameter.docs) {
                (Some(text), Some(_)) => text,
                (Some(facts), None) => format!("Sets `{}`. {facts}", parameter.wire),
                (None, _) => format!("Sets `{}`.", parameter.wire),
            };
            let docs = raw_docs(&linked(api, Methods::Client, group, operation, &text));
            let deprecation = deprecated(parameter.deprecated);
            let (argument, step) = parameters::parts(api, operation, parameter, imports);
            quote! {
                #docs
                #deprecation
                pub fn #name(self, #argument) -> Self {
                    Self(self.0 #step)
                }
            }
        })
        .collect();
    (!methods.is_empty()).then(|| {
        quote! {
            impl Call<#endpoint> {
                #(#methods)*
            }
        }
    })
}

/// Returns the endpoint: the facts of the operation for the runtime, and the reading of its responses.
///
/// The name of its error begins with `owner`.
pub(super) fn endpoint(
    api: &Api,
    group: &Group,
    operation: &Operation,
    owner: &str,
    imports: &mut Imports,
) -> Block {
    let model_name = model_crate(api);
    let (name, module, constant) = (ident(&operation.name), ident(&group.module), ident(&operation.constant));
    let success = read_type(api, operation, &model_name, imports);
    let error = format!("{owner}Error");
    imports.add(&model_name, &error);
    imports.add(&format!("{model_name}::operations"), &group.module);
    let error = ident(&error);
    let facts = facts(api, operation);
    if let Some(lines) = read_by_status(api, operation) {
        imports.add("frontdesk_runtime", "endpoint");
        let mut text = format!("endpoint! {{\n{}", doc_comment(&about(operation), "    "));
        let success = spelled(success);
        let _ = writeln!(text, "    pub {name} = {module}::{constant} => {success}, {error} {{");
        for line in lines {
            let _ = writeln!(text, "        {line},");
        }
        text.push_str("    }\n");
        for fact in facts {
            let _ = writeln!(text, "    {}", spelled(fact).replace(" : ", ": "));
        }
        text.push_str("}\n");
        return Block::Text(text);
    }
    imports.add("frontdesk_runtime", "Operation");
    imports.add("frontdesk_runtime::client", "Endpoint");
    imports.add("frontdesk_runtime::client", "Outcome");
    if !operation.successes.is_empty() {
        imports.add("frontdesk_runtime::client::Reading", "Success");
    }
    let about = raw_docs(&about(operation));
    let arms: Vec<TokenStream> = arms(api, operation, imports);
    Block::Rust(quote! {
        #about
        #[derive(Debug)]
        pub enum #name {}

        impl Endpoint for #name {
            type Success = #success;
            type Failure = #error;

            const OPERATION: &'static Operation = &#module::#constant;
            #(#facts)*

            fn read(response: &mut client::Received) -> Outcome<Self> {
                match response.status.as_u16() {
                    #(#arms)*
                    _ => response.failure(),
                }
            }
        }
    })
}

/// Returns the lines of a table of statuses and bodies, if that is all it takes to read the successes.
fn read_by_status(api: &Api, operation: &Operation) -> Option<Vec<String>> {
    if operation.streaming.is_some() || operation.successes.iter().any(|answer| streams(api, answer)) {
        return None;
    }
    common_payload(api, operation)?;
    let mut lines: Vec<(String, &str)> = Vec::new();
    for answer in by_precision(operation.successes.iter()) {
        let Status::Code(code) = answer.status else { return None };
        let body = match answer.content.payload(&api.responses) {
            None => "nothing",
            Some(payload) if payload.name.is_some() => return None,
            Some(payload) => match &payload.forms[..] {
                [Form { coding: Coding::Json(_), .. }] => "json",
                [Form { coding: Coding::Text(_), .. }] => "text",
                _ => return None,
            },
        };
        match lines.last_mut() {
            Some((statuses, last)) if *last == body => statuses.push_str(&format!(" | {code}")),
            _ => lines.push((code.to_string(), body)),
        }
    }
    Some(lines.into_iter().map(|(statuses, body)| format!("{statuses} => {body}")).collect())
}

/// Whether a response has a body that is a stream.
fn streams(api: &Api, answer: &Answer) -> bool {
    answer.content.payload(&api.responses).is_some_and(|payload| payload.forms.iter().any(bodies::streams))
}

/// Returns the constants of an endpoint that differ from the defaults.
fn facts(api: &Api, operation: &Operation) -> Vec<TokenStream> {
    let mut facts = Vec::new();
    let accept = accept(api, operation);
    if accept != "application/json" {
        facts.push(quote!(const ACCEPT: &'static str = #accept;));
    }
    if let Some(server) = operation.servers.first() {
        let url = server.variables.iter().fold(server.url.clone(), |url, variable| {
            url.replace(&format!("{{{}}}", variable.wire), &variable.default)
        });
        facts.push(quote!(const SERVER: Option<&'static str> = Some(#url);));
    }
    if operation.idempotent {
        facts.push(quote!(
            const IDEMPOTENT: bool = true;
        ));
    }
    if idempotency::is_keyed(operation) {
        facts.push(quote!(
            const KEYED: bool = true;
        ));
    }
    if operation.successes.iter().any(|answer| streams(api, answer)) {
        let rows = by_precision(operation.successes.iter()).into_iter().filter_map(|answer| {
            let (low, high) = match answer.status {
                Status::Code(code) => (code, code),
                Status::Class(class) => (class * 100, class * 100 + 99),
                Status::Default => return None,
            };
            let (low, high) = (Literal::u16_unsuffixed(low), Literal::u16_unsuffixed(high));
            let forms =
                answer.content.payload(&api.responses).map_or(&[][..], |payload| &payload.forms).iter().map(
                    |form: &Form| {
                        let (media_type, streams) = (&form.media_type, bodies::streams(form));
                        quote!((#media_type, #streams))
                    },
                );
            Some(quote!(client::Streamed { statuses: (#low, #high), forms: &[#(#forms),*] }))
        });
        facts.push(quote!(const STREAMED: &'static [client::Streamed] = &[#(#rows),*];));
    }
    facts
}

/// Returns the media types of all responses, successes first. Of each response, types that are parsed come
/// first, because a server may use the first type that it supports.
fn accept(api: &Api, operation: &Operation) -> String {
    let mut media_types: Vec<&str> = Vec::new();
    for answer in operation.answers() {
        let payload = answer.content.payload(&api.responses);
        let mut forms: Vec<_> = payload.into_iter().flat_map(|payload| &payload.forms).collect();
        forms.sort_by_key(|form| matches!(form.coding, Coding::Bytes));
        for form in forms {
            if !media_types.contains(&form.media_type.as_str()) {
                media_types.push(&form.media_type);
            }
        }
    }
    if media_types.is_empty() {
        return "*/*".to_owned();
    }
    if operation.streaming.is_none() {
        return media_types.join(", ");
    }
    // The service chooses by this header what a success is, so only errors may have another media type.
    let of_success = |media_type: &str| {
        let payloads = operation.successes.iter().filter_map(|answer| answer.content.payload(&api.responses));
        payloads.flat_map(|payload| &payload.forms).any(|form| form.media_type == media_type)
    };
    let weighted = |media_type: &str| {
        if of_success(media_type) { media_type.to_owned() } else { format!("{media_type};q=0.5") }
    };
    media_types.into_iter().map(weighted).collect::<Vec<_>>().join(", ")
}

/// Sorts exact statuses first, then classes, then the rest.
fn by_precision<'a>(answers: impl Iterator<Item = &'a Answer>) -> Vec<&'a Answer> {
    let mut answers: Vec<&Answer> = answers.collect();
    answers.sort_by_key(|answer| match answer.status {
        Status::Code(_) => 0,
        Status::Class(_) => 1,
        Status::Default => 2,
    });
    answers
}

/// Returns a match arm for each successful status.
fn arms(api: &Api, operation: &Operation, imports: &mut Imports) -> Vec<TokenStream> {
    let answers = by_precision(operation.successes.iter());
    let several = common_payload(api, operation).is_none();
    let success = ident(&format!("{}Success", operation.name));
    let mut arms: Vec<(TokenStream, TokenStream)> = Vec::new();
    for answer in answers {
        let pattern = pattern(answer.status);
        let payload = answer.content.payload(&api.responses);
        let value = payload.map_or_else(|| quote!(()), |payload| bodies::read(api, payload, imports));
        let value = match payload.map(|payload| &payload.forms[..]) {
            // A service may choose by something else than the `Accept` header, such as a member of the body.
            Some([only]) if operation.streaming.is_some() => {
                let media_type = &only.media_type;
                quote!({ response.require_media_type(#media_type)?; #value })
            }
            _ => value,
        };
        let status = (!matches!(answer.status, Status::Code(_))).then(|| quote!(response.status,));
        let variant: Ident = ident(&answer.variant);
        let outcome = if several {
            quote!(Ok(Success(#success::#variant(#status client::with_headers(#value, response)))))
        } else {
            read_as_success(&value)
        };
        match arms.last_mut() {
            // Several successes with the same body.
            Some((patterns, last)) if last.to_string() == outcome.to_string() => {
                patterns.extend(quote!(| #pattern));
            }
            _ => arms.push((pattern, outcome)),
        }
    }
    arms.into_iter().map(|(pattern, outcome)| quote!(#pattern => #outcome,)).collect()
}

/// Returns the outcome of a call whose only value is read by an expression, which may end with `?`.
fn read_as_success(value: &TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    match tokens.split_last() {
        Some((TokenTree::Punct(last), read)) if last.as_char() == '?' && !read.is_empty() => {
            let read: TokenStream = read.iter().cloned().collect();
            quote!(#read.map(Success))
        }
        _ => quote!(Ok(Success(#value))),
    }
}

fn pattern(status: Status) -> TokenStream {
    match status {
        Status::Code(code) => {
            let code = Literal::u16_unsuffixed(code);
            quote!(#code)
        }
        Status::Class(class) => {
            let (low, high) =
                (Literal::u16_unsuffixed(class * 100), Literal::u16_unsuffixed(class * 100 + 99));
            quote!(#low..=#high)
        }
        Status::Default => quote!(_),
    }
}
