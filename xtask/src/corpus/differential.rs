//! `cargo xtask corpus --differential`: sends the same requests to the mock of a document and to the server
//! generated from it, and the responses of the mock to the generated client.
//!
//! Both servers must accept the same requests, refuse the others with the same status and the same fields,
//! and accept what the document allows. The generated server runs with handlers that only report that they
//! were reached, and with an authenticator that accepts every credential, as the mock does.
//!
//! - [`requests`]: the requests ([`case`]), which are derived from the document; `draft`, `encoding`,
//!   `payloads` and `credentials` write them without the code under test.
//! - [`stated`]: requests beside the document, whose results a person has derived from the specifications.
//! - [`program`]: the program with the generated server and the readers of the generated client.
//! - [`exchange`]: HTTP over a socket.
//! - [`judgement`]: what a server makes of a request, and the disagreements; [`exceptions`]: those that are
//!   meant.

pub mod case;
mod credentials;
mod draft;
mod encoding;
pub mod exceptions;
pub mod exchange;
pub mod judgement;
mod payloads;
pub mod program;
pub mod requests;
pub mod stated;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Child;

use anyhow::{Context, Result, ensure};
use frontdesk_codegen::fileset::FileSet;
use frontdesk_disk::relative;
use frontdesk_document::Document as Tree;
use frontdesk_mock::{Mock, Settings};
use fs_err as fs;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use self::case::{Case, Expected, Skipped};
use self::exchange::{Request, Response, send};
use self::judgement::{Judgement, Meant, Verdict};
use self::program::{Crates, Program};
use self::requests::Requests;

use super::check::Compiler;
use super::documents::{self, Document};

/// The folder of the programs, below the folder of the crates.
const PROGRAMS: &str = "differential";
/// The stack size of the mock's threads in bytes, enough for deeply nested schemas.
const STACK: usize = 16 << 20;
/// The largest body that both servers read, in bytes.
const BODY_LIMIT: usize = 1 << 20;

/// The outcome of a differential test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferentialOutcome {
    /// No disagreements.
    Agrees {
        /// The number of requests.
        requests: usize,
        /// The number of responses that the client has read.
        responses: usize,
        /// The disagreements that are meant.
        meant: Meant,
        /// The operations for which no request was made.
        skipped: Vec<Skipped>,
    },
    /// Disagreements, which are in this file.
    Differs {
        /// The number of requests and responses with a disagreement.
        differences: usize,
        /// The file with the disagreements.
        log: String,
    },
    /// The program did not compile or stopped early; the output is in this file.
    Failed {
        /// The log file.
        log: String,
    },
}

/// Tests the documents of one corpus.
#[derive(Clone, Debug)]
pub struct Differential {
    compiler: Compiler,
    out: PathBuf,
    runtime: PathBuf,
}

impl Differential {
    /// Prepares tests of documents generated below `out`, with the runtime crate in `runtime`.
    pub fn new(out: &Path, runtime: &Path, compiler: Compiler) -> Self {
        Self { compiler, out: out.to_owned(), runtime: runtime.to_owned() }
    }

    /// Writes the program of one document. `files` are the files of the document, which are on disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be written.
    pub fn write(&self, document: &Document, files: &FileSet) -> Result<()> {
        let program = Program::new(&self.out.join(PROGRAMS), &document.name);
        let crates = Crates {
            generated: relative(program.folder(), &self.out.join(&document.name)),
            runtime: relative(program.folder(), &self.runtime),
        };
        program.write(&program::texts(&document.name, files, &crates)?)
    }

