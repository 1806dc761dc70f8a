//! The rules, with their levels and explanations.

use std::fmt;

use frontdesk_document::Explanation;

/// How grave it is that a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The document is wrong: what it says cannot be meant, or OpenAPI does not allow it.
    Error,
    /// The document is right, and serves its readers worse than it could.
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

/// Which documents a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Any document.
    Common,
    /// Documents that are written by the rules of this repository.
    House,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable name.
    pub id: &'static str,
    /// How grave it is, unless the settings say otherwise.
    pub level: Level,
    /// Which documents it is for.
    pub scope: Scope,
}

/// Declares each rule as a constant, and as a row of [`RULES`] and [`CODES`], so that none can be forgotten.
macro_rules! rules {
    ($($name:ident = $id:literal, $level:ident, $scope:ident: $text:literal,)*) => {
        $(
            #[doc = $text]
            pub(super) const $name: &Rule =
                &Rule { id: $id, level: Level::$level, scope: Scope::$scope };
        )*

        /// Every rule that is judged here.
        pub const RULES: &[&Rule] = &[$($name,)*];

        /// What each rule of [`RULES`] asks for, and why.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $id, text: $text },)*];
    };
}

rules! {
    ALLOWANCE_REASON = "allowance-reason", Error, Common:
        "`x-lint-allow` maps rules to the reasons why they may be broken here: `x-lint-allow: {rule: why}`. A reason is a text that is not empty; without one, nothing is allowed.",
    ALLOWANCE_UNKNOWN = "allowance-unknown", Error, Common:
        "`x-lint-allow` names a rule that does not exist, so it allows nothing. `cargo xtask explain` lists the rules.",
    ALLOWANCE_UNUSED = "allowance-unused", Warning, Common:
        "`x-lint-allow` allows something that is no longer there. Remove the entry: it would hide the next finding of its kind.",
    AMBIGUOUS_PATHS = "ambiguous-paths", Warning, Common:
        "Two paths of the same method match the same request, and neither is more specific than the other: `/a/{x}/c` and `/a/b/{y}` both match `/a/b/c`. \
         Which one answers differs between servers. Give one of them a word of its own, or a parameter whose schema does not take the word of the other.",
    ANY_OF = "any-of", Warning, House:
        "`anyOf` lets a value be of several forms at once, so no client can tell what it got. Write `oneOf` with branches that exclude each other, or an object whose optional members say the rest.",
    ARRAY_WITHOUT_ITEMS = "array-without-items", Error, Common:
        "OpenAPI 3.0 requires `items` of every schema of the type array. Without it nobody knows what the list holds; `items: {}` says that it may be anything.",
    BODY_EXAMPLE = "body-example", Warning, House:
        "A body has no named examples. Documentation, mock servers and our own tests live on them: add `examples` with a name, a `summary` and a `value`.",
    BODY_IGNORED = "body-ignored", Warning, Common:
        "A GET, HEAD or TRACE operation has a `requestBody`. HTTP gives such a body no meaning (RFC 9110, section 9.3); many clients cannot send it, and intermediaries drop it. \
         Use query parameters, or POST.",
    CLOSED_OBJECT = "closed-object", Warning, House:
        "`additionalProperties: false` makes every later addition a breaking change, on both sides. Leave the object open.",
    CROSSED_BOUNDS = "crossed-bounds", Error, Common:
        "The lower bound of a schema is above its upper bound, so it has no value at all.",
    DEFAULT_INVALID = "default-invalid", Error, Common:
        "A `default` is not a value of its own schema, so it can never stand for a value that was left out.",
    DEPRECATED_WITHOUT_SUNSET = "deprecated-without-sunset", Warning, House:
        "Something is `deprecated` and does not say until when it stays. Add `x-sunset` with a date.",
    DESIGNED_BOUNDS = "designed-bounds", Error, House:
        "`x-designed-bounds` lists the keywords of its schema that are ours where the rest is given. Each of them has to be there.",
    DISCRIMINATOR_OPTIONAL = "discriminator-optional", Warning, Common:
        "A branch of a union with a `discriminator` does not require the member that tells the branches apart, which OpenAPI asks for. A value without it belongs to no branch.",
    DOUBLED_EXAMPLE = "doubled-example", Warning, Common:
        "`example` and `examples`, or `value` and `externalValue` of one example, exclude each other. Tools show one of them, and not all the same.",
    DOUBLED_TAG = "doubled-tag", Error, Common:
        "Two entries of `tags` have the same name, which OpenAPI forbids.",
    ENUM_VALUE_COLLISION = "enum-value-collision", Warning, Common:
        "Two values of an enumeration differ only in case or punctuation, so code in languages with one spelling of names has to number one of them. Rename one, or name them by `x-enum-varnames`.",
    ERROR_RESPONSE_MISSING = "error-response-missing", Warning, Common:
        "An operation declares no error: no status of 4xx or 5xx, and no `default`. Every call can fail; say how its errors look.",
    EXAMPLE_HOST = "example-host", Warning, House:
        "An example names a host that may exist. Examples are copied and run: write hosts under `.example` (RFC 2606), which nobody owns.",
    EXAMPLE_INVALID = "example-invalid", Error, Common:
        "An example is not a value of its schema. Whoever copies it gets an error, and mock servers send what clients cannot read.",
    EXTENSION_UNKNOWN = "extension-unknown", Warning, House:
        "A key that begins with `x-` is none of those that `spec/README.md` lists, so nobody reads it. It is often a typing error; a key that is meant goes into that table first.",
    HEADER_DESCRIPTION = "header-description", Warning, House:
        "A header has no `description`. Say what it means, with its unit and limits.",
    IDENTICAL_PATHS = "identical-paths", Error, Common:
        "Two paths differ only in the names of their parameters, which OpenAPI forbids: they are the same path. Describe their methods in one path item.",
    INFO_CONTACT = "info-contact", Warning, House:
        "`info` has no `contact` or no `license`. Readers of the document want to know whom to ask and what they may do with it.",
    INFO_DESCRIPTION = "info-description", Warning, Common:
        "`info` has no `description`. It is the first thing that readers of the documentation see: what the service does, how to authenticate, what errors look like.",
    INLINE_ERROR = "inline-error", Warning, House:
        "An operation describes an error response in place. Errors are shared: write it under `components.responses` and refer to it, so that clients meet one form everywhere.",
    INSECURE_SERVER = "insecure-server", Warning, Common:
        "The address of a server begins with `http:`, so credentials and data travel readable for anyone on the way. Write `https:`; `localhost` is excepted.",
    KEYWORD_WITHOUT_EFFECT = "keyword-without-effect", Warning, Common:
        "A keyword speaks of another type than the schema has, such as `maxLength` of an integer, so it says nothing. Remove it, or correct the type.",
    LINK_TARGET = "link-target", Error, Common:
        "A link names an operation that the document does not have, or none at all. It needs `operationId` or `operationRef`, and not both.",
    MALFORMED_PROVENANCE = "malformed-provenance", Error, House:
        "`x-provenance` is `given` for what the interface states, and `designed` for what is ours. There is nothing else.",
    MALFORMED_STABILITY = "malformed-stability", Error, House:
        "`x-stability-level` is `stable` or `beta` in this repository. What is given is stable.",
    MALFORMED_SUNSET = "malformed-sunset", Error, Common:
        "`x-sunset` is the date from which something `deprecated` may be gone, written as `2027-01-31`. It stands beside `deprecated: true`.",
    MARKUP_SCRIPT = "markup-script", Warning, Common:
        "A description holds a `<script>` tag. Descriptions are shown as Markdown or HTML in other people's pages; those that do not strip it run it.",
    MISSING_PROVENANCE = "missing-provenance", Error, House:
        "An operation or a component schema does not say by `x-provenance` whether it is `given` by the interface or `designed` here.",
    MISSING_STABILITY = "missing-stability", Error, House:
        "An operation, or something `designed`, does not say by `x-stability-level` how much may be built on it.",
    NEVER_TRAVELS = "never-travels", Warning, Common:
        "A `readOnly` member belongs to a schema that only requests use, or a `writeOnly` one to a schema that only answers use, so it is never part of a value. Remove the member, or the keyword.",
    NULLABLE_ENUM = "nullable-enum", Warning, Common:
        "A schema is `nullable` and its `enum` does not list `null`. OpenAPI 3.0.3 says that `null` is then refused; many tools take it. List `null` if it is meant, so that all agree.",
    NULLABLE_UNTYPED = "nullable-untyped", Warning, Common:
        "`nullable: true` stands in a schema without a `type` and without `allOf`, `oneOf` or `anyOf`. OpenAPI 3.0.3 gives it no meaning there: such a schema takes `null` already. Add the type.",
    OPERATION_DESCRIPTION = "operation-description", Warning, Common:
        "An operation has neither a `summary` nor a `description`. Say what it does, and what its caller has to know.",
    OPERATION_ID_CASE = "operation-id-case", Warning, House:
        "An `operationId` is in camel case, a verb and then a noun: `createChatbot`.",
    OPERATION_ID_MISSING = "operation-id-missing", Warning, Common:
        "An operation has no `operationId`. Generated functions, links and documentation addresses are named by it, and change with the path without it.",
    PARAMETER_DESCRIPTION = "parameter-description", Warning, House:
        "A parameter has no `description`. Say what it means, with its unit and limits.",
    PARAMETER_NAME_COLLISION = "parameter-name-collision", Warning, Common:
        "Two parameters of one operation have names that differ only in case, punctuation or place, so generated code has to number one of them. Rename one, or name it by `x-rust-name`.",
    PATH_PARAMETER_OPTIONAL = "path-parameter-optional", Error, Common:
        "A path parameter does not say `required: true`, which OpenAPI demands: without it there is no path.",
    PATH_TRAILING_SLASH = "path-trailing-slash", Warning, Common:
        "A path ends in a slash. `/a` and `/a/` are two paths, which people and proxies take for one. Leave the slash out.",
    POINTLESS_ENUM = "pointless-enum", Warning, Common:
        "An enumeration says nothing that its type does not say, or only `null` or an empty text: both truth values of a boolean, or no value that anybody would send.",
    PROPERTY_DESCRIPTION = "property-description", Warning, House:
        "A property has no `description`. Say what it means, with its unit and limits.",
    PROPERTY_NAME_COLLISION = "property-name-collision", Warning, Common:
        "Two properties of an object have names that differ only in case or punctuation, so generated code has to number one of them. Rename one, or name it by `x-rust-name`.",
    READ_AND_WRITE_ONLY = "read-and-write-only", Error, Common:
        "A member is `readOnly` and `writeOnly`, which OpenAPI forbids: it could be sent by nobody.",
    READ_ONLY_REQUIRED = "read-only-required", Warning, House:
        "A member of a request's schema is `readOnly` and `required`. OpenAPI reads it as required of answers only, and many tools ask for it in requests. Give requests a schema of their own.",
    REQUEST_DEFAULT = "request-default", Warning, House:
        "A schema of requests has a `default`. An absent field keeps its meaning here, and clients that fill in a default freeze it. Describe what absence means.",
    RESPONSE_DESCRIPTION = "response-description", Warning, Common:
        "A response has no `description`, which OpenAPI requires. Say when it comes and what it means.",
    SCHEMA_DESCRIPTION = "schema-description", Warning, House:
        "A component schema has no `description`. Say what it stands for.",
    SCHEMA_NAME_COLLISION = "schema-name-collision", Warning, Common:
        "Two schemas have names that are the same in upper camel case, so generated code has to number one of them. Rename one, or name it by `x-rust-name`.",
    SECURITY_MISSING = "security-missing", Warning, Common:
        "Nothing says which credentials an operation needs: neither the operation nor the document has `security`. Add it; `security: []` says that none are needed.",
    SECURITY_SCHEME_UNUSED = "security-scheme-unused", Warning, Common:
        "A security scheme is defined and no requirement names it. Remove it, or require it.",
    SECURITY_SCOPE = "security-scope", Error, Common:
        "A requirement names a scope that no flow of the scheme declares, or scopes of a scheme that has none (only `oauth2` and `openIdConnect` do).",
    SERVER_MISSING = "server-missing", Warning, Common:
        "The document names no server, so clients take the address of the document itself for it. Add `servers` with a `url`.",
    SERVER_TRAILING_SLASH = "server-trailing-slash", Warning, Common:
        "The address of a server ends in a slash. Paths are appended to it as they are, so requests go to `//…`.",
    TAG_DESCRIPTION = "tag-description", Warning, Common:
        "A tag has no `description`. It heads a chapter of the documentation.",
    TAG_MISSING = "tag-missing", Warning, House:
        "An operation has no tag. The tag names the group that it belongs to, and becomes its module.",
    TAG_UNDECLARED = "tag-undeclared", Warning, Common:
        "An operation has a tag that `tags` of the document does not list, so it has no place in their order and no description.",
    TAG_UNUSED = "tag-unused", Warning, Common:
        "`tags` lists a tag that no operation has. It makes an empty chapter of the documentation.",
    UNBOUNDED_ARRAY = "unbounded-array", Warning, House:
        "A list of a request has no `maxItems`, so a caller may send more than the server can hold.",
    UNBOUNDED_STRING = "unbounded-string", Warning, House:
        "A text of a request has no `maxLength`, nor an `enum` or a `format` that bounds it, so a caller may send more than the server can hold.",
    UNPAGED_LIST = "unpaged-list", Warning, Common:
        "A GET answers with a list without a bound, and no parameter limits it: no `maxItems`, no `x-pagination`, no parameter such as `limit`. Lists grow; adding pages later breaks clients.",
    UNUSED_COMPONENT = "unused-component", Warning, Common:
        "Nothing refers to a component. Readers take it for a part of the interface. Remove it, or use it.",
}

