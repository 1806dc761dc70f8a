//! Set-up of logging.

use std::io::{self, IsTerminal, Write};

use frontdesk_store::without_addresses;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::platform::config::{Log, LogFormat};

/// Starts logging to standard error. A second call in the same process has no effect.
pub fn start(log: &Log) {
    let filter = EnvFilter::try_new(&log.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(WithoutAddresses(io::stderr));
    let started = match log.format {
        LogFormat::Json => {
            builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
        }
        LogFormat::Pretty => builder.try_init(),
    };
    if started.is_err() {
        tracing::debug!("logging is already set up");
    }
}

/// Writes lines without the e-mail addresses and phone numbers in them. Errors quote what others say, and a
/// mail server, for one, repeats the address of the recipient; whoever writes a line need not think of it.
#[derive(Debug, Clone)]
struct WithoutAddresses<W>(W);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for WithoutAddresses<M> {
    type Writer = WithoutAddresses<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        WithoutAddresses(self.0.make_writer())
    }
}

impl<W: Write> Write for WithoutAddresses<W> {
    /// Writes whole lines: the formatter hands each of them over at once.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.0.write_all(without_addresses(&String::from_utf8_lossy(lines)).as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_have_no_addresses_and_stay_json() {
        let lines = Lines::default();
        let made = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_writer(WithoutAddresses(move || made.clone()))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let error =
                "550 5.1.1 <ann@customer.example>: \"ann@customer.example\"\nunknown, call +49 170 1234567";
            tracing::warn!(error, recipient = "ann@customer.example", "to ann@customer.example");
        });
        let written = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let line: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert!(!written.contains("ann@") && !written.contains("1234567"), "{written}");
        assert_eq!(line["recipient"], "[address]");
        assert_eq!(line["error"], "550 5.1.1 <[address]>: \"[address]\"\nunknown, call [address]");
    }
}
