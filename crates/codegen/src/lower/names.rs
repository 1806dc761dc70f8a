//! Conversion of the document's names to Rust identifiers.

mod affixes;
mod length;
mod resolution;
mod words;

use self::words::spelled;
pub(super) use self::{
    affixes::{Affixes, in_words},
    resolution::Candidate,
};
use heck::{ToPascalCase, ToShoutySnakeCase, ToSnakeCase};
use std::collections::{BTreeSet, HashMap};
use unicode_normalization::UnicodeNormalization;

/// Words that Rust keeps to itself, in the 2024 edition.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that are no identifiers even in raw form.
const NEVER_RAW: &[&str] = &["self", "super", "crate", "_"];

/// Types that generated modules use under their plain names.
#[rustfmt::skip]
const TAKEN_TYPES: &[&str] = &[
    "A", "Arc", "Authenticator", "BTreeMap", "Borrow", "Box", "BoxFuture", "BuildError", "Builder",
    "Call", "Caller", "Check", "Client", "Clone", "Credential", "Debug", "Declared", "Default", "Deserialize",
    "Display", "Duration", "E", "Endpoint", "Err", "Error", "Failure", "Format", "From", "Future", "Gate", "Guard",
    "HandlerResult", "HeaderName", "HeaderValue", "Incoming", "Into", "IntoFuture", "IntoIterator", "Method", "None", "Ok",
    "Operation", "Option", "Outcome", "Parameter", "Patch", "Path", "Presented", "Raw", "Read", "ReadError", "Reading",
    "Refusal", "Refuse", "Rejection", "Report", "Requirement", "Respond", "Response", "Result", "RetryPolicy", "Router",
    "Routes", "S", "Scheme", "Secret", "Self", "Send", "Serialize", "Sized", "Some", "Stability", "StatusCode",
    "String", "Success", "Sync", "Timestamp", "ToString", "Transport", "Undocumented", "Uuid", "Validate", "Value",
    "Vec", "WithHeaders",
];

/// Modules that the generated crates have beside those of the tags, and methods that clients have beside
/// theirs.
const TAKEN_MODULES: &[&str] = &[
    "at",
    "authenticator",
    "builder",
    "call",
    "client",
    "exports",
    "from_env",
    "model",
    "new",
    "operations",
    "raw_request",
    "responses",
    "router",
    "runtime",
    "schemas",
];

/// Crates that generated modules name, beside the generated ones.
const CRATES: &[&str] = &["std"];

/// The runtime, as emitters name it. A module of this name would hide the crate from what is beside it.
pub(super) const RUNTIME: &str = "frontdesk_runtime";

/// A type's or variant's name, in PascalCase.
pub(super) fn pascal(text: &str) -> String {
    let name = spelled(text).to_pascal_case();
    let name = if name.starts_with(is_never_first) { format!("N{name}") } else { name };
    match name.as_str() {
        "" => "Empty".to_owned(),
        "Self" => "Itself".to_owned(),
        _ => name,
    }
}

/// A field's, function's or module's name, in snake_case; a keyword becomes a raw identifier.
pub(super) fn snake(text: &str) -> String {
    // Most names of most documents are in snake_case already.
    let name = if words::are_snake_case(text) { text.to_owned() } else { spelled(text).to_snake_case() };
    let name = if name.starts_with(is_never_first) { format!("n{name}") } else { name };
    if name.is_empty() {
        "empty".to_owned()
    } else if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name.as_str()) {
        format!("r#{name}")
    } else {
        name
    }
}

/// A module's name: like [`snake`], but plain and in ASCII, because it also names a file.
pub(super) fn module(text: &str) -> String {
    let name = snake(&in_ascii(text));
    match name.strip_prefix("r#") {
        Some(keyword) => format!("{keyword}_"),
        None if ["lib", "main", "mod", RUNTIME].contains(&name.as_str()) => format!("{name}_"),
        None => name,
    }
}

