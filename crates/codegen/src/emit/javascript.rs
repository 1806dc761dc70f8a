//! Emitter of the JavaScript client: ES modules with declarations, one module for each tag and one function
//! for each operation, on a runtime of plain JavaScript that is copied beside them.
//!
//! Reads of the IR only what the document says: wire names, ids, shapes and rules. Names of JavaScript are
//! chosen here (`names`). Unlike Rust, the output is text from the beginning (`text`).
//!
//! - `types`: schemas as TypeScript types, and the modules that they are declared in.
//! - `request`, `response`: the types of an operation, and the description that its function passes to the
//!   runtime.
//! - `group`: the module of a tag.
//! - `imports`: what modules of tags import from the runtime.
//! - `lines`: what does not fit in one line.
//! - `client`: `connect`, with the servers and security schemes of the document.
//! - `webhooks`: the events that the service sends.
//! - `package`: the manifest, the README and the index.
//! - `runtime`: the files that are the same for every document.

mod client;
mod group;
mod imports;
mod lines;
mod names;
mod package;
mod request;
mod response;
mod runtime;
mod text;
mod types;
mod webhooks;

pub(crate) use self::names::Names;
use self::types::Modules;
use crate::{Options, ir::Api, package::Package, render::Origin};

/// The folder of the package below the output folder.
pub(crate) const FOLDER: &str = "javascript";

/// The type of all events that the service sends.
pub(crate) const EVENT: &str = "WebhookEvent";

/// What every part of the output needs.
struct Context<'a> {
    api: &'a Api,
    options: &'a Options,
    names: Names,
    modules: Modules,
}

impl Context<'_> {
    /// The first lines of a file.
    fn header(&self, emitter: &str) -> String {
        let origin = Origin::of(self.options);
        let mut lines = format!("// {}\n", origin.mark());
        if origin.names_emitters {
            lines.push_str(&format!("// Emitter: crates/codegen/src/emit/javascript/{emitter}.rs\n"));
        }
        lines.push('\n');
        lines
    }

    /// The same for a module of which the declarations are beside it, where Deno finds them by this line.
    fn module_header(&self, emitter: &str, module: &str) -> String {
        format!("// @ts-self-types=\"./{module}.d.ts\"\n{}", self.header(emitter))
    }
}

/// The path and the text of every file of the package, in a fixed order.
pub(crate) fn emit(api: &Api, options: &Options, package: &Package) -> Vec<(String, String)> {
    let names = Names::of(api);
    let modules = Modules::of(api, &names);
    let context = Context { api, options, names, modules };
    let mut files = package::files(&context, package);
    files.extend(client::files(&context));
    files.extend(types::files(&context));
    files.extend((0..api.groups.len()).flat_map(|group| group::files(&context, group)));
    files.extend(webhooks::files(&context));
    files.extend(runtime::files(&context));
    files.into_iter().map(|(path, text)| (format!("{FOLDER}/{path}"), text)).collect()
}
