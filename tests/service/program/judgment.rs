//! Who may call, how often, and in which order a request is judged.

use super::harness::{Installation, text, verdict};
use crate::wire::{Request, header, json};

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

fn chatbot(id: &str) -> String {
    format!("/api/v1/chatbots/{id}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_judged_in_the_order_of_the_contract() {
    let service = Installation::start_with(|config| config.limits.requests_per_key = 6).await;
    let growth = service.database.account("acme", "growth");
    let trial = service.database.account("trial", "trial");
    let broken = |path: &str| Request::new("PUT", path).body_of("text/plain", "{");

    // Everything is wrong with this request; each repair uncovers the next fault.
    let anonymous = service.send(broken(&chatbot(UNKNOWN))).await;
    assert_eq!(verdict(&anonymous), (401, "unauthorized".into()));
    assert_eq!(header(&anonymous, "www-authenticate"), "Bearer");
    let basic = service.send(broken(&chatbot(UNKNOWN)).header("Authorization", "Basic YTpi")).await;
    assert_eq!(verdict(&basic), (401, "unauthorized".into()));
    for key in ["x", "sk_live_", &format!("sk_live_{}", "A".repeat(43)), &format!("{}x", growth.key)] {
        let answer = service.send(broken(&chatbot(UNKNOWN)).key(key)).await;
        assert_eq!(verdict(&answer), (401, "invalid_api_key".into()), "{key}");
        assert!(header(&answer, "www-authenticate").starts_with("Bearer"));
    }
    let answer = service.send(broken(&chatbot(UNKNOWN)).key(&trial.key)).await;
    assert_eq!(verdict(&answer), (403, "api_access_disabled".into()));

    let answer = service.send(broken(&chatbot(UNKNOWN)).key(&growth.key)).await;
    assert_eq!(answer.status, 404);
    let answer = service.send(broken("/api/v1/chatbots/no-uuid").key(&growth.key)).await;
    assert_eq!((answer.status.as_u16(), json(&answer)["message"].is_string()), (404, true));
    let id = service.chatbot(&growth.key).await;
    let answer = service.send(broken(&chatbot(&id)).key(&growth.key)).await;
    assert_eq!(answer.status, 415);
    let answer = service.send(Request::new("PUT", &chatbot(&id)).key(&growth.key).json("{")).await;
    assert_eq!((answer.status.as_u16(), json(&answer)["message"].is_string()), (400, true));
    let answer =
        service.send(Request::new("PUT", &chatbot(&id)).key(&growth.key).json(r#"{"name":7}"#)).await;
    assert_eq!(answer.status, 422);
    assert!(json(&answer)["errors"]["name"].is_array(), "{answer:?}");

    // The limit of 6 is reached, and it comes before the unknown chatbot.
    let answer = service.send(broken(&chatbot(UNKNOWN)).key(&growth.key)).await;
    assert_eq!(verdict(&answer), (429, "rate_limited".into()));
    assert!((1..=60).contains(&header(&answer, "retry-after").parse::<u64>().unwrap()));
    // Before the limit comes the plan.
    for _ in 0..8 {
        let answer = service.get("/api/v1/chatbots", &trial.key).await;
        assert_eq!(verdict(&answer), (403, "api_access_disabled".into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_key_has_exactly_its_limit() {
    let service = Installation::start().await;
    let account = service.database.account("acme", "scale");
    let create = ["key", "create", "--user", &account.owner, "--name", "slow", "--rate-per-minute", "3"];
    let slow = text(&service.database.run(&create)["key"]);
    for (key, limit) in [(&account.key, 60), (&slow, 3)] {
        let mut statuses = Vec::new();
        for _ in 0..limit + 2 {
            statuses.push(service.get("/api/v1/chatbots", key).await.status);
        }
        let passed = statuses.iter().filter(|status| **status == 200).count();
        assert_eq!(passed, limit, "{statuses:?}");
        assert_eq!(&statuses[limit..], [429, 429]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_key_user_or_plan_takes_effect_at_once() {
    let service = Installation::start().await;
    let account = service.database.account("acme", "growth");
    let id = service.chatbot(&account.key).await;
    let run = |arguments: &[&str]| service.database.run(arguments);
    let status = async |method: &str, path: &str| {
        let mut request = Request::new(method, path).key(&account.key);
        if method == "POST" {
            request =
                request.json(r#"{"name":"x","business_name":"x","training_urls":["http://127.0.0.1:9/"]}"#);
        }
        service.send(request).await.status
    };
    let messages = format!("{}/messages", chatbot(&id));

    // An account keeps an active owner.
    run(&["user", "create", "--account", &account.id, "--email", "other@acme.example", "--role", "owner"]);
    run(&["user", "set-role", "--user", &account.owner, "--role", "collaborator"]);
    for (method, path, expected) in [
        ("GET", "/api/v1/chatbots", 200),
        ("GET", &chatbot(&id), 200),
        ("POST", "/api/v1/chatbots", 403),
        ("PUT", &chatbot(&id), 403),
        ("DELETE", &chatbot(&id), 403),
        // Callers without the right do not learn whether there is such a chatbot.
        ("DELETE", &chatbot(UNKNOWN), 403),
        // Sending is allowed, so the body is judged.
        ("POST", &messages, 422),
    ] {
        assert_eq!(status(method, path).await, expected, "{method} {path}");
    }
    let answer = service.send(Request::new("DELETE", &chatbot(&id)).key(&account.key)).await;
    assert_eq!(verdict(&answer), (403, "forbidden".into()));

    run(&["user", "set-role", "--user", &account.owner, "--role", "admin"]);
    assert_eq!(status("PUT", &chatbot(&id)).await, 200);
    run(&["account", "set-plan", &account.id, "--plan", "starter"]);
    assert_eq!(status("GET", &chatbot(&id)).await, 403);
    run(&["account", "set-plan", &account.id, "--plan", "business"]);
    assert_eq!(status("GET", &chatbot(&id)).await, 200);
    run(&["user", "set-status", "--user", &account.owner, "--status", "disabled"]);
    assert_eq!(status("GET", &chatbot(&id)).await, 401);
    run(&["user", "set-status", "--user", &account.owner, "--status", "active"]);
    assert_eq!(status("GET", &chatbot(&id)).await, 200);
    run(&["key", "delete", &account.key_id]);
    let answer = service.get(&chatbot(&id), &account.key).await;
    assert_eq!(verdict(&answer), (401, "invalid_api_key".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_others_does_not_exist() {
    let service = Installation::start().await;
    let agency = service.database.account_with("agency", "scale", &["--agency"]);
    let below = service.database.account_with("below", "growth", &["--parent", &agency.id]);
    let other = service.database.account("other", "growth");
    let of_agency = service.chatbot(&agency.key).await;
    let of_below = service.chatbot(&below.key).await;
    let of_other = service.chatbot(&other.key).await;

    let listed = async |key: &str| -> Vec<String> {
        let answer = service.get("/api/v1/chatbots", key).await;
        json(&answer)["chatbots"].as_array().unwrap().iter().map(|bot| text(&bot["chatbot_id"])).collect()
    };
    assert_eq!(listed(&agency.key).await, [of_agency.as_str(), of_below.as_str()]);
    assert_eq!(listed(&below.key).await, [of_below.as_str()]);
    assert_eq!(listed(&other.key).await, [of_other.as_str()]);

    let missing = service.get(&chatbot(UNKNOWN), &other.key).await;
    for foreign in [&of_agency, &of_below] {
        for method in ["GET", "PUT", "DELETE"] {
            let answer = service.send(Request::new(method, &chatbot(foreign)).key(&other.key)).await;
            assert_eq!((answer.status.as_u16(), &answer.body), (404, &missing.body), "{method}");
        }
        let send = Request::new("POST", &format!("{}/messages", chatbot(foreign))).key(&other.key);
        let answer = service.send(send.json(r#"{"message":"hello"}"#)).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (404, &missing.body));
    }
    assert_eq!(service.get(&chatbot(&of_agency), &below.key).await.status, 404);
    assert_eq!(service.send(Request::new("DELETE", &chatbot(&of_below)).key(&agency.key)).await.status, 204);
    assert_eq!(service.get(&chatbot(&of_below), &below.key).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn keyless_replies_are_limited_by_client_and_by_chatbot() {
    let service = Installation::start_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        config.limits.replies_per_client = 2;
        config.limits.replies_per_chatbot = 5;
        config.limits.failed_attempts = 3;
    })
    .await;
    let account = service.database.account("acme", "growth");
    let through = |request: Request, client: &str| {
        request.header("X-Forwarded-For", client).header("X-Forwarded-Proto", "https")
    };
    let body = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;
    let create = Request::new("POST", "/api/v1/chatbots").key(&account.key).json(body);
    let id = text(&json(&service.send(through(create, "198.51.100.1")).await)["chatbot_id"]);
    let reply = async |id: &str, client: &str| {
        let request = Request::new("POST", &format!("{}/reply", chatbot(id))).json("{}");
        service.send(through(request, client)).await
    };

    // An empty body is refused, but not before everything else has been judged.
    assert_eq!(reply(&id, "198.51.100.1").await.status, 422);
    assert_eq!(reply(&id, "198.51.100.1").await.status, 422);
    let answer = reply(&id, "198.51.100.1").await;
    assert_eq!(verdict(&answer), (429, "rate_limited".into()));
    assert!(header(&answer, "retry-after").parse::<u64>().unwrap() >= 1);
    // What a client claims to be does not help it.
    assert_eq!(reply(&id, "203.0.113.200, 198.51.100.1").await.status, 429);
    // Neighbors in one IPv6 network are one client.
    assert_eq!(reply(&id, "2001:db8::1").await.status, 422);
    assert_eq!(reply(&id, "2001:db8::2").await.status, 422);
    assert_eq!(reply(&id, "2001:db8::3").await.status, 429);
    // Invalid bodies count against their senders only: the limit of the chatbot, which is 5, is untouched by
    // now.
    let valid = async |client: &str| {
        let body = r#"{"subject":"","messages":[{"from":"jo@customer.example","body":"When do you open?"}]}"#;
        let request = Request::new("POST", &format!("{}/reply", chatbot(&id))).json(body);
        service.send(through(request, client)).await
    };
    for neighbor in 10..15 {
        let answer = valid(&format!("198.51.100.{neighbor}")).await;
        assert_eq!(verdict(&answer), (422, "no_training_data".into()), "{neighbor}");
    }
    assert_eq!(verdict(&valid("198.51.100.15").await), (429, "rate_limited".into()));

    // Guessing ids leads nowhere, and then to waiting.
    for guess in [UNKNOWN, "00000000-0000-4000-8000-000000000001", "no-uuid"] {
        assert_eq!(reply(guess, "198.51.100.9").await.status, 404);
    }
    assert_eq!(reply("00000000-0000-4000-8000-000000000002", "198.51.100.9").await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_keys_are_limited_by_client_and_never_in_the_way_of_good_ones() {
    let service = Installation::start_with(|config| config.limits.failed_attempts = 2).await;
    let account = service.database.account("acme", "growth");
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(service.get("/api/v1/chatbots", "sk_live_unknown").await.status);
    }
    assert_eq!(statuses, [401, 401, 429]);
    assert_eq!(service.get("/api/v1/chatbots", &account.key).await.status, 200);
}
