//! The child process: limits itself, reads one file, writes the result.

use std::{
    fs::File,
    io::{self, BufRead, Read, Write},
    os::fd::AsFd,
    panic::{AssertUnwindSafe, catch_unwind},
};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::{
    error::ExtractError,
    extract::extract,
    limits::Limits,
    protocol::{MAX_REQUEST_BYTES, Request, Response},
};

/// Files that the child may have open: standard input, output and error, the copy of the output, and one
/// more.
const MAX_OPEN_FILES: u64 = 8;

/// Why the child cannot do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// Standard input or output failed.
    #[error("standard input or output failed")]
    Io(#[from] io::Error),
    /// The operating system refused a limit.
    #[error("the limits of the process cannot be set")]
    Limits(#[source] io::Error),
    /// The request is not one.
    #[error("the request cannot be read; this command is started by the service")]
    Request(#[from] serde_json::Error),
}

/// Reads one file from `stdin` as [`Extractor`](crate::Extractor) writes it, and writes the result to
/// `stdout`.
///
/// It limits memory, processor time, files and processes of the whole process for good, and sends what
/// libraries print to the null device, so it must be everything that the process does.
pub fn run_child(stdin: impl Read, stdout: impl AsFd) -> Result<(), ChildError> {
    let mut result = File::from(stdout.as_fd().try_clone_to_owned()?);
    // A library that prints would garble the result.
    let null = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null).map_err(io::Error::from)?;
    drop(null);

    let mut stdin = io::BufReader::new(stdin);
    let mut line = Vec::new();
    (&mut stdin).take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line)?;
    let request: Request = serde_json::from_slice(&line)?;
    limit_process(&request.limits).map_err(ChildError::Limits)?;

    let mut bytes = Vec::new();
    stdin.take(request.bytes.min(request.limits.input_bytes.saturating_add(1))).read_to_end(&mut bytes)?;
    // A panic is a result; its text is of no use to customers.
    std::panic::set_hook(Box::new(|_| {}));
    let response: Response =
        catch_unwind(AssertUnwindSafe(|| extract(&bytes, &request.file_name, &request.limits)))
            .unwrap_or(Err(ExtractError::Crashed));
    serde_json::to_writer(&mut result, &response)?;
    result.flush()?;
    Ok(())
}

fn limit_process(limits: &Limits) -> io::Result<()> {
    let limits = [
        (Resource::As, limits.memory_bytes),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Fsize, 0),
        (Resource::Nofile, MAX_OPEN_FILES),
        (Resource::Nproc, 0),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
