//! Compressed RTF (MS-OXRTFCP), the form in which Outlook keeps texts.

/// Most bytes that are decompressed. Two bytes can stand for 17.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Size of the window in which repeated sequences are found.
const WINDOW: usize = 4_096;

/// What the window contains before the first byte.
const PREFIX: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \
    \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\
    \r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Returns the RTF, as far as it can be read. `None` if the bytes have another form.
pub(crate) fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, content) = bytes.split_at_checked(16)?;
    let raw_size = usize::try_from(u32::from_le_bytes(head[4..8].try_into().ok()?)).ok()?;
    let size = raw_size.min(MAX_BYTES);
    match &head[8..12] {
        b"MELA" => Some(content[..size.min(content.len())].to_vec()),
        b"LZFu" => Some(expand(content, size)),
        _ => None,
    }
}

fn expand(content: &[u8], size: usize) -> Vec<u8> {
    let mut window = [b' '; WINDOW];
    window[..PREFIX.len()].copy_from_slice(PREFIX);
    let mut at = PREFIX.len();
    let mut out = Vec::with_capacity(size.min(content.len() * 4));
    let mut bytes = content.iter().copied();
    while let Some(flags) = bytes.next() {
        for bit in 0..8 {
            if out.len() >= size {
                return out;
            }
            let Some(first) = bytes.next() else { return out };
            if flags & (1 << bit) == 0 {
                window[at] = first;
                at = (at + 1) % WINDOW;
                out.push(first);
                continue;
            }
            // 12 bits say where a sequence begins in the window, and four how long it is.
            let Some(second) = bytes.next() else { return out };
            let start = usize::from(first) << 4 | usize::from(second) >> 4;
            let length = usize::from(second & 0xf) + 2;
            if start == at {
                return out;
            }
            for offset in 0..length {
                let byte = window[(start + offset) % WINDOW];
                window[at] = byte;
                at = (at + 1) % WINDOW;
                out.push(byte);
            }
        }
    }
    out.truncate(size);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of MS-OXRTFCP, section 3.
    #[test]
    fn the_examples_of_the_specification() {
        let simple = [
            0x2d, 0, 0, 0, 0x2b, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0x00, 0x0a,
            0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68, 0x65, 0x6c,
            0x09, 0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        assert_eq!(
            decompress(&simple).as_deref(),
            Some(&b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"[..])
        );
        let crossing = [
            0x1a, 0, 0, 0, 0x1c, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0x00, 0x04,
            0x20, 0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        assert_eq!(decompress(&crossing).as_deref(), Some(&b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"[..]));
        for length in 0..simple.len() {
            decompress(&simple[..length]);
        }
        assert_eq!(decompress(b"no rtf at all, but long"), None);
    }

    #[test]
    fn what_it_expands_to_is_bounded() {
        let mut bytes = vec![0; 4];
        bytes.extend(u32::MAX.to_le_bytes());
        bytes.extend(b"LZFu\0\0\0\0");
        // Sequences of 16 bytes, the beginning of which is never where the next byte is written.
        bytes.extend([0xff, 0, 14, 0, 14, 0, 14, 0, 14, 0, 14, 0, 14, 0, 14, 0, 14].repeat(70_000));
        let expanded = decompress(&bytes).map_or(0, |out| out.len());
        assert!((MAX_BYTES..MAX_BYTES + 17).contains(&expanded), "{expanded}");
    }
}
