//! E-mails as people really send them: nothing of them is lost, and one person is one contact whichever way
//! its address is written.

use frontdesk_client::{
    Raw,
    model::{
        ContactClaims, ContactFormSettings, ContactUpdate, InboxChannelKind, NewChannelMessage, NewContact,
        NewInboxChannel, NewThreadMessage, ThreadStatus, ThreadUpdate,
    },
};
use frontdesk_store::Plan;
use serde_json::{Value, json};

use super::posting::Mailbox;
use crate::{
    database::Database,
    installation::{Installation, status},
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
    wire::{Request, json as body_of},
};

on_both_databases!(
    what_an_email_says_is_kept,
    another_email_under_a_known_id_is_stored,
    a_reply_carries_the_subject_of_what_it_answers,
    skipped_emails_are_deleted,
    doubtful_submissions_can_be_found_and_accepted,
    an_address_is_one_contact_in_every_spelling,
    web_addresses_are_taken_as_people_write_them,
);

const UNICODE: &str = "info@bäcker.example";
const ASCII: &str = "info@xn--bcker-gra.example";

fn mail(id: &str, fields: &str, text: &str) -> String {
    format!(
        "From: Jo Miller <jo@customer.example>\r\nTo: support@acme.example\r\nMessage-ID: <{id}>\r\n{fields}\r\n\r\n{text}"
    )
}

async fn what_an_email_says_is_kept(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), None).await;
    for (number, text) in [
        "Dear team,\n\nOn 3 May 2026 your colleague Ann wrote:\n\nThe offer is valid until June, 450 euros.\n\nIs that still true?",
        "Our measurements:\n> 2 metres wide\n> 3 metres long",
        "Please call me back.\n--\nJo Miller, phone +44 113 496 0009",
        "our transfer:\n\nFrom: London Heathrow\nTo: Leeds\nDate: 3 December 2026\nTime: 14:30\n\nWe are 4 people.",
    ]
    .into_iter()
    .enumerate()
    {
        let (_, message) = mailbox.newest(mail(&format!("f{number}@c"), &format!("Subject: Question {number}"), text)).await;
        assert_eq!((&*message.body, message.folded_text.as_deref()), (text, None));
    }
    for (number, (fields, text, expected)) in [
        (
            "Subject: a\r\nContent-Type: text/plain; charset=iso-8859-1",
            "Hütte kostet 99 €",
            "Hütte kostet 99 €",
        ),
        (
            "Subject: b\r\nContent-Type: text/plain; charset=us-ascii",
            "Hütte kostet 99 €",
            "Hütte kostet 99 €",
        ),
        (
            "Subject: c\r\nContent-Type: multipart/mixed; boundary=\"bb\"",
            "--bb\r\nContent-Type: text/plain\r\n\r\nWithout the last boundary",
            "Without the last boundary",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (_, message) = mailbox.newest(mail(&format!("c{number}@c"), fields, text)).await;
        assert_eq!(message.body, expected);
        assert!(message.attachments.is_empty());
    }
    let split = "Subject: =?utf-8?B?ww==?=\r\n =?utf-8?B?lmZmbnVuZw==?=";
    let (_, message) = mailbox.newest(mail("s@c", split, "split subject")).await;
    assert_eq!(message.subject.as_deref(), Some("Öffnung"));

    // A response shows what is new, and keeps the rest, which the search leaves alone.
    let text = "Tuesday suits me.\r\n\r\nOn 3 May 2026, Support wrote:\r\n> When does zanzibar suit you?\r\n\r\n-- \r\nJo, +44 113 496 0009";
    let (thread_id, message) =
        mailbox.newest(mail("r@c", "Subject: Re: Öffnung\r\nIn-Reply-To: <s@c>", text)).await;
    assert_eq!(message.body, "Tuesday suits me.");
    let folded = message.folded_text.unwrap();
    assert_eq!(
        folded,
        "On 3 May 2026, Support wrote:\n> When does zanzibar suit you?\n\n--\nJo, +44 113 496 0009"
    );
    let find =
        async |words: &str| mailbox.client.inbox().list_threads().q(words).await.unwrap().threads.len();
    assert_eq!((find("tuesday").await, find("zanzibar").await), (1, 0));

    // What does not fit into the text follows with what is folded; what does not fit at all is attached.
    let long = format!("{}END", "word ".repeat(12_000));
    let (_, message) = mailbox.newest(mail("l@c", "Subject: Long", &long)).await;
    assert_eq!(message.body.chars().count(), 50_000);
    assert!(message.folded_text.unwrap().ends_with("END"));
    let longer = format!("{}END", "line of words\r\n".repeat(100_000));
    let (_, message) = mailbox.newest(mail("ll@c", "Subject: Longer", &longer)).await;
    assert_eq!(message.attachments[0].file_name, "original.eml");
    assert!(message.attachments[0].size_bytes > 1_400_000, "{:?}", message.attachments);

    // Erasing the sender removes all of it.
    let thread = mailbox.client.inbox().get_thread(thread_id.into()).await.unwrap().into_inner();
    let contact_id = thread.contact_id.unwrap();
    mailbox
        .client
        .contacts()
        .delete(contact_id)
        .mode(frontdesk_client::model::DeleteContactMode::Erase)
        .await
        .unwrap();
    let page = mailbox.client.inbox().list_thread_messages(thread_id.into()).await.unwrap().into_inner();
    for message in page.messages {
        assert_eq!((&*message.body, message.subject, message.folded_text), ("", None, None));
    }
    service.stop().await;
}

