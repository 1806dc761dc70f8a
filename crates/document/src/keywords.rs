//! Every keyword of a schema in OpenAPI 3.0 and 3.1, and what becomes of it.
//!
//! The reader, the generator and the comparison of documents read this one table, and a test checks that the
//! oracle does what it says. None of them ignores a keyword in silence: a keyword that generated code does
//! not check is a located warning with the words that the table has for it.

use crate::version::Version;

/// What a consumer makes of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Values are checked by it, or types are made of it.
    Checked,
    /// The reader writes it in another form, which is checked. It stays where it has none, and is ignored
    /// then.
    Rewritten,
    /// The reader writes a part of it in another form, which is checked; a warning says what is not.
    Approximated,
    /// Values are not checked by it.
    Ignored,
    /// It says nothing about which values are valid.
    Describes,
}

/// A keyword of a schema.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The keyword.
    pub name: &'static str,
    /// The first version of OpenAPI that has it.
    pub since: Version,
    /// The type whose values it limits: `string`, `number` (and `integer`), `array` or `object`; `None` if it
    /// limits values of all types, or none.
    pub applies_to: Option<&'static str>,
    /// What generated code makes of it.
    pub generated: Fate,
    /// What the oracle makes of it, and with it lint, the mock server and the comparison.
    pub oracle: Fate,
    /// What says the same in a way that is checked, for keywords that are not.
    pub instead: &'static str,
}

impl Keyword {
    /// Whether it limits the values of a schema in the forms of OpenAPI 3.0.
    pub fn limits(&self) -> bool {
        self.generated == Fate::Checked || self.name == "not"
    }
}

/// Returns what is known of a keyword; `None` for extensions and words that no version has.
pub fn keyword(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// Returns the keywords that limit only values of this type.
pub(crate) fn of_type(kind: &str) -> impl Iterator<Item = &'static Keyword> {
    KEYWORDS.iter().filter(move |keyword| keyword.applies_to == Some(kind))
}

const fn of(
    name: &'static str,
    since: Version,
    applies_to: Option<&'static str>,
    (generated, oracle): (Fate, Fate),
    instead: &'static str,
) -> Keyword {
    Keyword { name, since, applies_to, generated, oracle, instead }
}

const CHECKED: (Fate, Fate) = (Fate::Checked, Fate::Checked);
const REWRITTEN: (Fate, Fate) = (Fate::Rewritten, Fate::Rewritten);
const APPROXIMATED: (Fate, Fate) = (Fate::Approximated, Fate::Approximated);
const IGNORED: (Fate, Fate) = (Fate::Ignored, Fate::Ignored);
const DESCRIBES: (Fate, Fate) = (Fate::Describes, Fate::Describes);
const TEXT: Option<&str> = Some("string");
const NUMBER: Option<&str> = Some("number");
const ARRAY: Option<&str> = Some("array");
const OBJECT: Option<&str> = Some("object");
const BY_ITEMS: &str = "describe what all elements have in common by `items`";
const BY_ITEMS_OR_OBJECT: &str = "describe what all elements have in common by `items`, or use an object";
const BY_ITEMS_AND_LENGTH: &str =
    "describe what all elements have in common by `items`, and bound them by `maxItems`";
const BY_OTHER_MEMBERS: &str = "write `additionalProperties` with one schema for all other members";
const BY_NO_OTHER_MEMBERS: &str = "write `additionalProperties: false` in a schema without `allOf`";
const BY_FORMAT: &str = "write `format: byte` for base64, or `format: binary` for bytes";
const BY_CONTENT: &str = "write the media type under `content`, or in the description";
const BY_COMPONENT: &str = "write `$ref` to a schema of `components.schemas`";
const BY_ONE_OF: &str = "write a schema for each combination, and choose by `oneOf`";
const BY_CASES: &str = "write a schema for each case, and choose by `oneOf`";

use Version::{V3_0, V3_1};