    /// Compiles the [written](Self::write) programs of some documents together. [`run`](Self::run) reports
    /// those that do not compile.
    ///
    /// # Errors
    ///
    /// Returns an error if the compiler cannot be started.
    pub fn compile(&self, documents: &[Document]) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        let log = self.out.join("differential.log");
        program::build_all(&self.out.join(PROGRAMS), &names, &self.compiler, &log)
    }

    /// Tests one document, whose program is [written](Self::write).
    ///
    /// # Errors
    ///
    /// Returns an error if a server cannot be started or the document cannot be read again.
    pub fn run(&self, corpus: &Path, document: &Document) -> Result<DifferentialOutcome> {
        let file = |extension: &str| self.out.join(format!("{}.{extension}", document.name));
        let (log, report) = (file("differential.log"), file("disagreements"));
        let program = Program::new(&self.out.join(PROGRAMS), &document.name);
        if !program.build(&self.compiler, &log)? {
            return Ok(DifferentialOutcome::Failed { log: log.display().to_string() });
        }
        let tree = read(corpus, document)?;
        let Requests { mut cases, skipped } = requests::of(&tree)?;
        cases.extend(stated::read(&corpus.join(&document.file))?.cases);
        let statuses = statuses(&tree);
        let mock = RunningMock::start(tree)?;
        let mut verdict = Verdict { skipped, ..Verdict::default() };
        let mut replies = Vec::new();
        {
            let server = RunningServer::start(&program, &log)?;
            for case in &cases {
                let declared = statuses.iter().find(|(operation, _)| *operation == case.operation);
                let declared = declared.map_or(&[] as &[String], |(_, keys)| keys);
                judge(case, declared, &mock, &server, &mut verdict, &mut replies);
            }
        }
        replies.extend(declared_replies(&cases, &statuses, &mock));
        Self::read(&program, &replies, &log, &mut verdict)?;
        fs::write(&report, verdict.to_string())?;
        Ok(match verdict.count() {
            0 => DifferentialOutcome::Agrees {
                requests: verdict.requests,
                responses: verdict.responses,
                meant: verdict.meant,
                skipped: verdict.skipped,
            },
            differences => DifferentialOutcome::Differs { differences, log: report.display().to_string() },
        })
    }

    /// Gives responses of the mock to the generated client.
    fn read(program: &Program, replies: &[Reply], log: &Path, verdict: &mut Verdict) -> Result<()> {
        let lines: String = replies.iter().map(|reply| format!("{}\n", reply.to_json())).collect();
        let results = program.read(&lines, log)?;
        ensure!(results.len() == replies.len(), "the client stopped early; see `{}`", log.display());
        verdict.responses = replies.len();
        for (reply, result) in replies.iter().zip(results) {
            if let Some(reason) = result.strip_prefix('-') {
                let Reply { operation, response, .. } = reply;
                if response.header("x-mock-warning").is_some() {
                    *verdict.meant.entry(exceptions::WARNED).or_default() += 1;
                    continue;
                }
                let body: String = String::from_utf8_lossy(&response.body).chars().take(400).collect();
                verdict.unreadable.push(format!(
                    "the client cannot read a response: {operation}, {}: {reason}\n  {body}",
                    response.status
                ));
            }
        }
        Ok(())
    }
}

/// Sends the stated requests of a document to its mock, without a compiler, and returns those that
/// it judges in another way.
///
/// # Errors
///
/// Returns an error if a file cannot be read or the mock cannot be started.
pub fn misjudged_by_mock(corpus: &Path, document: &Document) -> Result<Vec<String>> {
    let mock = RunningMock::start(read(corpus, document)?)?;
    let mut misjudged = Vec::new();
    for case in stated::read(&corpus.join(&document.file))?.cases {
        let judged = Judgement::of_mock(&send(mock.address, &of_one_seed(&case.request))?);
        let is_right = match case.expected {
            Expected::Reached => matches!(judged, Judgement::Accepted(_)),
            Expected::Refused => matches!(judged, Judgement::Refused { .. }),
            Expected::Same | Expected::Unchecked => true,
        };
        if !is_right {
            misjudged
                .push(format!("{}, {}: the mock {judged}: {}", document.name, case.purpose, case.request));
        }
    }
    Ok(misjudged)
}

fn read(corpus: &Path, document: &Document) -> Result<Tree> {
    let (tree, _) = Tree::read(&document.file, &documents::loader(corpus));
    tree.with_context(|| format!("`{}` cannot be read", document.file))
}

/// Returns the request to which the mock responds in the same way each time.
fn of_one_seed(request: &Request) -> Request {
    let mut request = request.clone();
    request.headers.push(("Prefer".to_owned(), "seed=1".to_owned()));
    request
}

/// A response of the mock, for the client.
struct Reply {
    operation: String,
    response: Response,
}

