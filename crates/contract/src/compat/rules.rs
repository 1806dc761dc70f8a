//! The rules of the comparison, one for each kind of change, with their explanations.

use frontdesk_document::Explanation;

use super::effect::{Level, Verdict};
use crate::compat::direction::Direction;

/// Whose code no longer compiles after a change of this kind; an estimate for documents whose crates are not
/// compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The sender of the value: the client for requests, the server for responses.
    pub maker: bool,
    /// The receiver of the value.
    pub reader: bool,
}

const NOBODY: Source = Source { maker: false, reader: false };
const MAKER: Source = Source { maker: true, reader: false };
const READER: Source = Source { maker: false, reader: true };
const BOTH: Source = Source { maker: true, reader: true };

/// What a change concerns if it breaks no guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The form of messages.
    Shape,
    /// The meaning of messages.
    Meaning,
    /// Text for readers.
    Prose,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable id.
    pub id: &'static str,
    /// Whose code no longer compiles, as an estimate.
    pub source: Source,
    /// What the change concerns.
    pub manner: Manner,
}

impl Rule {
    /// Returns whether the code of the server, and of the client, no longer compiles, for a value sent in
    /// this direction.
    pub fn source_breaks(&self, direction: Direction) -> (bool, bool) {
        // Generated clients accept unknown values and variants.
        let survives = [ENUM_VALUE_ADDED, ALTERNATIVE_ADDED].contains(&self);
        match direction {
            Direction::Request => (self.source.reader, self.source.maker),
            Direction::Response if survives => (self.source.maker, false),
            Direction::Response => (self.source.maker, self.source.reader),
        }
    }

    /// Returns the verdicts for a change of this kind and level.
    pub(crate) fn verdicts(&self, direction: Direction, level: Level) -> Vec<Verdict> {
        let (server, client) = self.source_breaks(direction);
        let meaning = self.manner == Manner::Meaning && level != Level::Safe;
        let found = [
            (level == Level::Breaking && self.manner == Manner::Shape, Verdict::Wire),
            (server || client, Verdict::Source),
            (meaning, Verdict::Behavior),
        ];
        found.into_iter().filter(|(holds, _)| *holds).map(|(_, verdict)| verdict).collect()
    }
}

