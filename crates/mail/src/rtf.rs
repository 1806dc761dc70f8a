//! The text of RTF, in which old programs write messages and Outlook keeps them.

use crate::charset::{self, Charset};

/// Deepest nesting of groups whose state is kept.
const MAX_DEPTH: usize = 500;

/// Most fonts whose encoding is kept.
const MAX_FONTS: usize = 200;

/// Groups that are not text.
const NOT_TEXT: &[&str] = &[
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "generator",
    "themedata",
    "datastore",
    "listtable",
    "fldinst",
    "listoverridetable",
    "rsidtbl",
    "xmlnstbl",
    "filetbl",
    "revtbl",
];

/// Returns the visible text. Never fails: what is not RTF is text.
pub(crate) fn to_text(rtf: &[u8]) -> String {
    let mut reader = Reader {
        out: String::new(),
        bytes: Vec::new(),
        group: Group { is_skipped: false, is_hidden: false, is_fonts: false, skip: 1, charset: None },
        groups: Vec::new(),
        too_deep: 0,
        default: charset::of_code_page(1_252),
        fonts: Vec::new(),
        font: 0,
        to_skip: 0,
        high: None,
    };
    reader.read(rtf);
    reader.out
}

/// Returns whether bytes begin as RTF does.
pub(crate) fn is_rtf(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{\\rtf")
}

/// The state that ends with a group.
#[derive(Clone, Copy)]
struct Group {
    is_skipped: bool,
    /// Its font says that nobody sees it.
    is_hidden: bool,
    is_fonts: bool,
    /// Characters after one of Unicode that stand for it in old programs.
    skip: usize,
    charset: Option<Charset>,
}

struct Reader {
    out: String,
    /// Bytes that are not decoded yet, because a character can have two.
    bytes: Vec<u8>,
    group: Group,
    groups: Vec<Group>,
    too_deep: usize,
    default: Option<Charset>,
    fonts: Vec<(i32, Charset)>,
    /// The font that the table of fonts describes.
    font: i32,
    to_skip: usize,
    /// The first half of a character beyond the first plane.
    high: Option<u32>,
}

impl Reader {
    fn read(&mut self, rtf: &[u8]) {
        let mut rest = rtf;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                b'{' => self.open(),
                b'}' => self.close(),
                b'\r' | b'\n' | 0 => {}
                b'\\' => rest = self.control(after),
                byte => self.byte(*byte),
            }
        }
        self.flush();
    }

    fn open(&mut self) {
        self.flush();
        if self.groups.len() < MAX_DEPTH {
            self.groups.push(self.group);
        } else {
            self.too_deep += 1;
        }
    }

    fn close(&mut self) {
        self.flush();
        self.to_skip = 0;
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(group) = self.groups.pop() {
            self.group = group;
        }
    }

    /// Reads what follows a backslash, and returns what remains.
    fn control<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, after) = rest.split_at(letters);
        if word.is_empty() {
            let Some((symbol, after)) = rest.split_first() else { return &[] };
            match symbol {
                b'\'' => {
                    let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
                    if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                        self.byte(byte);
                        return &after[2..];
                    }
                }
                b'*' => self.group.is_skipped = true,
                b'~' => self.text(" "),
                b'_' => self.text("-"),
                b'\r' | b'\n' => self.text("\n"),
                b'-' | b'|' | b':' => {}
                literal => self.byte(*literal),
            }
            return after;
        }
        let (is_negative, digits) = match after.strip_prefix(b"-") {
            Some(digits) if digits.first().is_some_and(u8::is_ascii_digit) => (true, digits),
            _ => (false, after),
        };
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, after) = digits.split_at(length);
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<i32>().ok());
        let number = number.map(|number| if is_negative { -number } else { number });
        let after = after.strip_prefix(b" ").unwrap_or(after);
        let word = std::str::from_utf8(word).unwrap_or_default();
        if word == "bin" {
            let length = number.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            return after.get(length..).unwrap_or_default();
        }
        self.word(word, number);
        after
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        match (word, number) {
            ("par" | "line" | "row" | "sect" | "page", _) => self.text("\n"),
            ("tab" | "cell", _) => self.text("\t"),
            ("emdash", _) => self.text("—"),
            ("endash", _) => self.text("–"),
            ("bullet", _) => self.text("•"),
            ("lquote", _) => self.text("‘"),
            ("rquote", _) => self.text("’"),
            ("ldblquote", _) => self.text("“"),
            ("rdblquote", _) => self.text("”"),
            ("emspace" | "enspace" | "qmspace", _) => self.text(" "),
            ("u", Some(number)) => self.unicode(number),
            ("uc", Some(number)) => self.group.skip = usize::try_from(number.clamp(0, 10)).unwrap_or(1),
            ("ansicpg", Some(number)) => {
                let page = u32::try_from(number).ok().and_then(charset::of_code_page);
                self.default = page.or(self.default);
            }
            ("f", Some(number)) if self.group.is_fonts => self.font = number,
            ("f", Some(number)) => {
                self.flush();
                let known = self.fonts.iter().find(|(font, _)| *font == number);
                self.group.charset = known.map(|(_, charset)| *charset);
            }
            ("fcharset", Some(number)) if self.fonts.len() < MAX_FONTS => {
                if let Some(charset) = of_font(number) {
                    self.fonts.push((self.font, charset));
                }
            }
            ("v", number) => self.group.is_hidden = number != Some(0),
            ("plain", _) => self.group.is_hidden = false,
            (word, _) if NOT_TEXT.contains(&word) => {
                self.group.is_skipped = true;
                self.group.is_fonts = word == "fonttbl";
            }
            _ => {}
        }
    }

    fn unicode(&mut self, number: i32) {
        self.flush();
        // Written as a signed number of 16 bits.
        let unit = u32::try_from(if number < 0 { number + 0x1_0000 } else { number }).unwrap_or(0xfffd);
        self.to_skip = 0;
        match (self.high.take(), unit) {
            (None, 0xd800..=0xdbff) => self.high = Some(unit),
            (Some(high), 0xdc00..=0xdfff) => {
                self.push(char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00)));
            }
            // Symbol fonts are in the private plane, where 0xf0 precedes the byte.
            (_, unit) => self.push(char::from_u32(unit)),
        }
        self.to_skip = self.group.skip;
    }

    fn is_visible(&self) -> bool {
        !self.group.is_skipped && !self.group.is_hidden
    }

    fn push(&mut self, character: Option<char>) {
        if self.is_visible() {
            self.out.push(character.unwrap_or('\u{fffd}'));
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else if self.is_visible() {
            self.bytes.push(byte);
        }
    }

    fn text(&mut self, text: &str) {
        self.flush();
        self.to_skip = 0;
        if self.is_visible() {
            self.out.push_str(text);
        }
    }

    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let text = charset::decode(&self.bytes, self.group.charset.or(self.default));
            self.out.push_str(&text);
            self.bytes.clear();
        }
    }
}

