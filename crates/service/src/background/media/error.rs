//! [`MediaError`]: why an image or a recording has no text.

use frontdesk_documents::{DocumentKind, ExtractError};

/// Why an image or a recording has no text.
///
/// The messages are for the owner of the file. Details are for the log: they may name internal addresses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MediaError {
    /// No model reads such a file, or it exceeds a limit.
    #[error(transparent)]
    File(#[from] ExtractError),
    /// The model recognized nothing.
    #[error("{}", match kind {
        DocumentKind::Audio => "No speech was recognized in the recording.",
        _ => "No text was recognized in the image, and nothing that could be described.",
    })]
    Empty {
        /// Image or audio.
        kind: DocumentKind,
    },
    /// The model does not take this file.
    #[error(
        "The model that reads {}s did not accept the file. It may be damaged, or show something that the model does not process. Save it in another format, and upload it again.",
        noun(*kind)
    )]
    Refused {
        /// Image or audio.
        kind: DocumentKind,
        /// How it refused.
        detail: String,
    },
    /// The model stopped before the end of the text.
    #[error("The image has more text than the model may write. Split it into several images.")]
    TooLong,
    /// The model cannot be used at the moment; the file may be fine.
    #[error(
        "The {} could not be read because the model for it did not respond or failed. To have it read again later, replace its content with the same file.",
        noun(*kind)
    )]
    Unavailable {
        /// Image or audio.
        kind: DocumentKind,
        /// What failed.
        detail: String,
    },
}

impl MediaError {
    /// Returns the name of the reason, as in `last_error.code`.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Empty { .. } => "no_text",
            Self::Refused { .. } | Self::Unavailable { .. } => "extractor_failed",
            Self::TooLong => "extractor_limit",
        }
    }

    /// Returns whether the installation does not read such files at all, whatever their content.
    pub(crate) const fn is_unread_type(&self) -> bool {
        matches!(self, Self::File(ExtractError::NoExtractor { .. } | ExtractError::UnsupportedType { .. }))
    }
}

const fn noun(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Audio => "recording",
        _ => "image",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_out_details() {
        let detail = || "could not connect to 10.0.0.5: connection refused".to_owned();
        for (kind, noun) in [(DocumentKind::Image, "image"), (DocumentKind::Audio, "recording")] {
            for error in [
                MediaError::Unavailable { kind, detail: detail() },
                MediaError::Refused { kind, detail: detail() },
            ] {
                let message = error.to_string();
                assert!(message.contains(noun) && !message.contains("10.0.0.5"), "{message}");
                assert_eq!((error.code(), error.is_unread_type()), ("extractor_failed", false));
            }
        }
    }
}
