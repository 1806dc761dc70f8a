//! Reads YAML 1.2: the events of `saphyr-parser`, resolved by the core schema, with exact places.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use crate::builder::{Builder, Stop};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::scalar::{self, Meaning};
use crate::source::offset_of;
use crate::tree::{Data, Text};

/// The node that an anchor names.
#[derive(Copy, Clone)]
enum Anchored {
    /// A value that is complete.
    Node(u32),
    /// A key, which only other keys and plain values can repeat.
    Key(Text),
}

/// Lines of flow collections that are moved because they are not indented enough; a text with more is broken.
const MAX_MOVED: usize = 200;

/// Reads the text of the builder's file into the builder.
///
/// YAML wants every line of a flow collection deeper than the key that holds it, even one with nothing but
/// the closing bracket. Most readers do not, so such a line is read as if it stood behind the one before.
pub(crate) fn read(builder: &mut Builder<'_>) -> Result<(), Stop> {
    let text = builder.source.text();
    let mut moved: Vec<u8> = Vec::new();
    let mut problems = Vec::new();
    let mut first = None;
    loop {
        let mut reader = Reader {
            offsets: Offsets::new(text),
            builder: &mut *builder,
            anchors: BTreeMap::new(),
            open: Vec::new(),
            shallow: None,
        };
        let shown = if moved.is_empty() { text } else { std::str::from_utf8(&moved).unwrap_or(text) };
        let Err(stop) = reader.run(shown) else { break };
        let at = reader.shallow.filter(|_| !builder.limits.strict && problems.len() < MAX_MOVED);
        // A line break becomes a space, so that all positions stay valid.
        let line_break = at.and_then(|at: usize| shown[..at].rfind('\n'));
        let Some(line_break) = line_break else { return Err(first.unwrap_or(stop)) };
        if moved.is_empty() {
            moved = text.as_bytes().to_vec();
        }
        moved[line_break] = b' ';
        if line_break > 0 && moved[line_break - 1] == b'\r' {
            moved[line_break - 1] = b' ';
        }
        builder.restart();
        first.get_or_insert_with(|| stop.clone());
        problems.push(stop.tolerated("the line is read as if it stood behind the one before"));
    }
    builder.problems.extend(problems);
    Ok(())
}

struct Reader<'r, 'a> {
    builder: &'r mut Builder<'a>,
    offsets: Offsets<'a>,
    anchors: BTreeMap<usize, Anchored>,
    /// Anchor of each open collection, 0 for none.
    open: Vec<usize>,
    /// Where reading stopped because a line of a flow collection is not indented enough.
    shallow: Option<usize>,
}

