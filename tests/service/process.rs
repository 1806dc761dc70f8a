//! [`Process`]: the service as a separate process, which a test can stop or kill.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread::{self, JoinHandle},
};

use frontdesk_testkit::postgres::CONNECTIONS;
use serde_json::Value;

use crate::{
    database::Database,
    installation::{SITES, UNLIMITED},
};

/// `frontdesk serve`, running.
pub(crate) struct Process {
    pub(crate) address: SocketAddr,
    child: Guard,
    log: Arc<Mutex<Vec<String>>>,
    reader: JoinHandle<()>,
}

/// A process that ends with the test.
pub(crate) struct Guard(pub(crate) Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Guard {
    /// Sends the process a signal, such as `-TERM`.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

impl Process {
    /// Starts the service; it listens when this returns.
    pub(crate) fn start(database: &Database, more: &[&str]) -> Self {
        Self::start_in(database, more, &[])
    }

    /// As [`start`](Self::start), with these variables in its environment.
    pub(crate) fn start_in(database: &Database, more: &[&str], variables: &[(&str, &str)]) -> Self {
        let unlimited = UNLIMITED.to_string();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json"];
        let mut command = command(&database.url, database.folder(), &serve);
        command
            .args(["--database-connections", &CONNECTIONS.to_string()])
            .args(["--allow-network", SITES])
            .args([
                "--webhook-allow-network",
                SITES,
                "--webhook-allow-http",
                "--webhook-tests-per-minute",
                &unlimited,
            ])
            // Whether vectors exist already would depend on the speed of the machine.
            .args(["--search-model", "none"])
            .args(["--requests-per-key", &unlimited, "--failed-attempts", &unlimited])
            .args(["--replies-per-client", &unlimited, "--replies-per-chatbot", &unlimited])
            .args(more)
            // What hangs in a test is not waited for when it ends, unless a flag says so.
            .env("FRONTDESK_JOBS_DRAIN_TIMEOUT_SECONDS", "2")
            .envs(variables.iter().copied());
        Self::listening(command)
    }

    /// Runs a command that serves and logs as JSON. It listens when this returns.
    pub(crate) fn listening(mut command: Command) -> Self {
        let mut child = Guard(command.stderr(Stdio::piped()).spawn().unwrap());
        let lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (listening, address) = mpsc::channel();
        let kept = Arc::clone(&log);
        let reader = thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let event: Value = serde_json::from_str(&line).unwrap_or_default();
                if event["message"] == "listening" {
                    let url = event["address"].as_str().unwrap();
                    let (_, address) = url.split_once("://").unwrap();
                    // Nobody waits for it if the test has failed meanwhile.
                    let _ = listening.send(address.parse().unwrap());
                }
                kept.lock().unwrap().push(line);
            }
        });
        match address.recv() {
            Ok(address) => Self { address, child, log, reader },
            Err(mpsc::RecvError) => {
                panic!("it ended before it listened:\n{}", log.lock().unwrap().join("\n"))
            }
        }
    }

    /// `kill -9`: not one more instruction of it is run.
    pub(crate) fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// Asks it to end.
    pub(crate) fn terminate(&self) {
        self.child.signal("-TERM");
    }

    /// Asks it to end by a signal. Returns how it ended, and all that it has logged.
    pub(crate) fn end(mut self, signal: &str) -> (ExitStatus, Vec<String>) {
        self.child.signal(signal);
        let status = self.child.0.wait().unwrap();
        self.reader.join().unwrap();
        (status, self.log.lock().unwrap().clone())
    }

    /// How it ended, once it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.0.try_wait().unwrap()
    }

    /// The most memory that it has had at a time, in bytes, where the system tells.
    pub(crate) fn peak_memory(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// The memory that it has now, in bytes, where the system tells.
    pub(crate) fn memory(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// The time that it has used of a core, where the system tells.
    pub(crate) fn processor_time(&self) -> Option<std::time::Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.0.id())).ok()?;
        // The name before the last bracket may contain spaces. Then user and system time are the 12th and
        // 13th field, in 1/100 s.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
        Some(std::time::Duration::from_millis(ticks * 10))
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

/// What a command of administration tells as JSON.
///
/// The command may wait for a transaction of this process, which must go on meanwhile.
pub(crate) async fn administer(database: &Database, arguments: &[&str]) -> Value {
    let command = command(&database.url, database.folder(), arguments);
    tokio::task::spawn_blocking(move || json_output(command)).await.unwrap()
}

/// Runs a command that must succeed, and returns its output as JSON.
pub(crate) fn json_output(mut command: Command) -> Value {
    let output = command.arg("--json").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The program, working on a database and in a folder, without the settings of whoever runs the tests.
pub(crate) fn command(database: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = bare_command(folder);
    command.args(arguments).args(["--database", database]);
    command
}

/// The program without arguments, in a folder, without the settings of whoever runs the tests.
pub(crate) fn bare_command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk-under-test"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FRONTDESK_")) {
        command.env_remove(name);
    }
    command.current_dir(folder);
    command
}
