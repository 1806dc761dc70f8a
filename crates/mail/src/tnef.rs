//! `winmail.dat`: the format in which Outlook wraps attachments for other Outlooks (MS-OXTNEF).

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
    /// The text of the message, if it is plain.
    pub(crate) text: Option<String>,
}

const SIGNATURE: u32 = 0x223e_9f78;
const BODY: u32 = 0x0002_800c;
const CODE_PAGE: u32 = 0x0006_9007;
const RENDERING: u32 = 0x0006_9002;
const TITLE: u32 = 0x0001_8010;
const DATA: u32 = 0x0006_800f;
const PROPERTIES: u32 = 0x0006_9005;

/// Most attributes that are read.
const MAX_ATTRIBUTES: usize = 10_000;

/// Returns whether bytes begin as a wrapper does.
pub(crate) fn is_wrapper(bytes: &[u8]) -> bool {
    bytes.starts_with(&SIGNATURE.to_le_bytes())
}

/// Reads a wrapper. Returns `None` if it is none, or is damaged before its first file.
pub(crate) fn read(bytes: &[u8]) -> Option<Wrapped<'_>> {
    let mut rest = Bytes(bytes);
    if rest.u32()? != SIGNATURE {
        return None;
    }
    rest.take(2)?;
    let mut wrapped = Wrapped::default();
    let mut encoding = encoding_rs::WINDOWS_1252;
    let (mut name, mut long_name, mut data) = (None, None, None);
    for _ in 0..MAX_ATTRIBUTES {
        let Some((id, value)) = rest.attribute() else { break };
        match id {
            CODE_PAGE => encoding = Bytes(value).u32().map_or(encoding, of_code_page),
            BODY => wrapped.text = Some(text(value, encoding)).filter(|text| !text.trim().is_empty()),
            RENDERING => {
                push(&mut wrapped.files, name.take(), long_name.take(), data.take());
            }
            TITLE => name = Some(text(value, encoding)),
            DATA => data = Some(value),
            PROPERTIES => long_name = long_file_name(value, encoding),
            _ => {}
        }
    }
    push(&mut wrapped.files, name, long_name, data);
    (!wrapped.files.is_empty() || wrapped.text.is_some()).then_some(wrapped)
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

/// Returns the property `PidTagAttachLongFilename`; the title is cut to eight characters and three by old
/// versions. The properties before it are skipped by their types.
fn long_file_name(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> Option<String> {
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
        let value = match kind & 0x0fff {
            0x0002 | 0x000b | 0x0003 | 0x0004 | 0x000a => rest.take(4)?,
            0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => rest.take(8)?,
            0x0048 => rest.take(16)?,
            0x001e | 0x001f | 0x0102 | 0x000d => {
                let values = rest.u32()?;
                let mut first: &[u8] = &[];
                for index in 0..values.min(1_000) {
                    let length = rest.u32()?;
                    let value = rest.padded(length)?;
                    if index == 0 {
                        first = value;
                    }
                }
                first
            }
            _ => return None,
        };
        if id == 0x3707 {
            let name = if kind == 0x001f { utf16(value) } else { text(value, encoding) };
            return Some(name).filter(|name| !name.is_empty());
        }
    }
    None
}

fn utf16(bytes: &[u8]) -> String {
    encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0.trim_end_matches('\0').to_owned()
}

fn text(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> String {
    encoding.decode_without_bom_handling(bytes).0.trim_end_matches('\0').to_owned()
}

fn of_code_page(page: u32) -> &'static encoding_rs::Encoding {
    let label = match page {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        20_866 => "koi8-r".to_owned(),
        28_591..=28_605 => format!("iso-8859-{}", page - 28_590),
        65_001 => "utf-8".to_owned(),
        page => format!("windows-{page}"),
    };
    encoding_rs::Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
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