/// Text in which letters of Latin scripts are plain, and those of others are words by their number: a module
/// of another name needs no less than a `#[path]`.
pub(super) fn in_ascii(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    // A letter may come in two parts, a plain one and its mark.
    for character in text.nfkc() {
        if character.is_ascii() || !character.is_alphabetic() {
            words.push(character);
            continue;
        }
        let plain = std::iter::once(character).nfd().next().filter(char::is_ascii);
        match (plain, plain_spelling(character)) {
            (Some(plain), _) => words.push(plain),
            (None, Some(plain)) => words.push_str(plain),
            (None, None) => words.push_str(&format!(" u{:x} ", u32::from(character))),
        }
    }
    words
}

/// The usual spelling of a letter of Latin scripts that is not a plain one with a mark.
fn plain_spelling(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "Ae",
        'œ' => "oe",
        'Œ' => "Oe",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ı' => "i",
        _ => return None,
    })
}

/// A constant's name, in SCREAMING_SNAKE_CASE.
pub(super) fn constant(text: &str) -> String {
    // A function's name may come in raw form, which `snake` would spell out.
    snake(text.trim_start_matches("r#")).trim_start_matches("r#").to_shouty_snake_case()
}

/// Whether an identifier cannot begin so: with a digit, or with a vowel sign that needs a letter before it.
fn is_never_first(character: char) -> bool {
    !unicode_ident::is_xid_start(character)
}

/// Names given so far within one scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    taken: BTreeSet<String>,
    /// The first number that may be free behind a name and its endings: thousands of equal names would
    /// otherwise be counted from 2 each.
    numbers: HashMap<String, usize>,
}

impl Scope {
    /// A scope in which the names that generated modules import are taken.
    pub(super) fn of_types() -> Self {
        let taken = TAKEN_TYPES.iter().map(|&name| name.to_owned()).collect();
        Self { taken, ..Self::default() }
    }

    /// A scope in which the modules that every generated crate has are taken, and the crates that they name.
    /// A module beside them of the same name would hide the crate. `package` is the name from which those of
    /// the generated crates are made.
    pub(super) fn of_modules(package: &str) -> Self {
        let mut scope = Self::of_crates(package);
        scope.taken.extend(TAKEN_MODULES.iter().map(|&name| name.to_owned()));
        scope
    }

    /// A scope in which the crates that generated modules name are taken.
    pub(super) fn of_crates(package: &str) -> Self {
        let package = package.replace('-', "_");
        let generated = ["model", "server", "client", "runtime"].map(|kind| format!("{package}_{kind}"));
        let taken = CRATES.iter().map(|&name| name.to_owned()).chain(generated).collect();
        Self { taken, ..Self::default() }
    }

    /// Whether the name is taken.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes the name with each of the endings, which together name the parts of one thing.
    pub(super) fn take_all(&mut self, name: &str, suffix: &str, endings: &[&str]) -> String {
        let name = &*length::shortened(name);
        // No name in snake_case has two underscores between its words.
        let worded = suffix.starts_with('_') && suffix.len() > 1;
        let stem = if worded { name.trim_end_matches('_') } else { name };
        let suffixed = format!("{stem}{suffix}");
        let is_free = |candidate: &String| {
            endings.iter().all(|ending| !self.taken.contains(&format!("{candidate}{ending}")))
        };
        let free = [name.to_owned(), suffixed.clone()].into_iter().find(is_free);
        let free = free.unwrap_or_else(|| {
            let key = format!("{suffixed} {}", endings.join(" "));
            let first = self.numbers.get(&key).copied().unwrap_or(2);
            let numbered = (first..).map(|number| (number, format!("{suffixed}{number}")));
            let found = numbered.into_iter().find(|(_, candidate)| is_free(candidate));
            let (number, name) = found.unwrap_or((first, suffixed));
            self.numbers.insert(key, number + 1);
            name
        });
        self.taken.extend(endings.iter().map(|ending| format!("{free}{ending}")));
        free
    }

