//! The kinds of changes that a comparison tells apart, with their explanations.

use frontdesk_document::Explanation;

use super::effect::{Level, Verdict};
use crate::compat::side::Side;

/// Whose code stops compiling when a change of this kind is made: an estimate, for documents whose code is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Whoever makes the value: the client for requests, the server for answers.
    pub maker: bool,
    /// Whoever reads the value.
    pub reader: bool,
}

const NOBODY: Source = Source { maker: false, reader: false };
const MAKER: Source = Source { maker: true, reader: false };
const READER: Source = Source { maker: false, reader: true };
const BOTH: Source = Source { maker: true, reader: true };

/// Who notices a change that keeps every promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// What may travel changes.
    Shape,
    /// What travels means something else.
    Meaning,
    /// Only what people read.
    Prose,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable name.
    pub id: &'static str,
    /// Whose code stops compiling, by estimate.
    pub source: Source,
    /// What the change concerns.
    pub manner: Manner,
}

impl Rule {
    /// Whether the code of the server, and of the client, stops compiling, for something that travels to this side.
    pub fn source_breaks(&self, side: Side) -> (bool, bool) {
        // Clients are made to survive values and forms that they do not know.
        let survives = [ENUM_VALUE_ADDED, ALTERNATIVE_ADDED].contains(&self);
        match side {
            Side::Request => (self.source.reader, self.source.maker),
            Side::Response if survives => (self.source.maker, false),
            Side::Response => (self.source.maker, self.source.reader),
        }
    }

    /// Who notices a change of this kind and level.
    pub(crate) fn verdicts(&self, side: Side, level: Level) -> Vec<Verdict> {
        let (server, client) = self.source_breaks(side);
        let meaning = self.manner == Manner::Meaning && level != Level::Safe;
        let found = [
            (level == Level::Breaking && self.manner == Manner::Shape, Verdict::Wire),
            (server || client, Verdict::Source),
            (meaning, Verdict::Behaviour),
        ];
        found.into_iter().filter(|(holds, _)| *holds).map(|(_, verdict)| verdict).collect()
    }
}

