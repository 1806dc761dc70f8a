//! Emitter of the model's operations: a constant for each, its errors, and its successes if there are
//! several.

use super::{
    Facts, Imports, Otherwise, Source, Task, Text,
    features::{self, Condition},
    ident,
    model::{
        Plain, errors, payload,
        union::{derive, growing},
    },
    module_tree::{Entry, ModuleTree, Shown},
    prose::{about, ended, first_line, status_line, status_text},
    type_examples::ShownTypes,
    types::{From, write_payload},
};
use crate::{
    ir::{
        Answer, Api, Content, Credential, Element, Group, Operation, Payload, Response, ResponseExample,
        Scheme, Stability, Status, Type,
    },
    render::{Block, changes_direction, docs, markdown, packed, raw_docs},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/operations.rs";

/// The width of lines that are laid out here.
const WIDTH: usize = 90;

/// The maximum number of operations in the root module's list; each may take two lines.
const MOST_IN_ROOT: usize = 100;

/// Adds the tasks that emit `operations`: a module for each tag, and one for each operation of large groups.
pub(super) fn tasks<'a>(api: &'a Api, facts: &'a Facts<'a>, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| root(api)));
    for group in &api.groups {
        tasks.push(Box::new(|| modules(api, group, facts)));
    }
}

fn modules<'a>(api: &'a Api, group: &'a Group, facts: &'a Facts<'a>) -> Vec<Source<'a>> {
    if group.is_large() {
        return folder(api, group, facts);
    }
    let blocks = items(api, group, &group.operations, facts);
    let otherwise = Otherwise(Box::new(move || folder(api, group, facts)));
    let text = Text::Short { docs: group_docs(group), blocks, otherwise };
    vec![Source { path: format!("{}.rs", stem(group)), emitter: EMITTER, text }]
}

/// Returns a tag whose operations have modules of their own.
fn folder<'a>(api: &Api, group: &Group, facts: &Facts<'_>) -> Vec<Source<'a>> {
    let entries = group.operations.iter().map(|operation| Entry {
        module: operation.handler.clone(),
        condition: Condition::default(),
        shown: Shown::All,
        further: 0,
    });
    let tree = ModuleTree::of(entries.collect());
    let text = Text::Rust { docs: group_docs(group), blocks: tree.index("") };
    let mut sources = vec![Source { path: format!("{}.rs", stem(group)), emitter: EMITTER, text }];
    sources.extend(tree.sources(&stem(group), EMITTER, &|_| Vec::new()));
    let folders = tree.folders();
    sources.extend(group.operations.iter().map(|operation| Source {
        path: format!("{}/{}.rs", stem(group), folders.place(&operation.handler)),
        emitter: EMITTER,
        text: Text::Rust {
            docs: String::new(),
            blocks: items(api, group, std::slice::from_ref(operation), facts),
        },
    }));
    sources
}

/// Returns the path of a tag's file without its extension, which is also the path of its folder.
fn stem(group: &Group) -> String {
    format!("model/src/operations/{}", group.module.trim_start_matches("r#"))
}

