//! Conversations with people: handover and back, replies that are waited for, and visitors for whom nobody
//! comes.

use std::time::{Duration, Instant};

use frontdesk_client::{
    Client,
    model::{
        Answer, AnswerMode, ChatbotUpdate, ConversationReplies, EscalationReason, FeedbackRating,
        MessageRole, NewConversationMessage, NewEscalation, NewFeedback, NewMessage,
    },
};
use frontdesk_model::ConversationId;
use frontdesk_store::{ContactFields, ContactInput, Plan};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, client, status},
    on_both_databases,
    process::{Process, administer},
    site::{self, Site},
    wire::{Request, json},
};

on_both_databases!(
    a_person_takes_over_and_hands_back,
    waiting_requests_learn_of_replies_at_once,
    waiting_requests_learn_of_replies_in_other_processes,
    one_request_waits_for_each_conversation_and_key,
    nobody_waits_without_a_place,
    waiting_requests_end_with_the_service,
    a_visitor_learns_that_nobody_comes,
    lists_refuse_unknown_values,
    conversations_are_found_by_what_was_said,
    operators_read_conversations,
);

/// The time in which a waiting request must learn of a reply.
const AT_ONCE: Duration = Duration::from_millis(300);
/// The time until a request surely waits.
const A_MOMENT: Duration = Duration::from_millis(400);

/// A conversation with one question and its answer.
struct Chat {
    client: Client,
    chatbot_id: Uuid,
    conversation_id: Uuid,
    last_message_id: Uuid,
    _site: Site,
}

impl Chat {
    async fn open(service: &Installation, key: &str) -> Self {
        let client = client(service.address(), key);
        let site = site::bakery().await;
        let created = client.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
        let chatbot_id = created.chatbot_id;
        let answer = client.messages().send(chatbot_id, NewMessage::new("Hello?")).await.unwrap();
        let (conversation_id, last) = (answer.conversation_id, answer.message_id.parse().unwrap());
        Self {
            client,
            chatbot_id: chatbot_id.uuid(),
            conversation_id: conversation_id.uuid(),
            last_message_id: last,
            _site: site,
        }
    }

    async fn say(&self, text: &str) -> Answer {
        let message = NewMessage::new(text).conversation_id(ConversationId::from(self.conversation_id));
        self.client.messages().send(self.chatbot_id.into(), message).await.unwrap().into_inner()
    }

    async fn reply(&self, text: &str) -> Uuid {
        let new = NewConversationMessage::new(text);
        let call = self.client.conversations().create_message(
            self.chatbot_id.into(),
            self.conversation_id.into(),
            new,
        );
        call.await.unwrap().message_id.uuid()
    }

    async fn escalate(&self) -> AnswerMode {
        let request = NewEscalation::new();
        let call = self.client.conversations().escalate(
            self.chatbot_id.into(),
            self.conversation_id.into(),
            request,
        );
        call.await.unwrap().mode.clone()
    }

    /// What was written after a message, waited for with a client.
    async fn replies_by(&self, client: &Client, after: Uuid, seconds: i64) -> ConversationReplies {
        let call = client.conversations().poll_replies(
            self.chatbot_id.into(),
            self.conversation_id.into(),
            after.into(),
        );
        call.wait(seconds).await.unwrap().into_inner()
    }

    async fn replies(&self, after: Uuid, seconds: i64) -> ConversationReplies {
        self.replies_by(&self.client, after, seconds).await
    }
}

fn texts(replies: &ConversationReplies) -> Vec<&str> {
    replies.messages.iter().map(|message| &*message.text).collect()
}

