//! A document whose every name means something to Rust: keywords, names of the prelude, methods of `Arc`,
//! `Box`, `Option` and `Result`, crates.
//!
//! Each word is the name of a tag, an operation, a schema, a property, a parameter, a value of an enumeration
//! and a security scheme.

use serde_json::{Map, Value, json};

const KEYWORDS: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub \
     ref return self Self static struct super trait true type unsafe use where while abstract become box do final macro override priv try \
     typeof unsized virtual yield gen union raw safe auto default macro_rules";
const PRELUDE: &str = "Option Some None Result Ok Err Box String Vec ToString ToOwned Clone Copy Send Sync Sized Unpin Drop Fn FnMut FnOnce \
     AsyncFn AsyncFnMut AsyncFnOnce AsRef AsMut Into From Default Iterator IntoIterator DoubleEndedIterator ExactSizeIterator Extend \
     FromIterator Eq PartialEq Ord PartialOrd TryFrom TryInto Future IntoFuture drop derive Debug Hash size_of align_of size_of_val \
     println print eprintln panic format format_args write writeln matches assert assert_eq debug_assert cfg concat env include include_str \
     line column file module_path stringify todo unimplemented unreachable vec thread_local dbg compile_error global_allocator test \
     u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool str char";
const METHODS: &str = "clone clone_from borrow borrow_mut as_ref as_mut as_deref as_deref_mut as_slice as_str into into_inner into_iter iter \
     iter_mut try_from try_into from to_owned to_string type_id fmt eq ne lt le gt ge cmp partial_cmp max min clamp hash deref deref_mut drop pin \
     downcast downcast_ref ptr_eq strong_count weak_count downgrade upgrade get_mut make_mut try_unwrap unwrap_or_clone leak from_raw into_raw \
     into_pin as_ptr new new_uninit map map_or map_or_else map_err inspect inspect_err and and_then or or_else xor zip unzip flatten transpose \
     copied cloned filter ok err ok_or ok_or_else unwrap unwrap_or unwrap_or_else unwrap_or_default expect expect_err is_some is_none is_ok \
     is_err is_some_and is_ok_and take take_if replace insert get_or_insert get_or_insert_with next poll wake call call_mut call_once send build \
     builder header headers timeout body query path request response status validate serialize deserialize stream page authorize combine refuse \
     check check_connection inspects_body inspect_body with_bearer bearer basic key token password mount routes router handle service \
     provide source description cause report extra unknown";
/// Crates, the generated ones for a document `words` among them, and modules of generated crates.
const CRATES: &str = "std core alloc proc_macro test serde serde_derive serde_json serde_core axum http http_body http_body_util hyper tokio tower \
     tower_service tracing reqwest rustls bytes uuid jiff chrono time rust_decimal url percent_encoding futures futures_util smallvec base64 \
     regex wasm_bindgen js_sys web_sys gloo_timers frontdesk_runtime runtime words words_runtime words_model words_server words_client model \
     server client codec operations schemas responses errors webhooks fake prelude lib main tests macros types parameters authenticator call";
/// Names that differ in little, or show code in another order than it is read.
const ODD: [&str; 14] =
    ["a__b", "__a", "a__", "_", "1", "123", "Ünïcode", "a-b", "a_b", "aB", "AB", "*", "#", "\u{202e}evil"];

fn words() -> Vec<&'static str> {
    let mut words: Vec<&str> = Vec::new();
    let lists = [KEYWORDS, PRELUDE, METHODS, CRATES];
    for word in lists.into_iter().flat_map(str::split_whitespace).chain(ODD) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Whether a component can have this name.
fn is_component(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn text() -> Value {
    json!({ "type": "string" })
}

/// Returns the document as JSON.
pub(crate) fn document() -> String {
    let words = words();
    let components: Vec<&str> = words.iter().copied().filter(|word| is_component(word)).collect();
    let done = json!({ "204": { "description": "Done." } });
    let properties = |schema: &dyn Fn(&str) -> Value| -> Map<String, Value> {
        words.iter().map(|word| ((*word).to_owned(), schema(word))).collect()
    };
    let json_of = |schema: &str| json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } });
    let answer = |schema: &str| json!({ "200": { "description": "Found.", "content": json_of(schema) } });

    let mut paths = Map::new();
    for (index, word) in words.iter().enumerate() {
        let operation = json!({ "tags": ["operations of words"], "operationId": word, "responses": done,
            "parameters": [{ "name": "id", "in": "path", "required": true, "schema": text() }] });
        paths.insert(format!("/operations/{index}/{{id}}"), json!({ "post": operation }));
        let tagged = json!({ "tags": [word], "operationId": format!("tagged_{index}"), "responses": answer("Members") });
        paths.insert(format!("/tags/{index}"), json!({ "get": tagged }));
    }
    let mut schemes = Map::new();
    for (index, word) in components.iter().enumerate() {
        let scheme = match index % 3 {
            0 => json!({ "type": "http", "scheme": "bearer" }),
            1 => json!({ "type": "http", "scheme": "basic" }),
            _ => json!({ "type": "apiKey", "in": "header", "name": format!("X-Key-{index}") }),
        };
        schemes.insert((*word).to_owned(), scheme);
        let operation = json!({ "tags": ["schemes of words"], "operationId": format!("secured_{index}"), "security": [{ *word: [] }],
            "responses": done });
        paths.insert(format!("/schemes/{index}"), json!({ "get": operation }));
    }
    for location in ["query", "header", "cookie"] {
        let parameters: Vec<Value> = words
            .iter()
            .filter(|word| location == "query" || is_component(word))
            .map(|word| json!({ "name": word, "in": location, "schema": text() }))
            .collect();
        let operation = json!({ "tags": ["parameters of words"], "operationId": format!("in_{location}"), "parameters": parameters,
            "responses": done });
        paths.insert(format!("/parameters/{location}"), json!({ "get": operation }));
    }
    let body = json!({ "tags": ["bodies of words"], "operationId": "send_members",
        "requestBody": { "required": true, "content": json_of("Members") }, "responses": answer("EachSchema") });
    paths.insert("/bodies".to_owned(), json!({ "post": body }));

    let mut schemas: Map<String, Value> = components
        .iter()
        .map(|word| {
            (
                (*word).to_owned(),
                json!({ "type": "object", "required": ["v"], "properties": { "v": text() } }),
            )
        })
        .collect();
    let each: Map<String, Value> = components
        .iter()
        .enumerate()
        .map(|(index, word)| (format!("p{index}"), json!({ "$ref": format!("#/components/schemas/{word}") })))
        .collect();
    schemas.insert("EachSchema".to_owned(), json!({ "type": "object", "properties": each }));
    let mut members = properties(&|_| text());
    members.insert("listed".to_owned(), json!({ "type": "string", "enum": words }));
    schemas.insert("Members".to_owned(), json!({ "type": "object", "properties": members }));
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Words \u{202b}of\u{202c} Rust", "version": "1.0.0", "description": "In \u{2067}order\u{2069}." },
        "paths": paths,
        "components": { "schemas": schemas, "securitySchemes": schemes },
    })
    .to_string()
}
