//! E-mail to the people of an account, sent to a server that speaks SMTP.

use std::sync::{Arc, Mutex};

use frontdesk_client::model::NewMessage;
use frontdesk_store::{NoticeStatus, Plan, Redacted};
use tokio::net::{TcpListener, TcpStream};

use crate::{
    database::Database,
    installation::{Installation, learned},
    mail_server::{Conversation, Said, verb},
    on_both_databases,
    patience::until,
    site,
};

on_both_databases!(a_handover_is_told_by_mail_once, a_mail_is_never_sent_twice);

/// What a message of the sink says, header and body.
pub(crate) type Mails = Arc<Mutex<Vec<String>>>;

/// How the sink ends a message.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Manner {
    Accept,
    /// Says "later" to the first message, and accepts the next ones.
    FirstLater,
    /// Takes the message and closes the connection without a word.
    HangUp,
    /// Says "later" to every recipient, and repeats the address as mail servers do.
    RecipientLater,
}

/// A mail server. Returns its address and what it has received.
pub(crate) async fn sink(manner: Manner) -> (String, Mails) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let mails = Mails::default();
    let kept = Arc::clone(&mails);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mails = Arc::clone(&kept);
            // A client may leave at any moment.
            tokio::spawn(async move { drop(serve(stream, &mails, manner).await) });
        }
    });
    (url, mails)
}

async fn serve(stream: TcpStream, mails: &Mails, manner: Manner) -> std::io::Result<()> {
    let mut conversation = Conversation::new(stream);
    conversation.reply("220 sink.example ESMTP").await?;
    while let Some(said) = conversation.next().await? {
        let reply = match said {
            Said::Text(text) => {
                let is_first = {
                    let mut mails = mails.lock().unwrap();
                    mails.push(text);
                    mails.len() == 1
                };
                match manner {
                    Manner::HangUp => return Ok(()),
                    Manner::FirstLater if is_first => "451 try again later".to_owned(),
                    _ => "250 accepted".to_owned(),
                }
            }
            Said::Command(command) => match &*verb(&command) {
                "RCPT" if manner == Manner::RecipientLater => {
                    format!("451 4.2.2 <{}> mailbox full", address_of(&command))
                }
                "EHLO" | "HELO" => "250 sink.example".to_owned(),
                "QUIT" => return conversation.reply("221 bye").await,
                _ => "250 ok".to_owned(),
            },
        };
        conversation.reply(&reply).await?;
    }
    Ok(())
}

/// The address of a command such as `RCPT TO:<ann@customer.example>`.
fn address_of(command: &str) -> &str {
    command.split(['<', '>']).nth(1).unwrap_or_default()
}

async fn service_with(database: Database, url: &str) -> Installation {
    let url = url.to_owned();
    Installation::start_with(database, move |config| {
        config.mail.smtp_url = Some(Redacted::new(url));
        config.mail.from = Some("Frontdesk <notices@frontdesk.example>".to_owned());
    })
    .await
}

async fn a_handover_is_told_by_mail_once(database: Database) {
    let (url, mails) = sink(Manner::FirstLater).await;
    let service = service_with(database, &url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let request = NewMessage::new("I want to talk to a human");
    let asked = client.messages().send(chatbot_id.into(), request).await.unwrap().into_inner();
    let again = NewMessage::new("I want to talk to a human").conversation_id(asked.conversation_id);
    client.messages().send(chatbot_id.into(), again).await.unwrap();
    let notices = service.database.store.notices();
    until("the server has said: later", async || {
        service.database.make_due(&["send_notices"]).await;
        let list = notices.list(&acme.scope()).await.unwrap();
        list.iter().any(|notice| notice.last_error.is_some()).then_some(())
    })
    .await;
    // The next attempt is due in half a minute.
    service.database.run("UPDATE notices SET due_at = 0").await;
    until("the notice is sent", async || {
        service.database.make_due(&["send_notices"]).await;
        let list = notices.list(&acme.scope()).await.unwrap();
        list.iter().any(|notice| notice.status == NoticeStatus::Sent).then_some(())
    })
    .await;
    // One notice: the conversation waits already when the visitor asks again.
    assert_eq!(notices.list(&acme.scope()).await.unwrap().len(), 1);
    let mails = mails.lock().unwrap().clone();
    assert_eq!(mails.len(), 2);
    let id = |mail: &str| mail.lines().find(|line| line.starts_with("Message-ID:")).unwrap().to_owned();
    assert_eq!(id(&mails[0]), id(&mails[1]));
    for line in [
        "From: Frontdesk <notices@frontdesk.example>\n",
        "To: owner <owner@acme.example>\n",
        "Subject: A visitor of acme waits for you\n",
        "Auto-Submitted: auto-generated\n",
    ] {
        assert!(mails[1].contains(line), "{line} is not in\n{}", mails[1]);
    }
    assert!(mails[1].contains(&asked.conversation_id.to_string()));
    service.stop().await;
}

async fn a_mail_is_never_sent_twice(database: Database) {
    let (url, mails) = sink(Manner::HangUp).await;
    let service = service_with(database, &url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    client.messages().send(chatbot_id.into(), NewMessage::new("I want to talk to a human")).await.unwrap();
    let notices = service.database.store.notices();
    until("the attempt has failed", async || {
        service.database.make_due(&["send_notices"]).await;
        let list = notices.list(&acme.scope()).await.unwrap();
        list.iter().any(|notice| notice.status == NoticeStatus::Failed).then_some(())
    })
    .await;
    // A process that dies leaves the mark, and nobody takes the notice again.
    service.database.run("UPDATE notices SET status = 'sending', due_at = 0").await;
    assert_eq!(notices.take(jiff::Timestamp::now()).await.unwrap(), None);
    assert_eq!(mails.lock().unwrap().len(), 1);
    service.stop().await;
}