/// Declares the rules of earlier stages that count here.
macro_rules! earlier {
    ($($level:ident: $($id:literal),*;)*) => {
        /// The rules of the reader and of the generator that count as rules of a document. What they say about
        /// generated code only, such as a format that has no type, is not among them.
        pub const EARLIER: &[&Rule] = &[$($(
            &Rule { id: $id, level: Level::$level, scope: Scope::Common },
        )*)*];
    };
}

earlier! {
    Error:
        "conflicting-path", "doubled-operation-id", "doubled-parameter", "doubled-status", "empty-enum", "endless-type",
        "enum-mismatch", "invalid-bound", "invalid-pagination", "invalid-parameter", "invalid-path", "invalid-pattern",
        "invalid-schema", "invalid-server", "invalid-status", "invalid-style", "missing-responses", "pattern-ignored", "swagger-parameter", "undeclared-path-parameter", "undefined-scheme", "unknown-scheme",
        "unknown-type", "unmapped-branch", "unused-path-parameter";
    Warning:
        "body-without-place", "doubled-value", "ignored-header", "later-keyword",
        "missing-content", "missing-paths", "missing-schema", "missing-success", "odd-path", "path-expression",
        "reference-siblings", "undeclared-property", "unused-encoding";
}

/// The rule of this name, whoever judges it.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().chain(EARLIER).find(|rule| rule.id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

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
