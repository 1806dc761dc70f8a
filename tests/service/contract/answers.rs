//! Answers from a trained website, and the settings that change them.

use frontdesk_client::{
    Client,
    model::{
        self, AiResponseLength, Answer, AnswerDecisionReason, AnswerMode, ChatbotStatus, ChatbotUpdate,
        DraftReplyError, FactKind, Instruction, NewConversationMessage, NewMessage, NewReply,
        ReplyRejectedBody, RetrievalRequest, SourceType, ThreadMessage,
    },
};
use frontdesk_model::ConversationId;
use frontdesk_runtime::Patch;
use frontdesk_store::{MessageRole, Plan};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, anonymous, chatbot_for, learned, trained},
    on_both_databases,
    process::administer,
    site::{self, Page, Site},
};

on_both_databases!(
    a_website_becomes_answers,
    a_conversation_has_a_memory_of_its_own,
    a_search_explains_why_a_question_is_answered,
    the_owner_decides_how_answers_are,
    a_reply_to_an_email_is_drafted,
    a_chatbot_that_could_learn_nothing_says_why,
    an_evaluation_tells_right_answers_from_others,
);

const DELIVERY: &str = "Delivery within ten miles costs 4.90 pounds.";

async fn ask(client: &Client, chatbot_id: Uuid, question: &str) -> Answer {
    client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap().into_inner()
}

fn is_refusal(answer: &Answer) -> bool {
    answer.sources.is_empty() && answer.usage.credits_used == 0
}