async fn another_email_under_a_known_id_is_stored(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), None).await;
    let first = mail(
        "form@website",
        "Subject: Form\r\nDate: Fri, 27 Nov 2026 10:00:00 +0000",
        "Do you repair trimmers?",
    );
    let (thread_id, _) = mailbox.newest(&first).await;
    assert_eq!(mailbox.post(&first).await, "duplicate");
    // The same e-mail by way of another server is the same one.
    assert_eq!(
        mailbox.post(format!("Received: by mx.example; Fri, 27 Nov 2026 10:00:01 +0000\r\n{first}")).await,
        "duplicate"
    );
    // Another text, another sender, another day.
    let second = first.replace("trimmers", "mowers");
    let third = first.replace("Jo Miller <jo@customer.example>", "Kim <kim@other.example>");
    let fourth = first.replace("Fri, 27 Nov", "Sat, 28 Nov");
    for other in [&second, &third, &fourth] {
        assert_eq!(mailbox.post(other).await, "received");
        assert_eq!(mailbox.post(other).await, "duplicate");
    }
    assert_eq!(mailbox.post(&first).await, "duplicate");
    // Each is in the thread that it would have had under an id of its own.
    let bodies = async |thread_id| {
        let page = mailbox.client.inbox().list_thread_messages(thread_id).await.unwrap().into_inner();
        page.messages.into_iter().map(|message| message.body).collect::<Vec<_>>()
    };
    let of_jo = ["Do you repair trimmers?", "Do you repair mowers?", "Do you repair trimmers?"];
    assert_eq!(bodies(thread_id.into()).await, of_jo);
    let threads = mailbox.client.inbox().list_threads().await.unwrap().into_inner().threads;
    let of_kim = threads.iter().find(|thread| thread.thread_id != thread_id.into()).unwrap();
    assert_eq!((threads.len(), bodies(of_kim.thread_id).await.len()), (2, 1));
    service.stop().await;
}

