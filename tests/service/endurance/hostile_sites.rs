//! Websites that are broken or mean harm: the crawl ends, the service goes on.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use frontdesk_client::{
    Client,
    model::{Chatbot, ChatbotStatus, NewMessage},
};
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{chatbot_for, client, learned, trained},
    patience::until,
    process::Process,
    site::{self, Page, Site},
    wire::Request,
};

/// What the bomb holds, in bytes.
const BOMB: usize = 256 << 20;

/// A page of zeros, packed.
fn bomb() -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"<html><body><p>It begins like any other page.</p>").unwrap();
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..BOMB / zeros.len() {
        packed.write_all(&zeros).unwrap();
    }
    packed.finish().unwrap()
}

/// A page for every month until the end of time, with links to the neighbors and to every day.
fn calendar(path: &str) -> Page {
    let month: u64 = path.rsplit('=').next().and_then(|month| month.parse().ok()).unwrap_or(0);
    let days: String =
        (1..=28).map(|day| format!("<a href=\"/calendar?day={day}&month={month}\">{day}</a> ")).collect();
    let next = month + 1;
    Page::html(
        &format!("Events of month {month}"),
        &format!(
            "<p>Event number {month} is a lecture on bread.</p><a href=\"/calendar?month={next}\">next</a> {days}"
        ),
    )
}

async fn asked(client: &Client, chatbot_id: Uuid, question: &str) -> String {
    client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap().response.clone()
}

fn failure(chatbot: Chatbot) -> (String, String) {
    assert_eq!(chatbot.status, ChatbotStatus::Failed, "{chatbot:?}");
    let failure = chatbot.last_error.into_value().unwrap();
    (failure.code, failure.message)
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_and_broken_sites_harm_nobody() {
    const MAX_PAGES: usize = 60;
    let database = Database::sqlite().await;
    let customer = database.customer("acme", Plan::Growth).await;
    let max_pages = MAX_PAGES.to_string();
    let more = ["--crawl-delay-milliseconds", "0", "--training-workers", "8", "--max-pages", &max_pages];
    let process = Process::start(&database, &more);
    let talking = client(process.address, &customer.key.text);
    let peaceful = learned(&talking, &site::bakery().await).await;

    let bombed = bomb();
    let slow = Site::answering(|path| match path {
        "/" => Page::html("Slow", "<p>It takes its time.</p>").dripping(),
        _ => Page::missing(),
    });
    let bomb = Site::answering(move |path| match path {
        "/" => Page::bytes("text/html", bombed.clone()).header("Content-Encoding", "gzip"),
        _ => Page::missing(),
    });
    let circle = Site::answering(|path| match path {
        "/" | "/b" => Page::redirect("/a"),
        "/a" => Page::redirect("/b"),
        _ => Page::missing(),
    });
    let spiral = Site::answering(|path| Page::redirect(format!("{path}x")));
    let endless = Site::answering(|path| match path {
        "/robots.txt" | "/sitemap.xml" => Page::missing(),
        path => calendar(path),
    });
    let broken = Site::of([(
        "/",
        Page::bytes(
            "text/html",
            "<html><head><title>Repairs</title><body><div><p>Repairs of mixers cost 25 pounds.<p>Bring the <b>receipt</i> along.\
             <table><tr><td>Mixers<td>25 pounds</div></table></p></span><script>if (a < b) { <a href='/more'>more",
        ),
    )]);
    let mislabeled = Site::of([(
        "/",
        // It says UTF-8 and is windows-1252.
        Page::bytes("text/html; charset=utf-8", {
            let html = "<title>Caf\u{e9}</title><main><p>The caf\u{e9} opens at nine. A cr\u{e8}me br\u{fb}l\u{e9}e costs \u{a3}6.</p></main>";
            html.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect::<Vec<u8>>()
        }),
    )]);
    let noise =
        Site::of([("/", Page::bytes("text/html", (0..=255).cycle().take(50_000).collect::<Vec<u8>>()))]);
    let (slow, bomb, circle, spiral) = (slow.await, bomb.await, circle.await, spiral.await);
    let (endless, broken, mislabeled, noise) = (endless.await, broken.await, mislabeled.await, noise.await);
    let sites = [&slow, &bomb, &circle, &spiral, &endless, &broken, &mislabeled, &noise];
    let mut chatbots = Vec::new();
    for site in sites {
        let new = chatbot_for("Helper", &[site.origin()]);
        chatbots.push(talking.chatbots().create(new).await.unwrap().chatbot_id);
    }
    let [of_slow, of_bomb, of_circle, of_spiral, of_endless, of_broken, of_mislabeled, of_noise] =
        chatbots[..]
    else {
        panic!("there are eight");
    };

    // All the while the others are served.
    until("the slow site is given up", async || {
        let health = Request::new("GET", "/health").send(process.address).await;
        assert_eq!(health.status, 200, "{health:?}");
        assert!(asked(&talking, peaceful, "What does delivery cost?").await.contains("4.90 pounds"));
        let chatbot = talking.chatbots().get(of_slow).await.unwrap();
        (chatbot.status != ChatbotStatus::Training).then_some(())
    })
    .await;

    let mut told = String::new();
    for (site, chatbot_id) in [(&slow, of_slow), (&bomb, of_bomb), (&circle, of_circle), (&spiral, of_spiral)]
    {
        let (code, message) = failure(trained(&talking, chatbot_id.uuid()).await);
        told.push_str(&format!("{code}: {}\n", message.replace(&site.origin(), "http://[site]/")));
    }
    insta::assert_snapshot!("hostile_sites", told);

    let chatbot = trained(&talking, of_endless.uuid()).await;
    assert_eq!(chatbot.status, ChatbotStatus::Ready);
    assert!(usize::try_from(chatbot.training_sources).unwrap() <= MAX_PAGES, "{chatbot:?}");
    let reads: usize = endless.reads().values().sum();
    assert!(reads <= 5 * MAX_PAGES + 10, "the calendar was read {reads} times");

    assert_eq!(trained(&talking, of_broken.uuid()).await.status, ChatbotStatus::Ready);
    let told = asked(&talking, of_broken.uuid(), "What do repairs of mixers cost?").await;
    assert!(told.contains("25 pounds") && !told.contains("if (a"), "{told}");
    assert_eq!(trained(&talking, of_mislabeled.uuid()).await.status, ChatbotStatus::Ready);
    let told = asked(&talking, of_mislabeled.uuid(), "What does a crème brûlée cost?").await;
    assert!(told.contains("A crème brûlée costs £6."), "{told}");
    // Whatever is made of noise, it comes to an end.
    assert_ne!(trained(&talking, of_noise.uuid()).await.status, ChatbotStatus::Training);
    assert!(asked(&talking, peaceful, "What does delivery cost?").await.contains("4.90 pounds"));
    // The bomb was not unpacked.
    assert!(process.peak_memory().is_none_or(|bytes| bytes < BOMB), "{:?}", process.peak_memory());
}