/// Every keyword.
pub const KEYWORDS: &[Keyword] = &[
    of("type", V3_0, None, CHECKED, ""),
    of("enum", V3_0, None, CHECKED, ""),
    of("nullable", V3_0, None, CHECKED, ""),
    of("format", V3_0, None, CHECKED, ""),
    of("minLength", V3_0, TEXT, CHECKED, ""),
    of("maxLength", V3_0, TEXT, CHECKED, ""),
    of("pattern", V3_0, TEXT, CHECKED, ""),
    of("minimum", V3_0, NUMBER, CHECKED, ""),
    of("maximum", V3_0, NUMBER, CHECKED, ""),
    of("exclusiveMinimum", V3_0, NUMBER, CHECKED, ""),
    of("exclusiveMaximum", V3_0, NUMBER, CHECKED, ""),
    of("multipleOf", V3_0, NUMBER, CHECKED, ""),
    of("items", V3_0, ARRAY, CHECKED, ""),
    of("minItems", V3_0, ARRAY, CHECKED, ""),
    of("maxItems", V3_0, ARRAY, CHECKED, ""),
    of("uniqueItems", V3_0, ARRAY, CHECKED, ""),
    of("properties", V3_0, OBJECT, CHECKED, ""),
    of("required", V3_0, OBJECT, CHECKED, ""),
    of("additionalProperties", V3_0, OBJECT, CHECKED, ""),
    of("minProperties", V3_0, OBJECT, CHECKED, ""),
    of("maxProperties", V3_0, OBJECT, CHECKED, ""),
    of("allOf", V3_0, None, CHECKED, ""),
    of("anyOf", V3_0, None, CHECKED, ""),
    of("oneOf", V3_0, None, CHECKED, ""),
    of("discriminator", V3_0, None, CHECKED, ""),
    of("not", V3_0, None, (Fate::Ignored, Fate::Checked), "describe the values that are allowed instead"),
    of("readOnly", V3_0, None, CHECKED, ""),
    of("writeOnly", V3_0, None, CHECKED, ""),
    of("title", V3_0, None, DESCRIBES, ""),
    of("description", V3_0, None, DESCRIBES, ""),
    of("default", V3_0, None, DESCRIBES, ""),
    of("example", V3_0, None, DESCRIBES, ""),
    of("deprecated", V3_0, None, DESCRIBES, ""),
    of("externalDocs", V3_0, None, DESCRIBES, ""),
    of("xml", V3_0, None, DESCRIBES, ""),
    of("const", V3_1, None, REWRITTEN, "write `enum` with the one value, as in `enum: [a]`"),
    of("examples", V3_1, None, DESCRIBES, ""),
    of("$defs", V3_1, None, DESCRIBES, "move the schemas to `components.schemas`"),
    of("$schema", V3_1, None, DESCRIBES, ""),
    of("$id", V3_1, None, DESCRIBES, ""),
    of("$anchor", V3_1, None, DESCRIBES, ""),
    of("$dynamicAnchor", V3_1, None, DESCRIBES, ""),
    of("$recursiveAnchor", V3_1, None, DESCRIBES, ""),
    of("$vocabulary", V3_1, None, DESCRIBES, ""),
    of("$comment", V3_1, None, DESCRIBES, ""),
    of("$dynamicRef", V3_1, None, REWRITTEN, BY_COMPONENT),
    of("$recursiveRef", V3_1, None, REWRITTEN, BY_COMPONENT),
    of("prefixItems", V3_1, ARRAY, IGNORED, BY_ITEMS_OR_OBJECT),
    of("additionalItems", V3_1, ARRAY, IGNORED, BY_ITEMS),
    of("unevaluatedItems", V3_1, ARRAY, IGNORED, BY_ITEMS_AND_LENGTH),
    of("contains", V3_1, ARRAY, IGNORED, "describe in words which element must be there"),
    of("minContains", V3_1, ARRAY, IGNORED, "describe in words how many such elements must be there"),
    of("maxContains", V3_1, ARRAY, IGNORED, "describe in words how many such elements may be there"),
    of("patternProperties", V3_1, OBJECT, APPROXIMATED, BY_OTHER_MEMBERS),
    of("propertyNames", V3_1, OBJECT, IGNORED, "describe in words how members are named"),
    of("unevaluatedProperties", V3_1, OBJECT, REWRITTEN, BY_NO_OTHER_MEMBERS),
    of("dependencies", V3_1, OBJECT, IGNORED, BY_ONE_OF),
    of("dependentRequired", V3_1, OBJECT, IGNORED, BY_ONE_OF),
    of("dependentSchemas", V3_1, OBJECT, IGNORED, BY_ONE_OF),
    of("if", V3_1, None, IGNORED, BY_CASES),
    of("then", V3_1, None, IGNORED, BY_CASES),
    of("else", V3_1, None, IGNORED, BY_CASES),
    of("contentEncoding", V3_1, TEXT, REWRITTEN, BY_FORMAT),
    of("contentMediaType", V3_1, TEXT, REWRITTEN, BY_CONTENT),
    of("contentSchema", V3_1, TEXT, IGNORED, "describe in words what the text holds"),
];