async fn a_reply_carries_the_subject_of_what_it_answers(database: Database) {
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), Some(&smtp)).await;
    let (thread_id, _) = mailbox.newest(mail("cc1@c", "Subject: Delivery on 4 May", "Start")).await;
    let fields = "Subject: Invoice 77 missing\r\nIn-Reply-To: <cc1@c>\r\nReferences: <cc1@c>";
    let (same, message) = mailbox.newest(mail("cc2@c", fields, "New topic: I need invoice 77.")).await;
    assert_eq!((same, message.subject.as_deref()), (thread_id, Some("Invoice 77 missing")));
    let inbox = mailbox.client.inbox();
    let sent = async |count: usize| {
        until("the reply is sent", async || {
            let mails = mails.lock().unwrap();
            (mails.len() == count).then(|| mails[count - 1].clone())
        })
        .await
    };
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("Here it is.")).await.unwrap();
    let reply = sent(1).await;
    assert!(reply.contains("Subject: Re: Invoice 77 missing\n"), "{reply}");
    assert!(reply.contains("In-Reply-To: <cc2@c>\n"), "{reply}");
    // The words of the other subject find the thread.
    assert_eq!(inbox.list_threads().q("invoice").await.unwrap().threads.len(), 1);
    // An id that two e-mails have is named as it was sent.
    let (_, other) = mailbox.newest(mail("cc2@c", fields, "And invoice 78.")).await;
    assert_eq!(other.body, "And invoice 78.");
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("That one, too.")).await.unwrap();
    let reply = sent(2).await;
    assert!(reply.contains("In-Reply-To: <cc2@c>\n"), "{reply}");
    // A subject that says already that it responds is kept, and one that is missing is that of the thread.
    let fields = "Subject: Re: Invoice 79\r\nIn-Reply-To: <cc2@c>";
    mailbox.newest(mail("cc3@c", fields, "And 79.")).await;
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("Yes.")).await.unwrap();
    assert!(sent(3).await.contains("Subject: Re: Invoice 79\n"));
    mailbox.newest(mail("cc4@c", "In-Reply-To: <cc3@c>", "Thanks.")).await;
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("You are welcome.")).await.unwrap();
    assert!(sent(4).await.contains("Subject: Re: Delivery on 4 May\n"));
    service.stop().await;
}

/// An e-mail from the mailbox itself, which does not become a message.
fn skipped(subject: &str, text: &str) -> String {
    format!("From: support@acme.example\r\nSubject: {subject}\r\n\r\n{text}")
}

async fn skipped_emails_are_deleted(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.channels.skipped_mail_megabytes = 1;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), None).await;
    let channels = mailbox.client.inbox_channels();
    let id = mailbox.channel.channel_id;
    let list = async || channels.list_skipped_mails(id).await.unwrap().into_inner().skipped_mails;
    for number in 0..3 {
        assert_eq!(mailbox.post(skipped(&number.to_string(), "again")).await, "skipped");
    }
    // One by one.
    let deleted = list().await.remove(0);
    let foreign = service.client(&other);
    assert_eq!(status(&foreign.inbox_channels().delete_skipped_mail(id, deleted.skipped_mail_id).await), 404);
    channels.delete_skipped_mail(id, deleted.skipped_mail_id).await.unwrap();
    assert_eq!(status(&channels.delete_skipped_mail(id, deleted.skipped_mail_id).await), 404);
    let subjects: Vec<_> = list().await.into_iter().map(|mail| mail.subject.unwrap()).collect();
    assert_eq!(subjects, ["1", "0"]);
    let original = format!("/api/v1/inbox/channels/{id}/skipped-mails/{}/original", deleted.skipped_mail_id);
    assert_eq!(Request::new("GET", &original).key(&acme.key.text).send(service.address()).await.status, 404);

    // By age.
    let old = &list().await[1];
    let day = 24 * 60 * 60 * 1_000_000_i64;
    let set_age = format!(
        "UPDATE skipped_mails SET created_at = created_at - {} WHERE skipped_mail_id = '{}'",
        31 * day,
        old.skipped_mail_id
    );
    service.database.run(&set_age).await;
    let subjects_after = async |expected: &[&str]| {
        until("the job has run", async || {
            service.database.make_due(&["prune_skipped_mails"]).await;
            let subjects: Vec<_> = list().await.into_iter().map(|mail| mail.subject.unwrap()).collect();
            (subjects == expected).then_some(())
        })
        .await;
    };
    subjects_after(&["1"]).await;
    // By size: the oldest ones go until the others fit.
    for subject in ["2", "3", "4"] {
        assert_eq!(mailbox.post(skipped(subject, &"again ".repeat(75_000))).await, "skipped");
    }
    subjects_after(&["4", "3"]).await;
    service.stop().await;
}

