//! The stable names of the problems that lowering reports, with their long explanations.

use frontdesk_document::Explanation;

const fn code(code: &'static str, text: &'static str) -> Explanation {
    Explanation { code, text }
}

/// Every code of this crate.
pub const CODES: &[Explanation] = &[
    code(
        "allof-conflict",
        "Two parts of an `allOf` give one property two different schemas, so no Rust field can have both types. Keep the property in one part, or make the schemas equal.",
    ),
    code(
        "ambiguous-union",
        "The branches of a `oneOf` or `anyOf` are tried in order, and a value of a later branch may be taken for an earlier one, because it has every field that the earlier one requires. Give each branch a required property that the others lack, or a required property with an `enum` of one value, or list the stricter branch first.",
    ),
    code("bound-ignored", "A bound that generated code does not check. The type is generated without it."),
    code(
        "closed-object",
        "The schema says `additionalProperties: false`. Generated types have no place for further members and drop them \
         when they read, on both sides; nothing refuses them.",
    ),
    code(
        "composition-ignored",
        "A part of an `allOf` is itself a `oneOf` or `anyOf`. The merged type has the plain properties only.",
    ),
    code(
        "default-ignored",
        "The schema has a `default`. Generated code leaves an absent field absent, so that a server can tell the two apart; it does not fill the default in.",
    ),
    code(
        "discriminator-ignored",
        "A `discriminator` names the property that tells branches apart. Generated code tries the branches in order instead.",
    ),
    code(
        "doubled-operation-id",
        "Two operations have the same `operationId`, or ids that are the same in Rust's snake_case. The later one gets a suffix; rename one of them.",
    ),
    code(
        "empty-enum",
        "An `enum` lists no value that a Rust enumeration could have, so no value would be valid.",
    ),
    code(
        "endless-type",
        "A schema leads back to itself with nothing but lists, maps or compositions on the way. Rust needs an object with properties somewhere in the circle to give the type a name.",
    ),
    code(
        "enum-ignored",
        "Only strings make an enumeration in generated code. The values of other enumerations are read as their plain type and not checked.",
    ),
    code(
        "format-ignored",
        "Generated code has no type and no check for this `format`; the value is kept as plain text.",
    ),
    code(
        "invalid-bound",
        "A bound such as `maxLength` or `minimum` has a value that it cannot have: sizes are whole numbers from 0 up, bounds of an integer are integers of 64 bits.",
    ),
    code(
        "invalid-parameter",
        "A parameter lacks `name`, what it is called in a request, or `in`, where it stands: path, query or header.",
    ),
    code(
        "invalid-pattern",
        "A `pattern` is no regular expression in the ECMA 262 dialect, which OpenAPI 3.0 asks for.",
    ),
    code(
        "invalid-schema",
        "A schema must be an object, with `type: string` or the like. `true` and `false` are schemas of OpenAPI 3.1 only.",
    ),
    code(
        "invalid-status",
        "A key under `responses` is no status: write a code such as '404', a class such as '4XX', or `default`.",
    ),
    code(
        "missing-responses",
        "OpenAPI 3.0 requires `responses` of every operation, with at least one status.",
    ),
    code(
        "missing-schema",
        "A media type has no `schema`, so nothing is known of the body. Add one; `{}` means any JSON value.",
    ),
    code(
        "not-ignored",
        "`not` says what a value must not be, which no Rust type can say. It is not checked.",
    ),
    code("nullable-body", "A body may be `null` as a whole. It is read as any JSON value."),
    code("part-ignored", "A part of the operation is not generated. Everything else of it is."),
    code(
        "side-ignored",
        "`readOnly` and `writeOnly` properties stay part of the type on both sides. Use a schema for requests and another for responses.",
    ),
    code(
        "undeclared-path-parameter",
        "The path names a parameter that no `parameters` list declares. It is read as text.",
    ),
    code(
        "undefined-scheme",
        "A security requirement names a scheme that `components.securitySchemes` does not have. Taking it would leave the operation open.",
    ),
    code(
        "unknown-scheme",
        "An HTTP authentication scheme other than bearer and basic. Describe it as an `apiKey` in the header `Authorization`.",
    ),
    code(
        "unknown-type",
        "`type` has a value that OpenAPI 3.0 does not know. It is one of string, number, integer, boolean, array, object; `null` is written `nullable: true`.",
    ),
    code(
        "unsupported-media-type",
        "A body has a media type that is not generated. JSON bodies are: `application/json` and types that end in `+json`.",
    ),
    code(
        "unsupported-parameter",
        "A parameter or header has a place, style or type that is not generated. Strings, numbers, booleans, enumerations and lists of them are, in path, query and header, in the default style.",
    ),
    code(
        "unused-path-parameter",
        "A parameter with `in: path` has no place `{name}` in the path, so it could never be sent.",
    ),
];
