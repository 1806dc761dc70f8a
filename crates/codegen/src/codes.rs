//! The stable names of the problems that lowering reports, with their long explanations.

use frontdesk_document::{Diagnostic, Explanation, Severity};
use std::fmt;

/// What a problem says about the document, if it is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// The document is wrong and has one sensible reading, which is taken; under `--strict` it is refused.
    Defect,
    /// The document is right and says more than the output does.
    Loss,
    /// Nothing is lost; the author may want to know.
    Advice,
}

impl fmt::Display for Nature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Defect => {
                "a defect of the document with one sensible reading, which is taken; refused with `--strict`"
            }
            Self::Loss => "the document is right and says more than the generated code does",
            Self::Advice => "nothing is lost",
        })
    }
}

/// The nature of the problems that do not refuse a document; every other code is an error.
const NATURES: &[(&str, Nature)] = &[
    ("ambiguous-path", Nature::Loss),
    ("ambiguous-union", Nature::Advice),
    ("body-without-place", Nature::Defect),
    ("bound-ignored", Nature::Loss),
    ("choice-ignored", Nature::Loss),
    ("circular-union", Nature::Defect),
    ("closed-part", Nature::Defect),
    ("conflicting-path", Nature::Defect),
    ("default-mismatch", Nature::Defect),
    ("duplicate-operation-id", Nature::Defect),
    ("duplicate-parameter", Nature::Defect),
    ("duplicate-status", Nature::Defect),
    ("duplicate-value", Nature::Defect),
    ("empty-enum", Nature::Defect),
    ("endless-type", Nature::Defect),
    ("enum-mismatch", Nature::Defect),
    ("extension-ignored", Nature::Defect),
    ("format-ignored", Nature::Loss),
    ("ignored-header", Nature::Advice),
    ("implied-type", Nature::Loss),
    ("invalid-bound", Nature::Defect),
    ("invalid-header", Nature::Defect),
    ("invalid-pagination", Nature::Defect),
    ("invalid-parameter", Nature::Defect),
    ("invalid-path", Nature::Defect),
    ("invalid-pattern", Nature::Defect),
    ("invalid-rust-type", Nature::Defect),
    ("invalid-schema", Nature::Defect),
    ("invalid-security", Nature::Defect),
    ("invalid-server", Nature::Defect),
    ("invalid-status", Nature::Defect),
    ("invalid-style", Nature::Defect),
    ("keyword-ignored", Nature::Loss),
    ("later-keyword", Nature::Loss),
    ("media-type-left-out", Nature::Loss),
    ("missing-content", Nature::Defect),
    ("missing-responses", Nature::Defect),
    ("missing-schema", Nature::Advice),
    ("missing-success", Nature::Advice),
    ("mutual-tls", Nature::Loss),
    ("nested-parameter", Nature::Loss),
    ("not-ignored", Nature::Loss),
    ("odd-path", Nature::Defect),
    ("opaque-parameter", Nature::Loss),
    ("part-ignored", Nature::Loss),
    ("path-expression", Nature::Defect),
    ("pattern-ignored", Nature::Loss),
    ("swagger-parameter", Nature::Defect),
    ("text-unchecked", Nature::Loss),
    ("undeclared-path-parameter", Nature::Defect),
    ("undeclared-property", Nature::Defect),
    ("undefined-scheme", Nature::Defect),
    ("unknown-scheme", Nature::Defect),
    ("unknown-type", Nature::Defect),
    ("unmapped-branch", Nature::Defect),
    ("unsent-body", Nature::Loss),
    ("untyped", Nature::Loss),
    ("unused-encoding", Nature::Defect),
    ("unused-path-parameter", Nature::Defect),
    ("unused-schemes", Nature::Advice),
    ("whole-event", Nature::Loss),
];

/// The nature of a code of [`CODES`]; `None` for one that always refuses the document.
pub fn nature(code: &str) -> Option<Nature> {
    NATURES.iter().find(|(known, _)| *known == code).map(|(_, nature)| *nature)
}

/// The problem as it counts where defects are not read over. Remarks stay what they are.
pub(crate) fn strictly(problem: Diagnostic) -> Diagnostic {
    let refused = problem.severity == Severity::Warning && nature(problem.code) == Some(Nature::Defect);
    if refused { Diagnostic { severity: Severity::Error, ..problem } } else { problem }
}

const fn code(code: &'static str, text: &'static str) -> Explanation {
    Explanation { code, text }
}

