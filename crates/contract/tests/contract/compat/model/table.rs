//! The object model of OpenAPI 3.0.3, with the rules for each edit that it allows.

/// Objects with their fields, as in chapter 4.7 of the specification. `!` marks required fields, which can
/// only be changed; a field in `<>` stands for all names that the author chooses.
pub(crate) const MODEL: &[(&str, &str)] = &[
    ("OpenAPI", "openapi! info! servers paths! components security tags externalDocs"),
    ("Info", "title! description termsOfService contact license version!"),
    ("Contact", "name url email"),
    ("License", "name! url"),
    ("Server", "url! description variables"),
    ("ServerVariable", "enum default! description"),
    (
        "Components",
        "schemas responses parameters examples requestBodies headers securitySchemes links callbacks",
    ),
    ("Paths", "<path>"),
    ("PathItem", "$ref summary description get put post delete options head patch trace servers parameters"),
    (
        "Operation",
        "tags summary description externalDocs operationId parameters requestBody responses! callbacks deprecated security servers",
    ),
    ("ExternalDocs", "description url!"),
    (
        "Parameter",
        "name! in! description required deprecated allowEmptyValue style explode allowReserved schema example examples content",
    ),
    ("RequestBody", "description content! required"),
    ("MediaType", "schema example examples encoding"),
    ("Encoding", "contentType headers style explode allowReserved"),
    ("Responses", "default <status>"),
    ("Response", "description! headers content links"),
    ("Callback", "<expression>"),
    ("Example", "summary description value externalValue"),
    ("Link", "operationRef operationId parameters requestBody description server"),
    (
        "Header",
        "description required deprecated allowEmptyValue style explode allowReserved schema example examples content",
    ),
    ("Tag", "name! description externalDocs"),
    ("Reference", "$ref!"),
    (
        "Schema",
        "title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems \
         maxProperties minProperties required enum type allOf oneOf anyOf not items properties additionalProperties description format \
         default nullable discriminator readOnly writeOnly xml externalDocs example deprecated",
    ),
    ("Discriminator", "propertyName! mapping"),
    ("XML", "name namespace prefix attribute wrapped"),
    ("SecurityScheme", "type! description name! in! scheme! bearerFormat flows! openIdConnectUrl!"),
    ("OAuthFlows", "implicit password clientCredentials authorizationCode"),
    ("OAuthFlow", "authorizationUrl! tokenUrl! refreshUrl scopes!"),
    ("SecurityRequirement", "<scheme>"),
    // The extension keys that the contract defines.
    ("Extension", "x-sunset x-stability-level x-extensible-enum x-webhooks"),
];

/// The rules for the edits of a field: adding (`+`), removing (`-`), and changing it in both directions
/// (`~`).
pub(crate) struct Row {
    /// `Object.field`.
    pub(crate) field: &'static str,
    /// The name of the object's location in the document of the test.
    pub(crate) place: &'static str,
    /// A value as JSON, and a changed one.
    pub(crate) values: (&'static str, &'static str),
    /// The rules, with `+`, `-` or `~` before those of a single edit; may be empty.
    pub(crate) rules: &'static str,
    /// Why edits without a rule have none.
    pub(crate) waived: &'static str,
}

const fn row(
    field: &'static str,
    place: &'static str,
    values: (&'static str, &'static str),
    rules: &'static str,
) -> Row {
    Row { field, place, values, rules, waived: "" }
}

const fn waived(
    field: &'static str,
    place: &'static str,
    values: (&'static str, &'static str),
    reason: &'static str,
) -> Row {
    Row { field, place, values, rules: "", waived: reason }
}

const fn partly(
    field: &'static str,
    place: &'static str,
    values: (&'static str, &'static str),
    rules: &'static str,
    reason: &'static str,
) -> Row {
    Row { field, place, values, rules, waived: reason }
}