impl Reply {
    fn to_json(&self) -> Value {
        let Response { status, headers, body } = &self.response;
        json!({ "operation": self.operation, "status": status, "headers": headers, "body": body })
    }
}

fn judge(
    case: &Case,
    declared: &[String],
    mock: &RunningMock,
    server: &RunningServer,
    verdict: &mut Verdict,
    replies: &mut Vec<Reply>,
) {
    let (of_mock, of_server) =
        (send(mock.address, &of_one_seed(&case.request)), send(server.address, &case.request));
    // Without a body that the program can make, the server has no response, and so no header.
    let is_unwritten = of_server.as_ref().is_ok_and(Response::is_unwritten);
    let allow = |response: &Result<Response>| {
        let response = response.as_ref().ok().filter(|_| !is_unwritten)?;
        response.header("allow").map(str::to_owned)
    };
    let allowed = [allow(&of_mock), allow(&of_server)];
    let failed = |error: &anyhow::Error| Judgement::Failed(format!("{error:#}"));
    let judged = of_mock.as_ref().map_or_else(failed, Judgement::of_mock);
    if let (Judgement::Accepted(_), Ok(response)) = (&judged, of_mock)
        && !case.operation.is_empty()
        && case.expected == Expected::Reached
        && case.request.method != "HEAD"
    {
        replies.push(Reply { operation: case.operation.clone(), response });
    }
    let by_server = of_server.as_ref().map_or_else(failed, Judgement::of_server);
    let allowed = [allowed[0].as_deref(), allowed[1].as_deref()];
    verdict.add(case, declared, [judged, by_server], allowed, exceptions::of);
}

/// Returns the statuses that each operation declares, as keys under `responses`.
fn statuses(document: &Tree) -> Vec<(String, Vec<String>)> {
    let keys = |operation: &frontdesk_document::Operation<'_>| {
        operation.responses().map(|(status, _)| status.text.to_owned()).collect()
    };
    document.operations().map(|operation| (operation.name(), keys(&operation))).collect()
}

/// Returns generated responses of the mock for every status that an operation declares.
fn declared_replies(cases: &[Case], statuses: &[(String, Vec<String>)], mock: &RunningMock) -> Vec<Reply> {
    const SEEDS: u64 = 3;
    let mut replies = Vec::new();
    let mut seen = BTreeSet::new();
    for case in cases.iter().filter(|case| case.expected == Expected::Reached) {
        if !seen.insert(&case.operation) {
            continue;
        }
        let declared = statuses.iter().filter(|(operation, _)| *operation == case.operation);
        for status in declared.flat_map(|(_, keys)| keys) {
            for seed in 0..=SEEDS {
                let dynamic = if seed == 0 { "" } else { ", dynamic=true" };
                let prefer = format!("code={status}{dynamic}, seed={seed}");
                let mut request: Request = case.request.clone();
                request.headers.push(("Prefer".to_owned(), prefer));
                let Ok(response) = send(mock.address, &request) else { continue };
                if response.header("preference-applied").is_some() {
                    replies.push(Reply { operation: case.operation.clone(), response });
                }
            }
        }
    }
    replies
}

/// The mock of a document, in this process.
struct RunningMock {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl RunningMock {
    fn start(document: Tree) -> Result<Self> {
        let router = Mock::new(document, Settings { body_limit: BODY_LIMIT })?.into_router();
        let runtime =
            Builder::new_multi_thread().worker_threads(2).enable_all().thread_stack_size(STACK).build()?;
        let listener =
            runtime.block_on(TcpListener::bind("127.0.0.1:0")).context("the mock cannot listen")?;
        let address = listener.local_addr()?;
        runtime.spawn(frontdesk_mock::serve(listener, router, std::future::pending()));
        Ok(Self { address, runtime: Some(runtime) })
    }
}

impl Drop for RunningMock {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The generated server, in a process of its own.
struct RunningServer {
    address: SocketAddr,
    child: Child,
}

impl RunningServer {
    fn start(program: &Program, log: &Path) -> Result<Self> {
        let mut child = program.serve(log)?;
        let output = child.stdout.take().context("the program has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        match line.trim().parse() {
            Ok(address) => Ok(Self { address, child }),
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                anyhow::bail!("the generated server did not start; see `{}`", log.display())
            }
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