impl Reader<'_, '_> {
    fn run(&mut self, text: &str) -> Result<(), Stop> {
        let mut parser = Parser::new_from_str(text);
        let mut documents = 0;
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax_error(*error.marker(), error.info()))?;
            let range = self.range(span.start, span.end);
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Box::new(
                            Diagnostic::error(
                                codes::SEVERAL_DOCUMENTS,
                                self.builder.span(&range),
                                "the file holds more than one YAML document",
                            )
                            .label("another document starts here")
                            .hint("keep one document in a file; remove the `---` or `...` line between them"),
                        ));
                    }
                }
                Event::Scalar(value, style, anchor, tag) => {
                    self.scalar(&value, style, anchor, tag.as_deref(), &range)?;
                }
                Event::SequenceStart(anchor, tag) => self.open(false, anchor, tag.as_deref(), &range)?,
                Event::MappingStart(anchor, tag) => self.open(true, anchor, tag.as_deref(), &range)?,
                Event::SequenceEnd | Event::MappingEnd => self.close(&range),
                Event::Alias(anchor) => self.alias(anchor, &range)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        Ok(())
    }

    /// Bytes between two markers, without the blank lines that block scalars drag along.
    fn range(&mut self, start: Marker, end: Marker) -> Range<u32> {
        let start = self.offsets.byte(start.index());
        let end = self.offsets.byte(end.index()).max(start);
        let trimmed = self.offsets.text[start..end].trim_end().len();
        offset_of(start)..offset_of(start + trimmed)
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        range: &Range<u32>,
    ) -> Result<(), Stop> {
        let plain = style == ScalarStyle::Plain;
        let range = self.content(value, anchor, tag, range);
        // Where the text is most likely written as it is: after the quote, if there is one.
        let at =
            range.start + u32::from(matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
        if self.builder.expects_key() {
            if plain && value.is_empty() {
                return Err(self.unsupported_key(&range, "an object key is empty"));
            }
            let text = self.builder.intern(value, at);
            if anchor > 0 {
                self.anchors.insert(anchor, Anchored::Key(text));
            }
            self.builder.key(text, &range, plain && value == "<<");
            return Ok(());
        }
        let range = match self.builder.pending_key_end() {
            Some(end) if plain && value.is_empty() && tag.is_none() && anchor == 0 => end..end,
            _ => range,
        };
        let data = self.value(value, plain, tag, &range, at)?;
        let node = self.builder.scalar(data, &range);
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored::Node(node));
        }
        Ok(())
    }

    /// Returns the range of the content behind an anchor or tag, if the text shows it.
    fn content(&self, value: &str, anchor: usize, tag: Option<&Tag>, range: &Range<u32>) -> Range<u32> {
        if anchor == 0 && tag.is_none() {
            return range.clone();
        }
        let written = &self.offsets.text[range.start as usize..range.end as usize];
        match written.rfind(value) {
            Some(offset) if !value.is_empty() && written.ends_with(value) => {
                range.start + offset_of(offset)..range.end
            }
            _ => range.clone(),
        }
    }

    fn value(
        &mut self,
        value: &str,
        plain: bool,
        tag: Option<&Tag>,
        range: &Range<u32>,
        at: u32,
    ) -> Result<Data, Stop> {
        let string = |reader: &mut Self| Data::String(reader.builder.intern(value, at));
        let meaning = match tag {
            None if plain => scalar::resolve(value),
            None => Meaning::String,
            Some(tag) => return self.tagged(value, tag, range, at),
        };
        Ok(match meaning {
            Meaning::Null => Data::Null,
            Meaning::Bool(value) => Data::Bool(value),
            Meaning::Integer(number) => Data::Integer(self.builder.intern(&number, at)),
            Meaning::Number(number) => Data::Number(self.builder.intern(&number, at)),
            Meaning::NotJson => self.not_json(value, range, at)?,
            Meaning::String => string(self),
        })
    }

    fn tagged(&mut self, value: &str, tag: &Tag, range: &Range<u32>, at: u32) -> Result<Data, Stop> {
        let wrong = |reader: &Self| {
            Box::new(
                Diagnostic::error(
                    codes::UNSUPPORTED_TAG,
                    reader.builder.span(range),
                    format!("`{value}` is not a value of the type `{}`", short(tag)),
                )
                .hint("remove the tag"),
            )
        };
        if tag.handle.is_empty() && tag.suffix == "!" {
            return Ok(Data::String(self.builder.intern(value, at)));
        }
        if !tag.is_yaml_core_schema() {
            return Err(self.unsupported_tag(tag, range));
        }
        let meaning = scalar::resolve(value);
        Ok(match (tag.suffix.as_str(), meaning) {
            ("str", _) => Data::String(self.builder.intern(value, at)),
            ("null", Meaning::Null) => Data::Null,
            ("bool", Meaning::Bool(value)) => Data::Bool(value),
            ("int", Meaning::Integer(number)) => Data::Integer(self.builder.intern(&number, at)),
            ("float", Meaning::Integer(number) | Meaning::Number(number)) => {
                Data::Number(self.builder.intern(&number, at))
            }
            ("float", Meaning::NotJson) => self.not_json(value, range, at)?,
            ("null" | "bool" | "int" | "float", _) => return Err(wrong(self)),
            _ => return Err(self.unsupported_tag(tag, range)),
        })
    }

    fn open(
        &mut self,
        object: bool,
        anchor: usize,
        tag: Option<&Tag>,
        range: &Range<u32>,
    ) -> Result<(), Stop> {
        if self.builder.expects_key() {
            return Err(self.unsupported_key(range, "an object key is an array or object"));
        }
        if let Some(tag) = tag {
            let fits = tag.is_yaml_core_schema() && tag.suffix == if object { "map" } else { "seq" };
            if !fits {
                return Err(self.unsupported_tag(tag, range));
            }
        }
        self.builder.open(object, range)?;
        self.open.push(anchor);
        Ok(())
    }

    fn close(&mut self, range: &Range<u32>) {
        let node = self.builder.open_node();
        // Only the brackets of the flow style have an extent.
        self.builder.close((range.start < range.end).then_some(range.end));
        if let (Some(anchor), Some(node)) = (self.open.pop(), node)
            && anchor > 0
        {
            self.anchors.insert(anchor, Anchored::Node(node));
        }
    }

    fn alias(&mut self, anchor: usize, range: &Range<u32>) -> Result<(), Stop> {
        let Some(anchored) = self.anchors.get(&anchor).copied() else {
            return Err(Box::new(
                Diagnostic::error(
                    codes::RECURSIVE_ALIAS,
                    self.builder.span(range),
                    "the alias stands inside the value that its anchor names",
                )
                .hint("describe recursive data with a schema under `components` and a `$ref`"),
            ));
        };
        if self.builder.expects_key() {
            let text = match anchored {
                Anchored::Key(text) => Some(text),
                Anchored::Node(node) => self.builder.scalar_text(node),
            };
            let Some(text) = text else {
                return Err(self.unsupported_key(range, "the alias used as an object key does not name text"));
            };
            self.builder.key(text, range, false);
            return Ok(());
        }
        match anchored {
            Anchored::Node(node) => self.builder.copy(node, range)?,
            Anchored::Key(text) => self.builder.scalar(Data::String(text), range),
        };
        Ok(())
    }

    fn syntax_error(&mut self, marker: Marker, info: &str) -> Stop {
        let start = self.offsets.byte(marker.index());
        let end = self.offsets.text[start..].chars().next().map_or(start, |next| start + next.len_utf8());
        let span = self.builder.span(&(offset_of(start)..offset_of(end)));
        if matches!(info, "invalid indentation" | "invalid indentation in flow construct") {
            self.shallow = Some(start);
        }
        let (message, hint) = explain_syntax(info);
        let mut diagnostic =
            Diagnostic::error(codes::INVALID_YAML, span, format!("not valid YAML: {message}"));
        diagnostic.hint = hint.map(str::to_owned);
        Box::new(diagnostic)
    }

    fn unsupported_key(&self, range: &Range<u32>, message: &str) -> Stop {
        Box::new(
            Diagnostic::error(codes::UNSUPPORTED_KEY, self.builder.span(range), message)
                .hint("keys must be text; quote what looks like something else"),
        )
    }

    fn unsupported_tag(&self, tag: &Tag, range: &Range<u32>) -> Stop {
        Box::new(
            Diagnostic::error(
                codes::UNSUPPORTED_TAG,
                self.builder.span(range),
                format!("the YAML tag `{}` has no meaning in an OpenAPI document", short(tag)),
            )
            .hint("remove the tag"),
        )
    }

    /// A number that JSON does not have is read as the text that it is written with.
    fn not_json(&mut self, value: &str, range: &Range<u32>, at: u32) -> Result<Data, Stop> {
        let message = format!("the number `{value}` cannot be written in JSON as a double");
        self.builder.unrepresentable(message, range)?;
        Ok(Data::String(self.builder.intern(value, at)))
    }
}