async fn a_person_takes_over_and_hands_back(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let conversations = chat.client.conversations();
    let (bot, id) = (chat.chatbot_id, chat.conversation_id);

    assert_eq!(chat.escalate().await, AnswerMode::HumanRequested);
    let silent = chat.say("Is anybody there?").await;
    assert_eq!(
        (&*silent.response, silent.mode, silent.usage.credits_used),
        ("", AnswerMode::HumanRequested, 0)
    );
    let reply = chat.reply("This is Ann.").await;
    let silent = chat.say("Hello Ann.").await;
    assert_eq!((&*silent.response, silent.mode, silent.usage.credits_used), ("", AnswerMode::Human, 0));

    let replies = chat.replies(chat.last_message_id, 0).await;
    assert_eq!(texts(&replies), ["This is Ann."]);
    assert_eq!((replies.messages[0].message_id, replies.mode.clone()), (reply.into(), AnswerMode::Human));
    assert_eq!(replies.messages[0].team_member_id, Some(Into::into(acme.owner.user_id)));
    // The visitor's words after the reply are not repeated by the next request.
    assert_eq!(replies.last_message_id.to_string(), silent.message_id);
    assert!(texts(&chat.replies(replies.last_message_id.uuid(), 0).await).is_empty());

    let refused = NewEscalation::new().reason(EscalationReason::Other);
    assert_eq!(status(&conversations.escalate(bot.into(), id.into(), refused).await), 409);
    let feedback = NewFeedback::new(FeedbackRating::Down).comment("Too slow.".to_owned());
    let rated = conversations.rate_message(bot.into(), id.into(), reply.into(), feedback).await.unwrap();
    assert_eq!(rated.feedback.as_ref().unwrap().comment.as_deref(), Some("Too slow."));

    assert_eq!(conversations.return_to_ai(bot.into(), id.into()).await.unwrap().mode, AnswerMode::Ai);
    let answered = chat.say("What does delivery cost?").await;
    assert!(!answered.response.is_empty() && answered.mode == AnswerMode::Ai, "{answered:?}");
    let read = conversations.get(bot.into(), id.into()).await.unwrap().into_inner();
    let roles: Vec<_> = read.messages.as_ref().unwrap().iter().map(|message| message.role.as_str()).collect();
    let expected = ["visitor", "assistant", "visitor", "team_member", "visitor", "visitor", "assistant"];
    assert_eq!(roles, expected);
    assert_eq!(read.feedback, Some(FeedbackRating::Down));
    assert_eq!(read.escalation.unwrap().reason, EscalationReason::UserRequest);

    let found = conversations.list(bot.into()).feedback(FeedbackRating::Down).await.unwrap();
    assert_eq!(
        found.conversations[0].last_message_preview,
        Some(answered.response.chars().take(200).collect())
    );
    conversations.close(bot.into(), id.into()).await.unwrap();
    assert!(conversations.list(bot.into()).mode(AnswerMode::Ai).await.unwrap().conversations.is_empty());
    assert_eq!(chat.say("One more thing.").await.conversation_id, id.into());
    service.stop().await;
}

async fn waiting_requests_learn_of_replies_at_once(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    chat.escalate().await;
    let mut after = chat.last_message_id;
    for number in 0..3 {
        let text = format!("Reply {number}");
        let reply = async {
            tokio::time::sleep(A_MOMENT).await;
            // The visitor's own words are no news.
            chat.say("Hello?").await;
            chat.reply(&text).await;
            Instant::now()
        };
        let waiting = async {
            let replies = chat.replies(after, 25).await;
            (replies, Instant::now())
        };
        let (sent, (replies, learned)) = tokio::join!(reply, waiting);
        assert!(learned.saturating_duration_since(sent) < AT_ONCE, "{:?}", learned - sent);
        assert_eq!(texts(&replies).last(), Some(&&*text));
        assert_eq!(replies.poll_after_ms, 0);
        after = replies.last_message_id.uuid();
        let hand_back =
            chat.client.conversations().return_to_ai(chat.chatbot_id.into(), chat.conversation_id.into());
        hand_back.await.unwrap();
        chat.escalate().await;
    }
    // A change of the mode is news, too.
    let close = async {
        tokio::time::sleep(A_MOMENT).await;
        chat.client.conversations().close(chat.chatbot_id.into(), chat.conversation_id.into()).await.unwrap();
        Instant::now()
    };
    let waiting = async { (chat.replies(after, 25).await, Instant::now()) };
    let (closed, (replies, learned)) = tokio::join!(close, waiting);
    assert!(learned.saturating_duration_since(closed) < AT_ONCE);
    assert_eq!(
        (texts(&replies).len(), replies.mode, replies.last_message_id),
        (0, AnswerMode::Closed, after.into())
    );
    // Without news the request waits as long as it may.
    let began = Instant::now();
    let replies = chat.replies(after, 1).await;
    assert!(began.elapsed() >= Duration::from_secs(1) && replies.messages.is_empty());
    assert_eq!(replies.poll_after_ms, 0);
    service.stop().await;
}

