//! `mock`: serves a document before there is an implementation.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use frontdesk_document::Document;
use frontdesk_mock::{Mock, Settings, serve};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::command_line::MockArguments;
use crate::contract::Contract;
use crate::{Exit, Program, terminal};

/// The stack size of a thread in bytes, enough for deeply nested schemas.
const STACK: usize = 16 << 20;

/// The maximum number of operations listed at the start.
const MAX_LISTED: usize = 40;

/// Reads the document, prints its diagnostics, and serves it until Ctrl-C.
pub fn run(program: &Program, arguments: &MockArguments) -> Result<Exit> {
    let Contract { spec, loader, .. } = Contract::given(program, arguments.file.as_deref())?;
    let color = terminal::color();
    let (document, diagnostics) = Document::read(&spec, &loader);
    terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
    let Some(document) = document else {
        terminal::say(&format!("`{spec}` was rejected; nothing is served\n"))?;
        return Ok(Exit::Rejected);
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
        terminal::print(&describe(program, &mock, &spec, &format!("http://{address}")))?;
        if !address.ip().is_loopback() {
            terminal::say("warning: other machines may be able to reach this address\n")?;
        }
        let stop = async {
            if tokio::signal::ctrl_c().await.is_err() {
                // Without the signal handler, the process can still be killed.
                std::future::pending::<()>().await;
            }
        };
        serve(listener, mock.into_router(), stop).await.context("the server failed")
    })?;
    Ok(Exit::Done)
}

/// Describes the served operations, with examples of calls.
fn describe(program: &Program, mock: &Mock, spec: &str, url: &str) -> String {
    let mut text = format!("`{spec}` is served at {url}\n");
    let bases: Vec<String> = mock.bases().iter().map(|base| format!("{url}{base}")).collect();
    if !bases.is_empty() {
        let _ =
            writeln!(text, "It is also served below {}, the base paths of its servers.", bases.join(", "));
    }
    text.push('\n');
    let count = mock.operations().count();
    for operation in mock.operations().take(MAX_LISTED) {
        let _ = writeln!(text, "  {:<7} {}", operation.method.as_str(), operation.path);
    }
    if count > MAX_LISTED {
        let _ = writeln!(text, "  and {} more", count - MAX_LISTED);
    }
    if let Some(sample) = mock.sample() {
        let _ = write!(
            text,
            "\nTry:\n  curl -i '{url}{sample}\n  curl -i '{url}{sample} -H 'Prefer: dynamic=true'\n"
        );
    }
    let command = program.command;
    let _ =
        writeln!(text, "\n`{command} mock --help` lists more options of requests; Ctrl-C stops the server");
    text
}
