//! The lint rules, with their levels and explanations.

use std::fmt;

use frontdesk_document::{Explanation, current_code};

/// The severity of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The document is wrong: it contradicts itself or OpenAPI.
    Error,
    /// The document is valid, but less useful than it could be.
    Warning,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// The documents that a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Any document.
    Common,
    /// Documents that follow the conventions of this repository.
    Project,
    /// Any document, but only if the settings name the rule.
    Asked,
}

/// A lint rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable id.
    pub id: &'static str,
    /// The level, unless the settings override it.
    pub level: Level,
    /// The documents that it is for.
    pub scope: Scope,
}

/// Declares each rule as a constant and as a row of [`RULES`] and [`CODES`].
macro_rules! rules {
    ($($name:ident = $id:literal, $level:ident, $scope:ident: $text:literal,)*) => {
        $(
            #[doc = $text]
            pub(super) const $name: &Rule =
                &Rule { id: $id, level: Level::$level, scope: Scope::$scope };
        )*

        /// Every rule that this module checks.
        pub const RULES: &[&Rule] = &[$($name,)*];

        /// The explanation of each rule of [`RULES`].
        pub const CODES: &[Explanation] = &[$(Explanation { code: $id, text: $text },)*];
    };
}

rules! {
    ALLOWANCE_REASON = "allowance-reason", Error, Common:
        "`x-lint-allow` maps the ids of rules to reasons why they may be violated here: `x-lint-allow: {rule: reason}`. The reason must be a non-empty text; without one, the entry has no effect.",
    ALLOWANCE_UNKNOWN = "allowance-unknown", Error, Common:
        "`x-lint-allow` names a rule that does not exist, so the entry has no effect. `cargo xtask explain` lists the rules.",
    ALLOWANCE_UNUSED = "allowance-unused", Warning, Common:
        "`x-lint-allow` allows a violation that no longer occurs. Remove the entry, because it would hide the next violation of this rule.",
    AMBIGUOUS_PATHS = "ambiguous-paths", Warning, Common:
        "Two paths with the same method match the same request, and neither is more specific: `/a/{x}/c` and `/a/b/{y}` both match `/a/b/c`. \
         Servers differ in which operation they select. Add a literal segment to one of them, or restrict its parameter so that it excludes the other's literal.",
    ANY_OF = "any-of", Warning, Project:
        "With `anyOf`, a value can match several branches at once, so clients cannot determine which one applies. Use `oneOf` with mutually exclusive branches, or an object with optional properties.",
    ARRAY_WITHOUT_ITEMS = "array-without-items", Error, Common:
        "OpenAPI 3.0 requires `items` in every schema of type `array`. Without it, the type of the entries is unknown. Use `items: {}` to allow any entry.",
    BODY_EXAMPLE = "body-example", Warning, Project:
        "A body has no named examples, which documentation, mock servers and tests need. Add `examples` with a name, a `summary` and a `value`.",
    BODY_IGNORED = "body-ignored", Warning, Common:
        "A GET, HEAD or TRACE operation has a `requestBody`. HTTP does not define the meaning of such a body (RFC 9110, section 9.3); many clients cannot send it, and intermediaries remove it. \
         Use query parameters, or POST.",
    CLOSED_OBJECT = "closed-object", Warning, Project:
        "With `additionalProperties: false`, every later addition is a breaking change for clients and servers. Remove it, so that the object allows additional properties.",
    CROSSED_BOUNDS = "crossed-bounds", Error, Common:
        "The lower bound of a schema is above its upper bound, so no value is valid.",
    DEFAULT_INVALID = "default-invalid", Error, Common:
        "A `default` does not match its own schema, so it cannot replace an omitted value. Correct the default or the schema.",
    DEPRECATED_WITHOUT_SUNSET = "deprecated-without-sunset", Warning, Project:
        "Something is `deprecated` without a date of removal. Add `x-sunset` with the earliest date.",
    DESIGNED_BOUNDS = "designed-bounds", Error, Project:
        "`x-designed-bounds` lists the keywords of a given value's schema that are designed here. Every listed keyword must exist.",
    DISCRIMINATOR_OPTIONAL = "discriminator-optional", Warning, Common:
        "A branch of a union with a `discriminator` does not require the discriminator property, as OpenAPI demands. A value without this property cannot be assigned to a branch. Add it to `required`.",
    DUPLICATE_EXAMPLE = "duplicate-example", Warning, Common:
        "`example` and `examples`, or `value` and `externalValue` of one example, are mutually exclusive. Tools show only one of them, and differ in which.",
    DUPLICATE_TAG = "duplicate-tag", Error, Common:
        "Two entries of `tags` have the same name, which OpenAPI forbids.",
    ENUM_VALUE_COLLISION = "enum-value-collision", Warning, Common:
        "Two values of an enumeration differ only in case or punctuation, so generators must number their names. Rename one, or name all of them with `x-enum-varnames`.",
    ERROR_RESPONSE_MISSING = "error-response-missing", Warning, Common:
        "An operation declares no error response: no 4xx or 5xx status, and no `default`. Every call can fail; describe the errors.",
    EXAMPLE_HOST = "example-host", Warning, Project:
        "An example contains a host that may exist. Readers copy and run examples, so use hosts under `.example`, which is reserved (RFC 2606).",
    EXAMPLE_INVALID = "example-invalid", Error, Common:
        "An example does not match its schema. A reader who copies it gets an error, and a mock server sends it to clients that cannot decode it. Correct the example or the schema.",
    EXTENSION_UNKNOWN = "extension-unknown", Warning, Project:
        "A key that begins with `x-` is not in the table of `spec/README.md`, so no tool uses it. This is often a typing error. Add a new key to that table first.",
    HEADER_DESCRIPTION = "header-description", Warning, Project:
        "A header has no `description`. Describe its meaning, unit and limits.",
    IDENTICAL_PATHS = "identical-paths", Error, Common:
        "Two paths differ only in the names of their parameters, so they are the same path, which OpenAPI forbids. Describe all methods in one path item.",
    INFO_CONTACT = "info-contact", Warning, Project:
        "`info` has no `contact` or no `license`. Readers need to know whom to ask and how they may use the interface.",
    INFO_DESCRIPTION = "info-description", Warning, Common:
        "`info` has no `description`. It opens the documentation: describe the service, authentication and errors.",
    INLINE_ERROR = "inline-error", Warning, Project:
        "An operation describes an error response inline. Move it to `components.responses` and refer to it, so that clients get the same errors everywhere.",
    INSECURE_SERVER = "insecure-server", Warning, Common:
        "The URL of a server begins with `http:`, so credentials and data are sent unencrypted. Use `https:`; `localhost` is exempt.",
    KEYWORD_WITHOUT_EFFECT = "keyword-without-effect", Warning, Common:
        "A keyword applies to another type than the schema has, such as `maxLength` in an integer schema, so it has no effect. Remove it, or correct the type.",
    LINK_TARGET = "link-target", Error, Common:
        "A link has no target, or names an operation that the document does not have. A link needs either `operationId` or `operationRef`.",
    MALFORMED_POLICY = "malformed-policy", Error, Project:
        "`x-policy` states the access rules of an operation: `{ caller: key, roles: [owner, admin], plan: api_access, rate: key, credits: none }`. \
         Servers enforce it and the documentation shows it, so every member has one of the values that `spec/README.md` lists, and `caller` agrees with `security`.",
    MALFORMED_PROVENANCE = "malformed-provenance", Error, Project:
        "`x-provenance` must be `given` for what the interface specification states, or `designed` for what this repository adds.",
    MALFORMED_STABILITY = "malformed-stability", Error, Project:
        "`x-stability-level` must be `stable` or `beta` in this repository. Given parts are stable.",
    MALFORMED_SUNSET = "malformed-sunset", Error, Common:
        "`x-sunset` is the earliest date on which a deprecated part may be removed, written as `2027-01-31`. It requires `deprecated: true`.",
    MARKUP_SCRIPT = "markup-script", Warning, Common:
        "A description contains a `<script>` tag. Descriptions are shown as Markdown or HTML in web pages, and pages that do not sanitize them run the script.",
    MISSING_POLICY = "missing-policy", Error, Project:
        "An operation does not state by `x-policy` who may call it, how often, and what it costs. The service enforces these rules and clients need to know them.",
    MISSING_PROVENANCE = "missing-provenance", Error, Project:
        "An operation or a component schema has no `x-provenance`. Write `given` if the interface specification states it, `designed` if it was added here.",
    MISSING_STABILITY = "missing-stability", Error, Project:
        "An operation, or a `designed` part, has no `x-stability-level`. Write `stable` or `beta`.",
    NEVER_TRAVELS = "never-travels", Warning, Common:
        "A `readOnly` property is in a schema that only requests use, or a `writeOnly` property in a schema that only responses use, so it is never sent. Remove the property or the keyword.",
    NULLABLE_COMPOSED = "nullable-composed", Warning, Common:
        "`nullable: true` is beside `allOf`, `oneOf` or `anyOf`, without a `type`. In OpenAPI 3.0.3 it has an effect only beside `type`, and `null` still has to match the composed schemas, so many validators refuse `null`. \
         Write the alternative: `anyOf` with the schema and `{type: object, nullable: true, enum: [null]}`, with the type of the schema.",
    NULLABLE_ENUM = "nullable-enum", Warning, Common:
        "A schema is `nullable`, but its `enum` does not list `null`. According to OpenAPI 3.0.3, `null` is then not allowed, but many tools allow it. Add `null` to `enum` if it is intended.",
    NULLABLE_UNTYPED = "nullable-untyped", Warning, Common:
        "`nullable: true` is in a schema without `type`, `allOf`, `oneOf` and `anyOf`. In OpenAPI 3.0.3 it has no effect there, because such a schema allows `null` anyway. Add the `type`.",
    OPERATION_DESCRIPTION = "operation-description", Warning, Common:
        "An operation has neither a `summary` nor a `description`. Describe what it does, and what callers need to know.",
    OPERATION_ID_CASE = "operation-id-case", Warning, Project:
        "An `operationId` must be a verb and a noun in camel case: `createChatbot`.",
    OPERATION_ID_MISSING = "operation-id-missing", Warning, Common:
        "An operation has no `operationId`. It names generated functions, links and documentation addresses; without it, these change with the path.",
    PARAMETER_DESCRIPTION = "parameter-description", Warning, Project:
        "A parameter has no `description`. Describe its meaning, unit and limits.",
    PARAMETER_NAME_COLLISION = "parameter-name-collision", Warning, Common:
        "Two parameters of one operation have names that differ only in case, punctuation or location, so generators must number them. Rename one, or set `x-rust-name`.",
    PATH_PARAMETER_OPTIONAL = "path-parameter-optional", Error, Common:
        "A path parameter has no `required: true`, which OpenAPI demands because the path is incomplete without it.",
    PATH_TRAILING_SLASH = "path-trailing-slash", Warning, Common:
        "A path ends in a slash. `/a` and `/a/` are different paths that people and proxies confuse. Remove the slash.",
    POINTLESS_ENUM = "pointless-enum", Warning, Common:
        "An enumeration does not restrict its type, or allows only `null` or an empty text: it lists both values of a boolean, or no value that is ever sent. Remove it, or list the values.",
    PROPERTY_DESCRIPTION = "property-description", Warning, Project:
        "A property has no `description`. Describe its meaning, unit and limits.",
    PROPERTY_NAME_COLLISION = "property-name-collision", Warning, Common:
        "Two properties of an object have names that differ only in case or punctuation, so generators must number them. Rename one, or set `x-rust-name`.",
    READ_AND_WRITE_ONLY = "read-and-write-only", Error, Common:
        "A property is `readOnly` and `writeOnly`, which OpenAPI forbids because it could never be sent. Keep one of the two.",
    READ_ONLY_REQUIRED = "read-only-required", Warning, Project:
        "A property in a request schema is `readOnly` and `required`. In OpenAPI it is then required in responses only, but many tools require it in requests. Use a separate schema for requests.",
    PATTERN_RULE = "pattern-rule", Warning, Project:
        "A `pattern` is not explained. The people who read the message of a 422 do not read regular expressions: say in `x-pattern-rule` what the pattern requires, as the end of a sentence that begins with the field, \
         such as `must be a color such as #ff8800`. Without a `pattern` beside it, the key has no effect.",
    REQUEST_DEFAULT = "request-default", Warning, Project:
        "A request schema has a `default`. Clients that fill in the default fix its value forever. Describe the meaning of absence instead.",
    RESPONSE_DESCRIPTION = "response-description", Warning, Common:
        "A response has no `description`, which OpenAPI requires. Describe when it is sent and what it means.",
    ROUTER_STATUS_UNDECLARED = "router-status-undeclared", Warning, Asked:
        "The router of a generated server refuses requests before a handler sees them: without credentials (401), with a path parameter that can name nothing (404), \
         and with a body that is malformed (400), too large (413), of another media type (415) or invalid (422). The operation does not declare the status, so clients get a body that the document does not describe. \
         The rule is off unless `--warn` or `--deny` names it.",
    SCHEMA_DESCRIPTION = "schema-description", Warning, Project:
        "A component schema has no `description`. Describe what it represents.",
    SCHEMA_NAME_COLLISION = "schema-name-collision", Warning, Common:
        "Two schemas have names that are equal in upper camel case, so generators must number them. Rename one, or set `x-rust-name`.",
    SECURITY_MISSING = "security-missing", Warning, Common:
        "Neither the operation nor the document has `security`, so the required credentials are unknown. Add it; `security: []` means that none are required.",
    SECURITY_SCHEME_UNUSED = "security-scheme-unused", Warning, Common:
        "A security scheme is defined, but no requirement names it. Remove it, or require it.",
    SECURITY_SCOPE = "security-scope", Error, Common:
        "A requirement names a scope that no flow of the scheme declares, or a scope of a scheme without scopes (only `oauth2` and `openIdConnect` have them).",
    SERVER_MISSING = "server-missing", Warning, Common:
        "The document has no `servers`, so clients use the address of the document itself. Add `servers` with a `url`.",
    SERVER_TRAILING_SLASH = "server-trailing-slash", Warning, Common:
        "The URL of a server ends in a slash. Paths are appended to it unchanged, so requests go to `//…`. Remove the slash.",
    TAG_DESCRIPTION = "tag-description", Warning, Common:
        "A tag has no `description`. It introduces a section of the documentation.",
    TAG_MISSING = "tag-missing", Warning, Project:
        "An operation has no tag. The tag names the group of the operation, which becomes a module.",
    TAG_UNDECLARED = "tag-undeclared", Warning, Common:
        "An operation has a tag that the document's `tags` do not declare, so it has no description and no position among the tags.",
    TAG_UNUSED = "tag-unused", Warning, Common:
        "`tags` declares a tag that no operation has, so its section of the documentation is empty.",
    UNBOUNDED_ARRAY = "unbounded-array", Warning, Project:
        "An array in a request has no `maxItems`, so a caller may send more entries than the server can process.",
    UNBOUNDED_STRING = "unbounded-string", Warning, Project:
        "A string in a request has no `maxLength`, and no `enum` or `format` that limits its length, so a caller may send more than the server can process.",
    UNPAGED_LIST = "unpaged-list", Warning, Common:
        "A GET operation returns an unbounded list: there is no `maxItems`, no `x-pagination`, and no parameter such as `limit`. Lists grow, and adding pagination later breaks clients.",
    UNUSED_COMPONENT = "unused-component", Warning, Common:
        "No reference leads to this component, although readers take it for a part of the interface. Remove it, or refer to it.",
}

