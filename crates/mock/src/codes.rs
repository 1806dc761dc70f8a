//! The stable names of what the mock warns of, with their long explanations.

use frontdesk_document::Explanation;

/// An example that does not fit its schema.
pub const INVALID_EXAMPLE: &str = "mock-invalid-example";
/// An example that is kept elsewhere.
pub const EXTERNAL_EXAMPLE: &str = "mock-external-example";
/// A requirement that cannot be asked for.
pub const UNKNOWN_SCHEME: &str = "mock-unknown-scheme";

/// Every code of this crate.
pub const CODES: &[Explanation] = &[
    Explanation {
        code: INVALID_EXAMPLE,
        text: "`cargo xtask mock` answers with the examples of the document before it makes values of its own. This one breaks a rule of its schema, so clients that check answers will refuse it. \
            It is served as it is written. Correct the example or the schema; `Prefer: dynamic=true` asks for a value that fits.",
    },
    Explanation {
        code: EXTERNAL_EXAMPLE,
        text: "An example is given by `externalValue`, an address. The mock reads the document and nothing else, so it has no such example. Write it under `value`.",
    },
    Explanation {
        code: UNKNOWN_SCHEME,
        text: "A security requirement names a scheme that is not under components.securitySchemes, or that does not say where its credential stands. The mock cannot ask for it, and lets callers in without.",
    },
];