fn root(api: &Api) -> Vec<Source<'_>> {
    let modules = api.groups.iter().map(|group| {
        let (gate, module) = (features::of_group(api, group), ident(&group.module));
        quote!(#gate pub mod #module;)
    });
    let schemes: Vec<TokenStream> = api.schemes.iter().map(scheme).collect();
    let is_long = api.operations().count() > MOST_IN_ROOT;
    let above = is_long.then(|| quote!(super::));
    let above = &above;
    let rows = api.groups.iter().flat_map(|group| {
        let module = ident(&group.module);
        group.operations.iter().map(move |operation| {
            let constant = ident(&operation.constant);
            quote!(&#above #module::#constant)
        })
    });
    let imports = if schemes.is_empty() {
        quote!(
            use frontdesk_runtime::Operation;
        )
    } else {
        quote!(
            use frontdesk_runtime::{Credential, Operation, Scheme};
        )
    };
    let table = if api.features {
        Block::Text(table_by_feature(api, is_long))
    } else {
        Block::Rust(quote! {
            /// Every operation, in the document's order.
            pub static OPERATIONS: &[&Operation] = &[#(#rows),*];
        })
    };
    let schemes: Vec<Block> = schemes.into_iter().map(Block::Rust).collect();
    let source = |path: &str, docs: &str, blocks: Vec<Block>| {
        let (path, docs) = (format!("model/src/{path}.rs"), docs.to_owned());
        Source { path, emitter: EMITTER, text: Text::Rust { docs, blocks } }
    };
    let docs = "The operations as constants, and their declared errors.";
    if !is_long {
        let mut blocks = vec![Block::Rust(quote!(#(#modules)*)), Block::Rust(imports), table];
        blocks.extend(schemes);
        return vec![source("operations", docs, blocks)];
    }
    // Normally no module of a tag has this suffix.
    let module = (1..=api.groups.len() + 1)
        .map(|count| format!("table{}", "_".repeat(count)))
        .find(|name| api.groups.iter().all(|group| group.module != *name))
        .unwrap_or_default();
    let name = ident(&module);
    let mut blocks = vec![
        Block::Rust(quote!(mod #name; #(#modules)*)),
        Block::Rust(quote!(pub use self::#name::OPERATIONS;)),
    ];
    if !schemes.is_empty() {
        blocks.push(Block::Rust(quote!(
            use frontdesk_runtime::{Credential, Scheme};
        )));
    }
    blocks.extend(schemes);
    let mut rest = vec![table];
    if !api.features {
        rest.insert(
            0,
            Block::Rust(quote!(
                use frontdesk_runtime::Operation;
            )),
        );
    }
    let docs_of_table = "The list of all operations.";
    vec![source("operations", docs, blocks), source(&format!("operations/{module}"), docs_of_table, rest)]
}

/// Returns the list of all operations with the feature of each group said once.
fn table_by_feature(api: &Api, is_below: bool) -> String {
    let parent = if is_below { "super" } else { "self" };
    let mut text = format!(
        "frontdesk_runtime::operations! {{\n    /// Every operation, in the document's order.\n    \
         pub static OPERATIONS in {parent};\n"
    );
    for group in &api.groups {
        let start = format!("    {:?} {}:", group.feature(), group.module);
        let constants = group.operations.iter().map(|operation| format!("{},", operation.constant));
        text.push_str(packed(&start, constants, WIDTH).trim_end_matches(','));
        text.push_str(";\n");
    }
    text.push_str("}\n");
    text
}

fn group_docs(group: &Group) -> String {
    let line = first_line(group.docs.as_deref());
    format!("The operations of the tag `{}`. {}", group.tag, ended(&line)).trim_end().to_owned()
}

/// Returns the constant of a scheme. It is public because possibly no operation requires it.
fn scheme(scheme: &Scheme) -> TokenStream {
    let constant = scheme_constant(scheme);
    let docs = match &scheme.docs {
        Some(text) => docs(text),
        None => raw_docs(&format!("The security scheme `{}`.", scheme.wire)),
    };
    let wire = &scheme.wire;
    let credential = match &scheme.credential {
        Credential::Bearer => quote!(Credential::Bearer),
        Credential::Basic => quote!(Credential::Basic),
        Credential::Http(scheme) => quote!(Credential::Http(#scheme)),
        Credential::Header(name) => quote!(Credential::Header(#name)),
        Credential::Query(name) => quote!(Credential::Query(#name)),
        Credential::Cookie(name) => quote!(Credential::Cookie(#name)),
        Credential::Connection => quote!(Credential::Connection),
    };
    quote! {
        #docs
        pub const #constant: Scheme = Scheme { name: #wire, credential: #credential, scopes: &[] };
    }
}

pub(super) fn scheme_constant(scheme: &Scheme) -> proc_macro2::Ident {
    // The suffix distinguishes it from the constant of an operation, for example one that is called `token`.
    ident(&format!("{}_SCHEME", scheme.rust.trim_start_matches("r#").to_uppercase()))
}

/// Returns the items of a module of operations.
fn items(api: &Api, group: &Group, operations: &[Operation], facts: &Facts<'_>) -> Vec<Block> {
    let plain = &facts.plain;
    let mut imports = Imports::default();
    imports.add("frontdesk_runtime", "Method");
    imports.add("frontdesk_runtime", "Operation");
    imports.add("frontdesk_runtime", "Stability");
    let mut items = Vec::new();
    for operation in operations {
        items.push(Block::Rust(constant(api, group, operation, &mut imports)));
        items.extend(type_examples(api, operation, facts));
        items.extend(payloads(api, operation, plain, &mut imports).into_iter().map(Block::Rust));
        if has_success_enum(operation) {
            items.push(Block::Rust(successes(api, operation, plain, &mut imports)));
        }
        items.push(errors::of_operation(api, operation, plain, &mut imports));
    }
    let mut blocks = vec![Block::Rust(imports.tokens())];
    blocks.extend(items);
    blocks
}

/// Returns the enumerations of bodies with several media types.
fn payloads(api: &Api, operation: &Operation, plain: &Plain<'_>, imports: &mut Imports) -> Vec<TokenStream> {
    let request = operation.body.iter().map(|body| {
        let about = match &body.docs {
            Some(docs) => markdown(docs),
            None => format!("The request body of [`{}`].", operation.constant),
        };
        (&body.payload, about, false)
    });
    let answers = operation.answers().filter_map(|answer| match &answer.content {
        Content::Body(payload) => {
            let status = status_text(answer.status);
            let about = format!("The response body of [`{}`] with {status}.", operation.constant);
            Some((payload, about, true))
        }
        Content::Nothing | Content::Response(_) => None,
    });
    let mut seen = Vec::new();
    request
        .chain(answers)
        .filter(|(payload, ..)| {
            let first = !seen.contains(&&payload.name);
            seen.push(&payload.name);
            first
        })
        .filter_map(|(payload, about, is_response)| {
            payload::emit(api, payload, &about, is_response, plain, imports)
        })
        .collect()
}

fn constant(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let constant = ident(&operation.constant);
    let about = raw_docs(&about(operation));
    let (id, path, tag, deprecated) = (&operation.id, &operation.path, &group.tag, operation.deprecated);
    let method = ident(&operation.method);
    let stability = ident(match operation.stability {
        Stability::Draft => "Draft",
        Stability::Alpha => "Alpha",
        Stability::Beta => "Beta",
        Stability::Stable => "Stable",
    });
    let security = security(api, operation, imports);
    let statuses = operation.answers().filter_map(|answer| match answer.status {
        Status::Code(code) => Some(Literal::u16_unsuffixed(code)),
        Status::Class(_) | Status::Default => None,
    });
    let extensions = if operation.extensions.is_empty() {
        quote!(&[])
    } else {
        let extensions = operation.extensions.iter().map(|(name, json)| {
            let json = raw_text(json);
            quote!(#name, #json)
        });
        quote!(frontdesk_runtime::extensions!(#(#extensions);*))
    };
    let example = example(operation);
    quote! {
        #about
        pub static #constant: Operation = Operation {
            id: #id,
            method: Method::#method,
            path: #path,
            tag: #tag,
            security: #security,
            stability: Stability::#stability,
            deprecated: #deprecated,
            statuses: &[#(#statuses),*],
            extensions: #extensions,
            example: #example,
        };
    }
}

/// Returns the requirements of an operation, in words where no scheme has scopes.
fn security(api: &Api, operation: &Operation, imports: &mut Imports) -> TokenStream {
    if operation.security.is_empty() {
        return quote!(&[]);
    }
    let is_plain = operation.security.iter().all(|requirement| {
        !requirement.is_empty() && requirement.iter().all(|scheme| scheme.scopes.is_empty())
    });
    if !is_plain {
        imports.add("frontdesk_runtime", "Requirement");
    }
    let requirements = operation.security.iter().map(|requirement| {
        let schemes = requirement.iter().map(|scheme| {
            let constant = scheme_constant(&api.schemes[scheme.scheme]);
            imports.add("crate::operations", &constant.to_string());
            if scheme.scopes.is_empty() {
                quote!(#constant)
            } else {
                imports.add("frontdesk_runtime", "Scheme");
                let scopes = &scheme.scopes;
                quote!(Scheme { scopes: &[#(#scopes),*], ..#constant })
            }
        });
        if is_plain { quote!(#(#schemes)and*) } else { quote!(Requirement { schemes: &[#(#schemes),*] }) }
    });
    let requirements: Vec<TokenStream> = requirements.collect();
    if is_plain {
        quote!(frontdesk_runtime::security!(#(#requirements)or*))
    } else {
        quote!(&[#(#requirements),*])
    }
}

/// Returns the document's example of a successful response, which only programs with fakes contain.
fn example(operation: &Operation) -> TokenStream {
    let Some(ResponseExample { status, body }) = &operation.response_example else { return quote!(None) };
    let status = Literal::u16_unsuffixed(*status);
    let json = raw_text(&body.as_ref().map(ToString::to_string).unwrap_or_default());
    quote!(frontdesk_runtime::example!(#status, #json))
}

/// Returns the examples of the types that the operation is the first to show, which only tests need.
fn type_examples(api: &Api, operation: &Operation, facts: &Facts<'_>) -> Option<Block> {
    let ShownTypes { request, response } = facts.examples.by(operation);
    let mut text = String::new();
    if let (Some(id), Some(example)) = (request, &operation.request_example) {
        let (name, json) = (&api.type_def(id).name, raw_text(&example.to_string()));
        text.push_str(&format!("frontdesk_runtime::example_of!(crate::{name}, {json});\n"));
    }
    if let Some(id) = response {
        let (name, constant) = (&api.type_def(id).name, &operation.constant);
        text.push_str(&format!("frontdesk_runtime::example_of!(crate::{name}, {constant});\n"));
    }
    (!text.is_empty()).then_some(Block::Text(text))
}

/// Returns text as a raw string literal if it has quotes, so that JSON stays readable.
///
/// Text with characters that change its direction is escaped instead: the compiler rejects them in raw
/// strings.
fn raw_text(text: &str) -> Literal {
    let hashes =
        text.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len() + 1).max();
    let may_be_raw = !text.contains('\r') && !text.contains(changes_direction);
    let raw = hashes.filter(|_| may_be_raw).and_then(|count| {
        let hashes = "#".repeat(count);
        format!("r{hashes}\"{text}\"{hashes}").parse().ok()
    });
    raw.unwrap_or_else(|| Literal::string(text))
}

/// Whether the successes of an operation are an enumeration: there are several, or one covers several
/// statuses.
pub(super) fn has_success_enum(operation: &Operation) -> bool {
    operation.successes.len() > 1
        || operation.successes.iter().any(|answer| !matches!(answer.status, Status::Code(_)))
}

fn successes(api: &Api, operation: &Operation, plain: &Plain<'_>, imports: &mut Imports) -> TokenStream {
    let answers = &operation.successes;
    let name = ident(&format!("{}Success", operation.name));
    let about = raw_docs(&success_docs(operation));
    let derive = derive(answers.iter().all(|answer| plain.is_plain_content(api, &answer.content)));
    let growing = growing();
    let variants: Vec<TokenStream> = answers.iter().map(|answer| variant(api, answer, imports)).collect();
    quote! {
        #about
        #derive
        #growing
        pub enum #name {
            #(#variants)*
        }
    }
}

/// Returns the docs of the enumeration of successes.
fn success_docs(operation: &Operation) -> String {
    let constant = &operation.constant;
    let undeclared = operation.successes.iter().all(|answer| !answer.declared);
    if !undeclared {
        format!("The successful responses of [`{constant}`].")
    } else if operation.errors.iter().any(|answer| answer.status == Status::Default) {
        format!(
            "The successful response of [`{constant}`]: the document declares one response for all other statuses."
        )
    } else {
        format!(
            "The successful response of [`{constant}`]: the document declares none, so every 2XX status is one."
        )
    }
}

fn variant(api: &Api, answer: &Answer, imports: &mut Imports) -> TokenStream {
    let name = ident(&answer.variant);
    let about = if answer.declared {
        status_line(answer.status, answer.docs.as_deref())
    } else {
        "Any 2XX status.".to_owned()
    };
    let about = raw_docs(&about);
    let mut parts = Vec::new();
    if !matches!(answer.status, Status::Code(_)) {
        imports.add("frontdesk_runtime", "StatusCode");
        parts.push(quote!(StatusCode));
    }
    parts.push(with_headers(api, &answer.content, From::Crate, imports));
    quote! {
        #about
        #name(#(#parts),*),
    }
}

/// Returns the type of what a variant holds: a body, if there is one, with all headers.
pub(super) fn with_headers(
    api: &Api,
    content: &Content,
    from: From<'_>,
    imports: &mut Imports,
) -> TokenStream {
    imports.add("frontdesk_runtime", "WithHeaders");
    let payload = content.payload(&api.responses);
    // The alternatives of a response's body stand in the module of the response.
    if let (Content::Response(_), From::Crate, Some(name)) =
        (content, from, payload.and_then(|payload| payload.name.as_ref()))
    {
        imports.add("crate", name);
    }
    let body = payload.map(|payload| write_payload(api, payload, from, imports));
    let body = body.unwrap_or_else(|| quote!(()));
    quote!(WithHeaders<#body>)
}

/// Returns the type of a handler's success; nothing if it has no content.
fn content_type(api: &Api, content: &Content, from: From<'_>, imports: &mut Imports) -> Option<TokenStream> {
    match content {
        Content::Nothing => None,
        Content::Body(payload) => Some(write_payload(api, payload, from, imports)),
        Content::Response(id) => {
            let response = api.response(*id);
            import_response(response, from, imports);
            let name = ident(&response.name);
            Some(quote!(#name))
        }
    }
}

fn import_response(response: &Response, from: From<'_>, imports: &mut Imports) {
    match from {
        From::Crate => imports.add("crate", &response.name),
        From::Model(model) => imports.add(model, &response.name),
    }
}

/// Returns the type that a handler returns and a call yields.
pub(super) fn success_type(
    api: &Api,
    operation: &Operation,
    model: &str,
    imports: &mut Imports,
) -> TokenStream {
    match &operation.successes[..] {
        [] => quote!(()),
        [only] if matches!(only.status, Status::Code(_)) => {
            content_type(api, &only.content, From::Model(model), imports).unwrap_or_else(|| quote!(()))
        }
        _ => {
            let name = format!("{}Success", operation.name);
            imports.add(model, &name);
            let name = ident(&name);
            quote!(#name)
        }
    }
}

/// Returns the type that a call yields: the body alone where all successes have the same one, otherwise an
/// enumeration. The response wrapper has the status and the headers.
pub(super) fn read_type(api: &Api, operation: &Operation, model: &str, imports: &mut Imports) -> TokenStream {
    match common_payload(api, operation) {
        Some(Some(payload)) => write_payload(api, payload, From::Model(model), imports),
        Some(None) => quote!(()),
        None => success_type(api, operation, model, imports),
    }
}

/// Returns the body of all successes if it is the same, so that a second status with it changes nothing for
/// callers. The inner `None` means that there is no body.
#[expect(clippy::option_option, reason = "that all successes have no body is not that they differ")]
pub(super) fn common_payload<'a>(api: &'a Api, operation: &'a Operation) -> Option<Option<&'a Payload>> {
    let payload = |answer: &'a Answer| answer.content.payload(&api.responses);
    let (first, rest) = operation.successes.split_first()?;
    let first = payload(first);
    rest.iter().all(|answer| is_same(api, first, payload(answer))).then_some(first)
}

fn is_same(api: &Api, one: Option<&Payload>, other: Option<&Payload>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            one == other
                || matches!((one.json(), other.json()), (Some(one), Some(other)) if is_same_element(api, one, other))
        }
        _ => false,
    }
}

/// Whether both are one type, perhaps under the name of an alias.
fn is_same_element(api: &Api, one: &Element, other: &Element) -> bool {
    match (&one.ty, &other.ty) {
        (Type::Named(first), Type::Named(second)) => {
            one.nullable == other.nullable && api.original(*first) == api.original(*second)
        }
        (Type::List(first), Type::List(second)) | (Type::Map(first), Type::Map(second)) => {
            one.nullable == other.nullable && is_same_element(api, first, second)
        }
        (first, second) => one.nullable == other.nullable && first == second,
    }
}

#[cfg(test)]
mod tests {
    use super::raw_text;

    #[test]
    fn json_is_a_raw_string_unless_the_compiler_rejects_it() {
        assert_eq!(raw_text("{\"a\":1}").to_string(), r##"r#"{"a":1}"#"##);
        assert_eq!(raw_text("\"a\u{202e}b\"").to_string(), r#""\"a\u{202e}b\"""#);
    }
}
