//! The files that the page loads.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::GzDecoder;

/// A file that the page loads.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The path relative to the page, with `/` as the separator.
    pub path: &'static str,
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub content: Content,
}

/// The content of a file in this binary.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Plain text.
    Text(&'static str),
    /// Compressed, because it is large: the bytes of a gzip file (RFC 1952).
    Gzip(&'static [u8]),
}

impl Content {
    /// Returns the text. Compressed content is decompressed at each call.
    ///
    /// # Panics
    ///
    /// Never: the compressed content is part of this crate, and a test reads all of it.
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Gzip(bytes) => {
                let mut text = String::new();
                GzDecoder::new(bytes).read_to_string(&mut text).expect("the vendored file is text");
                Cow::Owned(text)
            }
        }
    }
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(crate) const ICON: Asset = Asset {
    path: "docs/icon.svg",
    media_type: "image/svg+xml",
    content: Content::Text(include_str!("../page/icon.svg")),
};

pub(crate) const STYLE: Asset = Asset {
    path: "docs/page.css",
    media_type: "text/css; charset=utf-8",
    content: Content::Text(include_str!("../page/page.css")),
};

pub(crate) const SCALAR: Asset = Asset {
    path: "docs/scalar.js",
    media_type: SCRIPT,
    content: Content::Gzip(include_bytes!("../vendor/scalar/scalar.js.gz")),
};

pub(crate) const LICENSE: Asset = Asset {
    path: "docs/scalar.license.txt",
    media_type: "text/plain; charset=utf-8",
    content: Content::Text(include_str!("../vendor/scalar/LICENSE")),
};

pub(crate) const START: Asset = Asset {
    path: "docs/page.js",
    media_type: SCRIPT,
    content: Content::Text(include_str!("../page/page.js")),
};