    /// Takes the name; where it is taken, the name with the suffix; where that is too, with a number.
    pub(super) fn take(&mut self, name: &str, suffix: &str) -> String {
        self.take_all(name, suffix, &[""])
    }
}

/// The name of an inline type: that of its owner and that of its place.
pub(super) fn inline(owner: &str, place: &str) -> String {
    let place = pascal(place);
    let Some(rest) = owner.strip_suffix(&place) else { return format!("{owner}{place}") };
    match rest.strip_suffix("With") {
        // What an owner is named for need not be said again.
        Some(named) => format!("{named}{place}"),
        // The type of a type is its kind, and so is the error of an error.
        None if place == "Type" || place == "Error" => format!("{owner}Kind"),
        None => format!("{owner}{place}"),
    }
}

/// Words whose singular has no rule: how many letters of the plural stay, and what follows them.
const IRREGULAR: &[(&str, usize, &str)] = &[
    ("aliases", 5, ""),
    ("caches", 5, ""),
    ("children", 5, ""),
    ("criteria", 7, "on"),
    ("indices", 3, "ex"),
    ("matrices", 4, "ix"),
    ("people", 2, "rson"),
    ("statuses", 6, ""),
    ("vertices", 4, "ex"),
];

/// Words that end in `s` and are no plurals.
const SINGULAR: &[&str] = &[
    "alias", "always", "aws", "bias", "canvas", "cors", "dns", "gas", "gps", "has", "https", "lens", "news",
    "series", "sms", "species", "tls", "was",
];

/// The name of one entry of a list.
pub(super) fn singular(plural: &str) -> String {
    let last = snake(plural);
    let last = last.rsplit('_').next().unwrap_or_default();
    if SINGULAR.contains(&last) {
        return format!("{plural}_entry");
    }
    if let Some((word, stay, ending)) = IRREGULAR.iter().find(|(word, ..)| *word == last)
        && let Some(kept) = plural.get(..plural.len().saturating_sub(word.len() - stay))
    {
        return format!("{kept}{ending}");
    }
    for (ending, replacement) in [("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")]
    {
        if let Some(stem) = plural.strip_suffix(ending)
            && !stem.is_empty()
        {
            return format!("{stem}{replacement}");
        }
    }
    match plural.strip_suffix('s') {
        Some(stem) if !stem.is_empty() && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => format!("{plural}_entry"),
    }
}

/// The name of several, unless a name is that already.
pub(super) fn plural(name: &str) -> Option<String> {
    if !singular(name).ends_with("_entry") {
        return None;
    }
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    Some(match name.strip_suffix('y') {
        Some(stem) if !ends_in(&["ay", "ey", "oy", "uy"]) => format!("{stem}ies"),
        _ if ends_in(&["s", "x", "ch", "sh"]) => format!("{name}es"),
        _ => format!("{name}s"),
    })
}

/// The name of a status: its reason phrase (RFC 9110 and its registry) in PascalCase.
pub(super) fn status(code: u16) -> String {
    match code {
        200 => "Ok".to_owned(),
        418 => "ImATeapot".to_owned(),
        413 => "PayloadTooLarge".to_owned(),
        422 => "UnprocessableEntity".to_owned(),
        500 => "InternalServerError".to_owned(),
        _ => match http_reason(code) {
            Some(reason) => pascal(reason),
            None => format!("Status{code}"),
        },
    }
}