const TEXTS: (&str, &str) = (r#""one""#, r#""other""#);
const URLS: (&str, &str) = (r#""https://one.example""#, r#""https://other.example""#);
const FLAG: (&str, &str) = ("true", "false");
const DOCS: (&str, &str) = (r#"{"url":"https://one.example"}"#, r#"{"url":"https://other.example"}"#);
const SERVERS: (&str, &str) = (r#"[{"url":"https://one.example"}]"#, r#"[{"url":"https://other.example"}]"#);
const OPERATION: (&str, &str) =
    (r#"{"responses":{"200":{"description":"A"}}}"#, r#"{"responses":{"201":{"description":"A"}}}"#);
const EXAMPLES: (&str, &str) = (r#"{"a":{"value":1}}"#, r#"{"b":{"value":2}}"#);
const SCHEMA: (&str, &str) = (r#"{"type":"string"}"#, r#"{"type":"boolean"}"#);
const HEADERS: (&str, &str) = (r#"{"X-A":{"required":true,"schema":{}}}"#, r#"{"X-B":{"schema":{}}}"#);

const PROSE: &str = "only people read it";
const WHERE_USED: &str = "what components hold counts where it is referred to";

/// Every field of the model.
pub(crate) const ROWS: &[Row] = &[
    waived(
        "OpenAPI.openapi",
        "document",
        (r#""3.0.0""#, r#""3.0.3""#),
        "patch versions of the format mean the same",
    ),
    waived(
        "OpenAPI.info",
        "document",
        (r#"{"title":"A","version":"1"}"#, r#"{"title":"B","version":"1"}"#),
        PROSE,
    ),
    row(
        "OpenAPI.servers",
        "document",
        SERVERS,
        "+server-added -server-removed ~server-removed ~server-added",
    ),
    row(
        "OpenAPI.paths",
        "document",
        (r#"{"/a":{"get":{"responses":{}}}}"#, r#"{"/b":{"get":{"responses":{}}}}"#),
        "~operation-removed ~operation-added",
    ),
    waived("OpenAPI.components", "document", ("{}", "{}"), WHERE_USED),
    partly(
        "OpenAPI.security",
        "document",
        (r#"[{"plain":[]}]"#, r#"[{"oidc":[]}]"#),
        "",
        "the operation of the test has its own, as `Operation.security` shows",
    ),
    waived("OpenAPI.tags", "document", (r#"[{"name":"a"}]"#, r#"[{"name":"b"}]"#), PROSE),
    waived("OpenAPI.externalDocs", "document", DOCS, PROSE),
    waived("Info.title", "info", TEXTS, PROSE),
    waived("Info.description", "info", TEXTS, PROSE),
    waived("Info.termsOfService", "info", URLS, PROSE),
    waived("Info.contact", "info", ("{}", r#"{"name":"B"}"#), PROSE),
    waived("Info.license", "info", (r#"{"name":"A"}"#, r#"{"name":"B"}"#), PROSE),
    waived("Info.version", "info", TEXTS, "it follows from the findings, and does not make any"),
    waived("Contact.name", "contact", TEXTS, PROSE),
    waived("Contact.url", "contact", URLS, PROSE),
    waived("Contact.email", "contact", (r#""a@one.example""#, r#""a@other.example""#), PROSE),
    waived("License.name", "license", TEXTS, PROSE),
    waived("License.url", "license", URLS, PROSE),
    row("Server.url", "server", URLS, "~server-removed ~server-added"),
    waived("Server.description", "server", TEXTS, PROSE),
    row(
        "Server.variables",
        "server",
        (r#"{"region":{"default":"a"}}"#, r#"{"region":{"default":"b"}}"#),
        "server-variables",
    ),
    row("ServerVariable.enum", "server variable", (r#"["eu"]"#, r#"["eu","us"]"#), "server-variables"),
    row("ServerVariable.default", "server variable", (r#""eu""#, r#""us""#), "~server-variables"),
    waived("ServerVariable.description", "server variable", TEXTS, PROSE),
    row(
        "Components.schemas",
        "components",
        (r#"{"A":{},"B":{}}"#, r#"{"A":{},"B":{"type":"string"}}"#),
        // A branch whose reference leads nowhere is read without its constraints, so another schema is behind
        // the value of the discriminator.
        "+discriminator -discriminator ~type|union|alternative-added|discriminator",
    ),
    waived(
        "Components.responses",
        "components",
        (r#"{"R":{"description":"A"}}"#, r#"{"R":{"description":"A","content":{}}}"#),
        WHERE_USED,
    ),
    waived(
        "Components.parameters",
        "components",
        (r#"{"P":{"name":"a","in":"query","schema":{}}}"#, r#"{"P":{"name":"b","in":"query","schema":{}}}"#),
        WHERE_USED,
    ),
    waived("Components.examples", "components", EXAMPLES, PROSE),
    waived(
        "Components.requestBodies",
        "components",
        (r#"{"R":{"content":{}}}"#, r#"{"R":{"content":{},"required":true}}"#),
        WHERE_USED,
    ),
    waived("Components.headers", "components", HEADERS, WHERE_USED),
    row(
        "Components.securitySchemes",
        "components",
        (
            r#"{"key":{"type":"apiKey","in":"query","name":"k"}}"#,
            r#"{"key":{"type":"apiKey","in":"query","name":"l"}}"#,
        ),
        "~security-scheme +security-tightened|security-loosened -security-tightened|security-loosened",
    ),
    waived("Components.links", "components", (r#"{"L":{"operationId":"makeThing"}}"#, "{}"), WHERE_USED),
    waived("Components.callbacks", "components", (r#"{"C":{}}"#, "{}"), WHERE_USED),
    row(
        "Paths.<path>",
        "paths",
        (r#"{"get":{"responses":{}}}"#, r#"{"put":{"responses":{}}}"#),
        "+operation-added -operation-removed ~operation-added ~operation-removed",
    ),
    waived(
        "PathItem.$ref",
        "path item",
        (r##""#/paths/~1things~1{id}""##, ""),
        "read as what it leads to; see the test of moves",
    ),
    waived("PathItem.summary", "path item", TEXTS, PROSE),
    waived("PathItem.description", "path item", TEXTS, PROSE),
    row("PathItem.get", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.put", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.post", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.delete", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.options", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.head", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.patch", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.trace", "path item", OPERATION, "+operation-added -operation-removed ~response-removed"),
    row("PathItem.servers", "path item", SERVERS, "server-removed server-added"),
    row(
        "PathItem.parameters",
        "path item",
        (
            r#"[{"name":"p","in":"query","required":true,"schema":{}}]"#,
            r#"[{"name":"r","in":"query","required":true,"schema":{}}]"#,
        ),
        "+required-parameter-added -parameter-removed ~parameter-removed ~required-parameter-added",
    ),
    row("Operation.tags", "operation", (r#"["a"]"#, r#"["b"]"#), "operation-tags"),
    waived("Operation.summary", "operation", TEXTS, PROSE),
    waived("Operation.description", "operation", TEXTS, PROSE),
    waived("Operation.externalDocs", "operation", DOCS, PROSE),
    row("Operation.operationId", "operation", TEXTS, "operation-id"),
    row(
        "Operation.parameters",
        "operation",
        (r#"[{"name":"p","in":"query","schema":{}}]"#, r#"[{"name":"r","in":"cookie","schema":{}}]"#),
        "+parameter-added -parameter-removed ~parameter-added ~parameter-removed",
    ),
    row(
        "Operation.requestBody",
        "operation",
        (r#"{"required":true,"content":{"a/b":{}}}"#, r#"{"required":true,"content":{"a/c":{}}}"#),
        "+request-body-added -request-body-removed ~media-type-removed ~media-type-added",
    ),
    row(
        "Operation.responses",
        "operation",
        (r#"{"200":{"description":"A"}}"#, r#"{"404":{"description":"A"}}"#),
        "~response-removed|success-added ~response-added|response-removed",
    ),
    row(
        "Operation.callbacks",
        "operation",
        (r#"{"c":{"{$url}":{"post":{"responses":{}}}}}"#, r#"{"d":{"{$url}":{"post":{"responses":{}}}}}"#),
        "+callback-added -callback-removed ~callback-added ~callback-removed",
    ),
    row("Operation.deprecated", "operation", FLAG, "+deprecated -reactivated ~deprecated|reactivated"),
    row(
        "Operation.security",
        "operation",
        (r#"[{"key":[]}]"#, r#"[{"plain":[]}]"#),
        "+security-tightened -security-loosened ~security-tightened",
    ),
    row("Operation.servers", "operation", SERVERS, "server-removed server-added"),
    waived("ExternalDocs.description", "document", TEXTS, PROSE),
    waived("ExternalDocs.url", "document", URLS, PROSE),
    row("Parameter.name", "parameter", TEXTS, "~parameter-removed ~parameter-added"),
    row("Parameter.in", "parameter", (r#""query""#, r#""cookie""#), "~parameter-removed ~parameter-added"),
    waived("Parameter.description", "parameter", TEXTS, PROSE),
    row(
        "Parameter.required",
        "parameter",
        FLAG,
        "+parameter-became-required -parameter-became-optional ~parameter-became-required|parameter-became-optional",
    ),
    row("Parameter.deprecated", "parameter", FLAG, "+deprecated -reactivated ~deprecated|reactivated"),
    row("Parameter.allowEmptyValue", "parameter", FLAG, "parameter-allow-empty"),
    row(
        "Parameter.style",
        "list parameter",
        (r#""pipeDelimited""#, r#""spaceDelimited""#),
        "parameter-style",
    ),
    row("Parameter.explode", "list parameter", ("false", "true"), "parameter-explode"),
    row("Parameter.allowReserved", "parameter", FLAG, "parameter-allow-reserved"),
    row("Parameter.schema", "parameter", (r#"{"type":"array"}"#, r#"{"type":"object"}"#), "type"),
    waived("Parameter.example", "parameter", TEXTS, PROSE),
    waived("Parameter.examples", "parameter", EXAMPLES, PROSE),
    row(
        "Parameter.content",
        "packed parameter",
        (r#"{"application/json":{}}"#, r#"{"text/plain":{}}"#),
        "parameter-serialization",
    ),
    waived("RequestBody.description", "request body", TEXTS, PROSE),
    row(
        "RequestBody.content",
        "request body",
        (r#"{"a/b":{}}"#, r#"{"a/c":{}}"#),
        "~media-type-removed ~media-type-added",
    ),
    row(
        "RequestBody.required",
        "request body",
        FLAG,
        "+request-body-became-required -request-body-became-optional ~request-body-became-required|request-body-became-optional",
    ),
    row("MediaType.schema", "media type", SCHEMA, "type"),
    waived("MediaType.example", "media type", TEXTS, PROSE),
    waived("MediaType.examples", "media type", EXAMPLES, PROSE),
    row(
        "MediaType.encoding",
        "form",
        (r#"{"file":{"contentType":"a/b"}}"#, r#"{"file":{"contentType":"a/c"}}"#),
        "encoding",
    ),
    row("Encoding.contentType", "encoding", (r#""a/b""#, r#""a/c""#), "encoding"),
    row("Encoding.headers", "encoding", HEADERS, "header-added|header-removed|required-header-added"),
    row("Encoding.style", "encoding", (r#""pipeDelimited""#, r#""spaceDelimited""#), "encoding"),
    row("Encoding.explode", "encoding", ("false", "true"), "encoding"),
    row("Encoding.allowReserved", "encoding", FLAG, "encoding"),
    row(
        "Responses.default",
        "responses",
        (r#"{"description":"A"}"#, r#"{"description":"A","headers":{"X-A":{"required":true,"schema":{}}}}"#),
        "+response-added -response-removed ~required-header-added|header-removed",
    ),
    row(
        "Responses.<status>",
        "responses",
        (r#"{"description":"A"}"#, r#"{"description":"A","headers":{"X-A":{"required":true,"schema":{}}}}"#),
        "+response-added -response-removed ~required-header-added|header-removed",
    ),
    waived("Response.description", "response", TEXTS, PROSE),
    row(
        "Response.headers",
        "response",
        HEADERS,
        "+required-header-added -header-removed ~header-added|required-header-added ~header-removed",
    ),
    row(
        "Response.content",
        "response",
        (r#"{"a/b":{}}"#, r#"{"a/c":{}}"#),
        "+response-body-added -media-type-removed ~media-type-added ~media-type-removed",
    ),
    row(
        "Response.links",
        "response",
        (r#"{"a":{"operationId":"makeThing"}}"#, r#"{"b":{"operationId":"makeThing"}}"#),
        "link-changed",
    ),
    row(
        "Callback.<expression>",
        "callback",
        (r#"{"post":{"responses":{}}}"#, r#"{"put":{"responses":{}}}"#),
        "+callback-added -callback-removed ~callback-added ~callback-removed",
    ),
    waived("Example.summary", "document", TEXTS, PROSE),
    waived("Example.description", "document", TEXTS, PROSE),
    waived("Example.value", "document", TEXTS, PROSE),
    waived("Example.externalValue", "document", URLS, PROSE),
    row(
        "Link.operationRef",
        "link",
        (r##""#/paths/~1things~1{id}/post""##, r##""#/paths/~1things~1%7Bid%7D/post""##),
        "+link-changed -link-changed ~link-changed",
    ),
    row("Link.operationId", "link", TEXTS, "link-changed"),
    row("Link.parameters", "link", (r#"{"id":"a"}"#, r#"{"id":"b"}"#), "link-changed"),
    row("Link.requestBody", "link", TEXTS, "link-changed"),
    waived("Link.description", "link", TEXTS, PROSE),
    row("Link.server", "link", DOCS, "link-changed"),
    waived("Header.description", "header", TEXTS, PROSE),
    row(
        "Header.required",
        "header",
        FLAG,
        "+header-became-required -header-became-optional ~header-became-required|header-became-optional",
    ),
    row("Header.deprecated", "header", FLAG, "+deprecated -reactivated ~deprecated|reactivated"),
    waived("Header.allowEmptyValue", "header", FLAG, "it is a matter of queries"),
    waived("Header.style", "header", (r#""simple""#, r#""simple""#), "headers have one style"),
    row("Header.explode", "list header", FLAG, "header-explode"),
    waived("Header.allowReserved", "header", FLAG, "it is a matter of queries"),
    row("Header.schema", "header", (r#"{"type":"array"}"#, r#"{"type":"object"}"#), "type"),
    waived("Header.example", "header", TEXTS, PROSE),
    waived("Header.examples", "header", EXAMPLES, PROSE),
    row(
        "Header.content",
        "header",
        (r#"{"application/json":{}}"#, r#"{"text/plain":{}}"#),
        "header-serialization",
    ),
    waived("Tag.name", "tag", TEXTS, PROSE),
    waived("Tag.description", "tag", TEXTS, PROSE),
    waived("Tag.externalDocs", "tag", DOCS, PROSE),
    waived("Reference.$ref", "document", ("", ""), "read as what it leads to; see the test of moves"),
    waived("Schema.title", "text", TEXTS, PROSE),
    row("Schema.multipleOf", "number", ("2", "3"), "multiple-of"),
    row("Schema.maximum", "number", ("10", "9.5"), "maximum"),
    partly(
        "Schema.exclusiveMaximum",
        "number",
        FLAG,
        "",
        "it says nothing without `maximum`; see `Schema.maximum` in the test of bounds",
    ),
    row("Schema.minimum", "number", ("1", "2"), "minimum"),
    partly(
        "Schema.exclusiveMinimum",
        "number",
        FLAG,
        "",
        "it says nothing without `minimum`; see the test of bounds",
    ),
    row("Schema.maxLength", "text", ("10", "9"), "max-length"),
    row("Schema.minLength", "text", ("1", "2"), "min-length"),
    row("Schema.pattern", "text", (r#""^a""#, r#""^b""#), "pattern"),
    row("Schema.maxItems", "list", ("10", "9"), "max-items"),
    row("Schema.minItems", "list", ("1", "2"), "min-items"),
    row("Schema.uniqueItems", "list", FLAG, "unique-items"),
    row("Schema.maxProperties", "object", ("10", "9"), "max-properties"),
    row("Schema.minProperties", "object", ("1", "2"), "min-properties"),
    row(
        "Schema.required",
        "object",
        (r#"["a"]"#, r#"["b"]"#),
        "+property-became-required -property-became-optional ~property-became-required ~property-became-optional",
    ),
    row(
        "Schema.enum",
        "text",
        (r#"["a"]"#, r#"["a","b"]"#),
        "+enum-added -enum-removed ~enum-value-added|enum-value-removed",
    ),
    row("Schema.type", "text", (r#""string""#, r#""integer""#), "type"),
    row("Schema.allOf", "any", (r#"[{"type":"string"}]"#, r#"[{"type":"integer"}]"#), "type"),
    row(
        "Schema.oneOf",
        "any",
        (r#"[{"type":"string"},{"type":"integer"}]"#, r#"[{"type":"string"},{"type":"boolean"}]"#),
        "+union -union ~alternative-added|type",
    ),
    row(
        "Schema.anyOf",
        "any",
        (r#"[{"type":"string"},{"type":"integer"}]"#, r#"[{"type":"string"},{"type":"boolean"}]"#),
        "+union -union ~alternative-added|type",
    ),
    row("Schema.not", "any", (r#"{"type":"string"}"#, r#"{"type":"integer"}"#), "+not -not ~type"),
    row("Schema.items", "list", (r#"{"type":"string"}"#, r#"{"type":"integer"}"#), "type"),
    row(
        "Schema.properties",
        "object",
        (r#"{"x":{}}"#, r#"{"y":{}}"#),
        "+property-added -property-removed ~property-added ~property-removed",
    ),
    row("Schema.additionalProperties", "object", ("false", r#"{"type":"string"}"#), "additional-properties"),
    waived("Schema.description", "text", TEXTS, PROSE),
    row("Schema.format", "text", (r#""date""#, r#""uuid""#), "format"),
    row("Schema.default", "text", TEXTS, "default-changed"),
    row("Schema.nullable", "text", FLAG, "nullable"),
    row(
        "Schema.discriminator",
        "choice",
        (r#"{"propertyName":"kind"}"#, r#"{"propertyName":"a"}"#),
        "discriminator",
    ),
    row(
        "Schema.readOnly",
        "text",
        FLAG,
        "+property-became-read-only -property-became-writable ~property-became-read-only|property-became-writable",
    ),
    partly(
        "Schema.writeOnly",
        "text",
        FLAG,
        "",
        "requests carry it either way; see the test of directions for answers",
    ),
    row("Schema.xml", "xml schema", (r#"{"name":"a"}"#, r#"{"name":"b"}"#), "xml"),
    waived("Schema.externalDocs", "text", DOCS, PROSE),
    waived("Schema.example", "text", TEXTS, PROSE),
    row("Schema.deprecated", "text", FLAG, "+deprecated -reactivated ~deprecated|reactivated"),
    row("Discriminator.propertyName", "discriminator", TEXTS, "~discriminator"),
    row("Discriminator.mapping", "discriminator", (r#"{"x":"A"}"#, r#"{"y":"A"}"#), "discriminator"),
    row("XML.name", "xml", TEXTS, "xml"),
    row("XML.namespace", "xml", URLS, "xml"),
    row("XML.prefix", "xml", TEXTS, "xml"),
    row("XML.attribute", "xml", FLAG, "xml"),
    row("XML.wrapped", "xml", FLAG, "xml"),
    row("SecurityScheme.type", "key", (r#""apiKey""#, r#""http""#), "~security-scheme"),
    waived("SecurityScheme.description", "key", TEXTS, PROSE),
    row("SecurityScheme.name", "key", TEXTS, "~security-scheme"),
    row("SecurityScheme.in", "key", (r#""query""#, r#""cookie""#), "~security-scheme"),
    row("SecurityScheme.scheme", "plain", TEXTS, "~security-scheme"),
    row("SecurityScheme.bearerFormat", "plain", TEXTS, "security-scheme"),
    row(
        "SecurityScheme.flows",
        "oauth",
        ("{}", r#"{"implicit":{"authorizationUrl":"https://a.example","scopes":{}}}"#),
        "~security-scheme",
    ),
    row("SecurityScheme.openIdConnectUrl", "oidc", URLS, "~security-scheme"),
    row(
        "OAuthFlows.implicit",
        "flows",
        (
            r#"{"authorizationUrl":"https://a.example","scopes":{}}"#,
            r#"{"authorizationUrl":"https://b.example","scopes":{}}"#,
        ),
        "security-scheme",
    ),
    row(
        "OAuthFlows.password",
        "flows",
        (
            r#"{"tokenUrl":"https://a.example","scopes":{}}"#,
            r#"{"tokenUrl":"https://b.example","scopes":{}}"#,
        ),
        "security-scheme",
    ),
    row(
        "OAuthFlows.clientCredentials",
        "flows",
        (
            r#"{"tokenUrl":"https://a.example","scopes":{}}"#,
            r#"{"tokenUrl":"https://b.example","scopes":{}}"#,
        ),
        "security-scheme",
    ),
    row(
        "OAuthFlows.authorizationCode",
        "flows",
        (
            r#"{"authorizationUrl":"https://a.example","tokenUrl":"https://a.example","scopes":{}}"#,
            r#"{"authorizationUrl":"https://a.example","tokenUrl":"https://b.example","scopes":{}}"#,
        ),
        "security-scheme",
    ),
    row("OAuthFlow.authorizationUrl", "flow", URLS, "~security-scheme"),
    row("OAuthFlow.tokenUrl", "flow", URLS, "~security-scheme"),
    row("OAuthFlow.refreshUrl", "flow", URLS, "security-scheme"),
    row("OAuthFlow.scopes", "flow", (r#"{"a":"A"}"#, r#"{"b":"B"}"#), "~security-scheme"),
    row(
        "SecurityRequirement.<scheme>",
        "requirement",
        (r#"["a"]"#, r#"["b"]"#),
        "+security-tightened -security-loosened ~security-tightened",
    ),
    partly(
        "Extension.x-sunset",
        "parameter",
        (r#""2030-01-01""#, r#""2029-01-01""#),
        "",
        "it says nothing of what is not deprecated; see the test of ends",
    ),
    row(
        "Extension.x-stability-level",
        "operation",
        (r#""beta""#, r#""stable""#),
        "+stability-decreased -stability-increased ~stability-increased|stability-decreased",
    ),
    waived(
        "Extension.x-extensible-enum",
        "text",
        FLAG,
        "it says nothing without `enum`; see the test of open enumerations",
    ),
    row(
        "Extension.x-webhooks",
        "document",
        (r#"{"w":{"post":{"responses":{}}}}"#, r#"{"v":{"post":{"responses":{}}}}"#),
        "+callback-added -callback-removed ~callback-added ~callback-removed",
    ),
];
