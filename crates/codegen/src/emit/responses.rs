//! Owns what the server and the client crate share about responses: those that are a body alone differ only in their
//! names, so one macro of the generated module writes them all.

use crate::{
    ir::{Api, Response},
    render::Block,
};

/// Whether a response is a body alone, so that only its name differs from others like it.
pub(super) fn is_body_only(response: &Response) -> bool {
    response.headers.is_empty() && response.body.is_some()
}

/// The macro around `implementation`, which is laid out as inside of it, and its invocation. Nothing where no response
/// is a body alone.
pub(super) fn body_only(api: &Api, implementation: &str) -> Vec<Block> {
    let names: Vec<&str> = api
        .responses
        .iter()
        .filter(|response| is_body_only(response))
        .map(|response| response.name.as_str())
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let definition = format!(
        "/// Responses that are a JSON body and nothing else.\n\
         macro_rules! body_only {{\n    ($($response:ident),+ $(,)?) => {{\n{implementation}    }};\n}}\n"
    );
    let invocation = format!("body_only! {{\n    {},\n}}\n", names.join(",\n    "));
    vec![Block::Text(definition), Block::Text(invocation)]
}
