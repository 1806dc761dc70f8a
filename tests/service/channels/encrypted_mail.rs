//! Mail servers that are spoken to over TLS, from the first byte or after `STARTTLS`: the certificate is
//! verified before the login is sent.

use std::sync::{Arc, Mutex};

use base64::{Engine, engine::general_purpose::STANDARD};
use frontdesk_client::{
    Client,
    model::{
        ConnectionSecurity, EmailChannelSettings, InboxMessage, MailServerSettings, NewContact, NewThread,
    },
};
use frontdesk_store::Plan;
use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use super::email_channel;
use crate::{
    database::Database,
    endurance::restart,
    installation::{SITES, client},
    mail_server::{Conversation, Said, verb},
    on_both_databases,
    patience::until,
    process::Process,
};

on_both_databases!(replies_go_over_tls_and_starttls_to_trusted_servers_only);

/// What a server was told once the connection was encrypted, and before.
#[derive(Clone, Default)]
struct Heard {
    encrypted: Arc<Mutex<Vec<String>>>,
    plain: Arc<Mutex<Vec<String>>>,
}

/// Starts a server that speaks TLS, from the first byte or after `STARTTLS`. Returns its port and its
/// certificate.
async fn start(is_implicit: bool, heard: &Heard) -> (u16, String) {
    let generated = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(generated.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config =
        config.with_no_client_auth().with_single_cert(vec![generated.cert.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = heard.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, heard) = (acceptor.clone(), heard.clone());
            // A client that does not trust the server leaves.
            tokio::spawn(async move { drop(serve(stream, is_implicit, &acceptor, &heard).await) });
        }
    });
    (port, generated.cert.pem())
}

async fn serve(
    mut stream: TcpStream,
    is_implicit: bool,
    acceptor: &TlsAcceptor,
    heard: &Heard,
) -> std::io::Result<()> {
    if !is_implicit {
        let mut plain = Conversation::new(&mut stream);
        plain.reply("220 mail.example ESMTP").await?;
        converse(&mut plain, "250-mail.example\r\n250 STARTTLS", &heard.plain).await?;
    }
    let mut encrypted = Conversation::new(acceptor.accept(stream).await?);
    if is_implicit {
        encrypted.reply("220 mail.example ESMTP").await?;
    }
    converse(&mut encrypted, "250-mail.example\r\n250 AUTH PLAIN LOGIN", &heard.encrypted).await
}

/// Speaks SMTP until the connection ends or is to be encrypted.
async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    conversation: &mut Conversation<S>,
    offers: &str,
    heard: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    while let Some(said) = conversation.next().await? {
        let reply = match said {
            Said::Text(text) => {
                heard.lock().unwrap().extend(text.lines().map(str::to_owned));
                "250 accepted"
            }
            Said::Command(command) => {
                heard.lock().unwrap().push(command.clone());
                match &*verb(&command) {
                    "EHLO" => offers,
                    "STARTTLS" => return conversation.reply("220 go on").await,
                    "AUTH" => "235 welcome",
                    _ => "250 ok",
                }
            }
        };
        conversation.reply(reply).await?;
    }
    Ok(())
}

/// Sends a message by a server. Returns its thread and its id.
async fn send(client: &Client, port: u16, security: ConnectionSecurity) -> (uuid::Uuid, uuid::Uuid) {
    let smtp =
        MailServerSettings::new("127.0.0.1", i64::from(port), security).user("shop").password("hunter2");
    let settings = EmailChannelSettings::new().address("shop@acme.example").smtp(smtp);
    let channel = email_channel(client, "Support", settings).await;
    let contact = client.contacts().create(NewContact::new().email("sam@customer.example")).await;
    let contact_id = match contact {
        Ok(contact) => contact.contact_id,
        Err(_) => client.contacts().list().await.unwrap().contacts[0].contact_id,
    };
    let new = NewThread::new(channel.channel_id, contact_id, "It is ready.").subject("Repair".to_owned());
    let thread = client.inbox().create_thread(new).await.unwrap().into_inner();
    (thread.thread_id.uuid(), thread.messages.as_ref().unwrap()[0].message_id.uuid())
}

async fn replies_go_over_tls_and_starttls_to_trusted_servers_only(database: Database) {
    let (implicit, later) = (Heard::default(), Heard::default());
    let (implicit_port, one) = start(true, &implicit).await;
    let (later_port, other) = start(false, &later).await;
    let roots = database.folder().join("roots.pem");
    std::fs::write(&roots, format!("{one}\n{other}")).unwrap();
    let customer = database.customer("acme", Plan::Growth).await;
    let network = ["--channel-allow-network", SITES];
    let trusting = [("SSL_CERT_FILE", roots.to_str().unwrap())];
    let process = Process::start_in(&database, &network, &trusting);
    let talking = client(process.address, &customer.key.text);
    let login = format!("AUTH PLAIN {}", STANDARD.encode("\0shop\0hunter2"));
    for (port, security, heard) in [
        (implicit_port, ConnectionSecurity::Tls, &implicit),
        (later_port, ConnectionSecurity::Starttls, &later),
    ] {
        let (thread_id, message_id) = send(&talking, port, security.clone()).await;
        until("the reply is sent", async || {
            let all =
                talking.inbox().list_thread_messages(thread_id.into()).await.unwrap().into_inner().messages;
            let found: InboxMessage =
                all.into_iter().find(|message| message.message_id == message_id.into()).unwrap();
            let status = found.delivery_status.unwrap().as_str().to_owned();
            assert_ne!(status, "failed", "{security:?}: {:?}", found.delivery_error);
            (status == "sent").then_some(())
        })
        .await;
        let said = heard.encrypted.lock().unwrap().clone();
        assert_eq!(said.iter().filter(|line| **line == login).count(), 1, "{said:?}");
        assert!(said.contains(&"It is ready.".to_owned()), "{said:?}");
    }
    assert_eq!(*later.plain.lock().unwrap(), ["EHLO acme.example", "STARTTLS"]);
    process.kill();

    // Without the certificates, nobody is told the password.
    for heard in [&implicit, &later] {
        heard.encrypted.lock().unwrap().clear();
    }
    let process = restart(&database, &network).await;
    let talking = client(process.address, &customer.key.text);
    for (port, security) in
        [(implicit_port, ConnectionSecurity::Tls), (later_port, ConnectionSecurity::Starttls)]
    {
        send(&talking, port, security).await;
    }
    until("both were tried", async || {
        let jobs = process.log().iter().filter(|line| line.contains("a job failed")).count();
        (jobs >= 2).then_some(())
    })
    .await;
    for heard in [&implicit, &later] {
        assert_eq!(*heard.encrypted.lock().unwrap(), Vec::<String>::new());
    }
}
