//! From the [`Api`] to source: one emitter a file of this folder. No emitter decides anything about OpenAPI.

mod client;
mod features;
mod file_split;
mod idempotency;
mod imports;
pub(crate) mod javascript;
mod manifest;
mod model;
mod module_tree;
mod operations;
mod prose;
mod readme;
mod refusals;
mod runtime_name;
mod server;
mod spread;
mod type_examples;
mod types;
mod validation;

#[cfg(test)]
use crate::ir::{Operation, Stability};
use crate::{
    Options,
    ir::{Api, Status, TypeDef, TypeId},
    package::Package,
    render::{Block, Header, Origin, RenderError, docs, markdown, raw_docs, render},
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
#[cfg(test)]
use std::collections::BTreeMap;
use std::{
    collections::HashSet,
    fmt,
    panic::resume_unwind,
    sync::{Mutex, PoisonError},
    thread::{self, ScopedJoinHandle},
};

use self::{
    file_split::{Page, Setting, Unit},
    imports::Imports,
    model::{Plain, SchemaModules, TypeLocations},
    prose::{ended, opening},
    runtime_name::RUNTIME,
    type_examples::TypeExamples,
};

pub(crate) use self::{features::WEBHOOKS, readme::accompanying};

/// The package that a workspace's own generated crates call.
pub(crate) const RUNTIME_PACKAGE: &str = "frontdesk-runtime";

/// A file on its way to be rendered.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// Its path below the output folder.
    pub(crate) path: String,
    /// The emitter to change if the file should be otherwise.
    pub(crate) emitter: &'static str,
    /// Its text.
    pub(crate) text: Text<'a>,
}

/// What a file holds.
#[derive(Debug)]
pub(crate) enum Text<'a> {
    /// Rust: the module's docs, then its items.
    Rust { docs: String, blocks: Vec<Block> },
    /// Rust that goes into as many files as it needs, of which this is the first.
    Spread { docs: String, unit: Unit<'a> },
    /// The same, of which the items are text already.
    Pages { docs: String, page: Page },
    /// Rust that has one file if that is not too long, and otherwise what is made instead.
    Short { docs: String, blocks: Vec<Block>, otherwise: Otherwise<'a> },
    /// Anything that takes its header behind `#`.
    Plain(String),
    /// A text that has its header already, or needs none.
    Ready(String),
}

/// What makes other files instead of one.
pub(crate) struct Otherwise<'a>(Box<dyn Fn() -> Vec<Source<'a>> + 'a>);

impl fmt::Debug for Otherwise<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Otherwise")
    }
}

/// The most groups that a crate's root speaks of itself.
const MOST_GROUPS: usize = 20;

/// The smallest part of the output that can be generated independently.
type Task<'a> = Box<dyn FnOnce() -> Vec<Source<'a>> + Send + 'a>;

/// What must be known of the whole document before any part of it is emitted.
#[derive(Debug)]
struct Facts<'a> {
    options: &'a Options,
    plain: Plain<'a>,
    modules: SchemaModules<'a>,
    places: TypeLocations,
    /// The error bodies that can state any refusal.
    stating: HashSet<TypeId>,
    examples: TypeExamples<'a>,
}

/// Every part of the output, in the order of the files; the pages are those of all schemas.
fn tasks<'a>(api: &'a Api, facts: &'a Facts<'a>, package: &'a Package, pages: Vec<Page>) -> Vec<Task<'a>> {
    let options = facts.options;
    let mut tasks = Vec::new();
    model::tasks(api, facts, pages, &mut tasks);
    operations::tasks(api, facts, &mut tasks);
    if options.crates.server {
        server::tasks(api, &mut tasks);
    }
    if options.crates.client {
        client::tasks(api, &mut tasks);
    }
    tasks.push(Box::new(move || manifest::emit(api, options, package)));
    tasks
}

/// The path and the text of every file of the three crates, in a fixed order.
///
/// Tokens stay on the thread that made them, so each task renders what it emits, and the tokens of one task
/// at a time are in memory. Types are rendered before their files are made: how many share a file depends on
/// their length.
pub(crate) fn emit(
    api: &Api,
    options: &Options,
    package: &Package,
) -> Result<Vec<(String, String)>, RenderError> {
    let facts = Facts {
        options,
        plain: Plain::of(api),
        modules: SchemaModules::of(api),
        places: TypeLocations::of(api),
        stating: refusals::stating(api),
        examples: TypeExamples::of(api),
    };
    let pages = in_parallel(model::pages(api, &facts), |page| page());
    let pages = pages.into_iter().collect::<Result<Vec<_>, _>>()?;
    let runtime = options.runtime_package().replace('-', "_");
    let made = in_parallel(tasks(api, &facts, package, pages), |task| {
        let texts = task().into_iter().map(|source| texts(source, options));
        let mut files: Vec<_> = texts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        if runtime != RUNTIME {
            let is_rust = |path: &str| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs");
            for (_, text) in files.iter_mut().filter(|(path, _)| is_rust(path)) {
                *text = runtime_name::renamed(text, &runtime);
            }
        }
        Ok::<_, RenderError>(files)
    });
    let mut files = Vec::new();
    for made in made {
        files.extend(made?);
    }
    Ok(files)
}

