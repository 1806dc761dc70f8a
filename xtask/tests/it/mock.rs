//! Tests of `cargo xtask mock` as a process: its address, its responses, and its errors.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::Bench;

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200': {description: A pet, content: {application/json: {example: {name: Mia}}}}
";

/// A server that is stopped when the test ends, even if it fails.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_document_is_served_at_the_printed_address() {
    let bench = Bench::new().with("pets.yaml", PETS);
    let child = bench
        .command(&["mock", "pets.yaml", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut server = Server(child);
    let mut shown = BufReader::new(server.0.stdout.take().expect("it is piped"));
    let mut line = String::new();
    shown.read_line(&mut line).expect("UTF-8");
    let (_, address) = line.trim().rsplit_once("http://").expect("the first line tells the address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET /pets/7 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n{\"name\":\"Mia\"}"), "{answer}");
}

#[test]
fn errors_are_reported_with_their_exit_code() {
    let bench = Bench::new().with("pets.yaml", PETS).with("broken.yaml", "openapi: 2.0\n");
    for (arguments, code, shown) in [
        (["mock", "broken.yaml", "--listen", "127.0.0.1:0"], 2, "`broken.yaml` was rejected"),
        (["mock", "pets.yaml", "--listen", "nowhere"], 1, "choose another address with `--listen`"),
    ] {
        let output = bench.command(&arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(shown), "{errors}");
    }
}
