//! The facts: everything that the given interface states about version 1, as data.
//!
//! Nothing here is derived from `spec/`. Limits that the interface does not state are left out, and so are
//! names of components, which the document may choose.

use Kind::{Boolean, Integer, Lists, Object, Text, Timestamp, Uuid};

/// The kind of a value, without its limits and nullability.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// A string that is a UUID.
    Uuid,
    /// A string that is an ISO 8601 timestamp.
    Timestamp,
    /// An integer.
    Integer,
    /// A boolean.
    Boolean,
    /// The named shape.
    Object(&'static str),
    /// An array of one kind of element.
    List(Box<Value>),
    /// An object whose values are arrays of strings.
    Lists,
    /// One of exactly these strings.
    Closed(&'static [&'static str]),
    /// One of these strings, or of others that the document marks as designed.
    Extended(&'static [&'static str]),
    /// One of these strings; the full set is not known, so any string may occur.
    Open(&'static [&'static str]),
}

/// A value with its limits.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    /// Keyword and number, such as `("maxLength", 250)`.
    pub(crate) limits: Vec<(&'static str, u64)>,
}

impl Value {
    fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }

    fn limited(mut self, keyword: &'static str, limit: u64) -> Self {
        self.limits.push((keyword, limit));
        self
    }
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) value: Value,
}

/// The request of an operation, besides its path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    /// No body and no parameters.
    Nothing,
    /// A required JSON body of the named shape.
    Body(&'static str),
    /// An optional JSON body of the named shape.
    OptionalBody(&'static str),
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Whether an API key is required.
    pub(crate) keyed: bool,
    pub(crate) takes: Takes,
    /// The only success status, and the shape of its body, if it has one.
    pub(crate) answers: (&'static str, Option<&'static str>),
    /// The error statuses, each with the possible shapes of its body.
    pub(crate) rejects: Vec<(&'static str, &'static [&'static str])>,
}

/// A fact that only a description can state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prose {
    pub(crate) fact: &'static str,
    /// The location of the description; the pointer may pass through references.
    pub(crate) at: &'static str,
    /// The words that state it.
    pub(crate) words: &'static [&'static str],
}

/// The prefix of every path.
pub(crate) const PREFIX: &str = "/api/v1";

/// The prefix of every key.
pub(crate) const KEY_PREFIX: &str = "sk_live_";

const UNAUTHORIZED: (&str, &[&str]) = ("401", &["unauthorized error"]);
const FORBIDDEN: (&str, &[&str]) = ("403", &["plan error"]);
const NOT_FOUND: (&str, &[&str]) = ("404", &["message"]);
const INVALID: (&str, &[&str]) = ("422", &["validation error"]);
const RATE_LIMITED: (&str, &[&str]) = ("429", &["rate limit error"]);

/// The operations.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint {
            method: "get",
            path: "/api/v1/chatbots",
            keyed: true,
            takes: Takes::Nothing,
            answers: ("200", Some("chatbot list")),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, RATE_LIMITED],
        },
        Endpoint {
            method: "post",
            path: "/api/v1/chatbots",
            keyed: true,
            takes: Takes::Body("create chatbot"),
            answers: ("201", Some("created chatbot")),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, INVALID, RATE_LIMITED],
        },
        Endpoint {
            method: "get",
            path: "/api/v1/chatbots/{chatbot_id}",
            keyed: true,
            takes: Takes::Nothing,
            answers: ("200", Some("chatbot")),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED],
        },
        Endpoint {
            method: "put",
            path: "/api/v1/chatbots/{chatbot_id}",
            keyed: true,
            takes: Takes::OptionalBody("update chatbot"),
            answers: ("200", Some("updated chatbot")),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID, RATE_LIMITED],
        },
        Endpoint {
            method: "delete",
            path: "/api/v1/chatbots/{chatbot_id}",
            keyed: true,
            takes: Takes::Nothing,
            answers: ("204", None),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED],
        },
        Endpoint {
            method: "post",
            path: "/api/v1/chatbots/{chatbot_id}/messages",
            keyed: true,
            takes: Takes::Body("send message"),
            answers: ("200", Some("message response")),
            rejects: vec![UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID, RATE_LIMITED],
        },
        Endpoint {
            method: "post",
            path: "/api/v1/chatbots/{chatbot_id}/reply",
            keyed: false,
            takes: Takes::Body("email reply request"),
            answers: ("200", Some("email reply response")),
            rejects: vec![
                NOT_FOUND,
                ("422", &["validation error", "no training data error"]),
                ("429", &["email reply rate limit error"]),
            ],
        },
    ]
}

