//! XML with bounds: no document type definition, no entities of the document, limited depth.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::error::{ExceededLimit, ExtractError};

/// One step through an XML document. Names are without their namespace prefix.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    /// The start of an element; every start has an end.
    Start(Element<'a>),
    /// The end of an element.
    End(String),
    /// Text, with references resolved.
    Text(String),
}

/// The start of an element.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    /// The name without prefix.
    pub(crate) name: String,
    start: BytesStart<'a>,
}

impl Element<'_> {
    /// Returns the value of an attribute by its name without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let found = self
            .start
            .attributes()
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)?;
        Some(unescape(&found.value))
    }

    /// Returns an attribute as a number.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// Returns an attribute by its full name, with prefix.
    pub(crate) fn prefixed(&self, name: &str) -> Option<String> {
        let found = self.start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
        Some(unescape(&found.value))
    }
}

/// Reads a document step by step.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    max_depth: usize,
    // The end of an empty element, which the reader does not report.
    pending_end: Option<String>,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        Self { reader: Reader::from_str(text), depth: 0, max_depth, pending_end: None }
    }

    /// Returns the next step, or `None` at the end of the document.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, ExtractError> {
        if let Some(name) = self.pending_end.take() {
            return Ok(Some(Token::End(name)));
        }
        loop {
            let event =
                self.reader.read_event().map_err(|_| ExtractError::damaged("its XML is not well-formed"))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > self.max_depth {
                        return Err(ExceededLimit::Depth(self.max_depth).into());
                    }
                    Token::Start(Element { name: start.local_name().as_ref().to_owned(), start })
                }
                Event::Empty(start) => {
                    let name = start.local_name().as_ref().to_owned();
                    self.pending_end = Some(name.clone());
                    Token::Start(Element { name, start })
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::End(end.local_name().as_ref().to_owned())
                }
                Event::Text(text) => Token::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Token::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => Token::Text(character.to_string()),
                    _ => match predefined(&reference.xml10_content()) {
                        Some(character) => Token::Text(character.to_string()),
                        None => continue,
                    },
                },
                Event::DocType(_) => return Err(ExceededLimit::DocumentType.into()),
                Event::Eof if self.depth > 0 => return Err(ExtractError::damaged("its XML ends too early")),
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => continue,
            }));
        }
    }

    /// Skips everything up to the end of the element whose start was read last.
    pub(crate) fn skip(&mut self) -> Result<(), ExtractError> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                Some(Token::Start(_)) => open += 1,
                Some(Token::End(_)) => open -= 1,
                Some(Token::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns the text up to the end of the element whose start was read last.
    pub(crate) fn inner_text(&mut self) -> Result<String, ExtractError> {
        let mut text = String::new();
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                Some(Token::Start(_)) => open += 1,
                Some(Token::End(_)) => open -= 1,
                Some(Token::Text(part)) => text.push_str(&part),
                None => break,
            }
        }
        Ok(text)
    }
}

fn predefined(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

/// Resolves the references in the value of an attribute. One that cannot be resolved stays as it is.
fn unescape(value: &str) -> String {
    quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, ExtractError> {
        let mut xml = Xml::new(text, 10);
        let mut seen = String::new();
        while let Some(token) = xml.next()? {
            match token {
                Token::Start(element) => {
                    seen.push_str(&format!(
                        "<{} {}>",
                        element.name,
                        element.attribute("a").unwrap_or_default()
                    ));
                }
                Token::End(name) => seen.push_str(&format!("</{name}>")),
                Token::Text(text) => seen.push_str(&text),
            }
        }
        Ok(seen)
    }

    #[test]
    fn elements_are_balanced_and_references_resolved() {
        assert_eq!(
            read("<?xml version='1.0'?><w:p x:a='1&amp;2'>a&lt;b&#65;&unknown;<b/></w:p>"),
            Ok("<p 1&2>a<bA<b ></b></p>".to_owned())
        );
    }

    #[test]
    fn hostile_documents_are_refused() {
        let deep = "<a>".repeat(11);
        assert_eq!(read(&deep), Err(ExceededLimit::Depth(10).into()));
        let bomb = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>";
        assert_eq!(read(bomb), Err(ExceededLimit::DocumentType.into()));
        for cut in ["<a>", "<a></b>", "<a"] {
            assert_eq!(read(cut).map_err(|error| error.code()), Err("damaged_file"), "{cut}");
        }
    }
}
