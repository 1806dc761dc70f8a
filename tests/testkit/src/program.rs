//! Programs that tests write and start.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program through another process. If this one wrote it, a process that another test starts
/// meanwhile would inherit the open file, and the system does not run a program that is open for writing
/// ("Text file busy").
///
/// # Panics
///
/// If the file cannot be written.
pub fn write(path: &Path, program: &[u8]) {
    let mut writer = Command::new("/bin/sh")
        .args(["-c", r#"cat >"$0" && chmod +x "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(program).unwrap();
    assert!(writer.wait().unwrap().success(), "{} cannot be written", path.display());
}
