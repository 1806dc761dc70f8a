//! Limits of plans: what is refused, what is stored all the same, and that additions at the same moment see
//! each other.

use frontdesk_store::{
    Account, ContactError, ContactUpdate, CreateChatbotError, ImportedContact, NewChatbot, NewPage,
    NewWebpage, PLAN_LIMIT_REASON, PageFinish, PageRequest, PageStatus, PageVisit, PlanLimitReached,
    PlanLimits, PlanResource, PushedPage, ResourceLimits, ResourceUse, Store, VisitOutcome, WebpageContent,
    WebpageError, WebsiteError, WebsiteSource,
};
use serde_json::json;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, chatbot, chunk, claim, job, new_website, outcome};

on_both_databases!(
    chatbots_are_limited_even_when_many_are_created_at_once,
    contacts_are_limited_except_those_who_write,
    pages_are_limited_even_when_many_are_added_at_once,
    a_crawl_stops_storing_at_the_limit,
    each_plan_and_each_account_has_its_own_limits,
);

fn limited(database: &Database, growth: ResourceLimits) -> Store {
    database.store.clone().with_plan_limits(PlanLimits { growth, ..PlanLimits::default() })
}

fn no_chatbots_beyond(limit: u64) -> ResourceLimits {
    ResourceLimits { chatbots: Some(limit), ..ResourceLimits::default() }
}

fn no_pages_beyond(limit: u64) -> ResourceLimits {
    ResourceLimits { webpages: Some(limit), ..ResourceLimits::default() }
}

fn no_contacts_beyond(limit: u64) -> ResourceLimits {
    ResourceLimits { contacts: Some(limit), ..ResourceLimits::default() }
}

fn new_chatbot(name: &str, urls: &[&str]) -> NewChatbot {
    NewChatbot {
        name: name.into(),
        language: None,
        settings: json!({}),
        pages: urls.iter().map(|url| NewPage::root(*url)).collect(),
        job: job("crawl_website"),
    }
}

fn email(address: &str) -> ContactUpdate {
    ContactUpdate { email: Some(Some(address.into())), ..ContactUpdate::default() }
}

fn webpage(url: &str) -> NewWebpage {
    NewWebpage { url: url.into(), custom_title: None, tag_ids: Vec::new() }
}

fn content() -> WebpageContent {
    let chunks = vec![chunk("Shop", "tulips")];
    WebpageContent { title: "Shop".into(), content_hash: "hash".into(), language: None, chunks }
}

async fn used(store: &Store, account: &Account) -> (u64, u64, u64) {
    let plan = store.plan_uses().of(account.account_id).await.unwrap().unwrap();
    (plan.chatbots.used, plan.webpages.used, plan.contacts.used)
}

