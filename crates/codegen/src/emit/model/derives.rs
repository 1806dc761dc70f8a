//! Further derived traits of a type, which the options ask for.

use crate::render::Block;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeMap;

/// The traits that generated types have by themselves.
const PRESENT: [&str; 9] =
    ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Adds the traits to the definition of a type, which is the first of its blocks.
pub(super) fn added(
    mut blocks: Vec<Block>,
    name: &str,
    derives: &BTreeMap<String, Vec<String>>,
) -> Vec<Block> {
    if derives.is_empty() {
        return blocks;
    }
    let asked = ["*", name].into_iter().filter_map(|key| derives.get(key)).flatten();
    let mut traits: Vec<&String> = Vec::new();
    for path in asked {
        let is_present = PRESENT.contains(&path.as_str())
            && blocks.first().is_some_and(|block| names_of(block).iter().any(|known| known == path));
        if !is_present && !traits.contains(&path) {
            traits.push(path);
        }
    }
    if traits.is_empty() {
        return blocks;
    }
    let list = traits.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    match blocks.first_mut() {
        Some(Block::Rust(tokens)) => {
            let paths: TokenStream = list.parse().expect("the settings checked that these are paths");
            let mut attribute = Some(quote!(#[derive(#paths)]));
            let made = std::mem::take(tokens).into_iter().flat_map(|token| {
                let is_definition = matches!(&token, TokenTree::Ident(word) if word == "pub");
                let before = if is_definition { attribute.take() } else { None };
                before.unwrap_or_default().into_iter().chain([token])
            });
            *tokens = made.collect();
        }
        Some(Block::Text(text)) => {
            *text = text.replacen("    pub enum ", &format!("    #[derive({list})]\n    pub enum "), 1);
        }
        Some(Block::Printed(_)) | None => {}
    }
    blocks
}

/// The names of the traits that a definition derives.
fn names_of(block: &Block) -> Vec<String> {
    match block {
        Block::Rust(tokens) => {
            let lists = tokens.clone().into_iter().filter_map(|token| match token {
                TokenTree::Group(group) if group.stream().to_string().starts_with("derive") => {
                    Some(group.stream().to_string())
                }
                _ => None,
            });
            let list = lists.collect::<String>();
            list.split(|character: char| !character.is_alphanumeric()).map(str::to_owned).collect()
        }
        // What the macros of enumerations derive.
        Block::Text(text) if text.starts_with("closed_enum") => {
            PRESENT.iter().filter(|name| **name != "Default").map(|name| (*name).to_owned()).collect()
        }
        Block::Text(_) => {
            ["Clone", "Debug", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"].map(str::to_owned).to_vec()
        }
        Block::Printed(_) => Vec::new(),
    }
}
