//! Edits for the self-test: one for each way in which a fact could get lost.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::check::Place;
use super::facts::{self, Kind};
use super::place::{locate, token};

/// A change of the document.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    /// Removes the value at the pointer.
    Remove(String),
    /// Sets the value at the pointer.
    Put(String, Json),
}

/// An edit that the check must report.
#[derive(Clone, Debug)]
pub(crate) struct Mutation {
    /// A description for messages.
    pub(crate) name: String,
    pub(crate) edit: Edit,
    /// Words of the finding that it must cause.
    pub(crate) noticed: String,
}

impl Edit {
    /// Applies the edit, following references; a value is appended to a list. Returns the place of the object
    /// or list that it changed and what was there before, or `None` if nothing changes.
    pub(crate) fn apply(&self, document: &mut Json) -> Option<(String, Json)> {
        let (Self::Remove(pointer) | Self::Put(pointer, _)) = self;
        let (parent, key) = pointer.rsplit_once('/')?;
        let key = key.replace("~1", "/").replace("~0", "~");
        let (parent, _) = locate(document, parent)?;
        let place = document.pointer_mut(&parent)?;
        let before = place.clone();
        match (self, &mut *place) {
            (Self::Remove(_), Json::Object(object)) => drop(object.remove(&key)),
            (Self::Put(_, value), Json::Object(object)) => drop(object.insert(key, value.clone())),
            (Self::Put(_, value), Json::Array(list)) => list.push(value.clone()),
            _ => {}
        }
        (*place != before).then_some((parent, before))
    }
}

/// Returns edits that break every fact about a value in every possible way.
pub(crate) fn of_places(document: &Json, places: &[Place]) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    let mut seen = HashSet::new();
    // Operations share schemas, so each schema is edited only once.
    for place in places.iter().filter(|place| seen.insert((&place.schema, &place.field))) {
        let mut add = |what: &str, edit: Edit, noticed: &str| {
            let name = format!("{}: {what}", place.name);
            mutations.push(Mutation { name, edit, noticed: format!("{}: {noticed}", place.name) });
        };
        if let Some((object, field, required)) = &place.field {
            let mut names: Vec<Json> = document
                .pointer(&format!("{object}/required"))
                .and_then(Json::as_array)
                .cloned()
                .unwrap_or_default();
            if *required {
                names.retain(|name| name != field);
            } else {
                names.push(json!(field));
            }
            add("flip required", Edit::Put(format!("{object}/required"), json!(names)), "is ");
            add("drop", Edit::Remove(format!("{object}/properties/{}", token(field))), "is missing");
        }
        let here = |keyword: &str| format!("{}/{keyword}", place.schema);
        let inside = |keyword: &str| format!("{}/{keyword}", place.target);
        add("flip nullable", Edit::Put(here("nullable"), json!(!place.value.nullable)), "may ");
        // Beside `nullable` the type stands with the reference; it hides the one behind it.
        let is_typed_here = document.pointer(&here("type")).is_some();
        let typed = if is_typed_here { here("type") } else { inside("type") };
        add("change type", Edit::Put(typed, json!("number")), "type is");
        if !facts::is_reading(&place.name) {
            add("mark as designed", Edit::Put(here("x-provenance"), json!("designed")), "x-provenance is");
        }
        for (keyword, limit) in &place.value.limits {
            add("raise a limit", Edit::Put(inside(keyword), json!(limit + 1)), keyword);
            add("lower a limit", Edit::Put(inside(keyword), json!(limit - 1)), keyword);
            add("drop a limit", Edit::Remove(inside(keyword)), keyword);
            let bounds = json!([keyword]);
            add(
                "disown a limit",
                Edit::Put(inside("x-designed-bounds"), bounds),
                &format!("the given {keyword}"),
            );
        }
        match &place.value.kind {
            Kind::Text => {
                add("narrow to a set", Edit::Put(inside("enum"), json!(["yes"])), "enum");
                add("cap at 3 characters", Edit::Put(inside("maxLength"), json!(3)), "maxLength");
            }
            Kind::Uuid | Kind::Timestamp | Kind::Integer => {
                add("drop the format", Edit::Remove(inside("format")), "format is");
                add("narrow to a set", Edit::Put(inside("enum"), json!([1])), "enum");
            }
            Kind::Boolean => add("narrow to true", Edit::Put(inside("enum"), json!([true])), "enum"),
            Kind::Object(_) => {
                add(
                    "refuse further fields",
                    Edit::Put(inside("additionalProperties"), json!(false)),
                    "additional",
                );
                let rule = json!({"type": "string"});
                add("add an unmarked field", Edit::Put(inside("properties/extra"), rule), "");
            }
            Kind::List(_) => {
                add("refuse repetitions", Edit::Put(inside("uniqueItems"), json!(true)), "uniqueItems");
                add("ask for two", Edit::Put(inside("minItems"), json!(2)), "minItems");
            }
            Kind::Lists => {
                let value = json!({"type": "string"});
                add("map to single texts", Edit::Put(inside("additionalProperties"), value), "does not map");
            }
            Kind::Closed(values) | Kind::Extended(values) | Kind::Open(values) => {
                let found: Vec<Json> =
                    document.pointer(&inside("enum")).and_then(Json::as_array).cloned().unwrap_or_default();
                for value in *values {
                    let rest: Vec<&Json> = found.iter().filter(|found| *found != value).collect();
                    add(&format!("drop {value}"), Edit::Put(inside("enum"), json!(rest)), "does not have");
                }
                let more: Vec<Json> = found.iter().cloned().chain([json!("surprise")]).collect();
                add("add a value", Edit::Put(inside("enum"), json!(more)), "has surprise");
                let open = matches!(place.value.kind, Kind::Open(_));
                add("flip openness", Edit::Put(inside("x-extensible-enum"), json!(!open)), "its values are");
                add(
                    "disown a value",
                    Edit::Put(inside("x-designed-values"), json!(values)),
                    "the given value",
                );
            }
        }
    }
    for mutation in &mut mutations {
        if mutation.name.ends_with(": add an unmarked field") {
            // It is reported under its own name, not under that of the object.
            ".extra: is not given".clone_into(&mut mutation.noticed);
        } else if let Some((shape, _)) = mutation
            .name
            .strip_suffix(": drop")
            .and_then(|name| name.split_once(" ("))
            .and_then(|(_, shape)| shape.split_once(')'))
        {
            // One of several error bodies is recognized by its fields, so without a field the whole body is
            // missing.
            mutation.noticed = format!("has no branch for the given {shape}");
        }
    }
    mutations
}

