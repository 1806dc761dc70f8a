//! From the text of a `.d.ts` file to its exported declarations. It reads what the emitters write, which is a
//! small part of TypeScript; anything else is an error.

use std::collections::BTreeMap;

use super::Declaration;
use super::ty::{FURTHER, Member, Ty};

/// Why a file cannot be read: what was expected, and what is there.
#[derive(Debug, thiserror::Error)]
#[error("{expected} was expected before `{found}`")]
pub(super) struct Unread {
    expected: &'static str,
    found: String,
}

/// Returns the declarations that a module exports, by their names. What it passes on from other modules is
/// left out.
pub(super) fn declarations(module: &str, text: &str) -> Result<Vec<(String, Declaration)>, Unread> {
    let mut reader = Reader { rest: text };
    let mut found = Vec::new();
    loop {
        reader.skip();
        if reader.rest.is_empty() {
            return Ok(found);
        }
        if reader.word("import") {
            reader.end_of_statement()?;
            continue;
        }
        if !reader.word("export") {
            return Err(reader.unexpected("`import` or `export`"));
        }
        if reader.word("interface") {
            let name = reader.name()?;
            if reader.word("extends") {
                reader.ty()?;
            }
            found.push((name, Declaration::Interface(reader.members()?)));
        } else if reader.word("function") {
            let name = reader.name()?;
            found.push((name, reader.function(module)?));
        } else if reader.rest.trim_start().starts_with(['*', '{']) || reader.passes_types_on() {
            reader.end_of_statement()?;
        } else if reader.word("type") {
            let name = reader.name()?;
            reader.expect("=")?;
            let ty = reader.ty()?;
            reader.expect(";")?;
            found.push((name, Declaration::Alias(ty)));
        } else {
            return Err(reader.unexpected("a declaration"));
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Skips space and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let end = if self.rest.starts_with("//") {
                self.rest.find('\n')
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map(|end| end + 2)
            } else {
                return;
            };
            self.rest = end.map_or("", |end| &self.rest[end..]);
        }
    }

    fn unexpected(&self, expected: &'static str) -> Unread {
        Unread { expected, found: self.rest.chars().take(40).collect() }
    }

    /// Takes a sign, if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(sign);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Unread> {
        if self.sign(sign) { Ok(()) } else { Err(self.unexpected(sign)) }
    }

    /// Takes a whole word, if it is next.
    fn word(&mut self, word: &str) -> bool {
        self.skip();
        let is_whole = |rest: &&str| !rest.starts_with(is_of_name);
        let rest = self.rest.strip_prefix(word).filter(is_whole);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    fn name(&mut self) -> Result<String, Unread> {
        self.skip();
        let end = self.rest.find(|character| !is_of_name(character)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.unexpected("a name"));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_owned())
    }

    /// Takes a string literal with its quotes, if one is next.
    fn literal(&mut self) -> Option<String> {
        self.skip();
        let mut is_escaped = false;
        let inner = self.rest.strip_prefix('\'')?;
        let end = inner.find(|character| {
            let ends = character == '\'' && !is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            ends
        })?;
        let (literal, rest) = self.rest.split_at(end + 2);
        self.rest = rest;
        Some(literal.to_owned())
    }

    /// Whether `type *` or `type {` is next: types of another module.
    fn passes_types_on(&self) -> bool {
        let after = self.rest.trim_start().strip_prefix("type").map(str::trim_start);
        after.is_some_and(|after| after.starts_with(['*', '{']))
    }

    /// Skips the rest of a statement that imports or passes on.
    fn end_of_statement(&mut self) -> Result<(), Unread> {
        loop {
            self.skip();
            if self.sign(";") {
                return Ok(());
            }
            if self.literal().is_none() {
                let mut characters = self.rest.chars();
                if characters.next().is_none() {
                    return Err(self.unexpected(";"));
                }
                self.rest = characters.as_str();
            }
        }
    }

    /// The members of an object type in braces.
    fn members(&mut self) -> Result<BTreeMap<String, Member>, Unread> {
        self.expect("{")?;
        let mut members = BTreeMap::new();
        while !self.sign("}") {
            self.word("readonly");
            let name = if self.sign("[") {
                self.name()?;
                self.expect(":")?;
                self.ty()?;
                self.expect("]")?;
                FURTHER.to_owned()
            } else if let Some(literal) = self.literal() {
                literal
            } else {
                self.name()?
            };
            members.insert(name, self.member()?);
            // The last one in a line needs no sign behind it.
            let _ = self.sign(";") || self.sign(",");
        }
        Ok(members)
    }

    /// What is behind the name of a member or an argument.
    fn member(&mut self) -> Result<Member, Unread> {
        let optional = self.sign("?");
        self.expect(":")?;
        Ok(Member { optional, ty: self.ty()? })
    }

    /// What is behind the name of a function.
    fn function(&mut self, module: &str) -> Result<Declaration, Unread> {
        if self.sign("<") {
            // The parameters of a type do not differ between documents.
            let end = self.rest.find(">(").ok_or_else(|| self.unexpected(">"))?;
            self.rest = &self.rest[end + 1..];
        }
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.sign(")") {
            let name = self.name()?;
            arguments.push((name, self.member()?));
            let _ = self.sign(",");
        }
        self.expect(":")?;
        let output = self.ty()?;
        self.expect(";")?;
        Ok(Declaration::Function { module: module.to_owned(), arguments, output })
    }

    fn ty(&mut self) -> Result<Ty, Unread> {
        self.sign("|");
        let mut types = vec![self.both()?];
        while self.sign("|") {
            types.push(self.both()?);
        }
        Ok(if types.len() == 1 { types.remove(0) } else { Ty::Union(types) })
    }

    fn both(&mut self) -> Result<Ty, Unread> {
        let mut types = vec![self.single()?];
        while self.sign("&") {
            types.push(self.single()?);
        }
        Ok(if types.len() == 1 { types.remove(0) } else { Ty::Both(types) })
    }

    fn single(&mut self) -> Result<Ty, Unread> {
        self.skip();
        let mut ty = if self.sign("(") {
            let ty = self.ty()?;
            self.expect(")")?;
            ty
        } else if self.rest.starts_with('{') {
            Ty::Object(self.members()?)
        } else if let Some(literal) = self.literal() {
            Ty::Literal(literal)
        } else if self.word("keyof") {
            Ty::Other(format!("keyof {}", self.single()?))
        } else if self.rest.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            let is_of_number =
                |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
            let end = self.rest.find(|character| !is_of_number(character)).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(end);
            self.rest = rest;
            Ty::Literal(number.to_owned())
        } else {
            self.named()?
        };
        while self.rest.starts_with('[') {
            self.expect("[")?;
            ty = if self.sign("]") {
                Ty::List(Box::new(ty))
            } else {
                let index = self.ty()?;
                self.expect("]")?;
                Ty::Other(format!("{ty}[{index}]"))
            };
        }
        Ok(ty)
    }

    fn named(&mut self) -> Result<Ty, Unread> {
        let mut name = self.name()?;
        while let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            name = format!("{name}.{}", self.name()?);
        }
        if matches!(name.as_str(), "true" | "false") {
            return Ok(Ty::Literal(name));
        }
        if !self.rest.starts_with('<') {
            return Ok(Ty::Name(name));
        }
        self.expect("<")?;
        let mut arguments = vec![self.ty()?];
        while self.sign(",") {
            arguments.push(self.ty()?);
        }
        self.expect(">")?;
        Ok(Ty::Generic(name, arguments))
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$') || unicode_ident::is_xid_continue(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut reader = Reader { rest: text };
        let ty = reader.ty().expect("a type");
        reader.skip();
        assert_eq!(reader.rest, "", "{text}");
        ty.to_string()
    }

    #[test]
    fn types_are_read_as_they_are_written() {
        for text in [
            "string",
            "Deal | null",
            "'a' | 'it\\'s; }' | (string & {})",
            "(Deal | null)[]",
            "{ [name: string]: Deal[] }",
            "runtime.Failure<runtime.OtherStatus<201 | 400>, unknown>",
            "1 | -2.5 | 1e10 | true",
            "{ 'a-b'?: string; größe: number }",
            "WebhookEvents[keyof WebhookEvents]",
        ] {
            assert_eq!(written(text), text);
        }
        assert_eq!(written("\n  | A // one\n  | /* two */ B"), "A | B");
    }

    #[test]
    fn what_is_not_exported_here_is_left_out() {
        let text = "import type { A } from './a.js';\nexport * from './a;.js';\nexport type * from './t.js';\n\
                    export { connect, type B } from './b.js';\n\
                    /** Ends: `export type X = string;` */\nexport interface C extends runtime.D {\n  e?: A;\n}\n";
        let found = declarations("index", text).expect("declarations");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "C");
    }

    #[test]
    fn anything_else_is_an_error() {
        for text in ["export const a = 1;", "export type A = ;", "export interface A { b: ", "enum A {}"] {
            assert!(declarations("a", text).is_err(), "{text}");
        }
    }
}
