//! The stable names of the problems this crate reports, with their long explanations.

/// The long form of one code.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The stable name.
    pub code: &'static str,
    /// Its meaning and the remedy, in a few sentences.
    pub text: &'static str,
}

/// Declares each code as a constant and as a row of [`CODES`], so that neither can be forgotten.
macro_rules! codes {
    ($($name:ident = $code:literal: $text:literal,)*) => {
        $(#[doc = $text] pub const $name: &str = $code;)*

        /// Every code of this crate.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $code, text: $text },)*];
    };
}

codes! {
    ALIAS_EXPANSION = "alias-expansion": "The aliases of a YAML file repeat so much that the file would grow beyond the limit. \
        A few lines of aliases to aliases can describe billions of values, so expansion is bounded. Share parts with `components` and `$ref` instead.",
    COMPONENT_NAME_CLASH = "component-name-clash": "Two different objects of different files want the same name under `components` of the bundle. \
        The later one got the name of its file appended. Rename one of the two if the name matters; schema names are also the implicit values of discriminators.",
    DUPLICATE_KEY = "duplicate-key": "One object has the same key twice. Readers disagree about which value counts; most take the last one, as is done here unless `--strict` is given. \
        Remove one of the two, or merge their contents.",
    EMPTY_DOCUMENT = "empty-document": "The file holds no value: it is empty, or has comments only.",
    FILE_TOO_LARGE = "file-too-large": "A file, or the number of files of one document, exceeds the limit of the reader.",
    INVALID_CHARACTER = "invalid-character": "The text holds a control character that neither YAML nor JSON allows, such as a NUL byte. \
        It is often a sign of a wrong encoding; documents must be UTF-8.",
    INVALID_JSON = "invalid-json": "The text is not JSON as RFC 8259 defines it. Files whose name ends in `.json`, and texts that begin with `{`, are read as JSON; \
        comments, trailing commas and single quotes are not part of it.",
    INVALID_MERGE_KEY = "invalid-merge-key": "The YAML merge key `<<` takes the members of another object into this one. Its value must be an object or an array of objects, \
        usually given by an alias.",
    INVALID_REFERENCE = "invalid-reference": "A `$ref` is not a string, or its text is not a reference: `file#/pointer`, with `~1` for `/` and `~0` for `~` in the pointer's parts \
        and percent-encoding as in URIs.",
    INVALID_VALUE = "invalid-value": "A value does not have the type or shape that OpenAPI gives it. A frequent cause is a version such as `1.0` without quotes, which YAML takes as a number.",
    INVALID_YAML = "invalid-yaml": "The text is not YAML 1.2. Usual causes are tabs in the indentation, keys of one object in different columns, and text with `: ` or a leading `@`, `*` or `%` that is not quoted.",
    MISPLACED_REFERENCE = "misplaced-reference": "OpenAPI allows `$ref` only in place of a schema, response, parameter, example, request body, header, security scheme, link, callback or path item. \
        Maps of such objects, and other objects such as operations, must be written out; put a `$ref` on each of their entries instead. Unless `--strict` is given, the reference is followed all the same.",
    MISSING_FIELD = "missing-field": "A field that OpenAPI requires of every document is missing: `openapi`, and `info` with `title` and `version`.",
    MISSING_PATHS = "missing-paths": "The document has no `paths`. OpenAPI 3.0 requires the field, and 3.1 wants `paths`, `components` or `webhooks`; but a document of components alone is useful, so it is taken as empty.",
    PATH_ITEM_SIBLINGS = "path-item-siblings": "A path item has a `$ref` and fields of its own. OpenAPI leaves open how the two combine, so tools differ. \
        Unless `--strict` is given, the fields are ignored. Move them into the path item that the reference leads to.",
    RECURSIVE_ALIAS = "recursive-alias": "A YAML alias stands inside the value that its anchor names, which describes an endless value.",
    REFERENCE_CYCLE = "reference-cycle": "References lead in a circle without ever reaching a value. (A schema may refer to itself from one of its properties; a `$ref` may not lead back to itself.)",
    REFERENCE_SIBLINGS = "reference-siblings": "An object has a `$ref` and other fields. OpenAPI 3.0 ignores everything beside a `$ref`. \
        To add to a schema, write `allOf: [{$ref: …}]` beside the other fields. (In OpenAPI 3.1, the keywords beside the `$ref` of a schema count.)",
    REMOTE_REFERENCE = "remote-reference": "A `$ref` leads to another machine. Documents are read without a network, so that the same files always mean the same. Copy the file beside the document and refer to it there.",
    SEVERAL_DOCUMENTS = "several-documents": "A YAML file holds more than one document, divided by `---` or `...`. One file describes one document.",
    TOO_DEEP = "too-deep": "Arrays and objects are nested deeper than the limit of the reader.",
    UNKNOWN_DIALECT = "unknown-dialect": "`jsonSchemaDialect` names another dialect of JSON Schema than that of OpenAPI 3.1. The schemas are read as JSON Schema 2020-12, which most dialects extend; keywords of other vocabularies are ignored.",
    UNREADABLE_FILE = "unreadable-file": "A file of the document could not be loaded: there is no such file, it may not be read, or it is not UTF-8 text. Paths in a `$ref` are relative to the file that holds it.",
    UNREPRESENTABLE_NUMBER = "unrepresentable-number": "JSON has no infinity and no \"not a number\", and readers take numbers as doubles. Such a value cannot be part of an OpenAPI document.",
    UNRESOLVED_REFERENCE = "unresolved-reference": "The target of a reference does not exist. Unless `--strict` is given, a schema without a target allows any value, and other objects are left out or read as ones of which nothing is known; the warning says which. The pointer after `#` names the keys from the outermost object of the file to the target.",
    UNSUPPORTED_KEY = "unsupported-key": "YAML allows keys that JSON does not: empty ones, arrays and objects. OpenAPI documents are JSON data, whose keys are text.",
    UNSUPPORTED_TAG = "unsupported-tag": "A YAML tag such as `!include` or `!!binary` has no meaning in an OpenAPI document, or the tagged value is not of the tag's type.",
    UNSUPPORTED_VERSION = "unsupported-version": "The document follows another specification than OpenAPI 3.0 or 3.1, such as Swagger 2.0.",
    VERSION_MISMATCH = "version-mismatch": "A schema uses a form of another version of OpenAPI than the one that the document declares: `nullable` or a boolean `exclusiveMinimum` in a document of 3.1, \
        a list of types or a number as `exclusiveMinimum` in one of 3.0. It has the meaning that the other version gives it. Write the form of the declared version, or declare the other version.",
    WRONG_REFERENCE_TARGET = "wrong-reference-target": "A reference leads to something that cannot stand in its place, such as a parameter where a schema is expected. Unless `--strict` is given, it is read like a reference without a target.",
}

/// Codes of any stage that were renamed, each with its present name. Documents and habits keep the former
/// ones.
pub const FORMER_CODES: &[(&str, &str)] = &[
    ("doubled-example", "duplicate-example"),
    ("doubled-operation-id", "duplicate-operation-id"),
    ("doubled-parameter", "duplicate-parameter"),
    ("doubled-status", "duplicate-status"),
    ("doubled-tag", "duplicate-tag"),
    ("doubled-value", "duplicate-value"),
];

/// Returns the present name of a code, which may be given by its former one.
pub fn current_code(code: &str) -> &str {
    FORMER_CODES.iter().find(|(former, _)| *former == code).map_or(code, |(_, current)| current)
}

/// Returns the long form of a code, if it is one of this crate.
pub fn explain(code: &str) -> Option<&'static str> {
    CODES.iter().find(|explanation| explanation.code == code).map(|explanation| explanation.text)
}
