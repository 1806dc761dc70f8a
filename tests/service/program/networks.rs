//! The crawler and the models reach separate networks.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use frontdesk_assistant::{Kind, Offer, Settings, Task};
use frontdesk_knowledge::{OutlineCell, Passage, QuestionWord, Relevance, Retrieval, SourceType, Support};
use frontdesk_outbound::{Limits, OutboundError};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;
use uuid::Uuid;

use super::harness::Installation;

/// A server on this machine that counts its requests and refuses all of them.
struct Counted {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Counted {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut head = vec![0; 64 * 1024];
                let _ = socket.read(&mut head).await;
                count.fetch_add(1, Ordering::SeqCst);
                let response =
                    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
                let _ = socket.write_all(response.as_bytes()).await;
                let _ = socket.shutdown().await;
            }
        });
        Self { port, requests }
    }

    fn url(&self, path: &str) -> Url {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn task() -> Task {
    let passage = Passage {
        chunk_id: Uuid::nil(),
        title: "Prices".into(),
        headings: String::new(),
        text: "The Pro plan costs 7 dollars per month.".into(),
        url: "https://acme.example/prices".into(),
        source_type: SourceType::Webpage,
        language: Some("en".into()),
        score: 1.0,
        relevance: Relevance { lexical: 1.0, ..Relevance::default() },
        exact_answer: false,
        outline: OutlineCell::default(),
    };
    let support = Support {
        accepted: true,
        accepted_by_words: true,
        coverage: 1.0,
        rare_match: true,
        margin: 0.5,
        words: QuestionWord::all("What does the Pro plan cost?", Some("en")),
        language: None,
        chunks: 1,
        cosines: None,
    };
    Task {
        question: "What does the Pro plan cost?".into(),
        stand_alone: None,
        history: Vec::new(),
        offer: Offer::NotMade,
        retrieval: Retrieval { passages: vec![passage], support, ..Retrieval::default() },
        settings: Settings { business_name: "Acme".into(), ..Settings::default() },
        kind: Kind::Chat,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_opened_for_one_is_closed_to_the_other() {
    for opened_for_model in [true, false] {
        let (model, website) = (Counted::start().await, Counted::start().await);
        let base_url = model.url("/v1");
        let installation = Installation::start_with(|config| {
            config.assistant.base_url = Some(base_url);
            config.assistant.model = Some("small".into());
            let networks = if opened_for_model {
                &mut config.assistant.allow_networks
            } else {
                &mut config.training.allow_networks
            };
            *networks = vec!["127.0.0.0/8".parse().unwrap()];
        })
        .await;
        let service = installation.running.service();

        let draft = service.assistant.respond(task()).await;
        assert_eq!(draft.writer, "extractive", "the model's server refuses everything");
        assert_eq!(model.requests(), usize::from(opened_for_model));

        let fetched = service.outbound.get(&website.url("/"), &[], &Limits::default()).await;
        let is_blocked = matches!(fetched, Err(OutboundError::BlockedAddress { .. }));
        assert_eq!(is_blocked, opened_for_model, "{fetched:?}");
        assert_eq!(website.requests(), usize::from(!opened_for_model));
        // The crawler must not reach the model's own address either.
        if opened_for_model {
            assert!(service.outbound.get(&model.url("/v1"), &[], &Limits::default()).await.is_err());
            assert_eq!(model.requests(), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_opened_for_models_of_files_is_closed_to_everybody_else() {
    let provider = Counted::start().await;
    let base_url = provider.url("/v1");
    let installation = Installation::start_with(|config| {
        for model in [&mut config.files.vision, &mut config.files.transcription] {
            model.base_url = Some(base_url.clone());
            model.model = Some("small".into());
            model.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
        }
    })
    .await;
    let service = installation.running.service();
    for outbound in
        [&service.outbound, &service.webhook_outbound, &service.mail_outbound, &service.messenger_outbound]
    {
        let fetched = outbound.get(&provider.url("/v1/models"), &[], &Limits::default()).await;
        assert!(fetched.is_err(), "{fetched:?}");
    }
    assert_eq!(provider.requests(), 0);
}
