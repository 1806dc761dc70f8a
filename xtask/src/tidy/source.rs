//! What a Rust file names: paths and texts with their lines, without its tests.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item};

/// A path in code, such as `crate::edge::cursors`. Each path of a `use` with braces is one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
    /// The modules of the file in which it occurs, from outside to inside.
    pub(super) within: Vec<String>,
}

/// A literal text in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) line: usize,
}

/// What a file names.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) paths: Vec<Named>,
    pub(super) texts: Vec<Text>,
    /// The modules that it declares, without those of tests.
    pub(super) modules: Vec<String>,
}

impl Source {
    /// Reads a file. One that cannot be parsed names nothing; the compiler reports it.
    pub(super) fn read(text: &str) -> Self {
        let mut source = Self::default();
        if let Ok(file) = syn::parse_file(text) {
            source.items(file.items, &[]);
        }
        source
    }

    fn items(&mut self, items: Vec<Item>, within: &[String]) {
        for item in items {
            if attributes(&item).is_some_and(|attributes| attributes.iter().any(is_for_tests)) {
                continue;
            }
            match item {
                Item::Mod(module) => {
                    if within.is_empty() {
                        self.modules.push(module.ident.to_string());
                    }
                    if let Some((_, items)) = module.content {
                        let within: Vec<String> =
                            within.iter().cloned().chain([module.ident.to_string()]).collect();
                        self.items(items, &within);
                    }
                }
                item => self.tokens(item.to_token_stream(), within),
            }
        }
    }

    fn tokens(&mut self, tokens: TokenStream, within: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match token {
                // Comments are read as lines.
                TokenTree::Punct(hash) if hash.as_char() == '#' && is_comment(tokens.get(index + 1)) => {
                    index += 2;
                }
                TokenTree::Ident(_) => index = self.path(&tokens, index, &[], within),
                TokenTree::Group(group) => {
                    self.tokens(group.stream(), within);
                    index += 1;
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if text.starts_with('"') || text.starts_with("r\"") || text.starts_with("r#") {
                        self.texts.push(Text { text, line: literal.span().start().line });
                    }
                    index += 1;
                }
                TokenTree::Punct(_) => index += 1,
            }
        }
    }

    /// Reads the path that begins at an index, below a prefix, and returns the index after it.
    fn path(
        &mut self,
        tokens: &[TokenTree],
        mut index: usize,
        prefix: &[String],
        within: &[String],
    ) -> usize {
        let Some(TokenTree::Ident(first)) = tokens.get(index) else { return index + 1 };
        let line = first.span().start().line;
        let mut segments = prefix.to_vec();
        while let Some(TokenTree::Ident(segment)) = tokens.get(index) {
            segments.push(segment.to_string());
            index += 1;
            if !is_separator(tokens, index) {
                break;
            }
            match tokens.get(index + 2) {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.branches(group.stream(), &segments, within);
                    return index + 3;
                }
                Some(TokenTree::Ident(_)) => index += 2,
                // A glob, or generic arguments.
                _ => break,
            }
        }
        if segments.len() > 1 {
            self.paths.push(Named { segments, line, within: within.to_vec() });
        }
        index
    }

    /// Reads the braces of a `use`.
    fn branches(&mut self, tokens: TokenStream, prefix: &[String], within: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for branch in tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        {
            self.path(branch, 0, prefix, within);
        }
    }
}

fn is_separator(tokens: &[TokenTree], index: usize) -> bool {
    let is_colon =
        |index| matches!(tokens.get(index), Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
    is_colon(index) && is_colon(index + 1)
}

fn is_comment(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else { return false };
    matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

/// Whether an item is compiled for tests only.
fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| {
            list.tokens.clone().into_iter().next().is_some_and(|token| token.to_string() == "test")
        })
}

fn attributes(item: &Item) -> Option<&[Attribute]> {
    Some(match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_of_a_use_is_named() {
        let source =
            Source::read("use crate::{a::{self, B}, c};\n\nfn f() {\n    x!(crate::d::E::new());\n}\n");
        let named: Vec<(String, usize)> =
            source.paths.iter().map(|path| (path.segments.join("::"), path.line)).collect();
        let expected = [("crate::a::self", 1), ("crate::a::B", 1), ("crate::c", 1), ("crate::d::E::new", 4)];
        assert_eq!(named, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn tests_and_comments_name_nothing() {
        let source = Source::read(
            "/// See \"that\" and `crate::a`.\nmod b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n#[error(\"it is wrong\")]\nstruct E;\n",
        );
        assert_eq!(source.paths, []);
        assert_eq!(source.modules, ["b"]);
        assert_eq!(source.texts, [Text { text: "\"it is wrong\"".to_owned(), line: 7 }]);
    }

    #[test]
    fn modules_within_the_file_are_known() {
        let source = Source::read("mod a {\n    use super::b::C;\n}\n");
        assert_eq!(source.paths[0].within, ["a"]);
        assert_eq!(source.paths[0].segments, ["super", "b", "C"]);
    }
}