/// Returns the fields of a shape.
pub(crate) fn shape(name: &str) -> Vec<Field> {
    match name {
        "chatbot" => vec![
            required("chatbot_id", of(Uuid)),
            required("name", of(Text)),
            required("status", of(Kind::Open(STATUS))),
            required("training_sources", of(Integer)),
            required("created_at", of(Timestamp)),
        ],
        "chatbot list" => vec![required("chatbots", list(of(Object("chatbot"))))],
        "created chatbot" => vec![
            required("chatbot_id", of(Uuid)),
            required("name", of(Text)),
            required("status", of(Kind::Open(STATUS))),
            required("created_at", of(Timestamp)),
        ],
        "updated chatbot" => vec![
            required("chatbot_id", of(Uuid)),
            required("name", of(Text)),
            required("status", of(Kind::Open(STATUS))),
            required("training_sources", of(Integer)),
            required("created_at", of(Timestamp)),
            required("settings", of(Object("chatbot settings"))),
        ],
        "chatbot settings" => vec![
            required("business_name", of(Text)),
            required("opening_text", of(Text)),
            required("ai_tone", of(Kind::Closed(AI_TONE))),
            required("specific_instructions", list(of(Object("instruction")))),
        ],
        "instruction" => vec![required("text", of(Text)), optional("is_critical", of(Boolean))],
        "quick button" => vec![required("text", of(Text).limited("maxLength", 50))],
        "create chatbot" => vec![
            required("name", of(Text)),
            required("business_name", of(Text)),
            required("training_urls", list(of(Text)).limited("minItems", 1).limited("maxItems", 10)),
            optional("business_description", of(Text).or_null()),
            optional("opening_text", of(Text).or_null()),
            optional("placeholder_text", of(Text).or_null()),
            optional("button_text", of(Text).or_null()),
            optional("custom_instructions", of(Text).or_null()),
            optional("language", of(Text).or_null()),
        ],
        "update chatbot" => vec![
            optional("name", of(Text)),
            optional("business_name", of(Text)),
            optional("business_description", of(Text)),
            optional("opening_text", of(Text)),
            optional("placeholder_text", of(Text)),
            optional("button_text", of(Text)),
            optional("custom_instructions", of(Text)),
            optional("specific_instructions", list(of(Object("instruction"))).limited("maxItems", 20)),
            optional("quick_buttons", list(of(Object("quick button"))).limited("maxItems", 10)),
            optional("quick_prompts_display", of(Kind::Closed(&["always", "once", "never"]))),
            optional("ai_tone", of(Kind::Closed(AI_TONE))),
            optional("tone_of_voice", of(Text).limited("maxLength", 400)),
            optional("ai_response_length", of(Kind::Closed(&["short", "medium", "long"]))),
            optional("ai_follow_up_questions", of(Boolean)),
            optional("focus", of(Kind::Closed(&["informational", "conversion"]))),
            optional("primary_goal", of(Text)),
            optional("language", of(Text)),
            optional("respond_in_user_language", of(Boolean)),
            optional("web_search_enabled", of(Boolean)),
            optional("show_sources", of(Boolean)),
            optional("allowed_sensitive_topics", list(of(Kind::Closed(SENSITIVE_TOPIC)))),
            optional("custom_blocked_topics", list(of(Text)).limited("maxItems", 20)),
        ],
        "send message" => vec![
            required("message", of(Text).limited("maxLength", 250)),
            optional("conversation_id", of(Uuid).or_null()),
            optional("contact", of(Object("contact information")).or_null()),
            optional("domain_id", of(Integer).or_null()),
            optional("source_tags", list(of(Text))),
        ],
        "contact information" => vec![
            optional("email", of(Text).or_null()),
            optional("name", of(Text).or_null()),
            optional("phone", of(Text).or_null()),
            optional("company", of(Text).or_null()),
            optional("custom", list(of(Text).or_null().limited("maxLength", 500))),
            optional("jwt", of(Text).or_null().limited("maxLength", 8192)),
        ],
        "message response" => vec![
            required("message_id", of(Text)),
            required("conversation_id", of(Uuid)),
            required("response", of(Text)),
            required("needs_escalation", of(Boolean)),
            required("mode", of(Kind::Open(&["ai"]))),
            required("sources", list(of(Object("source reference")))),
            required("usage", of(Object("usage"))),
            required("created_at", of(Timestamp)),
        ],
        "source reference" => vec![
            required("title", of(Text)),
            required("url", of(Text)),
            required("type", of(Kind::Open(&["webpage"]))),
        ],
        "usage" => vec![
            required("credits_used", of(Integer)),
            required("monthly_remaining", of(Integer)),
            required("monthly_limit", of(Integer)),
        ],
        "email reply request" => vec![
            required("subject", of(Text)),
            required("messages", list(of(Object("email thread message")))),
        ],
        "email thread message" => vec![
            required("from", of(Text)),
            required("body", of(Text)),
            optional("delivered_at", of(Text).or_null()),
        ],
        "email reply response" => vec![
            required("message_id", of(Text)),
            required("reply", of(Text)),
            required("sources", list(of(Object("source reference")))),
            required("usage", of(Object("usage"))),
            required("created_at", of(Timestamp)),
        ],
        "message" => vec![required("message", of(Text))],
        "unauthorized error" => vec![
            required("error", of(Kind::Closed(&["unauthorized", "invalid_api_key"]))),
            required("message", of(Text)),
        ],
        "plan error" => vec![
            required("error", of(Kind::Extended(&["api_access_disabled"]))),
            required("message", of(Text)),
        ],
        "validation error" => vec![required("message", of(Text)), required("errors", of(Lists))],
        "no training data error" => {
            vec![required("error", of(Kind::Closed(&["no_training_data"]))), required("message", of(Text))]
        }
        "rate limit error" => {
            vec![optional("error", of(Kind::Closed(&["rate_limited"]))), required("message", of(Text))]
        }
        "email reply rate limit error" => {
            vec![required("error", of(Kind::Closed(&["rate_limited"]))), required("message", of(Text))]
        }
        unknown => unreachable!("no table of fields for {unknown}"),
    }
}

