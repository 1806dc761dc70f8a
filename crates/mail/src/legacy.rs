//! Encodings that browsers do not know, and that old programs still use: code pages of DOS, and the seven-bit
//! encodings of Korean and Chinese.

use encoding_rs::{EUC_KR, Encoding, GBK, UTF_16BE, UTF_16LE};

/// Code page 437 of DOS, the characters from 0x80 on.
pub(crate) static CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Code page 850, Western Europe.
pub(crate) static CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Code page 852, Central Europe.
pub(crate) static CP852: &str = "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
    └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}";

/// Returns the text of bytes in a code page. 858 is 850 with a euro sign.
pub(crate) fn code_page(bytes: &[u8], table: &str, has_euro: bool) -> String {
    let upper: Vec<char> = table.chars().collect();
    bytes
        .iter()
        .map(|byte| match byte {
            0xd5 if has_euro => '€',
            0x80.. => upper.get(usize::from(*byte) - 0x80).copied().unwrap_or('\u{fffd}'),
            _ => char::from(*byte),
        })
        .collect()
}

/// Returns the text of ISO-2022-KR or ISO-2022-CN: a sequence names the set of characters, then shift-out and
/// shift-in begin and end a run of them. Such a character has seven bits in each byte; with the eighth, it is
/// that of EUC-KR or GBK.
pub(crate) fn iso_2022(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut set = EUC_KR;
    let mut rest = bytes;
    loop {
        let end = rest.iter().position(|byte| matches!(byte, 0x1b | 0x0e)).unwrap_or(rest.len());
        push(&rest[..end], set, &mut text);
        rest = &rest[end..];
        match rest {
            [] => return text,
            [0x1b, b'$', b')', b'A', after @ ..] => (set, rest) = (GBK, after),
            [0x1b, b'$', b')', b'C', after @ ..] => (set, rest) = (EUC_KR, after),
            [0x0e, after @ ..] => {
                // A line ends the run as well, as where the final sequence was lost.
                let end = after.iter().position(|byte| matches!(byte, 0x0f | b'\n' | 0x1b));
                let end = end.unwrap_or(after.len());
                push(&with_eighth_bit(&after[..end]), set, &mut text);
                rest = after[end..].strip_prefix(b"\x0f").unwrap_or(&after[end..]);
            }
            [_, after @ ..] => rest = after,
        }
    }
}

/// Returns the text of HZ-GB-2312 (RFC 1843), in which `~{` and `~}` begin and end Chinese characters.
pub(crate) fn hz(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let end = memchr::memchr(b'~', rest).unwrap_or(rest.len());
        push(&rest[..end], GBK, &mut text);
        rest = &rest[end..];
        match rest {
            [] => return text,
            [b'~', b'{', after @ ..] => {
                // A line ends the characters as well, as where the final sequence was lost.
                let line = memchr::memchr(b'\n', after).unwrap_or(after.len());
                let end = memchr::memmem::find(&after[..line], b"~}").unwrap_or(line);
                push(&with_eighth_bit(&after[..end]), GBK, &mut text);
                rest = after[end..].strip_prefix(b"~}").unwrap_or(&after[end..]);
            }
            // A line that continues, and a tilde.
            [b'~', b'\n', after @ ..] | [b'~', b'\r', b'\n', after @ ..] => rest = after,
            [b'~', b'~', after @ ..] | [_, after @ ..] => {
                text.push('~');
                rest = after;
            }
        }
    }
}

fn push(bytes: &[u8], encoding: &'static Encoding, text: &mut String) {
    text.push_str(&encoding.decode_without_bom_handling(bytes).0);
}

fn with_eighth_bit(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| if byte.is_ascii_graphic() { byte | 0x80 } else { *byte }).collect()
}

/// Returns the text of UTF-16 whose order of bytes is not stated: a mark at the beginning states it, else the
/// zeros of ASCII characters show it.
pub(crate) fn utf_16(bytes: &[u8]) -> String {
    let encoding = match bytes {
        [0xff, 0xfe, ..] => UTF_16LE,
        [0xfe, 0xff, ..] => UTF_16BE,
        _ => {
            let zeros = |first: usize| bytes.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
            if zeros(1) > zeros(0) { UTF_16LE } else { UTF_16BE }
        }
    };
    encoding.decode_with_bom_removal(bytes).0.into_owned()
}

/// Returns the text of UTF-32, whose order of bytes is found in the same way.
pub(crate) fn utf_32(bytes: &[u8]) -> String {
    let units = || bytes.chunks_exact(4).filter_map(|unit| <[u8; 4]>::try_from(unit).ok());
    let is_little = units().filter(|unit| unit[3] == 0).count() > units().filter(|unit| unit[0] == 0).count();
    units()
        .map(|unit| if is_little { u32::from_le_bytes(unit) } else { u32::from_be_bytes(unit) })
        .map(|unit| char::from_u32(unit).unwrap_or('\u{fffd}'))
        .filter(|character| *character != '\u{feff}')
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_character_for_each_byte() {
        for table in [CP437, CP850, CP852] {
            assert_eq!(table.chars().count(), 128);
        }
        assert_eq!(code_page(b"Stra\xe1e f\x81r \xa4", CP437, false), "Straße für ñ");
        assert_eq!(code_page(b"Stra\xe1e, \xd5", CP850, true), "Straße, €");
        assert_eq!(code_page(b"\xbe\xa2\x88w", CP852, false), "żółw");
    }

    #[test]
    fn seven_bits_and_orders_of_bytes() {
        assert_eq!(iso_2022(b"\x1b$)C\x0e>H3g\x0f, \x0e>H3g\nOk"), "안녕, 안녕\nOk");
        assert_eq!(iso_2022(b"\x1b$)A\x0eDc:C\x0f!"), "你好!");
        assert_eq!(hz(b"a ~{Dc:C~}, ~~5~\n0 ~{Dc\nb~"), "a 你好, ~50 你\nb~");
        assert_eq!(utf_16(b"\0G\0r\0\xfc"), "Grü");
        assert_eq!(utf_16(b"G\0r\0\xfc\0"), "Grü");
        assert_eq!(utf_16(b"\xff\xfeG\0r\0"), "Gr");
        assert_eq!(utf_32(b"G\0\0\0\xac\x20\0\0"), "G€");
        assert_eq!(utf_32(b"\0\0\xfe\xff\0\0\0G"), "G");
    }
}
