//! Codes of the mock's warnings, with their explanations.

use frontdesk_document::Explanation;

/// An example that does not match its schema.
pub const INVALID_EXAMPLE: &str = "mock-invalid-example";
/// An example with an `externalValue`.
pub const EXTERNAL_EXAMPLE: &str = "mock-external-example";
/// A security requirement without a usable scheme.
pub const UNKNOWN_SCHEME: &str = "mock-unknown-scheme";

/// A path has two parameters with nothing between them.
pub const UNROUTABLE_PATH: &str = "mock-unroutable-path";

/// Every code of this crate.
pub const CODES: &[Explanation] = &[
    Explanation {
        code: INVALID_EXAMPLE,
        text: "`cargo xtask mock` responds with the examples of the document before it generates values. This example violates its schema, so clients that validate responses will reject it. \
            It is sent unchanged. Correct the example or the schema; `Prefer: dynamic=true` requests a generated value that matches.",
    },
    Explanation {
        code: EXTERNAL_EXAMPLE,
        text: "An example is given as an address (`externalValue`). The mock never fetches anything, so it cannot use this example. Write the example under `value`.",
    },
    Explanation {
        code: UNROUTABLE_PATH,
        text: "Two parameters of a path follow each other without text between them, as in `/pairs/{a}{b}`. No request tells where the first one ends, so the mock leaves the path out, as generated code does.",
    },
    Explanation {
        code: UNKNOWN_SCHEME,
        text: "A security requirement names a scheme that is missing from `components.securitySchemes`, or whose definition does not say where the credential is sent. The mock asks for the credential that generated servers assume, a bearer token or, if the name says so, a basic one. A scheme of the type `mutualTLS` is proven by the connection, which the mock does not see, so it accepts every one.",
    },
];