/// Declares the rules of earlier stages that lint includes.
macro_rules! earlier {
    ($($level:ident: $($id:literal),*;)*) => {
        /// Problems reported by the reader and the generator that lint includes. Problems that concern only
        /// generated code, such as a format without a Rust type, are not included.
        pub const EARLIER: &[&Rule] = &[$($(
            &Rule { id: $id, level: Level::$level, scope: Scope::Common },
        )*)*];
    };
}

earlier! {
    Error:
        "conflicting-path", "duplicate-key", "duplicate-operation-id", "duplicate-parameter", "duplicate-status", "empty-enum", "endless-type",
        "enum-mismatch", "invalid-bound", "invalid-header", "invalid-pagination", "invalid-parameter", "invalid-path", "invalid-pattern",
        "invalid-reference", "invalid-schema", "invalid-security", "invalid-server", "invalid-status", "invalid-style", "misplaced-reference", "missing-responses",
        "path-item-siblings", "pattern-ignored", "reference-cycle", "swagger-parameter", "undeclared-path-parameter", "undefined-scheme", "unknown-scheme",
        "unknown-type", "unmapped-branch", "unresolved-reference", "unused-path-parameter", "version-mismatch", "wrong-reference-target";
    Warning:
        "body-without-place", "closed-part", "duplicate-value", "ignored-header", "keyword-ignored", "later-keyword", "mutual-tls",
        "missing-content", "missing-paths", "missing-schema", "missing-success", "not-ignored", "odd-path", "path-expression",
        "reference-siblings", "undeclared-property", "unused-encoding";
}

/// Returns the rule with this id or with this former id, from [`RULES`] or [`EARLIER`].
pub fn rule(id: &str) -> Option<&'static Rule> {
    let id = current_code(id);
    RULES.iter().chain(EARLIER).find(|rule| rule.id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_under_their_former_ids() {
        for (former, id) in frontdesk_document::FORMER_CODES {
            assert_eq!(rule(former).map(|rule| rule.id), Some(*id), "{former}");
            assert!(RULES.iter().chain(EARLIER).all(|rule| rule.id != *former), "{former}");
        }
    }

    #[test]
    fn ids_are_unique_and_differ_from_other_codes() {
        for (index, rule) in RULES.iter().enumerate() {
            let later = RULES[index + 1..].iter().chain(EARLIER);
            assert!(later.into_iter().all(|other| other.id != rule.id), "{}", rule.id);
            assert!(crate::compat::RULES.iter().all(|other| other.id != rule.id), "{}", rule.id);
            assert!(frontdesk_document::explain(rule.id).is_none(), "{}", rule.id);
        }
    }
}