async fn waiting_requests_learn_of_replies_in_other_processes(database: Database) {
    if !database.is_postgres() {
        // A SQLite file is served by one process.
        return database.store.close().await;
    }
    let service = Installation::start(database).await;
    let other = Process::start(&service.database, &[]);
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let elsewhere = client(other.address, &acme.key.text);
    chat.escalate().await;
    let mut after = chat.last_message_id;
    for number in 0..3 {
        let text = format!("Reply {number}");
        let reply = async {
            // The other process has connected to listen when its first request has waited a moment.
            tokio::time::sleep(A_MOMENT * 3).await;
            chat.reply(&text).await;
            Instant::now()
        };
        let waiting = async {
            let replies = chat.replies_by(&elsewhere, after, 25).await;
            // The takeover changes the mode together with the first reply.
            (replies, Instant::now())
        };
        let (sent, (replies, learned)) = tokio::join!(reply, waiting);
        assert_eq!(texts(&replies), [&*text]);
        assert!(learned.saturating_duration_since(sent) < AT_ONCE, "{:?}", learned - sent);
        after = replies.last_message_id.uuid();
    }
    other.kill();
    service.stop().await;
}

async fn one_request_waits_for_each_conversation_and_key(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let second_key = client(service.address(), &service.database.key(&acme.owner, None).await.text);
    let after = chat.last_message_id;
    let began = Instant::now();
    let later = async {
        tokio::time::sleep(A_MOMENT).await;
        let displacing = chat.replies(after, 25);
        let reply = async {
            tokio::time::sleep(A_MOMENT).await;
            chat.reply("Hello.").await;
        };
        tokio::join!(displacing, reply).0
    };
    let first = async {
        let replies = chat.replies(after, 25).await;
        (replies, began.elapsed())
    };
    let ((first, ended), later, other) = tokio::join!(first, later, chat.replies_by(&second_key, after, 25));
    assert!(first.messages.is_empty() && first.poll_after_ms > 0, "{first:?}");
    assert!(ended < A_MOMENT + AT_ONCE * 2, "{ended:?}");
    assert_eq!((texts(&later), texts(&other)), (vec!["Hello."], vec!["Hello."]));
    service.stop().await;
}

async fn nobody_waits_without_a_place(database: Database) {
    let service = Installation::start_with(database, |config| config.limits.waiting_requests = 0).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let began = Instant::now();
    let replies = chat.replies(chat.last_message_id, 25).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(replies.messages.is_empty() && replies.poll_after_ms > 0, "{replies:?}");
    service.stop().await;
}

