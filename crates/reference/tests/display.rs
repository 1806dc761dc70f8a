//! Additions of the display document, which removes nothing from the original.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use insta::assert_snapshot;
use serde_json::Value;

/// Returns the document in the page.
fn displayed(document: &str) -> Value {
    let html = frontdesk_reference::page(document).unwrap().html;
    let (_, rest) = html.split_once(r#"id="document">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Adds every difference between the document and the display document, one per line.
fn differences(place: &str, document: &Value, displayed: &Value, told: &mut String) {
    match (document, displayed) {
        (Value::Object(document), Value::Object(displayed)) => {
            for (key, value) in document {
                let place = format!("{place}/{key}");
                let shown = displayed.get(key).unwrap_or_else(|| panic!("{place} is not displayed"));
                differences(&place, value, shown, told);
            }
            for (key, value) in displayed.iter().filter(|(key, _)| !document.contains_key(*key)) {
                told.push_str(&format!("{place}/{key} is {value}\n"));
            }
        }
        (Value::Array(document), Value::Array(displayed)) => {
            assert!(displayed.len() >= document.len(), "{place} has lost something");
            for value in &displayed[document.len()..] {
                told.push_str(&format!("{place} also has {value}\n"));
            }
            for (index, (value, shown)) in document.iter().zip(displayed).enumerate() {
                differences(&format!("{place}/{index}"), value, shown, told);
            }
        }
        (document, displayed) if document == displayed => {}
        (Value::String(document), Value::String(displayed)) => {
            let (before, after) = displayed.split_once(document.as_str()).unwrap_or_else(|| {
                panic!("{place} was {document:?} and is {displayed:?}");
            });
            told.push_str(&format!("{place}: {before:?} … {after:?}\n"));
        }
        (document, displayed) => panic!("{place} was {document} and is {displayed}"),
    }
}

fn added(document: &str) -> String {
    let mut additions = String::new();
    differences("#", &serde_json::from_str(document).unwrap(), &displayed(document), &mut additions);
    additions
}

const PETS: &str = r##"{
  "openapi": "3.0.3",
  "info": {"title": "Pets", "version": "1.0.0", "x-audience": "everybody"},
  "tags": [{"name": "pets", "description": "Pets.", "x-provenance": "designed"}],
  "paths": {
    "/pets/{name}": {
      "x-provenance": "given",
      "parameters": [{"name": "example", "in": "path", "x-provenance": "given", "schema": {"type": "string"}}],
      "get": {
        "operationId": "getPet",
        "description": "Reads a pet.",
        "x-provenance": "designed", "x-stability-level": "beta", "deprecated": true, "x-sunset": "2028-01-31",
        "x-idempotent": true,
        "x-policy": {"caller": "key", "roles": ["owner", "admin"], "plan": "api_access", "rate": "key", "credits": "none"},
        "x-badges": [{"name": "own"}],
        "responses": {
          "200": {
            "description": "The pet.",
            "content": {"application/json": {
              "schema": {"$ref": "#/components/schemas/Pet", "x-provenance": "not shown: a sibling of a reference"},
              "example": {"x-provenance": "data", "description": "data"},
              "examples": {"one": {"value": {"x-stability-level": "data"}}}
            }},
            "links": {
              "next": {"operationId": "feedPet"},
              "shared": {"$ref": "#/components/links/Adopt"},
              "elsewhere": {"operationRef": "shop.yaml#/paths/~1pets"}
            }
          },
          "404": {"$ref": "#/components/responses/NotFound"}
        },
        "callbacks": {"fed": {"{$request.query.url}": {"post": {"x-provenance": "designed", "x-policy": {"caller": "anybody"}, "responses": {}}}}}
      }
    }
  },
  "x-webhooks": {"petFed": {"post": {"x-stability-level": "stable", "responses": {}}}},
  "components": {
    "links": {"Adopt": {"operationId": "adoptPet"}},
    "responses": {
      "NotFound": {"description": "There is none.", "x-provenance": "designed", "x-stability-level": "alpha"}
    },
    "headers": {"Retry-After": {"x-provenance": "given", "schema": {"type": "integer"}}},
    "schemas": {
      "Pet": {
        "description": "A pet:\n\n- it lives",
        "x-provenance": "given",
        "x-rust-name": "Animal",
        "properties": {
          "example": {"type": "string", "x-designed-bounds": ["maxLength", "pattern"]},
          "enum": {
            "type": "string", "description": "Kind.",
            "enum": ["cat", "dog"], "x-extensible-enum": true, "x-designed-values": ["dog"]
          },
          "default": {"type": "integer", "default": {"x-provenance": "data"}, "x-note": "a `tick`", "x-odd": {"a": [1, null]}}
        }
      }
    }
  }
}"##;

#[test]
fn keys_that_the_page_does_not_know_are_explained() {
    assert_snapshot!(added(PETS), @r##"
    #/components/headers/Retry-After/description is "`given`"
    #/components/responses/NotFound/description: "`designed` `alpha` " … ""
    #/components/schemas/Pet/description: "" … "\n\n`given` `x-rust-name: Animal`"
    #/components/schemas/Pet/properties/default/description is "`x-note: a 'tick'` `x-odd: {\"a\":[1,null]}`"
    #/components/schemas/Pet/properties/enum/description: "" … " `more values may follow` `designed values: dog`"
    #/components/schemas/Pet/properties/example/description is "`designed bounds: maxLength, pattern`"
    #/info/description is "The original document: [openapi.yaml](openapi.yaml), [openapi.json](openapi.json).\n\n`x-audience: everybody`"
    #/paths//pets/{name}/get/callbacks/fed/{$request.query.url}/post/description is "`x-policy: {\"caller\":\"anybody\"}`"
    #/paths//pets/{name}/get/callbacks/fed/{$request.query.url}/post/x-badges is [{"color":"#7c3aed","name":"designed","position":"before"}]
    #/paths//pets/{name}/get/description: "" … " `x-idempotent: true`\n\n**Access:** API keys of owners and admins. **Plan:** one that includes API access. **Rate limit:** 60 requests a minute per key. **AI credits:** none."
    #/paths//pets/{name}/get/responses/200/description: "" … " Next operations: `feedPet`, `adoptPet`, `shop.yaml#/paths/~1pets`."
    #/paths//pets/{name}/get/x-badges also has {"color":"#7c3aed","name":"designed","position":"before"}
    #/paths//pets/{name}/get/x-badges also has {"color":"#b45309","name":"beta","position":"before"}
    #/paths//pets/{name}/get/x-badges also has {"color":"#57534e","name":"may be removed from 2028-01-31","position":"before"}
    #/paths//pets/{name}/get/x-badges also has {"color":"#0f766e","name":"Owners and admins","position":"before"}
    #/paths//pets/{name}/parameters/0/description is "`given`"
    #/tags/0/description: "" … " `designed`"
    #/x-webhooks/petFed/post/x-badges is [{"color":"#15803d","name":"stable","position":"before"}]
    "##);
}

#[test]
fn nothing_of_the_contract_is_taken_away() {
    let bundle = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.json"));
    let added = added(bundle);
    let document: Value = serde_json::from_str(bundle).unwrap();
    let operations: Vec<_> = ["paths", "x-webhooks"]
        .iter()
        .flat_map(|group| document[*group].as_object().unwrap().values())
        .flat_map(|item| item.as_object().unwrap().values().filter(|part| part.get("operationId").is_some()))
        .collect();
    assert_eq!(added.matches("/x-badges is ").count(), operations.len(), "{added}");
    // The order of the author is the order on the page.
    let html = frontdesk_reference::page(bundle).unwrap().html;
    let places: Vec<_> =
        order_of_operations(bundle).iter().map(|id| html.find(id.as_str()).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

/// Returns the identifiers of the operations in the order of the document's text.
fn order_of_operations(document: &str) -> Vec<String> {
    let ids = document.split("\"operationId\": \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut found = Vec::new();
    for id in ids.map(|id| format!("\"operationId\":\"{id}\"")) {
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}
