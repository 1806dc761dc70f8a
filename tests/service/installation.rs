//! [`Installation`]: the service in the test's own process, and its clients.

use std::net::SocketAddr;

use frontdesk_client::{
    Client, Error, ResponseValue, RetryPolicy,
    model::{Chatbot, ChatbotStatus, NewChatbot},
};
use frontdesk_service::{
    Clock, Running,
    config::{Config, SearchModel},
    start_with_clock,
};
use frontdesk_store::Redacted;
use frontdesk_testkit::postgres::CONNECTIONS;
use uuid::Uuid;

use crate::{
    database::{Customer, Database},
    patience::until,
    site::Site,
};

/// Where the sites of the tests are; every other address of this machine stays closed to the crawler.
pub(crate) const SITES: &str = "127.0.0.1/32";
/// So often nobody calls.
pub(crate) const UNLIMITED: u32 = 1_000_000;

/// The service on a free port.
pub(crate) struct Installation {
    pub(crate) running: Running,
    pub(crate) database: Database,
    /// The content of uploaded files.
    pub(crate) files: tempfile::TempDir,
}

impl Installation {
    /// A service that crawls this machine without pauses and has no limits that a test could meet by
    /// accident.
    pub(crate) async fn start(database: Database) -> Self {
        Self::start_with(database, |_| {}).await
    }

    pub(crate) async fn start_with(database: Database, configure: impl FnOnce(&mut Config)) -> Self {
        Self::start_at(database, Clock::system(), configure).await
    }

    /// A service with a clock of the test.
    pub(crate) async fn start_at(
        database: Database,
        clock: Clock,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = Config { database: Redacted::new(database.url.clone()), ..Config::default() };
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.database_connections = CONNECTIONS;
        config.training.allow_networks = vec![SITES.parse().unwrap()];
        config.training.delay = std::time::Duration::ZERO;
        // Whether vectors exist already would depend on the speed of the machine.
        config.search.model = SearchModel::None;
        // This process is a test, which reads no files.
        config.files.extractor = Some(env!("CARGO_BIN_EXE_frontdesk-under-test").into());
        let files = tempfile::tempdir().unwrap();
        config.files.directory = Some(files.path().to_owned());
        config.limits.requests_per_key = UNLIMITED;
        config.limits.failed_attempts = UNLIMITED;
        config.limits.replies_per_client = UNLIMITED;
        config.limits.replies_per_chatbot = UNLIMITED;
        config.limits.form_requests_per_client = UNLIMITED;
        config.limits.submissions_per_form = UNLIMITED;
        config.limits.widget_requests_per_client = UNLIMITED;
        config.limits.sessions_per_client = UNLIMITED;
        config.limits.sessions_per_widget = UNLIMITED;
        config.limits.requests_per_visitor = UNLIMITED;
        config.limits.messages_per_visitor = UNLIMITED;
        config.limits.messages_per_client = UNLIMITED;
        config.limits.messages_per_visitor_and_hour = UNLIMITED;
        config.limits.visitor_percent_per_day = 100;
        config.limits.concurrent_replies = UNLIMITED;
        config.webhooks.allow_networks = vec![SITES.parse().unwrap()];
        config.webhooks.allow_http = true;
        config.webhooks.tests_per_minute = UNLIMITED;
        // What hangs in a test is not waited for when it ends.
        config.jobs.drain_timeout = std::time::Duration::from_secs(2);
        config.channels.allow_networks = vec![SITES.parse().unwrap()];
        config.channels.poll_interval = std::time::Duration::from_millis(200);
        configure(&mut config);
        let running = start_with_clock(config, clock).await.unwrap();
        Self { running, database, files }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address
    }

    pub(crate) fn client(&self, customer: &Customer) -> Client {
        client(self.address(), &customer.key.text)
    }

    /// Stops the service, and returns its database for another one.
    pub(crate) async fn stop_for_another(self) -> Database {
        self.running.shutdown().await;
        self.database
    }

    pub(crate) async fn stop(self) {
        self.running.shutdown().await;
        self.database.store.close().await;
    }
}

/// A client that holds a key and never asks twice.
pub(crate) fn client(address: SocketAddr, key: &str) -> Client {
    Client::builder(format!("http://{address}")).bearer(key).retry(RetryPolicy::NEVER).build().unwrap()
}

/// A client without a key.
pub(crate) fn anonymous(address: SocketAddr) -> Client {
    Client::builder(format!("http://{address}")).retry(RetryPolicy::NEVER).build().unwrap()
}

/// A chatbot in English that is to learn these addresses.
pub(crate) fn chatbot_for(name: &str, addresses: &[String]) -> NewChatbot {
    NewChatbot::new(name, name, addresses).language("en")
}

/// A chatbot that has learned a site.
pub(crate) async fn learned(client: &Client, site: &Site) -> Uuid {
    let created = client.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
    let trained = trained(client, created.chatbot_id.uuid()).await;
    assert_eq!(trained.status, ChatbotStatus::Ready, "{trained:?}");
    trained.chatbot_id.uuid()
}

/// The chatbot once its training has ended.
pub(crate) async fn trained(client: &Client, chatbot_id: Uuid) -> Chatbot {
    until("the training ends", async || {
        let chatbot = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
        (chatbot.status != ChatbotStatus::Training).then_some(chatbot)
    })
    .await
}

/// The status of an answer, whatever else it holds.
pub(crate) fn status<T, E: std::fmt::Debug>(outcome: &Result<ResponseValue<T>, Error<E>>) -> u16 {
    match outcome {
        Ok(answer) => answer.status().as_u16(),
        Err(error) => error.status().unwrap_or_else(|| panic!("there was no answer: {error:?}")).as_u16(),
    }
}
