//! `winmail.dat`: the format in which Outlook wraps attachments for other Outlooks (MS-OXTNEF).

use crate::{
    charset::{self, Charset},
    lzfu, rtf,
};

/// A file within the wrapper.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File<'a> {
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
}

/// What a wrapper contains.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrapped<'a> {
    pub(crate) files: Vec<File<'a>>,
    /// The text of the message: the plain one, else that of RTF.
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
    /// There is a text that cannot be read, and no other one.
    pub(crate) lacks_text: bool,
}

/// The texts among the properties of a message.
#[derive(Debug, Default)]
struct Texts {
    plain: Option<String>,
    html: Option<String>,
    rich: Option<String>,
    is_unreadable: bool,
}

const SIGNATURE: u32 = 0x223e_9f78;
const BODY: u32 = 0x0002_800c;
const CODE_PAGE: u32 = 0x0006_9007;
const RENDERING: u32 = 0x0006_9002;
const TITLE: u32 = 0x0001_8010;
const DATA: u32 = 0x0006_800f;
const PROPERTIES: u32 = 0x0006_9005;
const MESSAGE_PROPERTIES: u32 = 0x0006_9003;

/// `PidTagBody`, `PidTagBodyHtml`, `PidTagRtfCompressed` and `PidTagAttachLongFilename`.
const PLAIN_TEXT: u16 = 0x1000;
const HTML_TEXT: u16 = 0x1013;
const RICH_TEXT: u16 = 0x1009;
const LONG_NAME: u16 = 0x3707;

/// Most attributes that are read.
const MAX_ATTRIBUTES: usize = 10_000;

/// Returns whether bytes begin as a wrapper does.
pub(crate) fn is_wrapper(bytes: &[u8]) -> bool {
    bytes.starts_with(&SIGNATURE.to_le_bytes())
}

/// Reads a wrapper. Returns `None` if it is none, or is damaged before its first file and its text.
pub(crate) fn read(bytes: &[u8]) -> Option<Wrapped<'_>> {
    let mut rest = Bytes(bytes);
    if rest.u32()? != SIGNATURE {
        return None;
    }
    rest.take(2)?;
    let mut wrapped = Wrapped::default();
    let mut encoding = Charset::Web(encoding_rs::WINDOWS_1252);
    let (mut name, mut long_name, mut data) = (None, None, None);
    let mut texts = Texts::default();
    for _ in 0..MAX_ATTRIBUTES {
        let Some((id, value)) = rest.attribute() else { break };
        match id {
            CODE_PAGE => {
                encoding = Bytes(value).u32().and_then(charset::of_code_page).unwrap_or(encoding);
            }
            BODY => wrapped.text = Some(text(value, encoding)).filter(|text| !text.trim().is_empty()),
            RENDERING => {
                push(&mut wrapped.files, name.take(), long_name.take(), data.take());
            }
            TITLE => name = Some(text(value, encoding)),
            DATA => data = Some(value),
            PROPERTIES => long_name = long_file_name(value, encoding),
            MESSAGE_PROPERTIES => texts = message_texts(value, encoding),
            _ => {}
        }
    }
    push(&mut wrapped.files, name, long_name, data);
    wrapped.html = texts.html;
    wrapped.text = wrapped.text.or(texts.plain);
    if wrapped.html.is_none() {
        wrapped.text = wrapped.text.or(texts.rich);
    }
    let has_text = wrapped.text.is_some() || wrapped.html.is_some();
    wrapped.lacks_text = texts.is_unreadable && !has_text;
    (!wrapped.files.is_empty() || has_text).then_some(wrapped)
}

fn push<'a>(
    files: &mut Vec<File<'a>>,
    name: Option<String>,
    long_name: Option<String>,
    data: Option<&'a [u8]>,
) {
    if let Some(bytes) = data {
        files.push(File { name: long_name.or(name).unwrap_or_default(), bytes });
    }
}

/// Returns the long name of a file; the title is cut to eight characters and three by old versions.
fn long_file_name(bytes: &[u8], encoding: Charset) -> Option<String> {
    let mut name = None;
    properties(bytes, &mut |property| {
        if property.id == LONG_NAME && name.is_none() {
            name = Some(property.text(encoding)).filter(|name| !name.is_empty());
        }
    });
    name
}

