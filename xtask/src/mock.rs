//! `cargo xtask mock`: a server of any document, before anybody has written one.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use frontdesk_document::Document;
use frontdesk_mock::{Mock, Settings, serve};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::command_line::MockArguments;
use crate::folder::FolderLoader;
use crate::{Exit, terminal};

/// Bytes of a thread's stack: schemas may be nested as deeply as documents.
const STACK: usize = 16 << 20;

/// Operations that are listed at the start.
const MOST_LISTED: usize = 40;

/// Reads the document, tells what is wrong with it, and serves it until Ctrl-C.
pub fn run(arguments: &MockArguments) -> Result<Exit> {
    let (spec, loader) = FolderLoader::given(arguments.file.as_deref())?;
    let color = terminal::color();
    let (document, diagnostics) = Document::read(&spec, &loader);
    terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
    let Some(document) = document else {
        terminal::say(&format!("`{spec}` was refused; nothing is served\n"))?;
        return Ok(Exit::Refused);
    };
    let mock = Mock::new(document, Settings { body_limit: arguments.body_limit })?;
    terminal::say(&mock.warnings().render(mock.warnings().sources(), color))?;
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .context("the server cannot be started")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(&arguments.listen).await.with_context(|| {
            format!("cannot listen on `{}`; choose another address with `--listen`", arguments.listen)
        })?;
        let address = listener.local_addr().context("the socket has no address")?;
        terminal::print(&told(&mock, &spec, &format!("http://{address}")))?;
        if !address.ip().is_loopback() {
            terminal::say("warning: other machines may be able to reach this address\n")?;
        }
        let stop = async {
            if tokio::signal::ctrl_c().await.is_err() {
                // Without the signal the process can still be ended by others.
                std::future::pending::<()>().await;
            }
        };
        serve(listener, mock.into_router(), stop).await.context("the server has ended")
    })?;
    Ok(Exit::Done)
}

/// Where what is served, and how to ask for it.
fn told(mock: &Mock, spec: &str, url: &str) -> String {
    let mut text = format!("`{spec}` is served at {url}\n");
    let bases: Vec<String> = mock.bases().iter().map(|base| format!("{url}{base}")).collect();
    if !bases.is_empty() {
        let _ = writeln!(text, "and, as its servers say, below {}", bases.join(", "));
    }
    text.push('\n');
    let count = mock.operations().count();
    for operation in mock.operations().take(MOST_LISTED) {
        let _ = writeln!(text, "  {:<7} {}", operation.method.as_str(), operation.path);
    }
    if count > MOST_LISTED {
        let _ = writeln!(text, "  and {} more", count - MOST_LISTED);
    }
    if let Some(sample) = mock.sample() {
        let _ = write!(
            text,
            "\ntry:\n  curl -i '{url}{sample}\n  curl -i '{url}{sample} -H 'Prefer: dynamic=true'\n"
        );
    }
    text.push_str(
        "\n`cargo xtask mock --help` tells what else a request may ask for; Ctrl-C ends the server\n",
    );
    text
}