async fn doubtful_submissions_can_be_found_and_accepted(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = ContactFormSettings::new().min_fill_seconds(600).max_links(0);
    let new = NewInboxChannel::new(InboxChannelKind::ContactForm, "Contact").contact_form(settings);
    let form = client.inbox_channels().create(new).await.unwrap().into_inner();
    let path = format!("/api/v1/public/forms/{}/submissions", form.contact_form.unwrap().form_key);
    let submit =
        async |body: Value| Request::new("POST", &path).json(body.to_string()).send(service.address()).await;
    let token = Request::new("POST", &path.replace("submissions", "token")).send(service.address()).await;
    let token = body_of(&token)["token"].clone();
    let submissions = [
        json!({ "message": "Without a token", "email": "ann@customer.example" }),
        json!({ "message": "Too fast", "token": token, "name": "Bo", "phone": "+44 113 496 0009", "company": "Bo Ltd" }),
        json!({ "message": "With the trap", "website": "https://bo.example", "email": "Info@Bäcker.example" }),
        json!({ "message": "With a link https://bo.example", "email": "cy@customer.example", "page_url": "https://acme.example/größe" }),
    ];
    for submission in &submissions {
        let answer = submit(submission.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), &body_of(&answer)["message"]),
            (201, &json!("Thank you. Your message was received."))
        );
    }
    let inbox = client.inbox();
    assert!(inbox.list_threads().await.unwrap().threads.is_empty());
    let spam = inbox.list_threads().status(ThreadStatus::Spam).await.unwrap().into_inner().threads;
    let changes = inbox.list_threads().updated_since(spam[3].created_at).await.unwrap();
    assert_eq!((spam.len(), changes.threads.len()), (4, 4));
    assert!(client.contacts().list().await.unwrap().contacts.is_empty());
    let events = async || client.events().list().await.unwrap().into_inner().events;
    assert!(events().await.is_empty(), "{:?}", events().await);
    // Everything that was filled in can be read.
    for (thread, submission) in spam.iter().rev().zip(&submissions) {
        let page = inbox.list_thread_messages(thread.thread_id).await.unwrap().into_inner();
        for (name, value) in submission.as_object().unwrap().iter().filter(|(name, _)| *name != "token") {
            assert!(
                page.messages[0].body.contains(value.as_str().unwrap()),
                "{name}: {:?}",
                page.messages[0]
            );
        }
    }
    // Whoever is wanted becomes a contact, and can be replied to.
    let wanted = ThreadUpdate::new().status(ThreadStatus::Open);
    let accepted = inbox.update_thread(spam[1].thread_id, wanted.clone()).await.unwrap().into_inner();
    let baker = client.contacts().get(accepted.contact_id.unwrap()).await.unwrap().into_inner();
    assert_eq!((baker.email.as_deref(), baker.source.as_str()), (Some(ASCII), "contact_form"));
    let page = inbox.list_thread_messages(spam[1].thread_id).await.unwrap().into_inner();
    assert_eq!(page.messages[0].author.id, Some(Into::into(baker.contact_id)));
    let reported = events().await;
    let types: Vec<_> = reported.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(types, ["lead.created", "thread.status_changed"]);
    let bo = inbox.update_thread(spam[2].thread_id, wanted).await.unwrap().into_inner();
    let bo = client.contacts().get(bo.contact_id.unwrap()).await.unwrap().into_inner();
    assert_eq!(
        (bo.name.as_deref(), bo.phone.as_deref(), bo.company.as_deref()),
        (Some("Bo"), Some("+441134960009"), Some("Bo Ltd"))
    );
    // A person who is erased has left nothing in what nobody has accepted.
    let cy = client.contacts().create(NewContact::new().email("cy@customer.example")).await.unwrap();
    client
        .contacts()
        .delete(cy.contact_id)
        .mode(frontdesk_client::model::DeleteContactMode::Erase)
        .await
        .unwrap();
    let page = inbox.list_thread_messages(spam[0].thread_id).await.unwrap().into_inner();
    assert_eq!(page.messages[0].body, "");
    service.stop().await;
}