async fn chatbots_are_limited_even_when_many_are_created_at_once(database: &Database) {
    let store = limited(database, no_chatbots_beyond(3));
    let account = account(&store, "One").await;
    let scope = account.scope();
    for name in ["a", "b"] {
        store.chatbots().create(&scope, &new_chatbot(name, &[]), at(1)).await.unwrap();
    }
    let creating: Vec<_> = (0..20)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let url = format!("https://{number}.example/");
                store.chatbots().create(&scope, &new_chatbot("c", &[&url]), at(2)).await
            })
        })
        .collect();
    let mut made = Vec::new();
    for task in creating {
        match task.await.unwrap() {
            Ok(chatbot) => made.push(chatbot.chatbot_id),
            Err(CreateChatbotError::PlanLimit(reached)) => {
                assert_eq!(reached, PlanLimitReached { resource: PlanResource::Chatbots, limit: 3 });
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(made.len(), 1);
    assert_eq!(used(&store, &account).await, (3, 1, 0), "what was refused has left nothing");
    assert!(store.chatbots().delete(&scope, made[0]).await.unwrap());
    store.chatbots().create(&scope, &new_chatbot("d", &[]), at(3)).await.unwrap();
}

async fn contacts_are_limited_except_those_who_write(database: &Database) {
    let store = limited(database, no_contacts_beyond(3));
    let account = account(&store, "One").await;
    let scope = account.scope();
    let contacts = store.contacts();
    let first = contacts.create(&scope, &email("a@a.example"), at(1)).await.unwrap().unwrap();
    contacts.create(&scope, &email("b@a.example"), at(1)).await.unwrap();
    let creating: Vec<_> = (0..20)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let new = email(&format!("{number}@a.example"));
                match number % 2 {
                    0 => store.contacts().create(&scope, &new, at(2)).await.map(drop),
                    _ => {
                        let key = frontdesk_store::ContactKey::Email;
                        store.contacts().upsert_by_key(&scope, key, &new, at(2)).await.map(drop)
                    }
                }
            })
        })
        .collect();
    let mut made = 0;
    for task in creating {
        match task.await.unwrap() {
            Ok(()) => made += 1,
            Err(ContactError::PlanLimit(PlanLimitReached { resource: PlanResource::Contacts, limit: 3 })) => {
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(made, 1);
    // Somebody who writes is never refused, and what is known can be changed.
    contacts.upsert(&scope, &claim("visitor@a.example"), at(3)).await.unwrap().unwrap();
    let key = frontdesk_store::ContactKey::Email;
    let (again, is_new) =
        contacts.upsert_by_key(&scope, key, &email("a@a.example"), at(3)).await.unwrap().unwrap();
    assert_eq!((again.contact_id, is_new), (first.contact_id, false));
    assert_eq!(used(&store, &account).await, (0, 0, 4));
    // An import takes the room that there is, line by line.
    contacts.erase(&scope, first.contact_id, at(4)).await.unwrap();
    let room =
        store.clone().with_plan_limits(PlanLimits { growth: no_contacts_beyond(4), ..PlanLimits::default() });
    let rows = ["new1@a.example", "visitor@a.example", "new2@a.example", "new3@a.example"]
        .map(|address| ImportedContact { update: email(address), is_customer: false });
    let outcomes = room.contacts().import(&scope, &rows, at(5)).await.unwrap().unwrap();
    let outcomes: Vec<_> =
        outcomes.into_iter().map(|outcome| outcome.map(|(_, is_new)| is_new).ok()).collect();
    assert_eq!(outcomes, [Some(true), Some(false), None, None]);
    assert_eq!(used(&store, &account).await, (0, 0, 4));
}

async fn pages_are_limited_even_when_many_are_added_at_once(database: &Database) {
    let store = limited(database, no_pages_beyond(4));
    let account = account(&store, "One").await;
    let scope = account.scope();
    // The limit is that of the account: the pages of both chatbots count.
    let bots = [chatbot(&store, &scope, "one").await, chatbot(&store, &scope, "two").await];
    store
        .webpages()
        .create(&scope, bots[0].chatbot_id, &webpage("https://a.example/"), |_| job("x"), at(2))
        .await
        .unwrap();
    let adding: Vec<_> = (0..20)
        .map(|number| {
            let (store, bot) = (store.clone(), bots[number % 2].chatbot_id);
            tokio::spawn(async move {
                let url = format!("https://a.example/{number}");
                match number % 3 {
                    0 => {
                        let pushed =
                            PushedPage { url, custom_title: None, content: content(), tag_ids: None };
                        store.webpages().push(&scope, bot, &pushed, at(3)).await.map(drop)
                    }
                    1 => store
                        .webpages()
                        .create(&scope, bot, &webpage(&url), |_| job("x"), at(3))
                        .await
                        .map(drop),
                    _ => {
                        let new = new_website(&url, Vec::new());
                        match store.websites().create(&scope, bot, &new, at(3)).await {
                            Ok(_) => Ok(()),
                            Err(WebsiteError::PlanLimit(reached)) => Err(reached.into()),
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
            })
        })
        .collect();
    let mut made = 0;
    for task in adding {
        match task.await.unwrap() {
            Ok(()) => made += 1,
            Err(WebpageError::PlanLimit(PlanLimitReached { resource: PlanResource::Webpages, limit: 4 })) => {
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(made, 1);
    assert_eq!(used(&store, &account).await.1, 4);
    let sitemap = frontdesk_store::NewWebsite {
        source: WebsiteSource::Sitemap,
        ..new_website("https://a.example/sitemap.xml", Vec::new())
    };
    let refused = store.websites().create(&scope, bots[0].chatbot_id, &sitemap, at(4)).await;
    assert!(matches!(refused, Err(WebsiteError::PlanLimit(_))), "{refused:?}");
    let refused = store.chatbots().create(&scope, &new_chatbot("c", &["https://c.example/"]), at(4)).await;
    assert!(matches!(refused, Err(CreateChatbotError::PlanLimit(_))), "{refused:?}");
    assert_eq!(store.chatbots().list(&scope).await.unwrap().len(), 2);
    // What is there can be replaced.
    let pages = store.webpages().list(&scope, bots[0].chatbot_id, None, None, 10).await.unwrap();
    let url = pages[0].url.clone();
    let pushed = PushedPage { url, custom_title: None, content: content(), tag_ids: None };
    store.webpages().push(&scope, bots[0].chatbot_id, &pushed, at(5)).await.unwrap();
    assert_eq!(used(&store, &account).await.1, 4);
}

async fn a_crawl_stops_storing_at_the_limit(database: &Database) {
    let store = limited(database, no_pages_beyond(2));
    let account = account(&store, "One").await;
    let scope = account.scope();
    let bot = chatbot(&store, &scope, "one").await.chatbot_id;
    let websites = store.websites();
    let page = websites.page(&scope, bot, None, None, &PageRequest::first(10)).await;
    let website = page.unwrap().items.remove(0);
    let found: Vec<_> = (0..3)
        .map(|number| NewPage { depth: 1, ..NewPage::root(format!("https://one.example/{number}")) })
        .collect();
    websites.add_pages(&scope, &website, &found, 100, at(2)).await.unwrap();
    let mut results = Vec::new();
    while let Some(page) = websites.next_page(&scope, website.website_id).await.unwrap() {
        let mut found = outcome(vec![chunk("Shop", "tulips")]);
        found.content_hash = Some(page.url.clone());
        found.links = vec![NewPage { depth: 2, ..NewPage::root(format!("{}/below", page.url)) }];
        found.links.retain(|_| page.depth == 1);
        let visit = PageVisit {
            outcome: found,
            result: VisitOutcome::Ready,
            validators: Some((Some("\"1\"".into()), None)),
        };
        results.push(websites.finish_page(&scope, &page, &visit, at(3)).await.unwrap());
    }
    let over = PageFinish::OverPlan;
    // The link of the second page was stored, those of skipped pages were not.
    assert_eq!(results, [PageFinish::Stored, PageFinish::Stored, over, over, over]);
    assert_eq!(used(&store, &account).await.1, 2);
    let report = websites.report(&scope, website.website_id, None, &PageRequest::first(10)).await.unwrap();
    let skipped = report.items.iter().filter(|entry| entry.reason.as_deref() == Some(PLAN_LIMIT_REASON));
    assert_eq!(skipped.count(), 3);
    let pages = store.webpages().list(&scope, bot, Some(PageStatus::Skipped), None, 10).await.unwrap();
    assert!(
        pages.iter().all(|page| page.chunk_count == 0 && page.content_hash.is_none() && page.etag.is_none())
    );
    websites.finish(&scope, website.website_id, None, at(4)).await.unwrap();
    // With more room, the next crawl reads them.
    let failed = frontdesk_store::CrawlScope::Failed;
    let again = websites.recrawl(&scope, &website, failed, &job("crawl_website"), None, at(5)).await;
    assert!(again.unwrap().is_some());
    let roomy = store.clone().with_plan_limits(PlanLimits::default());
    let page = roomy.websites().next_page(&scope, website.website_id).await.unwrap().unwrap();
    let visit = PageVisit {
        outcome: outcome(vec![chunk("Shop", "roses")]),
        result: VisitOutcome::Ready,
        validators: None,
    };
    assert_eq!(roomy.websites().finish_page(&scope, &page, &visit, at(6)).await.unwrap(), PageFinish::Stored);
    assert_eq!(used(&store, &account).await.1, 3);
}

async fn each_plan_and_each_account_has_its_own_limits(database: &Database) {
    let store = limited(database, no_chatbots_beyond(1));
    let (one, two) = (account(&store, "One").await, account(&store, "Two").await);
    for account in [&one, &two] {
        store.chatbots().create(&account.scope(), &new_chatbot("a", &[]), at(1)).await.unwrap();
    }
    assert!(store.chatbots().create(&one.scope(), &new_chatbot("b", &[]), at(1)).await.is_err());
    let unlimited = database.store.clone();
    unlimited.chatbots().create(&one.scope(), &new_chatbot("b", &[]), at(1)).await.unwrap();
    let shown = store.plan_uses().of(one.account_id).await.unwrap().unwrap();
    assert_eq!(shown.chatbots, ResourceUse { used: 2, limit: Some(1) });
    assert_eq!(shown.contacts, ResourceUse { used: 0, limit: None });
    assert_eq!(store.plan_uses().of(Uuid::nil()).await.unwrap(), None);
}