/// What becomes of each task, in their order. Threads take the next task as they finish one.
fn in_parallel<T: Send, R: Send>(tasks: Vec<T>, run: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    let next = Mutex::new(tasks.into_iter().enumerate());
    let work = || {
        let mut made = Vec::new();
        loop {
            let task = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, task)) = task else { return made };
            made.push((index, run(task)));
        }
    };
    let mut made: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(ScopedJoinHandle::join);
        joined.flat_map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, made)| made).collect()
}

/// The files of a source.
fn texts(source: Source<'_>, options: &Options) -> Result<Vec<(String, String)>, RenderError> {
    let origin = Origin::of(options);
    let header = Header { file: &source.path, origin, emitter: source.emitter };
    let text = match source.text {
        Text::Rust { docs, blocks } => render(&header, &docs, &blocks)?,
        Text::Spread { docs, unit } => {
            let stem = source.path.trim_end_matches(".rs");
            let setting = Setting { origin, emitter: source.emitter };
            let page = Page::of(unit, &source.path, setting)?;
            return file_split::files(page, stem, &docs, setting);
        }
        Text::Pages { docs, page } => {
            let stem = source.path.trim_end_matches(".rs");
            return file_split::files(page, stem, &docs, Setting { origin, emitter: source.emitter });
        }
        Text::Short { docs, blocks, otherwise } => {
            let text = render(&header, &docs, &blocks)?;
            if !file_split::is_short(&text) {
                let sources = otherwise.0().into_iter().map(|source| texts(source, options));
                return Ok(sources.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
            }
            text
        }
        Text::Plain(text) => format!("{}\n{text}", header.lines("#")),
        Text::Ready(text) => text,
    };
    Ok(vec![(source.path, text)])
}

/// Whether there are so many groups that a crate's root only lists them.
fn is_wide(api: &Api) -> bool {
    api.groups.len() > MOST_GROUPS
}

/// What the document calls the interface, as it stands behind "Client of the": a title that ends in that word
/// itself says no more.
fn title(api: &Api) -> &str {
    let title = api.title.strip_prefix("The ").unwrap_or(&api.title).trim();
    match title.strip_suffix("Client").map(str::trim_end) {
        Some(rest) if !rest.is_empty() => rest,
        _ => title,
    }
}

/// The document's overview as a paragraph of a crate's root, with the blank line below it; nothing where
/// there is none.
fn overview(api: &Api) -> String {
    let text = api.description.as_deref().and_then(opening);
    text.map_or_else(String::new, |text| format!("{}\n\n", ended(&text)))
}

/// The model crate as Rust code names it.
fn model_crate(api: &Api) -> String {
    format!("{}_model", api.name.replace('-', "_"))
}

/// An identifier, raw where the name says so.
fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(name) => Ident::new_raw(name, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// Docs from the document's prose, or a sentence of ours where it has none.
fn docs_or(text: Option<&str>, otherwise: &str) -> TokenStream {
    match text {
        Some(text) => docs(text),
        None => raw_docs(otherwise),
    }
}

fn deprecated(deprecated: bool) -> TokenStream {
    if deprecated { quote!(#[deprecated]) } else { TokenStream::new() }
}

/// For code that has to serve what the document deprecates.
fn expect_deprecated(expected: bool) -> TokenStream {
    if expected {
        quote!(#[expect(deprecated, reason = "the document still declares it")])
    } else {
        TokenStream::new()
    }
}

/// For functions that take what the document requires, however much that is.
fn expect_many_arguments(arguments: usize) -> TokenStream {
    if arguments > 7 {
        quote!(#[expect(clippy::too_many_arguments, reason = "the document requires them all")])
    } else {
        TokenStream::new()
    }
}

/// For methods whose name, chosen by the document, promises another receiver than they have.
fn expect_convention(name: &str) -> TokenStream {
    if name.starts_with("from_") || name.starts_with("into_") {
        quote!(#[expect(clippy::wrong_self_convention, reason = "the document gives the name")])
    } else {
        TokenStream::new()
    }
}

/// The docs of a type. A deprecated one says so in words: the attribute would warn wherever something refers
/// to it.
fn type_docs(def: &TypeDef, otherwise: &str) -> String {
    let mut text = def.docs.as_deref().map_or_else(|| otherwise.to_owned(), markdown);
    if def.deprecated {
        text.push_str("\n\nDeprecated: the document advises against it.");
    }
    text
}

/// A status as an expression; a class or `default` has none of its own.
fn status_code(status: Status) -> Option<TokenStream> {
    let Status::Code(code) = status else { return None };
    let constant = match code {
        100 => "CONTINUE",
        101 => "SWITCHING_PROTOCOLS",
        102 => "PROCESSING",
        103 => "EARLY_HINTS",
        200 => "OK",
        201 => "CREATED",
        202 => "ACCEPTED",
        203 => "NON_AUTHORITATIVE_INFORMATION",
        204 => "NO_CONTENT",
        205 => "RESET_CONTENT",
        206 => "PARTIAL_CONTENT",
        207 => "MULTI_STATUS",
        208 => "ALREADY_REPORTED",
        226 => "IM_USED",
        300 => "MULTIPLE_CHOICES",
        301 => "MOVED_PERMANENTLY",
        302 => "FOUND",
        303 => "SEE_OTHER",
        304 => "NOT_MODIFIED",
        305 => "USE_PROXY",
        307 => "TEMPORARY_REDIRECT",
        308 => "PERMANENT_REDIRECT",
        400 => "BAD_REQUEST",
        401 => "UNAUTHORIZED",
        402 => "PAYMENT_REQUIRED",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        405 => "METHOD_NOT_ALLOWED",
        406 => "NOT_ACCEPTABLE",
        407 => "PROXY_AUTHENTICATION_REQUIRED",
        408 => "REQUEST_TIMEOUT",
        409 => "CONFLICT",
        410 => "GONE",
        411 => "LENGTH_REQUIRED",
        412 => "PRECONDITION_FAILED",
        413 => "PAYLOAD_TOO_LARGE",
        414 => "URI_TOO_LONG",
        415 => "UNSUPPORTED_MEDIA_TYPE",
        416 => "RANGE_NOT_SATISFIABLE",
        417 => "EXPECTATION_FAILED",
        418 => "IM_A_TEAPOT",
        421 => "MISDIRECTED_REQUEST",
        422 => "UNPROCESSABLE_ENTITY",
        423 => "LOCKED",
        424 => "FAILED_DEPENDENCY",
        425 => "TOO_EARLY",
        426 => "UPGRADE_REQUIRED",
        428 => "PRECONDITION_REQUIRED",
        429 => "TOO_MANY_REQUESTS",
        431 => "REQUEST_HEADER_FIELDS_TOO_LARGE",
        451 => "UNAVAILABLE_FOR_LEGAL_REASONS",
        500 => "INTERNAL_SERVER_ERROR",
        501 => "NOT_IMPLEMENTED",
        502 => "BAD_GATEWAY",
        503 => "SERVICE_UNAVAILABLE",
        504 => "GATEWAY_TIMEOUT",
        505 => "HTTP_VERSION_NOT_SUPPORTED",
        506 => "VARIANT_ALSO_NEGOTIATES",
        507 => "INSUFFICIENT_STORAGE",
        508 => "LOOP_DETECTED",
        510 => "NOT_EXTENDED",
        511 => "NETWORK_AUTHENTICATION_REQUIRED",
        _ => {
            let code = Literal::u16_unsuffixed(code);
            return Some(quote!(StatusCode::from_u16(#code).unwrap_or_default()));
        }
    };
    let constant = ident(constant);
    Some(quote!(StatusCode::#constant))
}

/// A document that holds nothing, for tests to add to.
#[cfg(test)]
fn empty_api() -> Api {
    Api {
        name: "x".to_owned(),
        source: String::new(),
        title: String::new(),
        version: String::new(),
        description: None,
        servers: Vec::new(),
        schemes: Vec::new(),
        types: Vec::new(),
        responses: Vec::new(),
        groups: Vec::new(),
        by_id: BTreeMap::new(),
        error_sets: Vec::new(),
        webhooks: Vec::new(),
        features: false,
        untyped: Vec::new(),
        defects: Vec::new(),
        left_out: Vec::new(),
    }
}

/// An operation of which nothing is declared, for tests to add to.
#[cfg(test)]
fn empty_operation() -> Operation {
    Operation {
        id: "list".to_owned(),
        function: "list".to_owned(),
        name: "List".to_owned(),
        constant: "LIST".to_owned(),
        short: "list".to_owned(),
        handler: "list".to_owned(),
        method: "GET".to_owned(),
        path: "/".to_owned(),
        summary: None,
        description: None,
        links: Vec::new(),
        deprecated: false,
        stability: Stability::Stable,
        link: None,
        sunset: None,
        idempotent: false,
        pagination: None,
        servers: Vec::new(),
        security: Vec::new(),
        parameters: Vec::new(),
        body: None,
        request_example: None,
        response_example: None,
        successes: Vec::new(),
        errors: Vec::new(),
        error_set: 0,
        streaming: None,
        extensions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{empty_api, title};
    use crate::ir::Api;

    #[test]
    fn a_title_reads_well_behind_our_words() {
        for (given, shown) in [
            ("The Pet Shop", "Pet Shop"),
            ("Theatre", "Theatre"),
            ("PetShopClient", "PetShop"),
            ("Pet Shop Client", "Pet Shop"),
            ("Client", "Client"),
        ] {
            assert_eq!(title(&Api { title: given.to_owned(), ..empty_api() }), shown);
        }
    }
}