fn http_reason(code: u16) -> Option<&'static str> {
    Some(match code {
        201 => "Created",
        202 => "Accepted",
        203 => "Non Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        207 => "Multi Status",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        414 => "Uri Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        423 => "Locked",
        424 => "Failed Dependency",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        507 => "Insufficient Storage",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Scope, constant, inline, module, pascal, plural, singular, snake, status};

    #[test]
    fn odd_names_become_identifiers() {
        for (text, type_name, field_name) in [
            ("chatbot_id", "ChatbotId", "chatbot_id"),
            ("repos/get-content", "ReposGetContent", "repos_get_content"),
            ("type", "Type", "r#type"),
            ("self", "Itself", "self_"),
            ("+1", "Plus1", "plus_1"),
            ("-1", "Minus1", "minus_1"),
            ("404", "N404", "n404"),
            ("", "Empty", "empty"),
            ("*", "Star", "star"),
            ("X-Rate-Limit", "XRateLimit", "x_rate_limit"),
            ("größe", "Größe", "größe"),
            ("$filter", "Filter", "filter"),
            ("price($)", "Price", "price"),
            ("a$b", "ADollarB", "a_dollar_b"),
            ("OAuth2Token", "Oauth2Token", "oauth2_token"),
            ("oauth2Token", "Oauth2Token", "oauth2_token"),
            ("eTag", "Etag", "etag"),
            ("SITETag", "SiteTag", "site_tag"),
            ("PSUOAuth2", "PsuOauth2", "psu_oauth2"),
            ("remoteIPv4", "RemoteIpv4", "remote_ipv4"),
            ("Redirect URLs", "RedirectUrls", "redirect_urls"),
            ("listRedirectURLs", "ListRedirectUrls", "list_redirect_urls"),
            ("APIs2", "Apis2", "apis2"),
            ("\u{2e2f}", "Empty", "empty"),
            ("\u{2e2f} b", "B", "b"),
            ("ﬁn Ⅷ ⓐ", "FinViiiA", "fin_viii_a"),
            ("e\u{301} \u{212b}", "ÉÅ", "é_å"),
            ("\u{93e}x", "N\u{93e}x", "n\u{93e}x"),
        ] {
            assert_eq!((pascal(text).as_str(), snake(text).as_str()), (type_name, field_name), "{text}");
        }
        assert_eq!(module("type"), "type_");
        assert_eq!(module("Größe & Æther"), "grosse_and_aether");
        assert_eq!(module("e\u{301}"), "e");
        assert_eq!(module("Заказ"), "u417_u430_u43a_u430_u437");
        assert_eq!((constant("r#loop").as_str(), constant("loop").as_str()), ("LOOP", "LOOP"));
    }

    #[test]
    fn collisions_are_settled_in_order() {
        let mut scope = Scope::of_types();
        let names: Vec<String> = (0..4).map(|_| scope.take("NotFound", "Response")).collect();
        assert_eq!(names, ["NotFound", "NotFoundResponse", "NotFoundResponse2", "NotFoundResponse3"]);
        assert_eq!(scope.take("String", "Model"), "StringModel");
        let names: Vec<String> = (0..3).map(|_| scope.take("self_", "_group")).collect();
        assert_eq!(names, ["self_", "self_group", "self_group2"]);
    }

    #[test]
    fn inline_types_are_named_by_their_place() {
        assert_eq!(inline("SubCategory", "category"), "SubCategoryCategory");
        assert_eq!(inline("PetType", "type"), "PetTypeKind");
        assert_eq!(inline("UnauthorizedError", "error"), "UnauthorizedErrorKind");
        assert_eq!(inline("AlarmWithFailure", "failure"), "AlarmFailure");
        assert_eq!(inline("PatternWithType", "type"), "PatternType");
        assert_eq!(inline("Chatbot", "last_error"), "ChatbotLastError");
        for (plural, one) in [
            ("actionsCaches", "actionsCache"),
            ("TopicAliases", "TopicAlias"),
            ("search_indices", "search_index"),
            ("People", "Person"),
            ("has", "has_entry"),
            ("entries", "entry"),
            ("boxes", "box"),
            ("names", "name"),
            ("status", "status_entry"),
            ("data", "data_entry"),
        ] {
            assert_eq!(singular(plural), one);
        }
        for (one, several) in [
            ("User", Some("Users")),
            ("Users", None),
            ("Status", Some("Statuses")),
            ("Category", Some("Categories")),
            ("Survey", Some("Surveys")),
            ("Box", Some("Boxes")),
        ] {
            assert_eq!(plural(one).as_deref(), several);
        }
        assert_eq!((status(404).as_str(), status(599).as_str()), ("NotFound", "Status599"));
    }
}