async fn waiting_requests_end_with_the_service(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let stop = async {
        tokio::time::sleep(A_MOMENT).await;
        let began = Instant::now();
        service.stop().await;
        began.elapsed()
    };
    let (took, replies) = tokio::join!(stop, chat.replies(chat.last_message_id, 25));
    assert!(replies.messages.is_empty() && replies.poll_after_ms > 0, "{replies:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

async fn a_visitor_learns_that_nobody_comes(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let text = "Nobody is in the shop. Please leave your email address.";
    let update = ChatbotUpdate::new().handover_timeout_minutes(60).handover_timeout_text(text);
    chat.client.chatbots().update(chat.chatbot_id.into(), update).await.unwrap();
    chat.escalate().await;
    let due = format!(
        "UPDATE conversations SET handover_due_at = handover_due_at - 3600000000 WHERE conversation_id = '{}'",
        chat.conversation_id
    );
    service.database.run(&due).await;
    service.database.make_due(&["tell_unclaimed"]).await;
    let told = chat.replies(chat.last_message_id, 25).await;
    assert_eq!((texts(&told), told.mode.clone()), (vec![text], AnswerMode::HumanRequested));
    assert_eq!(told.messages[0].role, MessageRole::System);
    let read =
        chat.client.conversations().get(chat.chatbot_id.into(), chat.conversation_id.into()).await.unwrap();
    assert!(read.needs_escalation && read.message_count == 3, "{read:?}");
    service.stop().await;
}

async fn lists_refuse_unknown_values(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    let path = format!("/api/v1/chatbots/{}/conversations", chat.chatbot_id);
    let list = async |filter: String| {
        let request = Request::new("GET", &format!("{path}?{filter}")).key(&acme.key.text);
        request.send(service.address()).await
    };
    for filter in ["mode", "status", "source", "feedback"] {
        let refused = list(format!("{filter}=something")).await;
        assert_eq!(refused.status, 422, "{filter}");
        assert!(json(&refused)["errors"][filter].is_array(), "{filter}");
    }
    // A contact of another account looks like an unknown one.
    let contact = async |scope| {
        let claimed =
            ContactFields { email: Some("ann@customer.example".to_owned()), ..ContactFields::default() };
        let input = ContactInput { claimed, ..ContactInput::default() };
        let contacts = service.database.store.contacts();
        contacts.upsert(&scope, &input, Timestamp::now()).await.unwrap().unwrap().contact_id
    };
    let (own, foreign) = (contact(acme.scope()).await, contact(other.scope()).await);
    let unknown = list(format!("contact_id={}", Uuid::new_v4())).await;
    assert_eq!(unknown.status, 422);
    assert_eq!(json(&list(format!("contact_id={foreign}")).await), json(&unknown));
    let found = list(format!("contact_id={own}")).await;
    assert_eq!((found.status.as_u16(), &json(&found)["conversations"]), (200, &serde_json::json!([])));
    service.stop().await;
}

async fn conversations_are_found_by_what_was_said(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    chat.escalate().await;
    chat.say("Ist die Brücke am Süßwassersee in 50% der Fälle frei?").await;
    chat.say("My order is AB-4711.").await;
    let (client, bot) = (&chat.client, chat.chatbot_id);
    client.messages().send(bot.into(), NewMessage::new("Something else, order AB-4712")).await.unwrap();
    let conversations = client.conversations();
    for (words, found) in [
        ("ab-4711", true),
        ("ORDER 4711", true),
        ("BRÜCKE süß", true),
        ("50%", true),
        // Of two messages.
        ("brücke 4711", false),
        ("5_%", false),
        ("4713", false),
    ] {
        let list = conversations.list(bot.into()).q(words).await.unwrap().into_inner();
        let ids: Vec<Uuid> = list.conversations.iter().map(|listed| listed.conversation_id.uuid()).collect();
        assert_eq!(ids == [chat.conversation_id], found, "{words}: {ids:?}");
        assert!(!list.pagination.has_more);
    }
    let human = conversations.list(bot.into()).q("order").mode(AnswerMode::HumanRequested).await.unwrap();
    assert_eq!(human.conversations.len(), 1);
    assert_eq!(conversations.list(bot.into()).q("order").await.unwrap().conversations.len(), 2);

    // A page does not look through all of these, which are newer.
    let id = chat.conversation_id;
    service
        .database
        .run(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100) INSERT INTO conversations \
             (conversation_id, account_id, chatbot_id, mode, source, message_count, context_start, created_at, last_message_at) \
             SELECT substr(c.conversation_id, 1, 28) || substr(CAST(100000000 + n.i AS TEXT), 2, 8), c.account_id, c.chatbot_id, \
             'ai', 'api', 0, 0, c.created_at, c.last_message_at + 60000000 + n.i FROM n CROSS JOIN conversations AS c \
             WHERE c.conversation_id = '{id}'"
        ))
        .await;
    let first = conversations.list(bot.into()).q("4711").await.unwrap().into_inner();
    assert!(first.conversations.is_empty() && first.pagination.has_more);
    let cursor = first.pagination.next_cursor.unwrap();
    let second = conversations.list(bot.into()).q("4711").cursor(cursor).await.unwrap().into_inner();
    assert_eq!(
        second.conversations.iter().map(|listed| listed.conversation_id).collect::<Vec<_>>(),
        [id.into()]
    );
    assert!(!second.pagination.has_more);
    service.stop().await;
}

async fn operators_read_conversations(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chat = Chat::open(&service, &acme.key.text).await;
    chat.reply("This is Ann.").await;
    let (account, bot) = (acme.account.account_id.to_string(), chat.chatbot_id.to_string());
    let id = chat.conversation_id.to_string();
    let list = ["conversation", "list", "--account", &account, "--chatbot", &bot, "--mode", "human"];
    let listed = administer(&service.database, &list).await;
    assert_eq!(listed["conversations"][0]["conversation_id"], id);
    let shown = administer(&service.database, &["conversation", "show", "--account", &account, &id]).await;
    assert_eq!(shown["messages"][2]["text"], "This is Ann.");
    assert_eq!(shown["messages"][0]["role"], "visitor");
    service.stop().await;
}