/// Returns the encoding of a set of characters of Windows, by which a font is described.
fn of_font(set: i32) -> Option<Charset> {
    charset::of_code_page(match set {
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1_253,
        162 => 1_254,
        163 => 1_258,
        177 => 1_255,
        178 => 1_256,
        186 => 1_257,
        204 => 1_251,
        222 => 874,
        238 => 1_250,
        254 => 437,
        255 => 850,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rtf_is_read_as_people_see_it() {
        for (rtf, text) in [
            (
                "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\pard 30 caf\\'e9 tables\\par Ole\\par}",
                "30 café tables\nOle\n",
            ),
            ("{\\rtf1\\ansi\\uc1 5 \\u8364? f\\u252\\'fcr \\{dich\\}}", "5 € für {dich}"),
            ("{\\rtf1 \\u-10179?\\u-8704?}", "😀"),
            (
                "{\\rtf1{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial Cyr;}}\\f1\\'cf\\'f0\\'e8\\f0  ok}",
                "При ok",
            ),
            ("{\\rtf1{\\fonttbl{\\f3\\fcharset128 MS;}}{\\f3\\'93\\'fa\\'96\\'7b}}", "日本"),
            ("{\\rtf1{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 Hello\\htmlrtf\\par}\\htmlrtf0 }", "Hello\n"),
            ("{\\rtf1{\\pict 00ff}{\\v hidden}a\\tab b\\line c~\\~d}", "a\tb\nc~ d"),
            ("{\\rtf1{\\field{\\*\\fldinst HYPERLINK \"x\"}{\\fldrslt here}}\\bin3 {{{}", "here"),
            ("plain", "plain"),
            ("{\\rtf1 cut off \\'", "cut off "),
        ] {
            assert_eq!(to_text(rtf.as_bytes()), text, "{rtf}");
        }
    }

    #[test]
    fn deep_nesting_is_read() {
        let rtf = format!("{{\\rtf1 {}a{}b", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(to_text(rtf.as_bytes()), "ab");
    }
}