/// Returns a tag as its author wrote it.
fn short(tag: &Tag) -> String {
    match tag.handle.as_str() {
        "tag:yaml.org,2002:" => format!("!!{}", tag.suffix),
        handle => format!("{handle}{}", tag.suffix),
    }
}

/// Returns the parser's words, and what to do about the mistakes people make most.
fn explain_syntax(info: &str) -> (String, Option<&'static str>) {
    let hint = if info == "invalid indentation" || info.contains("in flow construct") {
        Some("indent every line of a `{…}` or `[…]` deeper than the key that holds it")
    } else if info.contains("tab") {
        Some("indent with spaces: YAML does not allow tabs there")
    } else if info.contains("mapping values are not allowed") {
        Some("quote a text that holds `: `, and put each key on a line of its own")
    } else if info.contains("quoted scalar") && info.contains("indentation") {
        Some("indent every line of a quoted text deeper than its key")
    } else if info.contains("quoted scalar") {
        Some("close the text with the quote that it begins with")
    } else if info.contains("comments must be separated") {
        Some("write a space before `#`, or quote the text that it belongs to")
    } else if info.contains("unknown anchor") {
        Some("an alias `*name` needs an anchor `&name` before it; quote a text that begins with `*`")
    } else if info.contains("indentation")
        || info.contains("expected key")
        || info.contains("<document start>")
    {
        Some("keys of one object must begin in the same column")
    } else if info.contains("unexpected character") {
        Some("quote a text that begins with `@`, `` ` `` or `%`")
    } else if info.contains("simple key") {
        Some("a key needs a `:` after it; a text of several lines needs quotes, `|` or `>`")
    } else {
        None
    };
    // The parser quotes characters as `x' in places.
    (info.strip_suffix('\'').map_or_else(|| info.to_owned(), |start| format!("{start}`")), hint)
}

/// Turns the parser's character counts into byte offsets, moving a cursor because they come nearly in order.
struct Offsets<'a> {
    text: &'a str,
    ascii: bool,
    character: usize,
    byte: usize,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, ascii: text.is_ascii(), character: 0, byte: 0 }
    }

    fn byte(&mut self, character: usize) -> usize {
        if self.ascii {
            return character.min(self.text.len());
        }
        while self.character < character {
            let Some(next) = self.text[self.byte..].chars().next() else { break };
            self.byte += next.len_utf8();
            self.character += 1;
        }
        while self.character > character {
            let Some(last) = self.text[..self.byte].chars().next_back() else { break };
            self.byte -= last.len_utf8();
            self.character -= 1;
        }
        self.byte
    }
}
