//! Keywords that OpenAPI 3.0 does not have: which are reported, and what 3.0 uses instead.

use crate::lower::Lowering;
use frontdesk_document::NodeRef;

/// Keywords of later versions that limit values, and what says the same in OpenAPI 3.0. Those that only describe,
/// such as `$comment`, `$schema` and `examples`, lose nothing.
const LATER: &[(&str, &str)] = &[
    ("const", "write `enum` with the one value, as in `enum: [a]`"),
    ("$defs", "move the schemas to `components.schemas`"),
    ("prefixItems", "describe what all elements have in common by `items`, or use an object"),
    ("additionalItems", "describe what all elements have in common by `items`"),
    (
        "unevaluatedItems",
        "describe what all elements have in common by `items`, and bound them by `maxItems`",
    ),
    ("contains", "describe in words which element must be there"),
    ("minContains", "describe in words how many such elements must be there"),
    ("maxContains", "describe in words how many such elements may be there"),
    ("patternProperties", "write `additionalProperties` with one schema for all other members"),
    ("propertyNames", "describe in words how members are named"),
    ("unevaluatedProperties", "write `additionalProperties: false` in a schema without `allOf`"),
    ("dependencies", "write a schema for each combination, and choose by `oneOf`"),
    ("dependentRequired", "write a schema for each combination, and choose by `oneOf`"),
    ("dependentSchemas", "write a schema for each combination, and choose by `oneOf`"),
    ("if", "write a schema for each case, and choose by `oneOf`"),
    ("then", "write a schema for each case, and choose by `oneOf`"),
    ("else", "write a schema for each case, and choose by `oneOf`"),
    ("contentEncoding", "write `format: byte` for base64, or `format: binary` for bytes"),
    ("contentMediaType", "write the media type under `content`, or in the description"),
    ("contentSchema", "describe in words what the text holds"),
    ("$dynamicRef", "write `$ref` to a schema of `components.schemas`"),
];

impl<'d> Lowering<'d, '_> {
    /// Tells of the keywords of later versions that stand in the schema itself.
    pub(super) fn later(&mut self, schema: NodeRef<'d>) {
        for (key, value) in schema.entries() {
            let Some((keyword, instead)) = LATER.iter().find(|(keyword, _)| *keyword == key.text) else {
                continue;
            };
            let fate = match *keyword {
                "const" => "is read as an `enum` of one value",
                "$defs" => "is read only where a reference leads into it",
                _ => "is not checked",
            };
            let message = format!("`{keyword}` is no keyword of OpenAPI 3.0; it {fate}");
            self.warn_once(value, "later-keyword", message, instead);
        }
    }
}