/// Returns hand-written edits that break facts about operations, errors, authentication and versions.
pub(crate) fn of_operations() -> Vec<Mutation> {
    const LIST: &str = "/paths/~1api~1v1~1chatbots/get";
    const CREATE: &str = "/paths/~1api~1v1~1chatbots/post";
    const READ: &str = "/paths/~1api~1v1~1chatbots~1{chatbot_id}/get";
    const UPDATE: &str = "/paths/~1api~1v1~1chatbots~1{chatbot_id}/put";
    const DELETE: &str = "/paths/~1api~1v1~1chatbots~1{chatbot_id}/delete";
    const SEND: &str = "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1messages/post";
    const REPLY: &str = "/paths/~1api~1v1~1chatbots~1{chatbot_id}~1reply/post";
    let response =
        json!({"description": "", "content": {"application/json": {"schema": {"type": "object"}}}});
    let parameter = |name: &str| json!([{"name": name, "in": "query", "schema": {"type": "string"}}]);
    let remove =
        |place: &str, rest: &str, noticed: &str| (Edit::Remove(format!("{place}{rest}")), noticed.to_owned());
    let put = |place: &str, rest: &str, value: Json, noticed: &str| {
        (Edit::Put(format!("{place}{rest}"), value), noticed.to_owned())
    };
    [
        remove(LIST, "", "GET /api/v1/chatbots: is missing"),
        remove(CREATE, "", "POST /api/v1/chatbots: is missing"),
        remove(READ, "", "GET /api/v1/chatbots/{chatbot_id}: is missing"),
        remove(UPDATE, "", "PUT /api/v1/chatbots/{chatbot_id}: is missing"),
        remove(DELETE, "", "DELETE /api/v1/chatbots/{chatbot_id}: is missing"),
        remove(SEND, "", "/messages: is missing"),
        remove(REPLY, "", "/reply: is missing"),
        put("/paths", "/~1api~1v1~1chatbots/patch", json!({}), "PATCH /api/v1/chatbots: is not given"),
        put("/paths", "/~1api~1v2~1chatbots", json!({}), "does not begin with /api/v1"),
        put(READ, "/x-provenance", json!("designed"), "x-provenance is \"designed\""),
        put(READ, "/x-stability-level", json!("beta"), "x-stability-level is \"beta\""),
        put("", "/security", json!([]), "given the API key"),
        put("", "/security", json!([{"apiKey": []}, {}]), "given the API key"),
        put(SEND, "/security", json!([]), "/messages: security is []"),
        remove(REPLY, "/security", "/reply: security is"),
        put(REPLY, "/security", json!([{"apiKey": []}]), "given no key"),
        put("/components/securitySchemes", "/apiKey/scheme", json!("basic"), "is sent by"),
        put("/components/securitySchemes", "/apiKey/bearerFormat", json!("key_…"), "the prefix sk_live_"),
        put(
            "/components/securitySchemes",
            "/oauth",
            json!({"type": "oauth2"}),
            "given the API key, beside which",
        ),
        put("/servers", "/0/url", json!("http://{host}"), "given HTTPS only"),
        put("", "/openapi", json!("3.1.0"), "given the 3.0 form"),
        put("/info", "/version", json!("2.0.0"), "given version 1"),
        put(LIST, "/parameters", parameter("limit"), "given none"),
        put(CREATE, "/parameters", parameter("dry_run"), "has to be optional and designed"),
        put(DELETE, "/requestBody", json!({"content": {}}), "takes a body"),
        put(
            "/paths",
            "/~1api~1v1~1chatbots~1{chatbot_id}/parameters",
            json!([]),
            "path.chatbot_id: is missing",
        ),
        put(READ, "/parameters", parameter("expand"), "given none"),
        put(UPDATE, "/requestBody/required", json!(true), "a body is required"),
        put(CREATE, "/requestBody/required", json!(false), "a body is not required"),
        put(CREATE, "/requestBody/content/text~1plain", json!({}), "given application/json"),
        put(CREATE, "/responses/202", response.clone(), "given 201 alone"),
        remove(CREATE, "/responses/201", "given 201 alone"),
        put(CREATE, "/responses/default", response.clone(), "given 201 alone"),
        put(
            CREATE,
            "/responses/201/content/application~1json/examples/created/value/status",
            json!("ready"),
            "is not in training",
        ),
        put(DELETE, "/responses/204/content", json!({}), "has content"),
        put(READ, "/responses/409", response, "409: is not given"),
        remove(LIST, "/responses/401", "401: is missing"),
        remove(CREATE, "/responses/403", "403: is missing"),
        remove(UPDATE, "/responses/404", "404: is missing"),
        remove(SEND, "/responses/422", "422: is missing"),
        remove(DELETE, "/responses/429", "429: is missing"),
        put(READ, "/responses/404/x-provenance", json!("designed"), "x-provenance is"),
        put(REPLY, "/responses/422/content/application~1json/schema/oneOf", json!([]), "has no branch"),
        put(
            REPLY,
            "/responses/422/content/application~1json/schema/oneOf/-",
            json!({"type": "object"}),
            "has a branch that is neither",
        ),
        remove(READ, "/responses/429/headers/Retry-After", "does not promise a Retry-After"),
        put(READ, "/responses/429/headers/Retry-After/required", json!(false), "does not promise"),
        put(READ, "/responses/429/headers/Retry-After/schema/type", json!("string"), "is not a number"),
        remove(REPLY, "/responses/429/headers", "does not promise a Retry-After"),
        put("/info", "/description", json!(""), "60 requests a minute"),
        put(UPDATE, "/description", json!("Changes a chatbot."), "does not say"),
    ]
    .into_iter()
    .map(|(edit, noticed)| Mutation { name: format!("{edit:?}"), edit, noticed })
    .collect()
}