async fn an_address_is_one_contact_in_every_spelling(database: Database) {
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let contacts = client.contacts();
    let mailbox = Mailbox::new(&service, client.clone(), Some(&smtp)).await;
    // By e-mail, in both spellings, and where responses are wanted.
    let from = |from: &str, id: &str| {
        format!("From: Jürgen <{from}>\r\nSubject: {id}\r\nMessage-ID: <{id}@c>\r\n\r\nDo you deliver?")
    };
    let (thread_id, _) = mailbox.newest(from(UNICODE, "one")).await;
    mailbox.newest(from(ASCII, "two")).await;
    mailbox.newest(from(&format!("forms@web.example>\r\nReply-To: <{UNICODE}"), "three")).await;
    let only = async |step: &str| {
        let all = contacts.list().await.unwrap().into_inner().contacts;
        assert_eq!(all.len(), 1, "{step}: {all:?}");
        assert_eq!(all[0].email.as_deref(), Some(ASCII), "{step}");
        all[0].contact_id
    };
    let id = only("e-mail").await;
    // By a form, by a program, by the interface.
    let new = NewInboxChannel::new(InboxChannelKind::ContactForm, "Contact");
    let form = client.inbox_channels().create(new).await.unwrap().into_inner().contact_form.unwrap().form_key;
    let path = format!("/api/v1/public/forms/{form}/submissions");
    let submit = async |email: &str| {
        let body = json!({ "message": "Hello", "email": email });
        Request::new("POST", &path).json(body.to_string()).send(service.address()).await.status.as_u16()
    };
    assert_eq!(submit("INFO@Bäcker.example").await, 201);
    let api =
        client.inbox_channels().create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await.unwrap();
    let push = NewChannelMessage::new("order", "one", "Hello").contact(ContactClaims::new().email(UNICODE));
    client.inbox_channels().receive_channel_message(api.channel_id, push).await.unwrap();
    for spelling in [UNICODE, ASCII, "Info@BÄCKER.example"] {
        assert_eq!(contacts.lookup().email(spelling).await.unwrap().contact_id, id, "{spelling}");
        assert_eq!(contacts.list().email(spelling).await.unwrap().contacts.len(), 1, "{spelling}");
        assert_eq!(status(&contacts.create(NewContact::new().email(spelling)).await), 409, "{spelling}");
        contacts.update(id, ContactUpdate::new().email(spelling.to_owned())).await.unwrap();
    }
    // People look for it as they write it.
    assert_eq!(contacts.list().q("bäcker").await.unwrap().contacts.len(), 1);
    only("interface").await;
    // By a CSV file, and what was exported can be imported.
    let csv = async |csv: &str| -> Raw {
        let request = Request::new("POST", "/api/v1/contacts/import").key(&acme.key.text);
        request.body_of("text/csv", csv).send(service.address()).await
    };
    let imported =
        csv("email,name\ninfo@bäcker.example,IDN\ninfo@xn--bcker-gra.example,Puny\njürgen@x.example,EAI\n")
            .await;
    let result = body_of(&imported);
    let counts =
        |result: &Value| ["created", "updated", "rejected"].map(|name| result[name].as_u64().unwrap());
    assert_eq!(counts(&result), [1, 2, 0], "{result}");
    let exported =
        Request::new("GET", "/api/v1/contacts/export").key(&acme.key.text).send(service.address()).await;
    let again = body_of(&csv(std::str::from_utf8(&exported.body).unwrap()).await);
    assert_eq!(counts(&again), [0, 2, 0], "{again}");
    // Replies go to the form that every mail server knows.
    client.inbox().create_thread_message(thread_id.into(), NewThreadMessage::new("We do.")).await.unwrap();
    let reply = until("the reply is sent", async || mails.lock().unwrap().first().cloned()).await;
    assert!(reply.contains(ASCII), "{reply}");
    // A text that is not an address is refused on every way in.
    for wrong in ["mailto:a@b.example", "a,b@b.example", ".a@b.example", "a..b@b.example", "a@b..example"] {
        assert_eq!(submit(wrong).await, 422, "{wrong}");
        let push =
            json!({ "thread_key": "o", "message_key": wrong, "body": "x", "contact": { "email": wrong } });
        let pushed = Request::new("POST", &format!("/api/v1/inbox/channels/{}/messages", api.channel_id))
            .key(&acme.key.text);
        assert_eq!(pushed.json(push.to_string()).send(service.address()).await.status, 422, "{wrong}");
        let create = Request::new("POST", "/api/v1/contacts")
            .key(&acme.key.text)
            .json(json!({ "email": wrong }).to_string());
        assert_eq!(create.send(service.address()).await.status, 422, "{wrong}");
        let update = Request::new("PUT", &format!("/api/v1/contacts/{id}")).key(&acme.key.text);
        assert_eq!(
            update.json(json!({ "email": wrong }).to_string()).send(service.address()).await.status,
            422,
            "{wrong}"
        );
        let rejected = body_of(&csv(&format!("email,name\n\"{wrong}\",x\n")).await);
        assert_eq!(counts(&rejected), [0, 0, 1], "{wrong}: {rejected}");
    }
    // A row of an earlier version has the address as it was written. It is found by both, and can be replied
    // to.
    service.database.run(&format!("UPDATE contacts SET email = '{UNICODE}' WHERE contact_id = '{id}'")).await;
    for spelling in [UNICODE, ASCII] {
        assert_eq!(contacts.lookup().email(spelling).await.unwrap().contact_id, id, "{spelling}");
        assert_eq!(contacts.list().email(spelling).await.unwrap().contacts.len(), 1, "{spelling}");
    }
    client.inbox().create_thread_message(thread_id.into(), NewThreadMessage::new("Always.")).await.unwrap();
    let reply = until("the reply is sent", async || mails.lock().unwrap().get(1).cloned()).await;
    assert!(reply.contains(ASCII), "{reply}");
    mailbox.newest(from(ASCII, "four")).await;
    assert_eq!(contacts.lookup().email(UNICODE).await.unwrap().contact_id, id);
    service.stop().await;
}

