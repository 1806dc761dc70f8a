//! Websites and webpages: what is crawled, what a sitemap lists, and single pages.

use released_client::model::{
    CrawlOutcome, NewMessage, NewWebpage, NewWebpages, NewWebsite, Recrawl, RecrawlOnly, SitemapImport,
    TrainingStatus, Webpage, WebpageId, WebpageUpdate, Website, WebsiteId, WebsiteSource, WebsiteStatus,
    WebsiteUpdate,
};

use crate::{Bakery, Outcome, waiting::eventually};

/// Follows a crawl, imports a sitemap, stops a crawl, and adds single pages.
pub async fn read(bakery: &Bakery) -> Outcome {
    crawled(bakery).await?;
    sitemap(bakery).await?;
    cancelled(bakery).await?;
    let webpage_id = single_pages(bakery).await?;
    pushed(bakery).await?;
    bakery.client.webpages().delete(bakery.chatbot_id, webpage_id).await?;
    let gone = bakery.client.webpages().get(bakery.chatbot_id, webpage_id).await;
    assert!(gone.is_err_and(|error| error.is_not_found()));
    Ok(())
}

/// The website of the chatbot, which is crawled again.
async fn crawled(bakery: &Bakery) -> Outcome {
    let (websites, chatbot_id) = (bakery.client.websites(), bakery.chatbot_id);
    let listed = websites.list(chatbot_id).status(WebsiteStatus::Ready).await?.into_inner().websites;
    let [website] = &*listed else { return Err(format!("{listed:?}").into()) };
    let id = website.website_id;
    assert_eq!((&*website.url, &website.source_type), (&*bakery.surroundings.site, &WebsiteSource::Crawl));

    let update = WebsiteUpdate::new().exclude_paths(["/returns"]);
    assert_eq!(websites.update(chatbot_id, id, update).await?.exclude_paths, ["/returns"]);
    let recrawled = websites.recrawl(chatbot_id, id, Recrawl::new().only(RecrawlOnly::All)).await?;
    assert_eq!(recrawled.status(), 202);
    let website = ended(bakery, id).await?;
    assert_eq!((&website.status, website.pages_failed), (&WebsiteStatus::Ready, 0), "{website:?}");

    // A list of any length can be read entry by entry; the client fetches the pages.
    let mut report = websites.get_crawl_report(chatbot_id, id).limit(2).stream();
    let mut skipped = Vec::new();
    while let Some(entry) = report.next().await {
        let entry = entry?;
        if entry.outcome == CrawlOutcome::Skipped {
            skipped.push(entry.url);
        }
    }
    assert_eq!(skipped, [bakery.surroundings.page("returns")]);
    Ok(())
}

/// Pages that nothing links to.
async fn sitemap(bakery: &Bakery) -> Outcome {
    let (client, chatbot_id) = (&bakery.client, bakery.chatbot_id);
    let import = SitemapImport::new(bakery.surroundings.page("pages.xml")).url_filter("/cakes/**");
    let imported = client.websites().import_sitemap(chatbot_id, import).await?.into_inner();
    assert_eq!(imported.source_type, WebsiteSource::Sitemap);
    let website = ended(bakery, imported.website_id).await?;
    assert_eq!((&website.status, website.pages_ready), (&WebsiteStatus::Ready, 2), "{website:?}");
    let answer =
        client.messages().send(chatbot_id, NewMessage::new("What does the carrot cake cost?")).await?;
    assert!(answer.response.contains("28 pounds"), "{answer:?}");

    let pages = client.webpages().list(chatbot_id).website_id(website.website_id).await?;
    assert_eq!(pages.webpages.len(), 2);
    client.websites().delete(chatbot_id, website.website_id).await?;
    let left = client.webpages().list(chatbot_id).q("/cakes/").await?;
    assert!(left.webpages.is_empty(), "{left:?}");
    Ok(())
}