/// Returns whether a value is an interpretation rather than a fact: of `source_tags`, only "array" is given.
pub(crate) fn is_reading(name: &str) -> bool {
    name.ends_with(" request.source_tags[]")
}

const STATUS: &[&str] = &["training", "ready"];

const AI_TONE: &[&str] = &[
    "appreciative",
    "assertive",
    "authoritative",
    "conciliatory",
    "curious",
    "empathetic",
    "energetic",
    "friendly",
    "humorous",
    "informative",
    "inspirational",
    "objective",
    "persuasive",
    "professional",
    "supportive",
    "thoughtful",
    "urgent",
];

const SENSITIVE_TOPIC: &[&str] =
    &["politics", "religion", "legal_advice", "medical_advice", "competitor_comparison"];

/// Facts about behavior, which the document's descriptions must state.
pub(crate) const PROSE: &[Prose] = &[
    Prose {
        fact: "60 requests a minute per key, more on request",
        at: "/info/description",
        words: &["API key", "60 requests a minute", "ask us", "429", "Retry-After"],
    },
    Prose { fact: "only HTTPS is accepted", at: "/info/description", words: &["HTTPS only"] },
    Prose {
        fact: "keys are made in the dashboard by owners and admins and displayed once",
        at: "/info/description",
        words: &["Owners and admins", "dashboard", "never again"],
    },
    Prose {
        fact: "deleting a key revokes it immediately; rotation is create, switch, delete",
        at: "/info/description",
        words: &["rotate", "deletion takes effect at once"],
    },
    Prose {
        fact: "plans that include the API, and those that do not",
        at: "/info/description",
        words: &["Growth, Business and Scale", "Starter", "trial", "api_access_disabled"],
    },
    Prose {
        fact: "a key has its creator's permissions, sub-accounts included, and no narrower scope",
        at: "/info/description",
        words: &["acts as the person who created it", "sub-accounts", "cannot be limited"],
    },
    Prose { fact: "OAuth 2.0 is not offered", at: "/info/description", words: &["no OAuth 2.0"] },
    Prose {
        fact: "breaking removals are announced, normally 12 months ahead",
        at: "/info/description",
        words: &["announced", "changelog", "normally at least 12 months"],
    },
    Prose {
        fact: "security and abuse fixes may come sooner",
        at: "/info/description",
        words: &["security or abuse may come sooner"],
    },
    Prose {
        fact: "creation starts crawling and leaves the chatbot in training",
        at: "/paths/~1api~1v1~1chatbots/post/description",
        words: &["starts to crawl", "`training`"],
    },
    Prose {
        fact: "update changes only what is sent, and replaces lists whole",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}/put/description",
        words: &["keeps every other", "replaces the stored list"],
    },
    Prose {
        fact: "styling, AI model, live-chat routing and integrations are out of reach of update",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}/put/description",
        words: &["Styling", "AI model", "live-chat routing", "integrations", "cannot be changed"],
    },
    Prose {
        fact: "an empty list removes all quick buttons",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}/put/requestBody/content/application~1json/schema\
             /properties/quick_buttons/description",
        words: &["whole list", "empty one removes all"],
    },
    Prose {
        fact: "deletion is permanent and takes the training data with it",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}/delete/description",
        words: &["all its training data", "cannot be undone"],
    },
    Prose {
        fact: "an absent or unknown conversation begins a new one",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1messages/post/requestBody/content/application~1json\
             /schema/properties/conversation_id/description",
        words: &["absent or unknown", "new one"],
    },
    Prose {
        fact: "the domain must exist, and may be left out if it is unambiguous",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1messages/post/requestBody/content/application~1json\
             /schema/properties/domain_id/description",
        words: &["must exist", "left out", "exactly one"],
    },
    Prose {
        fact: "the reply is rate limited and spends the account's credits, without a key",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1reply/post/description",
        words: &["No API key", "rate limits", "credits"],
    },
    Prose {
        fact: "10 messages of an email thread are kept",
        at: "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1reply/post/requestBody/content/application~1json\
             /schema/properties/messages/description",
        words: &["10 most recent"],
    },
];

fn of(kind: Kind) -> Value {
    Value { kind, nullable: false, limits: Vec::new() }
}

fn list(element: Value) -> Value {
    of(Kind::List(Box::new(element)))
}

fn required(name: &'static str, value: Value) -> Field {
    Field { name, required: true, value }
}

fn optional(name: &'static str, value: Value) -> Field {
    Field { name, required: false, value }
}