async fn web_addresses_are_taken_as_people_write_them(database: Database) {
    let written = "https://bäckerei.example/über-uns?q=größe";
    let normal = "https://xn--bckerei-5wa.example/%C3%BCber-uns?q=gr%C3%B6%C3%9Fe";
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let request = async |method: &str, path: &str, body: Value| {
        let request =
            Request::new(method, &format!("/api/v1{path}")).key(&acme.key.text).json(body.to_string());
        let answer = request.send(service.address()).await;
        (answer.status.as_u16(), body_of(&answer))
    };
    let (status, chatbot) = request(
        "POST",
        "/chatbots",
        json!({ "name": "Bakery", "business_name": "Bakery", "training_urls": [written] }),
    )
    .await;
    assert_eq!(status, 201, "{chatbot}");
    let chatbot = format!("/chatbots/{}", chatbot["chatbot_id"].as_str().unwrap());
    let (_, faq) = request("POST", "/faqs", json!({ "name": "FAQ" })).await;
    let faq = format!("/faqs/{}", faq["faq_id"].as_str().unwrap_or_default());
    for (path, body, field) in [
        (format!("{chatbot}/websites"), json!({ "url": "https://bäckerei.example/größen/" }), "/url"),
        (format!("{chatbot}/webpages"), json!({ "url": written.replace("uns", "mich") }), "/url"),
        (
            format!("{chatbot}/text-snippets"),
            json!({ "title": "Hours", "content": "Open from 7 to 18.", "url": written }),
            "/url",
        ),
        (
            format!("{faq}/items"),
            json!({ "question": "Open?", "answer": "From 7 to 18.", "url": written }),
            "/url",
        ),
        ("/webhook-endpoints".to_owned(), json!({ "url": written, "events": ["lead.created"] }), "/url"),
        (
            "/inbox/channels".to_owned(),
            json!({ "kind": "contact_form", "name": "Contact", "contact_form": { "redirect_url": written } }),
            "/contact_form/redirect_url",
        ),
    ] {
        let (status, answer) = request("POST", &path, body).await;
        assert_eq!(status, 201, "{path}: {answer}");
        let shown = answer.pointer(field).and_then(Value::as_str).unwrap();
        assert!(shown.is_ascii() && shown.starts_with("https://xn--bckerei-5wa.example/"), "{path}: {shown}");
        if path.ends_with("snippets")
            || path.ends_with("items")
            || path.contains("webhook")
            || path.contains("channels")
        {
            assert_eq!(shown, normal, "{path}");
        }
    }
    let (status, domain) = request("POST", "/domains", json!({ "hostname": "Bäckerei.example." })).await;
    assert_eq!((status, &domain["hostname"]), (201, &json!("xn--bckerei-5wa.example")), "{domain}");
    let server = json!({ "host": "imap.bäcker.example", "port": 993, "security": "tls", "user": "u", "password": "p" });
    let (status, channel) = request(
        "POST",
        "/inbox/channels",
        json!({ "kind": "email", "name": "Support", "email": { "address": UNICODE, "smtp": server } }),
    )
    .await;
    assert_eq!(status, 201, "{channel}");
    assert_eq!(channel["email"]["address"], json!(ASCII));
    assert_eq!(channel["email"]["smtp"]["host"], json!("imap.xn--bcker-gra.example"));
    service.stop().await;
}