/// A crawl that takes too long is stopped.
async fn cancelled(bakery: &Bakery) -> Outcome {
    let (websites, chatbot_id) = (bakery.client.websites(), bakery.chatbot_id);
    let new = NewWebsite::new(bakery.surroundings.page("archive/")).max_pages(10);
    let website = websites.create(chatbot_id, new).await?.into_inner();
    assert!(matches!(website.status, WebsiteStatus::Pending | WebsiteStatus::Crawling), "{website:?}");
    let stopped = websites.cancel_crawl(chatbot_id, website.website_id).await?;
    assert_eq!(stopped.status, WebsiteStatus::Cancelled);
    assert_eq!(websites.get(chatbot_id, website.website_id).await?.status, WebsiteStatus::Cancelled);
    websites.delete(chatbot_id, website.website_id).await?;
    Ok(())
}

/// Single pages, which are fetched without following their links.
async fn single_pages(bakery: &Bakery) -> Outcome<WebpageId> {
    let (webpages, chatbot_id) = (bakery.client.webpages(), bakery.chatbot_id);
    let carrot = bakery.surroundings.page("cakes/carrot");
    let added = webpages.create_webpages(chatbot_id, NewWebpages::new([&*carrot, "no address"])).await?;
    assert_eq!((added.webpages.len(), &*added.rejected[0].url), (1, "no address"), "{added:?}");
    let id = added.webpages[0].webpage_id;
    let fetched = ready(bakery, id).await?;
    assert_eq!((fetched.title.as_deref(), fetched.website_id), (Some("Carrot cake"), None));
    let alone = webpages.list(chatbot_id).standalone(true).await?;
    assert_eq!(alone.webpages.len(), 1);

    let content = webpages.get_content(chatbot_id, id).await?;
    assert!(content.text.contains("28 pounds") && !content.chunks.is_empty(), "{content:?}");
    let refreshed = webpages.refresh(chatbot_id, id).await?;
    assert_eq!(refreshed.webpage_id, id);
    let fetched_at = fetched.last_fetched_at;
    eventually("the page is fetched again", async || {
        let page = webpages.get(chatbot_id, id).await?;
        Ok((page.last_fetched_at > fetched_at).then_some(()))
    })
    .await?;
    let update = WebpageUpdate::new().title("Our carrot cake").enabled(false);
    let updated = webpages.update(chatbot_id, id, update).await?;
    assert_eq!((updated.title.as_deref(), updated.enabled), (Some("Our carrot cake"), false));
    Ok(id)
}

/// A page that the crawler cannot reach is sent with its content.
async fn pushed(bakery: &Bakery) -> Outcome {
    let (client, chatbot_id) = (&bakery.client, bakery.chatbot_id);
    let page = |hour: &str| {
        NewWebpage::new("https://intranet.bakery.example/oven").title("The old oven").html(format!(
            "<main><h1>The old oven</h1><p>The old oven is lit at {hour} in the morning.</p></main>"
        ))
    };
    let pushed = client.webpages().create(chatbot_id, page("three")).await?;
    assert_eq!((pushed.status().as_u16(), &pushed.status), (201, &TrainingStatus::Ready));
    let replaced = client.webpages().create(chatbot_id, page("two")).await?;
    assert_eq!((replaced.status().as_u16(), replaced.webpage_id), (200, pushed.webpage_id));
    let answer = client.messages().send(chatbot_id, NewMessage::new("When is the old oven lit?")).await?;
    assert!(answer.response.contains("lit at two"), "{answer:?}");
    client.webpages().delete(chatbot_id, pushed.webpage_id).await?;
    Ok(())
}

/// Waits until a crawl has ended.
async fn ended(bakery: &Bakery, website_id: WebsiteId) -> Outcome<Website> {
    eventually("the crawl has ended", async || {
        let website = bakery.client.websites().get(bakery.chatbot_id, website_id).await?.into_inner();
        let busy = [WebsiteStatus::Pending, WebsiteStatus::Crawling, WebsiteStatus::Processing];
        Ok((!busy.contains(&website.status)).then_some(website))
    })
    .await
}

/// Waits until a page is fetched.
async fn ready(bakery: &Bakery, webpage_id: WebpageId) -> Outcome<Webpage> {
    eventually("the page is fetched", async || {
        let page = bakery.client.webpages().get(bakery.chatbot_id, webpage_id).await?.into_inner();
        Ok((page.status == TrainingStatus::Ready).then_some(page))
    })
    .await
}
