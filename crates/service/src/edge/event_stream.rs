//! Server-sent events as they are sent: their media type, and how a stream ends that has failed.

/// The media type of server-sent events.
pub(crate) const MEDIA_TYPE: &str = "text/event-stream";
/// The type of the event that ends a stream without its result.
pub(crate) const FAILED: &str = "error";

/// Returns whether a stream, as it was sent, ended without its result.
pub(crate) fn is_failed(sent: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(sent) else { return true };
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.lines().any(|line| line.strip_prefix("event:").is_some_and(|kind| kind.trim() == FAILED))
}

#[cfg(test)]
mod tests {
    use super::is_failed;

    #[test]
    fn a_stream_has_failed_if_its_last_event_says_so() {
        let text = "event: text\ndata: {\"type\":\"text\",\"text\":\"event: error\"}\n\n";
        let failed = "event: error\ndata: {\"type\":\"error\",\"message\":\"x\"}\n\n";
        let answered = "event: answer\ndata: {\"type\":\"answer\"}\n\n";
        assert!(is_failed(format!("{text}{failed}").as_bytes()));
        assert!(!is_failed(format!("{text}{answered}").as_bytes()));
        assert!(!is_failed(text.as_bytes()));
    }
}