async fn a_website_becomes_answers(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let created = client.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
    assert_eq!(created.status, ChatbotStatus::Training);
    let chatbot = trained(&client, created.chatbot_id.uuid()).await;
    assert_eq!((chatbot.status, chatbot.last_error), (ChatbotStatus::Ready, Patch::Absent));
    assert_eq!(chatbot.training_sources, 5);
    assert_eq!(chatbot.created_at, created.created_at);

    let answer = ask(&client, chatbot.chatbot_id.uuid(), "What does delivery cost?").await;
    assert!(answer.response.contains(DELIVERY), "{answer:?}");
    let sources: Vec<_> = answer.sources.iter().map(|source| (&*source.title, &*source.url)).collect();
    assert_eq!(sources, [("Delivery", &*site.url("/delivery"))]);
    assert_eq!(answer.sources[0].r#type, SourceType::Webpage);
    assert_eq!((answer.mode.clone(), answer.needs_escalation), (AnswerMode::Ai, false));
    let model::Usage { credits_used, monthly_remaining, monthly_limit } = answer.usage;
    assert_eq!((credits_used, monthly_remaining, monthly_limit), (1, 1_999, 2_000));

    let answer = ask(&client, chatbot.chatbot_id.uuid(), "Who won the chess championship in 1972?").await;
    assert!(is_refusal(&answer) && !answer.response.is_empty(), "{answer:?}");
    assert_eq!(answer.usage.monthly_remaining, 1_999);
    service.stop().await;
}

async fn a_search_explains_why_a_question_is_answered(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let retrieve = async |question: &str| {
        let request = RetrievalRequest::new(question);
        let found = client.passages().retrieve(chatbot_id.into(), request).await.unwrap().into_inner();
        (found.is_supported, found.decision.unwrap(), found.passages)
    };
    let (is_supported, decision, passages) = retrieve("What does delivery cost?").await;
    assert!(is_supported && decision.quote.contains(DELIVERY), "{decision:?}");
    assert_eq!(decision.reason, AnswerDecisionReason::LikelyAnswer);
    assert!(decision.margin.unwrap() >= 0.0, "{decision:?}");
    assert_eq!((&*decision.asked_for, &*decision.not_stated), (&[FactKind::Price][..], &[][..]));
    let quoted: Vec<_> = passages.iter().filter(|passage| passage.is_quoted == Some(true)).collect();
    assert!(quoted.iter().any(|passage| passage.text.contains(DELIVERY)), "{passages:?}");
    assert!(passages.iter().all(|passage| passage.score_by_words.is_some_and(|score| score >= 0.0)));

    let (is_supported, decision, _) = retrieve("Do you repair helicopter engines?").await;
    assert!(!is_supported && decision.margin.is_none_or(|margin| margin < 0.0), "{decision:?}");
    assert!(decision.missing_words.contains(&"helicopter".to_owned()), "{decision:?}");
    assert!(decision.unknown_words.contains(&"helicopter".to_owned()), "{decision:?}");

    // What is asked and what is answered agree.
    for question in ["What does delivery cost?", "Do you sell cars?", "Who won the cup in 1972?"] {
        let answer = ask(&client, chatbot_id, question).await;
        assert_eq!(retrieve(question).await.0, !is_refusal(&answer), "{question}: {answer:?}");
    }
    service.stop().await;
}

async fn a_conversation_has_a_memory_of_its_own(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let first = ask(&client, chatbot_id, "When is the shop open on weekdays?").await;
    assert!(first.response.contains("7 am to 6 pm"), "{first:?}");

    // Alone, the second question asks for nothing that is on the site.
    let follow_up = NewMessage::new("And on Saturday?");
    let next = follow_up.clone().conversation_id(first.conversation_id);
    let next = client.messages().send(chatbot_id.into(), next).await.unwrap();
    assert_eq!(next.conversation_id, first.conversation_id);
    assert!(next.response.contains("8 am to 2 pm"), "{next:?}");

    let unknown = Uuid::new_v4();
    let fresh = follow_up.conversation_id(ConversationId::from(unknown));
    let fresh = client.messages().send(chatbot_id.into(), fresh).await.unwrap();
    assert!(fresh.conversation_id != unknown.into() && fresh.conversation_id != first.conversation_id);

    let scope = acme.scope();
    let store = &service.database.store;
    let kept = store.conversations().messages(&scope, first.conversation_id.uuid(), 0, 10).await.unwrap();
    let kept: Vec<_> = kept.iter().map(|message| (message.role, message.body.as_str())).collect();
    assert_eq!(
        kept,
        [
            (MessageRole::Visitor, "When is the shop open on weekdays?"),
            (MessageRole::Assistant, &*first.response),
            (MessageRole::Visitor, "And on Saturday?"),
            (MessageRole::Assistant, &*next.response),
        ]
    );

    // While a person answers, the chatbot is silent and costs nothing.
    let taken = NewConversationMessage::new("Hello, this is Ann.");
    client.conversations().create_message(chatbot_id.into(), first.conversation_id, taken).await.unwrap();
    let silent = NewMessage::new("What does delivery cost?").conversation_id(first.conversation_id);
    let silent = client.messages().send(chatbot_id.into(), silent).await.unwrap();
    assert_eq!((&*silent.response, silent.mode.clone()), ("", AnswerMode::Human));
    assert_eq!(silent.usage.credits_used, 0);
    service.stop().await;
}

async fn the_owner_decides_how_answers_are(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let set = async |update: ChatbotUpdate| {
        drop(client.chatbots().update(chatbot_id.into(), update).await.unwrap());
    };

    // Length: whole sentences of the site, more of them the longer answers may be.
    let mut sentences = Vec::new();
    for length in [AiResponseLength::Short, AiResponseLength::Medium, AiResponseLength::Long] {
        set(ChatbotUpdate::new().ai_response_length(length)).await;
        let answer = ask(&client, chatbot_id, "What does delivery cost?").await;
        assert!(answer.response.contains(DELIVERY), "{answer:?}");
        sentences.push(answer.response.matches("Delivery ").count());
    }
    assert!(sentences.is_sorted() && sentences[0] == 1 && sentences[2] > 1, "{sentences:?}");

    // Sources.
    set(ChatbotUpdate::new().show_sources(false)).await;
    let answer = ask(&client, chatbot_id, "What does delivery cost?").await;
    assert!(answer.response.contains(DELIVERY) && answer.sources.is_empty(), "{answer:?}");
    set(ChatbotUpdate::new().show_sources(true)).await;
    assert_eq!(ask(&client, chatbot_id, "What does delivery cost?").await.sources.len(), 1);

    // Topics that are refused, and a critical rule; each only for as long as it is set.
    let rule = Instruction { text: "Never mention discounts.".into(), is_critical: Some(true) };
    let harmless = Instruction { text: "Never mention discounts.".into(), is_critical: Some(false) };
    let none: [&str; 0] = [];
    for (question, told, forbid, permit) in [
        (
            "How much is the sourdough course?",
            "65 pounds",
            ChatbotUpdate::new().custom_blocked_topics(["sourdough"]),
            ChatbotUpdate::new().custom_blocked_topics(none),
        ),
        (
            "Which discount do students receive?",
            "15 percent",
            ChatbotUpdate::new().specific_instructions([rule]),
            ChatbotUpdate::new().specific_instructions([harmless]),
        ),
    ] {
        assert!(ask(&client, chatbot_id, question).await.response.contains(told), "{question}");
        set(forbid).await;
        let refused = ask(&client, chatbot_id, question).await;
        assert!(is_refusal(&refused) && !refused.response.contains(told), "{refused:?}");
        let other = ask(&client, chatbot_id, "What does delivery cost?").await;
        assert!(other.response.contains(DELIVERY), "{other:?}");
        set(permit).await;
        assert!(ask(&client, chatbot_id, question).await.response.contains(told), "{question}");
    }
    service.stop().await;
}

async fn a_reply_to_an_email_is_drafted(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let chatbot_id = learned(&client, &site).await;
    let nobody = anonymous(service.address());
    let newest = ThreadMessage::new(
        "Jo <jo@customer.example>",
        "Hello,\n\nwhat does delivery cost?\n\nBest wishes\nJo\n\n> How much is the sourdough course?",
    );
    let reply =
        nobody.messages().draft_reply(chatbot_id.into(), NewReply::new("Re: Order", [newest.clone()]));
    let reply = reply.await.unwrap();
    assert!(reply.reply.contains(DELIVERY) && !reply.reply.contains("65 pounds"), "{reply:?}");
    assert_eq!(reply.sources[0].url, site.url("/delivery"));
    assert_eq!((reply.usage.credits_used, reply.usage.monthly_remaining), (1, 1_999));

    // A long thread is cut and not refused; its newest message counts.
    let older =
        (0..30).map(|_| ThreadMessage::new("shop@bakery.example", "How much is the sourdough course?"));
    let long = NewReply::new("Re: Order", older.chain([newest]));
    let reply = nobody.messages().draft_reply(chatbot_id.into(), long).await.unwrap();
    assert!(reply.reply.contains(DELIVERY), "{reply:?}");
    assert!(service.database.store.contacts().list(&acme.scope(), None, 10).await.unwrap().is_empty());
    service.stop().await;
}

async fn a_chatbot_that_could_learn_nothing_says_why(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = Site::of([("/", Page::html("", ""))]).await;
    let created = client.chatbots().create(chatbot_for("Empty", &[site.origin()])).await.unwrap();

    let question = || NewReply::new("Order", [ThreadMessage::new("jo@customer.example", "What is it?")]);
    let chatbot = trained(&client, created.chatbot_id.uuid()).await;
    assert_eq!((chatbot.status, chatbot.training_sources), (ChatbotStatus::Failed, 0));
    let failure = chatbot.last_error.into_value().unwrap();
    assert_eq!(failure.code, "empty_content");
    assert!(failure.message.contains(&site.origin()), "{failure:?}");

    let error = anonymous(service.address())
        .messages()
        .draft_reply(chatbot.chatbot_id, question())
        .await
        .unwrap_err();
    match error.declared() {
        Some(DraftReplyError::UnprocessableEntity(rejected)) => {
            assert!(matches!(rejected.body, ReplyRejectedBody::NoTrainingDataError(_)), "{rejected:?}");
        }
        other => panic!("{other:?}"),
    }
    // A message is still taken: the visitor is told that there is no answer, and nobody pays.
    assert!(is_refusal(&ask(&client, chatbot.chatbot_id.uuid(), "What is it?").await));
    service.stop().await;
}

/// `frontdesk eval` asks as a visitor would, but stores nothing and spends nothing.
async fn an_evaluation_tells_right_answers_from_others(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let file = service.database.folder().join("questions.csv");
    let questions = "id,question,expected,pages\n\
                     price,What does delivery cost?,4.90|five pounds,/delivery\n\
                     wrong,What does delivery cost?,7.20,/delivery\n\
                     absent,Who won the chess championship?,,\n";
    std::fs::write(&file, questions).unwrap();
    let (id, path) = (chatbot_id.to_string(), file.display().to_string());
    // A model beside words is another test's matter.
    std::fs::write(service.database.folder().join("frontdesk.toml"), "[search]\nmodel = \"none\"\n").unwrap();
    let told = administer(&service.database, &["eval", "--chatbot", &id, &path]).await;
    assert_eq!((&told["questions"], &told["search_ready"]), (&3.into(), &true.into()), "{told}");
    for (measure, counted) in [
        ("answered_right", "(1 of 2;"),
        ("wrongly_refused", "(0 of 2;"),
        ("rightly_refused", "(1 of 1;"),
        ("wrong_value", "(1 of 2;"),
        ("missed", "(0 of 2;"),
        ("right_page_among_sources", "(2 of 2;"),
    ] {
        assert!(told[measure].as_str().unwrap().contains(counted), "{measure}: {told}");
    }
    let not_right = told["not_right"].as_array().unwrap();
    assert_eq!(not_right.len(), 1, "{told}");
    assert_eq!(
        (&not_right[0]["id"], &not_right[0]["outcome"]),
        (&"wrong".into(), &"another value than expected".into())
    );
    let usage = client.usage().get().await.unwrap();
    assert_eq!(usage.credits_used, 0);
    assert!(client.conversations().list(chatbot_id.into()).await.unwrap().conversations.is_empty());
    service.stop().await;
}