/// Every code of this crate.
pub const CODES: &[Explanation] = &[
    code(
        "ambiguous-path",
        "Two paths with the same method have requests in common, and each has a word where the other one has a parameter, as in `/{entity}/me` and `/items/{id}`. OpenAPI leaves open which one is called. A server takes the one that has a word in the first segment in which they differ. Use a word in the same place of both paths.",
    ),
    code(
        "ambiguous-union",
        "The branches of a `oneOf` or `anyOf` are tried in order, and a value of a later branch may be taken for an earlier one, because it has every field that the earlier one requires. Give each branch a required property that the others lack, or a required property with an `enum` of one value, or list the stricter branch first.",
    ),
    code(
        "body-without-place",
        "HTTP has no body in answers to HEAD, nor with the statuses 1xx, 204, 205 and 304. The `content` declared there is left out.",
    ),
    code("bound-ignored", "A bound that generated code does not check. The type is generated without it."),
    code(
        "choice-ignored",
        "The branches of a `oneOf` or `anyOf` only say which members must be there together. The type has all members; which of them go together is not checked.",
    ),
    code(
        "circular-union",
        "A branch of a `oneOf` or `anyOf` leads back to the union itself, with nothing but unions on the way. Such a branch allows no value that the others do not. It is left out, and the other branches of the unions on the way are branches of this one.",
    ),
    code(
        "closed-part",
        "One part of a schema that consists of several, as with `allOf`, restricts the members that it does not declare, by `additionalProperties`. Only the members declared beside it are exempt, so validators apply it to the members that other parts declare: `false` refuses them, and a schema must describe them too. The generated type has the members of all parts, and servers apply `additionalProperties` to undeclared members only. Declare all members in one schema.",
    ),
    code(
        "conflicting-path",
        "Two paths with the same method differ only in the names of their parameters, in a fixed query or in a fragment, so a request matches both. A client can call both; a server takes the first. Let the paths differ in a word, or describe them as one operation.",
    ),
    code(
        "default-mismatch",
        "A `default` is not a value that the schema beside it allows, so no absent value can stand for it. It is left out.",
    ),
    code(
        "duplicate-operation-id",
        "Two operations have the same `operationId`, or ids that are the same in Rust's snake_case. The later one is named after what its path has and the other's has not, after its method or after its tag; rename one of them to choose yourself.",
    ),
    code(
        "duplicate-parameter",
        "One list of `parameters` has two of the same name in the same place. The first one counts. An operation may override a parameter of its path; that is not meant here.",
    ),
    code(
        "duplicate-status",
        "One operation has the same status twice, as in `4xx` and `4XX`. The first one counts.",
    ),
    code("duplicate-value", "An `enum` lists a value twice. It is generated once."),
    code(
        "empty-enum",
        "An `enum` lists no value, or the enumerations of an `allOf` have none in common, so no value would be valid. The type alone counts.",
    ),
    code(
        "endless-type",
        "A schema leads back to itself with nothing but compositions on the way, so it says of no value whether it is allowed. It is read as any JSON value.",
    ),
    code(
        "enum-mismatch",
        "An `enum` lists a value of another type than its `type` says. It is read as what the type says: `true` among strings as the text \"true\", \"9\" among integers as the number 9. A value that cannot be read so is left out.",
    ),
    code(
        "extension-ignored",
        "An extension key that the generator knows has a value of another shape than it takes, because the document means it for another tool. It is ignored: `x-rust-name`, `x-stability-level` and `x-sunset` are texts, `x-extensible-enum`, `x-idempotent` and `x-server-only` are `true` or `false`, `x-pagination` and `x-ms-pageable` are objects, and `x-operation-constants` in the document's root is a list of extension keys such as `[x-policy]`.",
    ),
    code(
        "format-ignored",
        "Generated code has no type and no check for this `format`; the value is kept as plain text. `binary` stands for bytes where OpenAPI gives it that meaning: in a part of a multipart body, or as a whole body.",
    ),
    code(
        "ignored-header",
        "OpenAPI says that parameters for the headers `Accept`, `Content-Type` and `Authorization`, and a response header `Content-Type`, are ignored: `content` and `security` describe them.",
    ),
    code(
        "implied-type",
        "A schema has no `type`, and is read as one of the type that its other keywords are for: an object for `properties`, a string for `pattern`. Most documents mean this. \
         By the letter of JSON Schema, such keywords say nothing of values of other types, which are valid; they are refused here. Write the `type`.",
    ),
    code(
        "invalid-bound",
        "A bound such as `maxLength` or `minimum` has a value that it cannot have: sizes are whole numbers from 0 up, other bounds are numbers, and `multipleOf` is above 0. It is ignored.",
    ),
    code(
        "invalid-header",
        "The name of a header of a response is not one that HTTP has: letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110, section 5.1). The header is left out.",
    ),
    code(
        "invalid-pagination",
        "`x-pagination` or `x-ms-pageable` does not fit its operation, and is ignored. In `x-pagination`, `style` is cursor, page, offset or link; `parameter` names a query parameter; `next` and `items` lead over members of the successful JSON body, with dots between them, to the next cursor and to the list. In `x-ms-pageable` of AutoRest, `nextLinkName` is the member with the URL of the next page, or null, and `itemName` that of the list, `value` without it.",
    ),
    code(
        "invalid-parameter",
        "A parameter lacks `name`, what it is called in a request, or `in`, where it stands: path, query, header or cookie. It is left out.",
    ),
    code(
        "invalid-path",
        "The braces of a path do not match, so its parameters cannot be told from its words, or two parameters follow each other without text between them, so a server cannot tell where the first one ends. Write each parameter as `{name}`, and separate them. The path is left out, with all its operations.",
    ),
    code(
        "invalid-pattern",
        "A `pattern` is not a regular expression in the ECMA 262 dialect, which OpenAPI asks for. It is not checked.",
    ),
    code(
        "invalid-rust-type",
        "`x-rust-type` must be the path of a Rust type, such as `my_crate::Money`. Anything else is taken for a word to another generator, and the schema's own type is generated.",
    ),
    code(
        "invalid-schema",
        "A schema must be an object, with `type: string` or the like. Anything else is read as a schema for any value. `true` and `false` are schemas of OpenAPI 3.1 only.",
    ),
    code(
        "invalid-security",
        "`security` is a list of alternatives, each an object that names schemes: `security: [{bearer: []}]`. An object without the list, and the name of a scheme alone, are read as one alternative. Anything else is left out. If nothing remains, a bearer token of the scheme `unknown` is required, because it is not known whether the operation is meant to be open.",
    ),
    code(
        "invalid-server",
        "A server has no `url`, or its template and its `variables` do not go together: every `{name}` of the URL needs a `default`, which is one of its values, and every variable a place in the URL. A server whose address cannot be made is left out.",
    ),
    code(
        "invalid-status",
        "A key under `responses` is not a status: write a code such as '404', a class such as '4XX', or `default`. The response is left out.",
    ),
    code(
        "invalid-style",
        "A `style` is not one that OpenAPI 3.0 allows there: simple, label or matrix in the path; form, spaceDelimited, pipeDelimited or deepObject in the query and in forms; simple in a header; form in a cookie. `deepObject` is for lists and objects. The default style is taken.",
    ),
    code(
        "keyword-ignored",
        "A schema of OpenAPI 3.1 uses a keyword of JSON Schema 2020-12 that neither a Rust type nor a check of generated code can express, such as `if` or `propertyNames`. The type is generated without it; entries of an array with `prefixItems` are raw JSON.",
    ),
    code(
        "later-keyword",
        "A schema uses a keyword of OpenAPI 3.1, or of a JSON Schema that 3.0 does not take. `const` is read as an `enum` of one value, schemas under `$defs` where a reference leads to them; all others are not checked, and the type is generated without them.",
    ),
    code(
        "media-type-left-out",
        "A media type has no decoder, and every body that offers it offers the same schema in one that has. It is left out; nothing else changes.",
    ),
    code("missing-content", "A request body lists no media type, so nothing can be sent. It is left out."),
    code(
        "missing-responses",
        "OpenAPI 3.0 requires `responses` of every operation, with at least one status. Where there is none, any 2xx status without a body is taken for success.",
    ),
    code(
        "missing-schema",
        "Nothing says what a body or parameter holds. A JSON body or a form is read as any value, a parameter as text. Add `schema`; `{}` means any value, and says so.",
    ),
    code(
        "missing-success",
        "The operation declares nothing but errors. Any 2xx status without a body is taken for success.",
    ),
    code(
        "mutual-tls",
        "A security scheme of the type `mutualTLS` is proven by the client's certificate when the connection is made, which is not part of a request. The server's `Authenticator` has a method for it, which has to find out whose certificate it was, for example from what the listener or a proxy adds to the request, and refuses the request if it cannot. Generated clients send nothing for it: set the certificate on their HTTP client.",
    ),
    code(
        "nested-parameter",
        "The value of a parameter has lists or objects within lists or objects. OpenAPI says for no style but `deepObject` how that is written. The whole value is written as JSON. Say so by `content` with `application/json`, or move the value into the body.",
    ),
    code(
        "not-ignored",
        "`not` says what a value must not be, which no Rust type can say. It is not checked.",
    ),
    code(
        "odd-path",
        "A key under `paths` has spaces around it, a query, a fragment, no leading `/`, or the same parameter twice. It is read in the nearest sense: a query as parameters of one value each, a fragment not at all, a doubled parameter as another one.",
    ),
    code(
        "opaque-parameter",
        "A parameter has `content` of a media type other than JSON with a schema that is more than text. How one becomes the other is not generated; the parameter is kept as text.",
    ),
    code(
        "part-ignored",
        "A part of an event or of a body's `encoding` is not generated. Everything else of it is.",
    ),
    code(
        "path-expression",
        "A path has an expression of RFC 6570, such as `{.color}` or `{color*}`. OpenAPI has only `{color}`; how the value is written follows from `style` and `explode` of the parameter.",
    ),
    code(
        "pattern-ignored",
        "A `pattern` uses forms of Perl, Python or Java that ECMA 262, which OpenAPI 3.0 asks for, does not have; or it is so large or nested that the engine, whose time is bounded, does not take it. It is not checked.",
    ),
    code(
        "swagger-parameter",
        "Swagger 2.0 wrote bodies as parameters, `in: body` and `in: formData`; OpenAPI 3.0 writes them as `requestBody`. Such parameters are read as the body, unless there is a `requestBody` too.",
    ),
    code(
        "text-unchecked",
        "A body of plain text has a schema with rules for its length or form, and a `format` that has a type of its own. The text is taken as it comes; without the `format`, its rules are checked.",
    ),
    code(
        "undeclared-path-parameter",
        "The path names a parameter that no `parameters` list declares. It is read as text, or as a declared parameter whose name is spelled in another way.",
    ),
    code(
        "undeclared-property",
        "`required` names a property that `properties` does not declare. The field is there, and holds any JSON value.",
    ),
    code(
        "undefined-scheme",
        "A security requirement names a scheme that `components.securitySchemes` does not have. Leaving it out would leave the operation open, so it is read as a credential of that name: callers set it, and it is sent as `Authorization: Bearer …`, or `Basic …` if the name says so.",
    ),
    code(
        "unknown-scheme",
        "A security scheme has a `type` that OpenAPI 3.0 does not know, or lacks what its type needs: `scheme` for http, `name` and `in` for apiKey. It is read as a credential of its name, sent as `Authorization: Bearer …`, or `Basic …` if the name says so.",
    ),
    code(
        "unknown-type",
        "`type` has a value that OpenAPI does not know. It is one of string, number, integer, boolean, array, object; in OpenAPI 3.0, `null` is written `nullable: true`. The value is read as any JSON.",
    ),
    code(
        "unmapped-branch",
        "The `mapping` of a discriminator leads to a schema that is not a branch. The value is left out.",
    ),
    code(
        "unsent-body",
        "An operation with GET or HEAD has a request body. HTTP gives such a body no meaning (RFC 9110, section 9.3.1), and `fetch` refuses to send one, so no page can. Clients for JavaScript have functions without the body; clients for Rust send it.",
    ),
    code(
        "untyped",
        "The generated type cannot express everything that the document says of this place, so the value is raw JSON, text or bytes. `cargo xtask codegen --report` lists these places with their operations.",
    ),
    code(
        "unused-encoding",
        "`encoding` of a form has a member that the schema of the body does not have. It is left out.",
    ),
    code(
        "unused-path-parameter",
        "A parameter with `in: path` has no place `{name}` in the path, so it could never be sent. It is left out.",
    ),
    code(
        "unused-schemes",
        "The document defines security schemes, but `security` stands neither at its root nor at an operation, so nothing says which operations require credentials. Every scheme is read as an optional alternative of every operation: a client sends the credential that its caller sets, and a server identifies callers who present one. `security: []` at the root says that no operation takes credentials.",
    ),
    code(
        "whole-event",
        "The schema of a `text/event-stream` is a choice between whole events, with `event`, `data`, `id` or `retry` as properties. The generated type is that of the data of an event, so it does not fit. A single schema with these properties is read as the event, and its `data` as the data; for several kinds of events, write a choice between the schemas of their data.",
    ),
];

#[cfg(test)]
mod tests {
    use super::{CODES, NATURES};

    #[test]
    fn every_nature_is_that_of_a_code() {
        for (code, _) in NATURES {
            assert!(CODES.iter().any(|explanation| explanation.code == *code), "{code}");
        }
    }
}
