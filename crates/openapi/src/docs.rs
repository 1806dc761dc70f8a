//! `docs`: writes the reference page of a document to a folder.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, bail};
use frontdesk_codegen::fileset::Disk;
use frontdesk_document::Document;

use crate::command_line::DocsArguments;
use frontdesk_commands::contract::Contract;
use frontdesk_commands::{Exit, Program, terminal};
use frontdesk_disk::{Folder, canonical};

/// The default output folder, relative to the root of the workspace.
const OUT: &str = "target/reference";
/// The name of the page.
const PAGE: &str = "index.html";

/// Writes the page and the document, and prints the path of the page on standard output.
pub fn run(program: &Program, arguments: &DocsArguments) -> Result<Exit> {
    let out = match (&arguments.out, &program.repository) {
        (Some(out), _) => {
            canonical(&env::current_dir().context("the current folder cannot be read")?.join(out))?
        }
        (None, Some(repository)) => repository.root.join(OUT),
        (None, None) => bail!("`--out` is missing; give the folder for the page"),
    };
    let Contract { spec, loader, .. } = Contract::given(program, arguments.file.as_deref())?;
    let (document, diagnostics) = Document::read(&spec, &loader);
    let Some(document) = document else {
        terminal::say(&diagnostics.render(diagnostics.sources(), terminal::color()))?;
        terminal::say(&format!("`{spec}` was rejected; nothing was written\n"))?;
        return Ok(Exit::Rejected);
    };
    let bundle = document.bundle();
    let json = bundle.to_json();
    let page =
        frontdesk_reference::page(&json).with_context(|| format!("failed to make the page of `{spec}`"))?;
    let assets = page.assets.iter().map(|asset| (asset.path, asset.content.text().into_owned()));
    // The page is written last, after the files that it links to.
    let files = [("openapi.yaml", bundle.to_yaml()), ("openapi.json", json)].into_iter();
    let files: Vec<_> = files.chain(assets).chain([(PAGE, page.html)]).collect();
    write(&out, &files)?;
    let place = out.join(PAGE);
    terminal::print(&format!("{}\n", place.display()))?;
    terminal::say("hint: open it in a browser; it needs no server and no network\n")?;
    Ok(Exit::Done)
}

/// Writes the files to a folder that contains nothing else.
fn write(out: &Path, files: &[(&str, String)]) -> Result<()> {
    let mut folder = Folder::new(out);
    let present = folder.list(".").with_context(|| format!("failed to list `{}`", out.display()))?;
    let known = |path: &str| files.iter().any(|(name, _)| path.strip_prefix("./") == Some(name));
    if let Some(foreign) = present.iter().find(|path| !known(path)) {
        let foreign = foreign.trim_start_matches("./");
        bail!(
            "`{}` contains `{foreign}`, which is not part of the page; choose an empty folder",
            out.display()
        );
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let written = folder.write(&files).map_err(|(_, error)| error);
    written.with_context(|| format!("failed to write to `{}`", out.display()))
}