/// Declares each rule as a constant, and as a row of [`CODES`] and [`RULES`], so that none can be forgotten.
macro_rules! rules {
    ($($name:ident = $id:literal, $source:ident, $manner:ident: $text:literal,)*) => {
        $(#[doc = $text] pub(super) const $name: &Rule = &Rule { id: $id, source: $source, manner: Manner::$manner };)*

        /// Every rule.
        pub const RULES: &[&Rule] = &[$($name,)*];

        /// What each rule means and what to do.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $id, text: $text },)*];
    };
}

rules! {
    ADDITIONAL_PROPERTIES = "additional-properties", BOTH, Shape:
        "`additionalProperties` allows other members than before. A request may lose members that were taken, an answer may carry members that nobody expects. \
         Keep objects open, or add the members that are meant as properties.",
    ALTERNATIVE_ADDED = "alternative-added", READER, Shape:
        "A branch was added to `oneOf` or `anyOf`. Requests may then say more, which is safe; answers may be of a form that deployed clients do not know.",
    ALTERNATIVE_REMOVED = "alternative-removed", BOTH, Shape:
        "A branch of `oneOf` or `anyOf` is gone, and no other branch takes its values. Requests of that form are refused.",
    CALLBACK_ADDED = "callback-added", NOBODY, Meaning:
        "The server makes a call that it did not make. A client that does not listen misses it, and nothing else.",
    CALLBACK_REMOVED = "callback-removed", BOTH, Meaning:
        "The server no longer makes a call that clients may wait for. No request fails, so it is told as a matter of behaviour.",
    DEFAULT_CHANGED = "default-changed", NOBODY, Meaning:
        "A `default` was added, changed or removed. The same request is valid and may mean something else when the member is left out.",
    DEPRECATED = "deprecated", NOBODY, Prose:
        "Something is `deprecated` that was not. Give it an `x-sunset` so that users know how long they have.",
    DISCRIMINATOR = "discriminator", BOTH, Shape:
        "The member that tells the branches of a union apart has another name, or other values stand for a branch. Each side picks the wrong branch for the other's values.",
    ENCODING = "encoding", NOBODY, Shape:
        "A member of a form is written in another way: another content type, style, `explode` or `allowReserved`.",
    ENUM_ADDED = "enum-added", BOTH, Shape:
        "Values were free and are now those of a list.",
    ENUM_CLOSED = "enum-closed", BOTH, Shape:
        "`x-extensible-enum` was removed: values that are not listed are now refused.",
    ENUM_OPENED = "enum-opened", BOTH, Shape:
        "`x-extensible-enum` was added: values that are not listed may now come. Requests gain by it; deployed clients may not survive an answer with such a value.",
    ENUM_REMOVED = "enum-removed", BOTH, Shape:
        "Values were those of a list and are now free.",
    ENUM_VALUE_ADDED = "enum-value-added", READER, Shape:
        "An enumeration has a new value. In answers a deployed client may not know it; mark the enumeration with `x-extensible-enum: true` from the start to have room.",
    ENUM_VALUE_REMOVED = "enum-value-removed", BOTH, Shape:
        "An enumeration lost a value. Requests with it are refused.",
    FORMAT = "format", BOTH, Shape:
        "`format` was added, changed or removed. Formats whose values contain each other (int32 and int64, float and double) widen and narrow; of others nothing is known, so they cannot be compared.",
    HEADER_ADDED = "header-added", NOBODY, Shape:
        "A response, or a part of a form, has a header that it did not have.",
    HEADER_BECAME_OPTIONAL = "header-became-optional", BOTH, Shape:
        "A header was always there and may now be missing.",
    HEADER_BECAME_REQUIRED = "header-became-required", BOTH, Shape:
        "A header may no longer be missing.",
    HEADER_REMOVED = "header-removed", BOTH, Shape:
        "A header is gone. If it was required, clients rely on it.",
    LIMIT_REACHED = "limit-reached", NOBODY, Shape:
        "The schemas refer to each other in so many combinations that the comparison was stopped here. What lies below is undecided.",
    LINK_CHANGED = "link-changed", NOBODY, Meaning:
        "A link leads somewhere else, or takes its parameters from elsewhere. Nothing on the wire changes; whoever follows links by the document does something else.",
    MAX_ITEMS = "max-items", NOBODY, Shape:
        "`maxItems` was set, changed or removed.",
    MAX_LENGTH = "max-length", NOBODY, Shape:
        "`maxLength` was set, changed or removed.",
    MAX_PROPERTIES = "max-properties", NOBODY, Shape:
        "`maxProperties` was set, changed or removed.",
    MAXIMUM = "maximum", NOBODY, Shape:
        "`maximum` or `exclusiveMaximum` was set, changed or removed.",
    MEDIA_TYPE_ADDED = "media-type-added", BOTH, Shape:
        "A body may also be of another media type. Clients name in `Accept` what they take, so this is safe in answers too.",
    MEDIA_TYPE_REMOVED = "media-type-removed", BOTH, Shape:
        "A media type is gone. Requests of it are refused, and a client that asks for it in `Accept` gets nothing that it can read.",
    MIN_ITEMS = "min-items", NOBODY, Shape:
        "`minItems` was set, changed or removed.",
    MIN_LENGTH = "min-length", NOBODY, Shape:
        "`minLength` was set, changed or removed.",
    MIN_PROPERTIES = "min-properties", NOBODY, Shape:
        "`minProperties` was set, changed or removed.",
    MINIMUM = "minimum", NOBODY, Shape:
        "`minimum` or `exclusiveMinimum` was set, changed or removed.",
    MULTIPLE_OF = "multiple-of", NOBODY, Shape:
        "`multipleOf` was set, changed or removed. A step that divides the other is wider.",
    NOT = "not", NOBODY, Shape:
        "What a value must not be has changed: `not` was added or removed. Changes inside of a `not` are told turned around.",
    NOTICE_TOO_SHORT = "notice-too-short", NOBODY, Meaning:
        "Something stable was removed although less than the promised notice lies between the release that announced its end and its `x-sunset`. \
         Put it back until the notice is over: give it a later `x-sunset`, and remove it after that day.",
    NULLABLE = "nullable", BOTH, Shape:
        "`null` was allowed and is not, or the reverse. What counts is the whole schema: `allOf`, unions and enumerations included.",
    OPERATION_ADDED = "operation-added", MAKER, Shape:
        "An operation was added. The generated server trait has a new method, so services do not compile until they implement it; clients are not concerned.",
    OPERATION_ID = "operation-id", BOTH, Prose:
        "`operationId` was added, changed or removed. Nothing on the wire depends on it, and the methods of the generated crates are named by it.",
    OPERATION_REMOVED = "operation-removed", BOTH, Shape:
        "An operation is gone; calls are answered with 404 or 405. Deprecate it with an `x-sunset`, and remove it when that date has passed.",
    OPERATION_TAGS = "operation-tags", BOTH, Prose:
        "The first tag of an operation changed. Nothing on the wire depends on it, and the modules of the generated crates are named by it.",
    PARAMETER_ADDED = "parameter-added", NOBODY, Shape:
        "An optional parameter was added. Requests without it mean what they meant.",
    PARAMETER_ALLOW_EMPTY = "parameter-allow-empty", NOBODY, Shape:
        "`allowEmptyValue` of a query parameter changed: `?name=` is taken, or no longer.",
    PARAMETER_ALLOW_RESERVED = "parameter-allow-reserved", NOBODY, Shape:
        "`allowReserved` of a query parameter changed: characters such as `/` may be sent as they are, or no longer.",
    PARAMETER_BECAME_OPTIONAL = "parameter-became-optional", BOTH, Shape:
        "A parameter may be left out that had to be sent.",
    PARAMETER_BECAME_REQUIRED = "parameter-became-required", BOTH, Shape:
        "A parameter has to be sent that could be left out. Requests without it are refused.",
    PARAMETER_EXPLODE = "parameter-explode", NOBODY, Shape:
        "`explode` of a list or an object changed: one pair with all items against one pair for each. The defaults are true for `form` and false for other styles; writing a default out is no change.",
    PARAMETER_REMOVED = "parameter-removed", BOTH, Meaning:
        "A parameter is gone. Most servers ignore what they do not know, so requests are still answered, and no longer as they asked.",
    PARAMETER_SERIALIZATION = "parameter-serialization", BOTH, Shape:
        "A parameter is written by `schema` and `style` where it was written by `content`, the reverse, or by another media type.",
    PARAMETER_STYLE = "parameter-style", NOBODY, Shape:
        "`style` of a parameter changed, so that the same value is written in another way.",
    PATH_PARAMETER_RENAMED = "path-parameter-renamed", BOTH, Prose:
        "A parameter of the path has another name. On the wire it has none; the fields of the generated crates are named by it.",
    PATTERN = "pattern", NOBODY, Shape:
        "A `pattern` was added, changed or removed. Of two patterns neither contains the other as far as can be told, unless a text is found that only one of them takes.",
    PROPERTY_ADDED = "property-added", NOBODY, Shape:
        "An object has an optional member that it did not have. Receivers ignore members they do not know, unless the object was closed by `additionalProperties: false`.",
    PROPERTY_BECAME_OPTIONAL = "property-became-optional", BOTH, Shape:
        "A member may be missing that was always there.",
    PROPERTY_BECAME_READ_ONLY = "property-became-read-only", BOTH, Shape:
        "A member became `readOnly`: it is no longer a part of requests.",
    PROPERTY_BECAME_REQUIRED = "property-became-required", BOTH, Shape:
        "A member may no longer be missing. Requests without it are refused, unless it has a `default` that takes its place.",
    PROPERTY_BECAME_WRITABLE = "property-became-writable", NOBODY, Shape:
        "A member is no longer `readOnly`: it is a part of requests now.",
    PROPERTY_BECAME_READABLE = "property-became-readable", NOBODY, Shape:
        "A member is no longer `writeOnly`: it is a part of answers now.",
    PROPERTY_BECAME_WRITE_ONLY = "property-became-write-only", BOTH, Shape:
        "A member became `writeOnly`: it is no longer a part of answers.",
    PROPERTY_REMOVED = "property-removed", BOTH, Meaning:
        "An optional member is gone. In requests most servers ignore it, in answers it was never promised; whoever used it gets something else than before.",
    REACTIVATED = "reactivated", NOBODY, Prose:
        "Something is no longer `deprecated`.",
    REMOVED_BEFORE_SUNSET = "removed-before-sunset", NOBODY, Shape:
        "Something deprecated was removed before the date of its `x-sunset`. Users were told that they have until then.",
    REMOVED_WITHOUT_NOTICE = "removed-without-notice", NOBODY, Meaning:
        "Something stable was removed that had not been deprecated with an `x-sunset`, or that the changelog does not name. Deprecate it first, announce it, and remove it when the date has passed.",
    REQUEST_BODY_ADDED = "request-body-added", BOTH, Shape:
        "An operation takes a body that took none. If it is required, requests without one are refused.",
    REQUEST_BODY_BECAME_OPTIONAL = "request-body-became-optional", BOTH, Shape:
        "A body may be left out that had to be sent.",
    REQUEST_BODY_BECAME_REQUIRED = "request-body-became-required", BOTH, Shape:
        "A body has to be sent that could be left out.",
    REQUEST_BODY_REMOVED = "request-body-removed", BOTH, Shape:
        "An operation takes no body any more. What clients send in it is lost or refused.",
    REQUIRED_HEADER_ADDED = "required-header-added", MAKER, Shape:
        "A header was added that is always there. Answers only gain by it; whoever makes them has to give it.",
    REQUIRED_PARAMETER_ADDED = "required-parameter-added", MAKER, Shape:
        "A parameter was added that has to be sent. Every deployed client is refused.",
    REQUIRED_PROPERTY_ADDED = "required-property-added", MAKER, Shape:
        "A member was added that has to be there. Requests without it are refused, unless it has a `default` that takes its place; answers only gain.",
    REQUIRED_PROPERTY_REMOVED = "required-property-removed", BOTH, Shape:
        "A member that was always there is gone from answers. Clients that read it fail.",
    RESPONSE_ADDED = "response-added", READER, Shape:
        "An operation answers with an error that it did not have. Clients have to expect statuses that they do not know; the generated error has one variant more.",
    RESPONSE_REMOVED = "response-removed", BOTH, Shape:
        "An operation no longer answers with a status. A success that clients wait for is missed; an error is not.",
    RUST_INTERFACE = "rust-interface", BOTH, Prose:
        "The generated crates have another interface, although nothing that travels has changed: a schema has another name, or types fell together or apart. Code that names them stops compiling.",
    SECURITY_LOOSENED = "security-loosened", NOBODY, Meaning:
        "An operation takes credentials that it did not take, or none at all. Everything that worked works.",
    SECURITY_SCHEME = "security-scheme", BOTH, Shape:
        "A security scheme works in another way: another type, another place of the key, another address of a flow. Deployed clients send the wrong thing.",
    SECURITY_TIGHTENED = "security-tightened", BOTH, Shape:
        "What was enough to call an operation is no longer enough: a credential or a scope more, or another one instead.",
    SERVER_ADDED = "server-added", NOBODY, Meaning:
        "The interface is offered at another address too.",
    SERVER_REMOVED = "server-removed", NOBODY, Meaning:
        "The document no longer names an address. Whether the address still answers cannot be seen from here, so it is told as a matter of behaviour.",
    STABILITY_DECREASED = "stability-decreased", NOBODY, Meaning:
        "`x-stability-level` says less than it did. A promise cannot be taken back; deprecate and replace instead.",
    STABILITY_INCREASED = "stability-increased", NOBODY, Prose:
        "`x-stability-level` promises more than it did.",
    STABILITY_INVALID = "stability-invalid", NOBODY, Meaning:
        "`x-stability-level` is none of draft, alpha, beta and stable, so nobody can tell what is promised.",
    SUCCESS_ADDED = "success-added", BOTH, Meaning:
        "An operation succeeds with a status that it did not have. Clients that wait for the one they know may take it for a failure, so it is worth a look.",
    SUNSET_INVALID = "sunset-invalid", NOBODY, Meaning:
        "`x-sunset` is no date. Write it as `2027-01-31`.",
    SUNSET_MISSING = "sunset-missing", NOBODY, Meaning:
        "Something was deprecated without an `x-sunset`, and the policy asks for one.",
    SUNSET_MOVED = "sunset-moved", NOBODY, Meaning:
        "`x-sunset` was moved. An earlier date that leaves less than the promised notice breaks the promise.",
    SUNSET_REMOVED = "sunset-removed", NOBODY, Meaning:
        "Something deprecated lost its `x-sunset`: users no longer know how long they have.",
    SUNSET_TOO_SOON = "sunset-too-soon", NOBODY, Meaning:
        "Something was deprecated with an `x-sunset` that leaves less than the promised notice.",
    TYPE = "type", BOTH, Shape:
        "Values are of other kinds than before. Integers are numbers, and in parameters and headers every scalar is text; nothing else contains the other.",
    UNION = "union", BOTH, Shape:
        "A schema became a choice of several, stopped being one, or the choice follows another keyword. Each alternative was compared with the other document's schema as a whole.",
    UNIQUE_ITEMS = "unique-items", NOBODY, Shape:
        "Whether a list may hold the same item twice has changed.",
    XML = "xml", NOBODY, Shape:
        "`xml` names or nests elements in another way, and the schema is used for a body of XML.",
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
