//! Names of JavaScript: types, functions and modules, from the names that the document gives.

use super::{imports::RUNTIME, package::VALUES};
use crate::ir::{Api, Operation, TypeId};
use heck::{ToKebabCase as _, ToLowerCamelCase as _, ToUpperCamelCase as _};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;

/// Words that cannot name a function of a module, and `then`, by which a module would be taken for a promise.
const RESERVED: &[&str] = &[
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "then",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// What every package exports, and the parameters of functions. What modules of tags import is taken too.
const TAKEN: &[&str] = &["api", "connect", "options", "read", "receive", "request", "runtime", "verify"];

/// Types that every package declares beside those of the document and the classes of the runtime.
const TAKEN_TYPES: &[&str] = &["ConnectOptions", super::EVENT, "WebhookEvents"];

/// Modules that every package has, and names that some systems keep for devices.
const TAKEN_MODULES: &[&str] =
    &["aux", "client", "con", "index", "nul", "package", "prn", "readme", "runtime", "types", "webhooks"];

/// Whether some systems keep a name for a serial or a printer port.
fn is_port(name: &str) -> bool {
    let number = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

/// The names of a function, and of the types of its parameters and responses.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The function that asks for a stream of events, if the operation also has other responses.
    pub(crate) stream: Option<String>,
    pub(crate) request: String,
    pub(crate) result: String,
    pub(crate) stream_result: String,
}

/// All names of a package.
#[derive(Debug)]
pub(crate) struct Names {
    types: Vec<String>,
    /// By group and operation.
    pub(crate) functions: Vec<Vec<Function>>,
    /// The modules of the groups, without their endings.
    pub(super) modules: Vec<String>,
}

impl Names {
    pub(crate) fn of(api: &Api) -> Self {
        // A type in the place of a class would hide that it is exported.
        let mut taken: BTreeSet<String> =
            TAKEN_TYPES.iter().chain(VALUES).map(|&name| name.to_owned()).collect();
        let mut types = vec![String::new(); api.types.len()];
        // Names of the document come before those that were made for its inline schemas.
        for is_component in [true, false] {
            for (index, def) in api.types.iter().enumerate() {
                if def.component.is_some() == is_component {
                    types[index] =
                        take(&mut taken, [pascal(&def.label), format!("{}Model", pascal(&def.label))]);
                }
            }
        }
        let imported = RUNTIME.iter().flat_map(|(_, names)| *names);
        let mut functions_taken: BTreeSet<String> =
            imported.chain(TAKEN).chain(RESERVED).map(|&name| name.to_owned()).collect();
        let mut functions: Vec<Vec<Function>> = api
            .groups
            .iter()
            .map(|group| {
                let names = group.operations.iter().map(|operation| {
                    let name = take(&mut functions_taken, candidates(&group.tag, operation));
                    Function {
                        name,
                        stream: None,
                        request: String::new(),
                        result: String::new(),
                        stream_result: String::new(),
                    }
                });
                names.collect()
            })
            .collect();
        for (group, names) in api.groups.iter().zip(&mut functions) {
            for (operation, function) in group.operations.iter().zip(names) {
                let mut type_name = |name: &str, kind: &str| {
                    let name = pascal(name);
                    take(&mut taken, [format!("{name}{kind}"), format!("{name}Operation{kind}")])
                };
                function.request = type_name(&function.name, "Request");
                function.result = type_name(&function.name, "Result");
                if operation.streaming.is_some() {
                    let name = take(
                        &mut functions_taken,
                        [streamed(&function.name), format!("{}Stream", function.name)],
                    );
                    function.stream_result = type_name(&name, "Result");
                    function.stream = Some(name);
                }
            }
        }
        let mut modules_taken: BTreeSet<String> = TAKEN_MODULES.iter().map(|&name| name.to_owned()).collect();
        let modules = api.groups.iter().map(|group| {
            let name = module(&group.tag);
            if is_port(&name) {
                modules_taken.insert(name.clone());
            }
            take(&mut modules_taken, [name.clone(), format!("{name}-operations")])
        });
        let modules = modules.collect();
        Self { types, functions, modules }
    }

    /// The name of a type.
    pub(crate) fn ty(&self, id: TypeId) -> &str {
        &self.types[id.0]
    }

    /// Whether a type of the document, or one made for it, has this name.
    pub(super) fn has_type(&self, name: &str) -> bool {
        let of_function = |function: &Function| {
            [&function.request, &function.result, &function.stream_result].iter().any(|own| *own == name)
        };
        self.types.iter().any(|own| own == name) || self.functions.iter().flatten().any(of_function)
    }
}

/// Takes the first free candidate, or the last one with as many `_` as it needs.
fn take(taken: &mut BTreeSet<String>, candidates: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for candidate in candidates {
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        last = candidate;
    }
    while !taken.insert(last.clone()) {
        last.push('_');
    }
    last
}

/// The names that an operation may have, the best first.
fn candidates(tag: &str, operation: &Operation) -> [String; 4] {
    let id = camel(&operation.id);
    let suffixed = format!("{id}Operation");
    [
        id,
        camel(&format!("{tag} {}", operation.id)),
        camel(&format!("{} {}", operation.method, operation.path)),
        suffixed,
    ]
}

/// The function that streams what another one returns: `streamMessage` for `sendMessage`.
fn streamed(name: &str) -> String {
    match name.find(|character: char| character.is_uppercase()) {
        Some(verb) if verb > 0 => format!("stream{}", &name[verb..]),
        _ => format!("{name}Stream"),
    }
}

/// The words of a text: letters, digits and spaces.
fn words(text: &str) -> String {
    let word = |character: char| if unicode_ident::is_xid_continue(character) { character } else { ' ' };
    text.nfc().map(word).collect()
}

/// Whether a text is an identifier whose words are written together.
fn is_joined(text: &str, is_first: fn(char) -> bool) -> bool {
    text.starts_with(is_first)
        && text.chars().all(|character| unicode_ident::is_xid_continue(character) && character != '_')
        && text.nfc().eq(text.chars())
}

fn started(name: String, otherwise: &str) -> String {
    if name.is_empty() {
        otherwise.to_owned()
    } else if name.starts_with(unicode_ident::is_xid_start) {
        name
    } else {
        format!("_{name}")
    }
}

/// The name of a function.
fn camel(text: &str) -> String {
    if is_joined(text, char::is_lowercase) {
        text.to_owned()
    } else {
        started(words(text).to_lower_camel_case(), "operation")
    }
}

/// The name of a type.
fn pascal(text: &str) -> String {
    if is_joined(text, char::is_uppercase) {
        text.to_owned()
    } else {
        started(words(text).to_upper_camel_case(), "Empty")
    }
}

/// The name of a module, which is also that of a file.
fn module(tag: &str) -> String {
    let mut ascii = String::new();
    for character in tag.nfkc() {
        if character.is_ascii_alphanumeric() {
            ascii.push(character);
        } else if character.is_alphanumeric() {
            ascii.push_str(&format!(" u{:x} ", u32::from(character)));
        } else {
            ascii.push(' ');
        }
    }
    let name = ascii.to_kebab_case();
    if name.is_empty() { "operations".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{camel, module, pascal, streamed};

    #[test]
    fn names_are_those_of_the_document() {
        for (text, function, ty) in [
            ("getURL", "getURL", "GetUrl"),
            ("repos/get-content", "reposGetContent", "ReposGetContent"),
            ("FAQItem", "faqItem", "FAQItem"),
            ("1.0", "_10", "_10"),
            ("", "operation", "Empty"),
            ("__proto__", "proto", "Proto"),
            ("größe ändern", "größeÄndern", "GrößeÄndern"),
        ] {
            assert_eq!((camel(text), pascal(text)), (function.to_owned(), ty.to_owned()), "{text}");
        }
    }

    #[test]
    fn modules_are_files_on_every_system() {
        for (tag, name) in
            [("Help center", "help-center"), ("FAQs", "fa-qs"), ("ü", "ufc"), ("/..", "operations")]
        {
            assert_eq!(module(tag), name);
        }
    }

    #[test]
    fn streams_are_named_after_what_they_stream() {
        assert_eq!(streamed("sendMessage"), "streamMessage");
        assert_eq!(streamed("ask"), "askStream");
    }
}
