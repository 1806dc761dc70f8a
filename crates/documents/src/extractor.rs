//! Extraction in a child process, as the service uses it.

use std::{
    ffi::OsString,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::Arc,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
    sync::Semaphore,
    time::timeout,
};

use crate::{
    document::Document,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    protocol::{Request, Response},
    sniff::sniff,
};

/// Bytes of standard error that are kept to find the reason of a crash.
const MAX_STDERR_BYTES: u64 = 8 * 1024;
/// Bytes of JSON for each character of text: escapes and the kinds of blocks.
const JSON_BYTES_PER_CHAR: u64 = 8;

/// Reads files in child processes, a limited number at a time. Clones share that number.
#[derive(Debug, Clone)]
pub struct Extractor {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
    slots: Arc<Semaphore>,
}

impl Extractor {
    /// Returns an extractor that starts `program` with `arguments`, which must call
    /// [`run_child`](crate::run_child); at most `concurrency` of them run at a time.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        limits: Limits,
        concurrency: usize,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            limits,
            slots: Arc::new(Semaphore::new(concurrency.clamp(1, Semaphore::MAX_PERMITS))),
        }
    }

    /// Returns the limits of one extraction.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reads a file. Waits while too many others are read. If the future is dropped, the child is killed.
    pub async fn extract(&self, bytes: &[u8], file_name: &str) -> Result<Document, ExtractError> {
        if bytes.len() as u64 > self.limits.input_bytes {
            return Err(ExceededLimit::InputBytes(self.limits.input_bytes).into());
        }
        // A file that the child would refuse at first sight needs no child.
        sniff(bytes, file_name)?;
        let _slot = self.slots.acquire().await.map_err(|error| system(&error))?;
        let mut child = self.start().map_err(|error| system(&error))?;
        match timeout(self.limits.wall_clock, self.converse(&mut child, bytes, file_name)).await {
            Ok(result) => result,
            Err(_) => {
                tracing::warn!("an extraction was stopped at its time limit");
                // It is killed when it is dropped, too; this also waits for its end.
                let _ = child.kill().await;
                Err(ExceededLimit::Time.into())
            }
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            // Secrets of the service are in its environment.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }

    async fn converse(
        &self,
        child: &mut Child,
        bytes: &[u8],
        file_name: &str,
    ) -> Result<Document, ExtractError> {
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ExtractError::System { detail: "the child process has no pipes".to_owned() });
        };
        let request =
            Request { file_name: shortened(file_name), limits: self.limits, bytes: bytes.len() as u64 };
        let mut head = serde_json::to_vec(&request).map_err(|error| system(&error))?;
        head.push(b'\n');
        let write = async {
            // A child that ends early has its reasons; they are in its result.
            let _ = stdin.write_all(&head).await;
            let _ = stdin.write_all(bytes).await;
            drop(stdin);
        };
        let most =
            (self.limits.output_chars as u64).saturating_mul(JSON_BYTES_PER_CHAR).saturating_add(64 * 1024);
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let (mut stdout, mut stderr) = (stdout.take(most + 1), stderr.take(MAX_STDERR_BYTES));
        let ((), read, _) =
            tokio::join!(write, stdout.read_to_end(&mut output), stderr.read_to_end(&mut complaint));
        read.map_err(|error| system(&error))?;
        if output.len() as u64 > most {
            return Err(ExceededLimit::OutputChars(self.limits.output_chars).into());
        }
        // A child that filled a pipe nobody reads any more would wait for ever.
        drop((stdout, stderr));
        let status = child.wait().await.map_err(|error| system(&error))?;
        if status.success() {
            let response: Response = serde_json::from_slice(&output).map_err(|error| system(&error))?;
            return response;
        }
        Err(reason(status, &String::from_utf8_lossy(&complaint)))
    }
}

/// Returns why a child ended without a result.
fn reason(status: ExitStatus, complaint: &str) -> ExtractError {
    const SIGKILL: i32 = 9;
    const SIGXCPU: i32 = 24;
    tracing::warn!(%status, complaint, "an extraction ended without a result");
    if complaint.contains("memory allocation of") || complaint.contains("capacity overflow") {
        return ExceededLimit::Memory.into();
    }
    if complaint.contains("has overflowed its stack") {
        return ExceededLimit::Recursion.into();
    }
    match status.signal() {
        // The limit of processor time ends with SIGXCPU, or with SIGKILL where both of its bounds are the
        // same.
        Some(SIGXCPU | SIGKILL) => ExceededLimit::Time.into(),
        Some(_) => ExtractError::Crashed,
        // It wrote nothing, so it did not get as far as the file.
        None => {
            ExtractError::System { detail: format!("the child process ended with {status}: {complaint}") }
        }
    }
}

/// Returns the end of a name, which has the extension.
fn shortened(file_name: &str) -> String {
    const MAX_CHARS: usize = 255;
    let skipped = file_name.chars().count().saturating_sub(MAX_CHARS);
    file_name.chars().skip(skipped).collect()
}

fn system(error: &dyn std::error::Error) -> ExtractError {
    ExtractError::System { detail: error.to_string() }
}