fn message_texts(bytes: &[u8], encoding: Charset) -> Texts {
    let mut texts = Texts::default();
    let some = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    properties(bytes, &mut |property| match property.id {
        PLAIN_TEXT => texts.plain = some(property.text(encoding)),
        HTML_TEXT if property.is_utf16() => texts.html = some(property.text(encoding)),
        HTML_TEXT => {
            let stated = charset::stated_in(&property.value[..property.value.len().min(2_048)]);
            texts.html = some(text(property.value, stated.unwrap_or(encoding)));
        }
        RICH_TEXT => {
            texts.rich = lzfu::decompress(property.value)
                .filter(|rich| rtf::is_rtf(rich))
                .and_then(|rich| some(rtf::to_text(&rich)));
            texts.is_unreadable = texts.rich.is_none() && !property.value.is_empty();
        }
        _ => {}
    });
    texts
}

/// A property of a message or of a file.
struct Property<'a> {
    id: u16,
    kind: u16,
    value: &'a [u8],
}

impl Property<'_> {
    fn is_utf16(&self) -> bool {
        self.kind & 0x0fff == 0x001f
    }

    fn text(&self, encoding: Charset) -> String {
        text(self.value, if self.is_utf16() { Charset::Web(encoding_rs::UTF_16LE) } else { encoding })
    }
}

/// Calls a function with each property, as far as they can be read. Their types say how long they are.
fn properties<'a>(bytes: &'a [u8], found: &mut dyn FnMut(Property<'a>)) -> Option<()> {
    let mut rest = Bytes(bytes);
    let count = rest.u32()?;
    for _ in 0..count.min(1_000) {
        let (kind, id) = (rest.u16()?, rest.u16()?);
        if id >= 0x8000 {
            // A named property has the id of its set, and a number or a name.
            rest.take(16)?;
            if rest.u32()? == 0 {
                rest.take(4)?;
            } else {
                let length = rest.u32()?;
                rest.padded(length)?;
            }
        }
        let is_list = kind & 0x1000 != 0;
        let size = match kind & 0x0fff {
            0x0002 | 0x000b | 0x0003 | 0x0004 | 0x000a => Some(4),
            0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => Some(8),
            0x0048 => Some(16),
            0x001e | 0x001f | 0x0102 | 0x000d => None,
            _ => return None,
        };
        let values = if is_list || size.is_none() { rest.u32()?.min(1_000) } else { 1 };
        let mut first: &[u8] = &[];
        for index in 0..values {
            let value = match size {
                Some(size) => rest.take(size)?,
                None => {
                    let length = rest.u32()?;
                    rest.padded(length)?
                }
            };
            if index == 0 {
                first = value;
            }
        }
        found(Property { id, kind, value: first });
    }
    Some(())
}

fn text(bytes: &[u8], encoding: Charset) -> String {
    // Decoding UTF-16 needs the zeros.
    let bytes = match encoding {
        Charset::Web(encoding) if encoding == encoding_rs::UTF_16LE => bytes,
        _ => bytes.split(|byte| *byte == 0).next().unwrap_or_default(),
    };
    charset::decode(bytes, Some(encoding)).trim_end_matches('\0').to_owned()
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Takes a value that is filled to a multiple of four bytes.
    fn padded(&mut self, length: u32) -> Option<&'a [u8]> {
        let length = usize::try_from(length).ok()?;
        let value = self.take(length)?;
        let _ = self.take(length.next_multiple_of(4) - length);
        Some(value)
    }

    /// Takes an attribute: its level, id, length, value and checksum. The checksum decides nothing: a file
    /// that arrived damaged is better than none.
    fn attribute(&mut self) -> Option<(u32, &'a [u8])> {
        self.take(1)?;
        let id = self.u32()?;
        let length = usize::try_from(self.u32()?).ok()?;
        let value = self.take(length)?;
        let _ = self.take(2);
        Some((id, value))
    }
}
