//! [`Site`]: a website on this machine, well-behaved or hostile.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
};

/// How a page is answered.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    manner: Manner,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    AtOnce,
    /// Only while the site's gate is open.
    Gated,
    /// After a while.
    Late(Duration),
    /// Byte after byte, and never to the end.
    Dripping,
}

impl Page {
    /// A page as people write it.
    pub(crate) fn html(title: &str, main: &str) -> Self {
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
             <body><main><h1>{title}</h1>{main}</main></body></html>"
        );
        Self::bytes("text/html; charset=utf-8", html)
    }

    pub(crate) fn bytes(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: "200 OK",
            headers: vec![("Content-Type", media_type.to_owned())],
            body: body.into(),
            manner: Manner::AtOnce,
        }
    }

    pub(crate) fn redirect(to: impl Into<String>) -> Self {
        Self {
            status: "302 Found",
            headers: vec![("Location", to.into())],
            body: Vec::new(),
            manner: Manner::AtOnce,
        }
    }

    pub(crate) fn missing() -> Self {
        Self { status: "404 Not Found", headers: Vec::new(), body: Vec::new(), manner: Manner::AtOnce }
    }

    pub(crate) fn server_error() -> Self {
        Self { status: "500 Internal Server Error", ..Self::missing() }
    }

    /// A page that the visitor has already.
    pub(crate) fn not_modified() -> Self {
        Self { status: "304 Not Modified", ..Self::missing() }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn gated(self) -> Self {
        Self { manner: Manner::Gated, ..self }
    }

    pub(crate) fn late(self, by: Duration) -> Self {
        Self { manner: Manner::Late(by), ..self }
    }

    pub(crate) fn dripping(self) -> Self {
        Self { manner: Manner::Dripping, ..self }
    }
}

/// A site on a port of its own. It stops when it is dropped.
pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

/// Makes up a page for a path with its query and the head of the request.
type Answer = Box<dyn Fn(&str, &str) -> Page + Send + Sync>;

struct Shared {
    answer: Answer,
    reads: Mutex<BTreeMap<String, usize>>,
    gate: Semaphore,
    waiting: watch::Sender<bool>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Site {
    /// A site of these pages.
    pub(crate) async fn of(pages: impl IntoIterator<Item = (&'static str, Page)>) -> Self {
        let pages: BTreeMap<&str, Page> = pages.into_iter().collect();
        Self::answering(move |path| pages.get(path).cloned().unwrap_or_else(Page::missing)).await
    }

    /// A site that makes up its pages; it is given the path with its query.
    pub(crate) async fn answering(answer: impl Fn(&str) -> Page + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1", answer).await
    }

    /// A site at another address of this machine.
    pub(crate) async fn at(host: &str, answer: impl Fn(&str) -> Page + Send + Sync + 'static) -> Self {
        Self::serving(host, move |path, _| answer(path)).await
    }

    /// A site that makes up its pages; it is given the path with its query, and the head of the request.
    pub(crate) async fn conversing(answer: impl Fn(&str, &str) -> Page + Send + Sync + 'static) -> Self {
        Self::serving("127.0.0.1", answer).await
    }

    async fn serving(host: &str, answer: impl Fn(&str, &str) -> Page + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            reads: Mutex::default(),
            gate: Semaphore::new(0),
            waiting: watch::Sender::new(false),
        });
        let serving = Arc::clone(&shared);
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = Arc::clone(&serving);
                // The site ignores visitors that disconnect.
                tokio::spawn(async move { serving.serve(stream).await.ok() });
            }
        });
        Self { address, shared, server }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How often each path has been asked for.
    pub(crate) fn reads(&self) -> BTreeMap<String, usize> {
        self.shared.reads.lock().unwrap().clone()
    }

    /// Returns once a visitor waits at a gated page.
    pub(crate) async fn someone_is_at_the_gate(&self) {
        self.shared.waiting.subscribe().wait_for(|waiting| *waiting).await.unwrap();
    }

    pub(crate) fn open_the_gate(&self) {
        self.shared.gate.add_permits(Semaphore::MAX_PERMITS / 2);
    }
}

impl Shared {
    async fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut request = Vec::new();
        while !request.windows(4).any(|window| window == b"\r\n\r\n") {
            if stream.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        let head = String::from_utf8_lossy(&request);
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        *self.reads.lock().unwrap().entry(path.clone()).or_default() += 1;
        let page = (self.answer)(&path, &head);
        if page.manner == Manner::Gated {
            self.waiting.send_replace(true);
            drop(self.gate.acquire().await);
        }
        if let Manner::Late(by) = page.manner {
            tokio::time::sleep(by).await;
        }
        let mut head = format!("HTTP/1.1 {}\r\nConnection: close\r\n", page.status);
        for (name, value) in &page.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if page.manner == Manner::Dripping {
            stream.write_all(format!("{head}\r\n").as_bytes()).await?;
            for byte in page.body.iter().cycle() {
                stream.write_all(&[*byte]).await?;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", page.body.len()));
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&page.body).await?;
        stream.shutdown().await
    }
}

/// The website of a bakery: what the tests ask about.
pub(crate) async fn bakery() -> Site {
    Site::answering(bakery_page).await
}

/// A page of the bakery.
pub(crate) fn bakery_page(path: &str) -> Page {
    match path {
        "/" => Page::html(
            "Blue Door Bakery",
            "<p>Blue Door Bakery bakes bread and cakes in the old town of Bristol.</p>\
             <ul><li><a href=\"/delivery\">Delivery</a></li><li><a href=\"/opening-hours\">Opening hours</a></li>\
             <li><a href=\"/courses\">Baking courses</a></li><li><a href=\"/returns\">Returns</a></li></ul>",
        ),
        "/delivery" => Page::html(
            "Delivery",
            "<h2>Delivery costs</h2><p>Delivery within ten miles costs 4.90 pounds. \
             Delivery is free for orders above 40 pounds. Delivery vans leave the bakery at six in the morning. \
             Delivery to offices needs a phone number of the reception. \
             Delivery on a public holiday is not possible.</p>",
        ),
        "/opening-hours" => Page::html(
            "Opening hours",
            "<p>On weekdays the shop is open from 7 am to 6 pm. On Saturday the shop is open from 8 am to 2 pm. \
             The shop is closed on Sunday.</p>",
        ),
        "/courses" => Page::html(
            "Baking courses",
            "<p>The sourdough course takes one evening and costs 65 pounds. \
             Students receive a discount of 15 percent on every course.</p>",
        ),
        "/returns" => Page::html(
            "Returns",
            "<p>Cakes can be cancelled free of charge until two days before collection.</p>",
        ),
        _ => Page::missing(),
    }
}