/// Declares each rule as a constant and as a row of [`RULES`] and [`CODES`].
macro_rules! rules {
    ($($name:ident = $id:literal, $source:ident, $manner:ident: $text:literal,)*) => {
        $(#[doc = $text] pub(super) const $name: &Rule = &Rule { id: $id, source: $source, manner: Manner::$manner };)*

        /// Every rule.
        pub const RULES: &[&Rule] = &[$($name,)*];

        /// The explanation of each rule.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $id, text: $text },)*];
    };
}

rules! {
    ADDITIONAL_PROPERTIES = "additional-properties", BOTH, Shape:
        "`additionalProperties` allows other members than before. Requests may contain members that are no longer allowed; responses may contain members that clients do not expect. \
         Keep objects open, or declare the members as properties.",
    ALTERNATIVE_ADDED = "alternative-added", READER, Shape:
        "A branch was added to `oneOf` or `anyOf`. This is safe in requests; responses may have a form that deployed clients do not know.",
    ALTERNATIVE_REMOVED = "alternative-removed", BOTH, Shape:
        "A branch of `oneOf` or `anyOf` was removed. If no other branch accepts its values, requests of that form are rejected; otherwise only generated code changes.",
    CALLBACK_ADDED = "callback-added", NOBODY, Meaning:
        "The server makes a new callback. Clients that do not listen miss it, without other effects.",
    CALLBACK_REMOVED = "callback-removed", BOTH, Meaning:
        "The server no longer makes a callback that clients may wait for. No request fails, so it counts as a change of behavior.",
    DEFAULT_CHANGED = "default-changed", NOBODY, Meaning:
        "A `default` was added, changed or removed. Requests that omit the value stay valid but may have another meaning.",
    DEPRECATED = "deprecated", NOBODY, Prose:
        "Something was newly `deprecated`. Add an `x-sunset`, so that users know how long it will stay.",
    DISCRIMINATOR = "discriminator", BOTH, Shape:
        "The discriminator property has another name, or the values that name the branches changed. Clients and servers of different versions select the wrong branch.",
    ENCODING = "encoding", NOBODY, Shape:
        "A member of a form is encoded differently: its content type, style, `explode` or `allowReserved` changed.",
    ENUM_ADDED = "enum-added", BOTH, Shape:
        "An enumeration was added: values were unrestricted, and are now limited to a list.",
    ENUM_CLOSED = "enum-closed", BOTH, Shape:
        "`x-extensible-enum` was removed, so unlisted values are now rejected.",
    ENUM_OPENED = "enum-opened", BOTH, Shape:
        "`x-extensible-enum` was added, so unlisted values are now allowed. This is safe in requests; deployed clients may fail on a response with such a value.",
    ENUM_REMOVED = "enum-removed", BOTH, Shape:
        "An enumeration was removed: values were limited to a list, and are now unrestricted.",
    ENUM_VALUE_ADDED = "enum-value-added", READER, Shape:
        "An enumeration has a new value. Deployed clients may not know it in responses; set `x-extensible-enum: true` from the start to allow additions.",
    ENUM_VALUE_REMOVED = "enum-value-removed", BOTH, Shape:
        "A value was removed from an enumeration. Requests with this value are rejected.",
    FORMAT = "format", BOTH, Shape:
        "`format` was added, changed or removed. Formats that contain each other (int32 and int64, float and double) widen or narrow; other formats cannot be compared.",
    HEADER_ADDED = "header-added", NOBODY, Shape:
        "A response, or a part of a form, has a new header.",
    HEADER_BECAME_OPTIONAL = "header-became-optional", BOTH, Shape:
        "A header that was always present may now be missing.",
    HEADER_BECAME_REQUIRED = "header-became-required", BOTH, Shape:
        "A header is now always present.",
    HEADER_REMOVED = "header-removed", BOTH, Shape:
        "A header was removed. If it was required, clients may rely on it.",
    HEADER_EXPLODE = "header-explode", NOBODY, Shape:
        "`explode` of a header that holds an array or object changed, so the same value is serialized differently.",
    HEADER_SERIALIZATION = "header-serialization", BOTH, Shape:
        "A header changed between `schema` and `content`, or to another media type.",
    LIMIT_REACHED = "limit-reached", NOBODY, Shape:
        "The schemas refer to each other in so many combinations that the comparison stopped here. Changes below are undecided.",
    LINK_CHANGED = "link-changed", NOBODY, Meaning:
        "The target or the parameters of a link changed. Messages stay the same, but clients that follow links make other calls.",
    MAX_ITEMS = "max-items", NOBODY, Shape:
        "`maxItems` was set, changed or removed.",
    MAX_LENGTH = "max-length", NOBODY, Shape:
        "`maxLength` was set, changed or removed.",
    MAX_PROPERTIES = "max-properties", NOBODY, Shape:
        "`maxProperties` was set, changed or removed.",
    MAXIMUM = "maximum", NOBODY, Shape:
        "`maximum` or `exclusiveMaximum` was set, changed or removed.",
    MEDIA_TYPE_ADDED = "media-type-added", BOTH, Shape:
        "A body may have another media type. Clients list the accepted types in `Accept`, so this is safe in responses too.",
    MEDIA_TYPE_REMOVED = "media-type-removed", BOTH, Shape:
        "A media type was removed, or has another parameter, which makes it another type. Requests with this type are rejected, and clients that ask for it in `Accept` get no usable response.",
    MIN_ITEMS = "min-items", NOBODY, Shape:
        "`minItems` was set, changed or removed.",
    MIN_LENGTH = "min-length", NOBODY, Shape:
        "`minLength` was set, changed or removed.",
    MIN_PROPERTIES = "min-properties", NOBODY, Shape:
        "`minProperties` was set, changed or removed.",
    MINIMUM = "minimum", NOBODY, Shape:
        "`minimum` or `exclusiveMinimum` was set, changed or removed.",
    MULTIPLE_OF = "multiple-of", NOBODY, Shape:
        "`multipleOf` was set, changed or removed. A value that divides the other one is wider.",
    NOT = "not", NOBODY, Shape:
        "A `not` was added or removed. Changes inside a `not` have the opposite effect.",
    NOTICE_TOO_SHORT = "notice-too-short", NOBODY, Meaning:
        "Something stable was removed, but the time between the release that announced the removal and its `x-sunset` is shorter than the required notice. \
         Restore it with a later `x-sunset`, and remove it after that date.",
    NULLABLE = "nullable", BOTH, Shape:
        "`null` was allowed and no longer is, or the reverse. The whole schema counts, including `allOf`, unions and enumerations.",
    OPERATION_ADDED = "operation-added", MAKER, Shape:
        "An operation was added. The generated server trait has a new method, so services do not compile until they implement it; clients are not affected.",
    OPERATION_ID = "operation-id", BOTH, Prose:
        "`operationId` was added, changed or removed. Messages do not depend on it, but it names the methods of the generated crates.",
    OPERATION_REMOVED = "operation-removed", BOTH, Shape:
        "An operation was removed, so calls fail with 404 or 405. Deprecate it with an `x-sunset` first, and remove it after that date.",
    OPERATION_TAGS = "operation-tags", BOTH, Prose:
        "The first tag of an operation changed. Messages do not depend on it, but it names the modules of the generated crates.",
    PAGINATION_LOST = "pagination-lost", NOBODY, Meaning:
        "A member or a parameter that `x-pagination` names is gone. Deployed clients do not fail: they stop after the first page, or get it again and again.",
    PARAMETER_ADDED = "parameter-added", NOBODY, Shape:
        "An optional parameter was added. Requests without it keep their meaning.",
    PARAMETER_ALLOW_EMPTY = "parameter-allow-empty", NOBODY, Shape:
        "`allowEmptyValue` of a query parameter changed: `?name=` is now allowed, or no longer allowed.",
    PARAMETER_ALLOW_RESERVED = "parameter-allow-reserved", NOBODY, Shape:
        "`allowReserved` of a query parameter changed: characters such as `/` may be sent unescaped, or no longer.",
    PARAMETER_BECAME_OPTIONAL = "parameter-became-optional", BOTH, Shape:
        "A required parameter became optional.",
    PARAMETER_BECAME_REQUIRED = "parameter-became-required", BOTH, Shape:
        "An optional parameter became required. Requests without it are rejected.",
    PARAMETER_EXPLODE = "parameter-explode", NOBODY, Shape:
        "`explode` of an array or object changed: a single pair, or one pair for each entry. The default is true for `form` and false for other styles; writing the default explicitly is not a change.",
    PARAMETER_REMOVED = "parameter-removed", BOTH, Meaning:
        "A parameter was removed. Most servers ignore unknown parameters, so requests still succeed, but without the effect of the parameter.",
    PARAMETER_SERIALIZATION = "parameter-serialization", BOTH, Shape:
        "A parameter changed between `schema` with `style` and `content`, or to another media type.",
    PARAMETER_STYLE = "parameter-style", NOBODY, Shape:
        "`style` of a parameter changed, so the same value is serialized differently.",
    PATH_PARAMETER_MOVED = "path-parameter-moved", NOBODY, Shape:
        "A path parameter is at another position of the path, among other parameters. Deployed clients send it where another parameter is expected.",
    PATH_PARAMETER_RENAMED = "path-parameter-renamed", BOTH, Prose:
        "A path parameter was renamed. Messages do not contain the name, but it names the fields of the generated crates.",
    PATTERN = "pattern", NOBODY, Shape:
        "A `pattern` was added, changed or removed. Whether one pattern contains the other is unknown, unless a text is found that matches only one of them.",
    PROPERTY_ADDED = "property-added", NOBODY, Shape:
        "An object has a new optional property. Receivers ignore unknown properties, unless `additionalProperties: false` closed the object.",
    PROPERTY_BECAME_OPTIONAL = "property-became-optional", BOTH, Shape:
        "A property that was always present may now be missing.",
    PROPERTY_BECAME_READ_ONLY = "property-became-read-only", BOTH, Shape:
        "A property became `readOnly`: it is no longer part of requests.",
    PROPERTY_BECAME_REQUIRED = "property-became-required", BOTH, Shape:
        "A property became required. Requests without it are rejected, even if it has a `default`: the document says what a request must contain, and generated servers hold to it.",
    PROPERTY_BECAME_WRITABLE = "property-became-writable", NOBODY, Shape:
        "A property is no longer `readOnly`: it is now part of requests.",
    PROPERTY_BECAME_READABLE = "property-became-readable", NOBODY, Shape:
        "A property is no longer `writeOnly`: it is now part of responses.",
    PROPERTY_BECAME_WRITE_ONLY = "property-became-write-only", BOTH, Shape:
        "A property became `writeOnly`: it is no longer part of responses.",
    PROPERTY_REMOVED = "property-removed", BOTH, Meaning:
        "An optional property was removed. Most servers ignore it in requests, and responses never guaranteed it, but clients that used it behave differently.",
    PROPERTY_REFUSED = "property-refused", BOTH, Shape:
        "An optional property was removed from an object that `additionalProperties: false` closes. Requests with it are rejected.",
    REACTIVATED = "reactivated", NOBODY, Prose:
        "Something is no longer `deprecated`.",
    REMOVED_BEFORE_SUNSET = "removed-before-sunset", NOBODY, Shape:
        "Something deprecated was removed before the date of its `x-sunset`, until which users may rely on it.",
    REMOVED_WITHOUT_NOTICE = "removed-without-notice", NOBODY, Meaning:
        "Something stable was removed without being deprecated with an `x-sunset`, or without an entry in the changelog. Deprecate and announce it first, and remove it after the sunset.",
    REQUEST_BODY_ADDED = "request-body-added", BOTH, Shape:
        "An operation has a new request body. If it is required, requests without a body are rejected.",
    REQUEST_BODY_BECAME_OPTIONAL = "request-body-became-optional", BOTH, Shape:
        "A required request body became optional.",
    REQUEST_BODY_BECAME_REQUIRED = "request-body-became-required", BOTH, Shape:
        "An optional request body became required.",
    REQUEST_BODY_REMOVED = "request-body-removed", BOTH, Shape:
        "An operation no longer has a request body. Bodies that clients send are ignored or rejected.",
    REQUIRED_HEADER_ADDED = "required-header-added", MAKER, Shape:
        "A required header was added. This is safe in responses; the sender must set it.",
    REQUIRED_PARAMETER_ADDED = "required-parameter-added", MAKER, Shape:
        "A required parameter was added. Requests of deployed clients are rejected.",
    REQUIRED_PROPERTY_ADDED = "required-property-added", MAKER, Shape:
        "A required property was added. Requests without it are rejected, even if it has a `default`; in responses it is safe.",
    REQUIRED_PROPERTY_REMOVED = "required-property-removed", BOTH, Shape:
        "A required property was removed from responses. Clients that read it fail.",
    RESPONSE_ADDED = "response-added", READER, Shape:
        "An operation has a new error response. Clients must handle unknown statuses; the generated error type has a new variant.",
    RESPONSE_BODY_ADDED = "response-body-added", BOTH, Shape:
        "A response has a body, and had none. Deployed clients ignore it.",
    RESPONSE_REMOVED = "response-removed", BOTH, Shape:
        "A response of an operation was removed. Clients may depend on a success status, but not on an error.",
    RUST_INTERFACE = "rust-interface", BOTH, Prose:
        "The interface of the generated crates changed although messages did not: a schema was renamed, or types were merged or split. Code that uses their names no longer compiles.",
    SCHEMA_KEYWORD = "schema-keyword", NOBODY, Shape:
        "A keyword of JSON Schema 2020-12 such as `prefixItems`, `if`, `contains` or `dependentRequired` was added, changed or removed. Generated code does not check it, \
         but other servers and clients may. It is breaking if a value shows that requests allow less or responses allow more, and undecided if no such value was found: \
         compare what is allowed before and after by hand, and write down the result as an exemption.",
    SECURITY_LOOSENED = "security-loosened", NOBODY, Meaning:
        "An operation accepts further credentials, or none are needed any more. All previous calls still work.",
    SECURITY_SCHEME = "security-scheme", BOTH, Shape:
        "A security scheme changed: its type, the location of the key, or a URL of a flow. Deployed clients send the wrong credentials.",
    SECURITY_TIGHTENED = "security-tightened", BOTH, Shape:
        "The credentials that were sufficient for an operation no longer are: another credential or scope is required.",
    SERVER_ADDED = "server-added", NOBODY, Meaning:
        "The interface is available at another URL too.",
    SERVER_VARIABLES = "server-variables", NOBODY, Meaning:
        "The variables of a server URL changed: their defaults or their allowed values.",
    SERVER_REMOVED = "server-removed", NOBODY, Meaning:
        "A server URL was removed from the document. Whether the server still responds is unknown, so it counts as a change of behavior.",
    STABILITY_DECREASED = "stability-decreased", NOBODY, Meaning:
        "`x-stability-level` decreased. A guarantee cannot be withdrawn; deprecate and replace the part instead.",
    STABILITY_INCREASED = "stability-increased", NOBODY, Prose:
        "`x-stability-level` increased.",
    STABILITY_INVALID = "stability-invalid", NOBODY, Meaning:
        "`x-stability-level` is not one of draft, alpha, beta and stable, so the stability is unknown.",
    SUCCESS_ADDED = "success-added", BOTH, Meaning:
        "An operation has a new success status. Clients that expect only the previous one may take it for a failure.",
    SUNSET_INVALID = "sunset-invalid", NOBODY, Meaning:
        "`x-sunset` is not a date. Write it as `2027-01-31`.",
    SUNSET_MISSING = "sunset-missing", NOBODY, Meaning:
        "Something was deprecated without an `x-sunset`, which the policy requires.",
    SUNSET_MOVED = "sunset-moved", NOBODY, Meaning:
        "`x-sunset` was changed. An earlier date is breaking if it leaves less than the required notice.",
    SUNSET_REMOVED = "sunset-removed", NOBODY, Meaning:
        "Something deprecated lost its `x-sunset`, so users no longer know how long it will stay.",
    SUNSET_TOO_SOON = "sunset-too-soon", NOBODY, Meaning:
        "Something was deprecated with an `x-sunset` that leaves less than the required notice.",
    TYPE = "type", BOTH, Shape:
        "The allowed types changed. `number` contains `integer`, and in parameters and headers every scalar is text; other types do not contain each other.",
    TYPESCRIPT_INTERFACE = "typescript-interface", NOBODY, Prose:
        "The types of the JavaScript client changed although messages did not: a schema or an operation has another name, or an operation another tag. Code in TypeScript that uses the old names no longer compiles; code in JavaScript is affected if a function is gone or in another module.",
    UNION = "union", BOTH, Shape:
        "A schema became a union of alternatives or stopped being one, or the keyword of the union changed. Each alternative was compared with the whole schema of the other document.",
    UNIQUE_ITEMS = "unique-items", NOBODY, Shape:
        "`uniqueItems` changed: whether an array may contain duplicates.",
    XML = "xml", NOBODY, Shape:
        "`xml` changes the names or nesting of elements of an XML body.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_differ_from_other_codes() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[index + 1..].iter().all(|other| other.id != rule.id), "{}", rule.id);
            assert!(frontdesk_document::explain(rule.id).is_none(), "{}", rule.id);
        }
    }
}
