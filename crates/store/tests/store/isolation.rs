//! No method shows or changes anything outside its scope.

use frontdesk_store::{
    AccountKind, Actor, AnsweredQuestion, ChatbotStatus, ContactFilter, ContactKey, ContactUpdate,
    ContentVersion, ConversationFilter, CorpusStats, CrawlProgress, CrawlScope, Day, DealActivityFilter,
    DealFilter, DealMove, DealOrder, DealPlace, DealRowUpdate, DealStatusUpdate, DealUpdate, FaqItemUpdate,
    FaqUpdate, FeedbackRating, FilesFilter, KeyHash, MemberChange, MergeError, MissedEvents, Month,
    NewAccount, NewApiKey, NewDeal, NewInvitation, NewPage, NewWebpage, PageCounts, PageRequest, PageVisit,
    Payment, Plan, PushedPage, Role, Scope, StoredVector, Subject, ThreadUpdate, User, UserStatus,
    VectorsVersion, VisitOutcome, WebhookEndpointUpdate, WebpageContent, WebpageFilter, WebpageUpdate,
    WebsiteStatus,
};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{
    MODEL, World, answer, at, candidates, charge, chunk, claim, escalation, faq_chunk, faq_item, job,
    new_website, outcome, spending, turn,
};
use uuid::Uuid;

on_both_databases!(
    another_tenant_sees_and_changes_nothing,
    an_agency_owner_reaches_sub_accounts_and_no_others,
    the_search_index_never_crosses_tenants,
);

/// The ids of the chunks of their FAQ item.
async fn theirs_chunks(database: &Database, theirs: &World) -> Vec<Uuid> {
    let (scope, bot) = (theirs.scope(), theirs.chatbot.chatbot_id);
    let found = candidates(&database.store, &scope, bot, &["courier".into()], &[], 10).await.unwrap();
    assert!(!found.is_empty());
    found.into_iter().map(|chunk| chunk.chunk_id).collect()
}

/// Every scoped method, called with ids of `theirs` in a scope that does not reach them. Afterwards
/// everything of theirs must be as before.
async fn assert_unreachable(database: &Database, scope: &Scope, own: Option<&World>, theirs: &World) {
    let store = &database.store;
    let before = theirs.everything(store).await;
    let (bot, page, tag) = (theirs.chatbot.chatbot_id, theirs.page.webpage_id, theirs.tag.tag_id);
    let (contact, conversation) = (theirs.contact.contact_id, theirs.conversation_id());
    let words = ["deliver".to_owned(), "ask".to_owned()];

    let vectors = store.vectors();
    let mut chunks = Vec::new();
    let keep = |vector: StoredVector| {
        chunks.push(vector.chunk_id);
        Ok(())
    };
    vectors.after(&theirs.scope(), bot, MODEL, 0, keep).await.unwrap();
    assert!(!chunks.is_empty());
    assert!(vectors.last(&theirs.scope(), bot, MODEL).await.unwrap() > 0);
    assert_eq!(vectors.version(scope, bot, MODEL).await.unwrap(), VectorsVersion::default());
    assert_eq!(vectors.last(scope, bot, MODEL).await.unwrap(), 0);
    vectors.after(scope, bot, MODEL, 0, |vector| panic!("{vector:?}")).await.unwrap();
    assert_eq!(vectors.segments(scope, bot, MODEL, &chunks).await.unwrap(), []);
    for chatbot_id in [Some(bot), None] {
        assert_eq!(vectors.progress(&theirs.scope(), chatbot_id, None).await.unwrap().len(), 1);
        let seen = vectors.progress(scope, chatbot_id, None).await.unwrap();
        assert!(seen.iter().all(|progress| progress.chatbot_id != bot), "{seen:?}");
    }
    assert_eq!(vectors.count_unprocessed(scope, bot, 100).await.unwrap(), 0);
    assert_eq!(store.chunks().by_ids(scope, bot, &chunks).await.unwrap(), []);
    assert!(store.search().findable(scope, bot, &chunks).await.unwrap().is_empty());
    store.search().words_after(scope, bot, 0, |words| panic!("{words:?}")).await.unwrap();
    assert!(vectors.tagged(scope, bot, &[tag]).await.unwrap().is_empty());
    assert_eq!(store.search().main_language(scope, bot).await.unwrap(), None);
    assert_eq!(store.search().version(scope, bot).await.unwrap(), ContentVersion::default());
    store.search().indexed(scope, bot, |chunk| panic!("{chunk:?}")).await.unwrap();

    assert_members_are_unreachable(database, scope, theirs).await;

    let (endpoint, delivery) = (theirs.endpoint.webhook_endpoint_id, theirs.delivery.webhook_delivery_id);
    let webhooks = store.webhooks();
    assert_eq!(webhooks.find(scope, endpoint).await.unwrap(), None);
    assert_eq!(
        webhooks.update(scope, endpoint, &WebhookEndpointUpdate::default(), at(9)).await.unwrap(),
        None
    );
    let secret = frontdesk_store::Redacted::new("stolen".to_owned());
    assert_eq!(webhooks.rotate_secret(scope, endpoint, &secret, at(9), at(9)).await.unwrap(), None);
    assert!(!webhooks.delete(scope, endpoint).await.unwrap());
    assert_eq!(webhooks.send_test(scope, endpoint, at(9)).await.unwrap(), None);
    assert_eq!(webhooks.tests_since(scope, endpoint, at(0)).await.unwrap(), []);
    assert_eq!(webhooks.deliveries(scope, endpoint, None, &PageRequest::first(9)).await.unwrap().items, []);
    assert_eq!(webhooks.find_delivery(scope, delivery).await.unwrap(), None);
    assert_eq!(webhooks.resend(scope, delivery, at(9)).await.unwrap(), None);
    let missed = MissedEvents { since: at(0), until: at(9), given_up_until: at(9) };
    assert_eq!(webhooks.count_missed(scope, endpoint, &missed).await.unwrap(), None);
    let part = webhooks.recover_part(scope, endpoint, &missed, 0, 9, at(9)).await.unwrap();
    assert_eq!(part, None);
    let event = theirs.delivery.event_id;
    assert_eq!(store.events().find(scope, event).await.unwrap(), None);
    assert_eq!(store.events().page(scope, Some(event), &[], 9).await.unwrap(), None);
    let mut journal = store.events().page(scope, None, &[], 100).await.unwrap().unwrap().items;
    journal.retain(|event| event.account_id == theirs.account.account_id);
    assert_eq!(journal, []);

    let (deals, deal, first) = (store.deals(), &theirs.deal, PageRequest::first(100));
    let (deal_id, status_id, row_id) = (deal.deal_id, deal.deal_status_id, deal.deal_row_id);
    assert_eq!(deals.find(scope, deal_id).await.unwrap(), None);
    assert_eq!(deals.find_any(scope, deal_id).await.unwrap(), None);
    assert_eq!(deals.update(scope, deal_id, &DealUpdate::default(), at(9)).await.unwrap(), None);
    assert!(!deals.delete(scope, deal_id, None, at(9)).await.unwrap());
    assert_eq!(deals.restore(scope, deal_id, None, at(9)).await.unwrap(), None);
    assert_eq!(deals.move_to(scope, deal_id, &DealMove::default(), None, at(9)).await.unwrap(), None);
    assert_eq!(deals.win(scope, deal_id, None, at(9)).await.unwrap(), None);
    assert_eq!(deals.lose(scope, deal_id, None, None, at(9)).await.unwrap(), None);
    assert_eq!(deals.reopen(scope, deal_id, None, at(9)).await.unwrap(), None);
    assert_eq!(deals.changes(scope, deal_id, &first).await.unwrap().items, []);
    let all = deals.page(scope, &DealFilter::default(), DealOrder::default(), &first).await.unwrap().items;
    assert!(all.iter().all(|deal| deal.account_id != theirs.account.account_id));
    let board = deals.board(scope, None, |_| 50).await.unwrap();
    assert!(board.cells.iter().flat_map(|cell| &cell.deals).all(|shown| shown.deal_id != deal_id));
    let (activities, activity) = (store.deal_activities(), &theirs.activity);
    assert_eq!(activities.find(scope, deal_id, activity.deal_activity_id).await.unwrap(), None);
    let edited = activities.edit::<()>(scope, activity.deal_activity_id, at(9), |_| Ok(())).await.unwrap();
    assert_eq!(edited, None);
    assert!(!activities.delete(scope, activity.deal_activity_id).await.unwrap());
    let filter = DealActivityFilter { deal_id: Some(deal_id), ..DealActivityFilter::default() };
    assert_eq!(activities.page(scope, &filter, &first).await.unwrap().items, []);
    assert_eq!(activities.last_message_to(scope, theirs.contact.contact_id).await.unwrap(), None);
    let (feeds, feed_id) = (store.calendar_feeds(), theirs.calendar_feed.calendar_feed_id);
    assert_eq!(feeds.find(scope, feed_id).await.unwrap(), None);
    assert_eq!(feeds.rotate(scope, feed_id, at(9)).await.unwrap(), None);
    assert!(!feeds.delete(scope, feed_id).await.unwrap());
    let statuses = store.deal_statuses();
    assert_eq!(statuses.find(scope, status_id).await.unwrap(), None);
    assert!(statuses.update(scope, status_id, &DealStatusUpdate::default(), at(9)).await.unwrap().is_none());
    assert!(!statuses.delete(scope, status_id, None, None, at(9)).await.unwrap());
    assert_eq!(statuses.order(scope, &[status_id]).await.unwrap(), Err(vec![0]));
    let shown = statuses.page(scope, &first).await.unwrap().items;
    assert!(shown.iter().all(|status| status.account_id != theirs.account.account_id));
    let rows = store.deal_rows();
    assert_eq!(rows.find(scope, row_id).await.unwrap(), None);
    assert!(rows.update(scope, row_id, &DealRowUpdate::default(), at(9)).await.unwrap().is_none());
    assert!(!rows.delete(scope, row_id, None, at(9)).await.unwrap());
    assert_eq!(rows.order(scope, &[row_id]).await.unwrap(), Err(vec![0]));
    let shown = rows.page(scope, &first).await.unwrap().items;
    assert!(shown.iter().all(|row| row.account_id != theirs.account.account_id));
    if let Some(own) = own {
        let owned = &own.deal;
        for (new, named) in [
            (NewDeal { deal_status_id: Some(status_id), ..NewDeal::default() }, "a column"),
            (NewDeal { deal_row_id: Some(row_id), ..NewDeal::default() }, "a row"),
        ] {
            assert!(deals.create(scope, &new, None, at(9)).await.is_err(), "{named} of theirs");
        }
        let beside = DealMove { place: DealPlace::Before(deal_id), ..DealMove::default() };
        assert!(deals.move_to(scope, owned.deal_id, &beside, None, at(9)).await.is_err());
        let links = DealUpdate {
            contact_ids: Some(vec![theirs.contact.contact_id]),
            thread_ids: Some(vec![theirs.received.thread.thread_id]),
            owner_id: Some(Some(theirs.user.user_id)),
            ..DealUpdate::default()
        };
        let linked = deals.update(scope, owned.deal_id, &links, at(9)).await.unwrap().unwrap();
        assert_eq!((linked.contact_ids, linked.thread_ids, linked.owner_id), (vec![], vec![], None));
        let links = ThreadUpdate { deal_ids: Some(vec![deal_id]), ..ThreadUpdate::default() };
        let own_thread = own.received.thread.thread_id;
        let linked = store.threads().update(scope, own_thread, &links, at(9)).await.unwrap().unwrap();
        assert!(linked.deal_ids.is_empty(), "a deal of theirs");
    }

    assert_eq!(store.users().find(scope, theirs.user.user_id).await.unwrap(), None);
    assert_eq!(store.users().set_role(scope, theirs.user.user_id, Role::Admin).await.unwrap(), None);
    assert_eq!(
        store.users().set_status(scope, theirs.user.user_id, UserStatus::Disabled).await.unwrap(),
        None
    );
    assert!(!store.users().delete(scope, theirs.user.user_id).await.unwrap());
    let key = NewApiKey {
        user_id: theirs.user.user_id,
        name: "stolen".into(),
        hash: KeyHash::new([250; 32]),
        pepper_id: None,
        display_prefix: "sk_live_".into(),
        rate_per_minute: None,
    };
    assert_eq!(store.api_keys().create(scope, &key, at(9)).await.unwrap(), None);
    assert!(!store.api_keys().delete(scope, theirs.key.key_id).await.unwrap());
    assert_eq!(store.domains().find(scope, theirs.domain.domain_id).await.unwrap(), None);
    assert!(!store.domains().delete(scope, theirs.domain.domain_id).await.unwrap());

    assert_eq!(store.chatbots().find(scope, bot).await.unwrap(), None);
    let change = |_: &mut frontdesk_store::Chatbot| panic!("a foreign chatbot was read");
    assert_eq!(store.chatbots().update(scope, bot, at(9), change).await.unwrap(), None);
    assert!(!store.chatbots().set_status(scope, bot, ChatbotStatus::Failed, None, at(9)).await.unwrap());
    assert!(!store.chatbots().delete(scope, bot).await.unwrap());

    let new_page = [NewPage::root("https://evil.example/")];
    assert_eq!(store.webpages().add(scope, bot, &new_page, 100, at(9)).await.unwrap(), None);
    assert_eq!(store.webpages().next_pending(scope, bot).await.unwrap(), None);
    assert!(
        !store.webpages().finish(scope, page, &outcome(vec![chunk("Evil", "evil")]), at(9)).await.unwrap()
    );
    assert_eq!(store.webpages().find(scope, page).await.unwrap(), None);
    assert!(store.webpages().list(scope, bot, None, None, 100).await.unwrap().is_empty());
    assert_eq!(store.webpages().find_by_content(scope, bot, "hash").await.unwrap(), None);
    assert_eq!(store.webpages().counts(scope, bot).await.unwrap(), PageCounts::default());
    assert!(store.chunks().of_page(scope, page).await.unwrap().is_empty());

    assert!(candidates(store, scope, bot, &words, &[], 10).await.unwrap().is_empty());
    assert!(candidates(store, scope, bot, &words, &[tag], 10).await.unwrap().is_empty());
    assert_eq!(store.search().document_frequencies(scope, bot, &words).await.unwrap(), [0, 0]);
    assert_eq!(store.search().corpus_stats(scope, bot).await.unwrap(), CorpusStats::default());

    assert_eq!(store.tags().create(scope, bot, "Evil", None, at(9)).await.unwrap(), None);
    assert!(store.tags().list(scope, bot).await.unwrap().is_empty());
    assert!(!store.tags().tag_webpage(scope, page, tag).await.unwrap());
    assert!(!store.tags().untag_webpage(scope, page, tag).await.unwrap());
    assert!(!store.tags().delete(scope, tag).await.unwrap());
    assert_eq!(store.tags().find(scope, bot, tag).await.unwrap(), None);
    assert!(store.tags().update(scope, tag, Some("Evil"), None).await.unwrap().is_none());
    assert!(store.tags().page(scope, bot, &PageRequest::first(10)).await.unwrap().items.is_empty());

    let file = &theirs.file;
    assert_eq!(store.files().find(scope, bot, file.file_id).await.unwrap(), None);
    let all = FilesFilter::default();
    let first_page = PageRequest::first(10);
    assert!(store.files().page(scope, bot, &all, &first_page).await.unwrap().items.is_empty());
    assert!(
        store.files().create(scope, bot, &crate::world::file("new", &[]), at(9)).await.unwrap().is_none()
    );
    assert!(!store.files().begin_reading(scope, file).await.unwrap());
    assert_eq!(store.files().delete(scope, file.file_id).await.unwrap(), None);
    let (website, now) = (&theirs.website, at(9));
    let websites = store.websites();
    let evil = new_website("https://evil.example/", Vec::new());
    assert!(websites.create(scope, bot, &evil, now).await.unwrap().is_none());
    assert_eq!(websites.find(scope, bot, website.website_id).await.unwrap(), None);
    let first = PageRequest::first(10);
    assert!(websites.page(scope, bot, None, None, &first).await.unwrap().items.is_empty());
    assert!(websites.report(scope, website.website_id, None, &first).await.unwrap().items.is_empty());
    assert!(websites.update(scope, website, None, now, |_| ()).await.unwrap().is_none());
    let all = CrawlScope::All;
    assert!(websites.recrawl(scope, website, all, &job("evil"), None, now).await.unwrap().is_none());
    assert_eq!(websites.cancel(scope, website, now).await.unwrap(), None);
    assert_eq!(websites.finish(scope, website.website_id, None, now).await.unwrap(), None);
    let crawling = WebsiteStatus::Crawling;
    assert_eq!(websites.set_unfinished(scope, website.website_id, crawling, now).await.unwrap(), None);
    assert!(!websites.is_unfinished(scope, website.website_id).await.unwrap());
    assert_eq!(websites.unfinished(scope, bot).await.unwrap(), 0);
    websites.abandon_pages(scope, website.website_id, "evil").await.unwrap();
    assert_eq!(websites.add_pages(scope, website, &new_page, 100, now).await.unwrap(), None);
    assert_eq!(websites.next_page(scope, website.website_id).await.unwrap(), None);
    assert_eq!(websites.start_page(scope, website.website_id).await.unwrap(), None);
    assert_eq!(websites.progress(scope, website.website_id).await.unwrap(), CrawlProgress::default());
    let visit = PageVisit { outcome: outcome(Vec::new()), result: VisitOutcome::Ready, validators: None };
    assert_eq!(
        websites.finish_page(scope, &theirs.page, &visit, now).await.unwrap(),
        frontdesk_store::PageFinish::Gone
    );
    assert!(!websites.delete(scope, website).await.unwrap());
    let pages = store.webpages();
    let filter = WebpageFilter::default();
    assert!(pages.page(scope, bot, &filter, &first).await.unwrap().items.is_empty());
    let new = NewWebpage { url: "https://evil.example/".into(), custom_title: None, tag_ids: Vec::new() };
    assert!(pages.create(scope, bot, &new, |_| job("evil"), now).await.unwrap().is_none());
    let content = WebpageContent {
        title: "Evil".into(),
        content_hash: "evil".into(),
        language: None,
        chunks: vec![chunk("Evil", "evil")],
    };
    let pushed =
        PushedPage { url: "https://evil.example/".into(), custom_title: None, content, tag_ids: None };
    assert!(pages.push(scope, bot, &pushed, now).await.unwrap().is_none());
    assert!(pages.refresh(scope, &theirs.page, &job("evil"), now).await.unwrap().is_none());
    let update = WebpageUpdate { enabled: Some(false), ..WebpageUpdate::default() };
    assert!(pages.update(scope, &theirs.page, &update, now).await.unwrap().is_none());
    assert!(!pages.delete(scope, page).await.unwrap());

    let snippet = theirs.text_snippet.text_snippet_id;
    assert_eq!(store.text_snippets().find(scope, bot, snippet).await.unwrap(), None);
    assert!(store.text_snippets().page(scope, bot, None, None, &first).await.unwrap().items.is_empty());
    assert!(!store.text_snippets().delete(scope, snippet).await.unwrap());
    let (faq, item) = (theirs.faq.faq_id, theirs.faq_item.faq_item_id);
    assert_eq!(store.faqs().find(scope, faq).await.unwrap(), None);
    let faqs = store.faqs().page(scope, Some(bot), &first).await.unwrap().items;
    assert!(faqs.is_empty());
    let update = FaqUpdate { name: Some("Evil".into()), ..FaqUpdate::default() };
    assert_eq!(store.faqs().update(scope, faq, &update, &faq_chunk, at(9)).await.unwrap(), None);
    assert!(!store.faqs().delete(scope, faq).await.unwrap());
    let items = store.faq_items();
    let new = faq_item("Evil?", "evil");
    assert!(items.create(scope, faq, &new, &faq_chunk, at(9)).await.unwrap().is_none());
    assert_eq!(items.import(scope, faq, &[new.content], &faq_chunk, at(9)).await.unwrap(), None);
    assert_eq!(items.find(scope, faq, item).await.unwrap(), None);
    assert!(items.page(scope, faq, None, None, &first).await.unwrap().items.is_empty());
    let update = FaqItemUpdate { answer: Some("evil".into()), ..FaqItemUpdate::default() };
    assert_eq!(items.update(scope, faq, item, &update, &faq_chunk, at(9)).await.unwrap(), None);
    assert_eq!(items.order(scope, faq, &[item]).await.unwrap(), None);
    assert!(!items.delete(scope, faq, item).await.unwrap());
    let unanswered = store.unanswered_questions();
    assert_eq!(unanswered.record(scope, bot, "Evil?", at(9)).await.unwrap(), None);
    assert!(unanswered.page(scope, bot, &first).await.unwrap().items.is_empty());
    let question = theirs.unanswered.unanswered_question_id;
    assert_eq!(unanswered.find(scope, bot, question).await.unwrap(), None);
    assert!(!unanswered.delete(scope, question).await.unwrap());
    let answered = AnsweredQuestion { faq_id: faq, question: None, answer: "evil".into() };
    let made = unanswered.make_item(scope, &theirs.unanswered, &answered, &faq_chunk, at(9)).await;
    assert!(made.unwrap().is_none());
    let chunks = theirs_chunks(database, theirs).await;
    store.hits().count(scope, bot, &[chunks]).await.unwrap();
    let users = store.users().page(scope, None, None, &first).await.unwrap().items;
    assert!(users.iter().all(|user| user.account_id != theirs.account.account_id));

    let contacts = store.contacts();
    assert_eq!(contacts.find(scope, contact).await.unwrap(), None);
    let listed = contacts.page(scope, &ContactFilter::default(), &first).await.unwrap().items;
    assert!(listed.iter().all(|listed| listed.account_id != theirs.account.account_id));
    let found = contacts.lookup(scope, ContactKey::Email, "visitor@example.com").await.unwrap();
    assert!(found.is_none_or(|found| found.contact_id != contact));
    assert!(contacts.conversations(scope, contact, &first).await.unwrap().items.is_empty());
    let update = ContactUpdate { name: Some(Some("evil".into())), ..ContactUpdate::default() };
    assert!(contacts.update(scope, contact, &update, at(9)).await.unwrap().is_none());
    assert_eq!(contacts.mark_as_customer(scope, contact, &Payment::default(), at(9)).await.unwrap(), None);
    assert_eq!(contacts.unmark_as_customer(scope, contact, at(9)).await.unwrap(), None);
    assert_eq!(contacts.archive(scope, contact, at(9)).await.unwrap(), None);
    assert!(!contacts.erase(scope, contact, at(9)).await.unwrap());
    let other = own.map_or(Uuid::nil(), |own| own.contact.contact_id);
    assert!(contacts.merge(scope, contact, other, at(9)).await.unwrap().is_none());
    if own.is_some() {
        let merged = contacts.merge(scope, other, contact, at(9)).await;
        assert!(matches!(merged, Err(MergeError::NoSource)), "{merged:?}");
    }
    assert_eq!(store.conversations().find(scope, conversation).await.unwrap(), None);
    assert!(
        store
            .conversations()
            .begin_turn(scope, &turn(&theirs.chatbot, None, "hello"), at(9))
            .await
            .unwrap()
            .is_none()
    );
    let foreign = store
        .conversations()
        .begin_turn(scope, &turn(&theirs.chatbot, Some(conversation), "hello"), at(9))
        .await;
    assert!(foreign.unwrap().is_none());
    assert_eq!(
        store.conversations().record_answer(scope, conversation, &answer("evil"), None, at(9)).await.unwrap(),
        None
    );
    let (conversations, message) = (store.conversations(), theirs.turn.message.message_id);
    let user = theirs.user.user_id;
    assert_eq!(
        conversations.escalate(scope, conversation, &escalation(Some(at(1))), at(9)).await.unwrap(),
        None
    );
    assert_eq!(conversations.reply(scope, conversation, user, "evil", at(9)).await.unwrap(), None);
    assert_eq!(conversations.return_to_ai(scope, conversation, at(300)).await.unwrap(), None);
    assert_eq!(conversations.close(scope, conversation, at(300)).await.unwrap(), None);
    let (rating, comment) = (FeedbackRating::Down, Some("evil"));
    assert_eq!(conversations.rate(scope, conversation, message, rating, comment, at(9)).await.unwrap(), None);
    assert_eq!(conversations.find(scope, conversation).await.unwrap(), None);
    assert_eq!(conversations.find_message(scope, conversation, message).await.unwrap(), None);
    assert!(conversations.message_page(scope, conversation, &first).await.unwrap().items.is_empty());
    let all = ConversationFilter::default();
    assert!(conversations.page(scope, bot, &all, &first).await.unwrap().items.is_empty());
    assert!(store.conversations().messages(scope, conversation, 0, 100).await.unwrap().is_empty());
    assert!(store.conversations().recent_messages(scope, conversation, 100).await.unwrap().is_empty());
    assert!(!store.conversations().set_contact(scope, conversation, contact).await.unwrap());

    assert_eq!(store.credits().reserve_daily_reply(scope, bot, &Day::of(at(9)), 5).await.unwrap(), None);
    assert_eq!(store.jobs().find(scope, theirs.job.job_id).await.unwrap(), None);
    let mut foreign = job("evil");
    foreign.subject = Some(Subject::chatbot(bot));
    assert_eq!(store.jobs().enqueue(scope, &foreign, at(9)).await.unwrap(), None);
    assert_eq!(store.jobs().cancel(scope, Subject::chatbot(bot)).await.unwrap(), 0);

    if let Some(own) = own {
        // Own ids mixed with theirs.
        assert!(!store.tags().tag_webpage(scope, own.page.webpage_id, tag).await.unwrap());
        assert!(!store.tags().tag_webpage(scope, page, own.tag.tag_id).await.unwrap());
        assert!(
            candidates(store, scope, own.chatbot.chatbot_id, &words, &[tag], 10).await.unwrap().is_empty()
        );
        assert!(!store.conversations().set_contact(scope, own.conversation_id(), contact).await.unwrap());
        let mut mixed = turn(&own.chatbot, Some(conversation), "hello");
        mixed.contact_id = Some(contact);
        let begun = store.conversations().begin_turn(scope, &mixed, at(9)).await.unwrap().unwrap();
        assert!(begun.is_new);
        assert_ne!(begun.conversation.conversation_id, conversation);
        assert_eq!(begun.conversation.contact_id, None);
        let mut input = claim("visitor@example.com");
        input.conversation_contact = Some(contact);
        let claimed = store.contacts().upsert(scope, &input, at(9)).await.unwrap().unwrap();
        assert_eq!(claimed.contact_id, own.contact.contact_id);
        for listed in [
            format!("{:?}", store.users().list(scope).await.unwrap()),
            format!("{:?}", store.api_keys().list(scope).await.unwrap()),
            format!("{:?}", store.domains().list(scope).await.unwrap()),
            format!("{:?}", store.chatbots().list(scope).await.unwrap()),
            format!("{:?}", store.contacts().list(scope, None, 100).await.unwrap()),
        ] {
            assert!(listed.contains(&own.account.account_id.to_string()), "{listed}");
            assert!(!listed.contains(&theirs.account.account_id.to_string()), "{listed}");
        }
    }
    assert_eq!(theirs.everything(store).await, before);
}

/// Members and invitations of another account, for an owner of the scope.
async fn assert_members_are_unreachable(database: &Database, scope: &Scope, theirs: &World) {
    let store = &database.store;
    let of_them = store.users().list(&theirs.scope()).await.unwrap().remove(0);
    let actor = |user: &User| Actor {
        user_id: user.user_id,
        person_id: Uuid::nil(),
        person_name: String::new(),
        ip_address: None,
    };
    let person = store.people().without_password(&of_them, at(8)).await.unwrap();
    let mut acting = actor(&of_them);
    acting.person_id = person.person_id;
    let mut unique = [0; 32];
    unique[..16].copy_from_slice(Uuid::now_v7().as_bytes());
    let new = NewInvitation {
        email: format!("{}@example.com", Uuid::now_v7()),
        name: String::new(),
        role: Role::Admin,
        hash: KeyHash::new(unique),
        is_mailed: false,
    };
    let invitations = store.invitations();
    let (invited, _) = invitations.create(&theirs.scope(), &acting, &new, at(8)).await.unwrap();
    let page = store.members().page(scope, &PageRequest::first(100)).await.unwrap();
    assert!(page.items.iter().all(|member| member.user_id != of_them.user_id));
    assert!(
        invitations.list(scope).await.unwrap().iter().all(|one| one.account_id != theirs.account.account_id)
    );
    let hash = KeyHash::new([3; 32]);
    assert_eq!(invitations.mailed(scope, invited.invitation_id, &hash, at(9)).await.unwrap(), None);
    // Somebody of another account is nobody here, whatever they are there.
    let change = MemberChange { role: Some(Role::Collaborator), status: None };
    let own =
        store.users().list(scope).await.unwrap().into_iter().find(|user| user.account_id == scope.account_id);
    for acting in [Some(acting), own.as_ref().map(actor)].into_iter().flatten() {
        let user_id = of_them.user_id;
        assert!(store.members().update(scope, &acting, user_id, change, at(9)).await.is_err());
        assert!(store.members().remove(scope, &acting, user_id, at(9)).await.is_err());
        let id = invited.invitation_id;
        assert!(invitations.renew(scope, &acting, id, &hash, false, at(9)).await.is_err());
        assert!(invitations.revoke(scope, &acting, id, at(9)).await.is_err());
    }
    assert_eq!(store.users().find(&theirs.scope(), of_them.user_id).await.unwrap(), Some(of_them));
}

async fn another_tenant_sees_and_changes_nothing(database: &Database) {
    let one = World::new(&database.store, "one", 1).await;
    let two = World::new(&database.store, "two", 2).await;
    assert_unreachable(database, &one.scope(), Some(&one), &two).await;
    assert_unreachable(database, &two.scope(), Some(&two), &one).await;
    assert_unreachable(database, &Scope::of_account(uuid::Uuid::nil()), None, &one).await;
    let wide = Scope { includes_sub_accounts: true, ..one.scope() };
    assert_unreachable(database, &wide, Some(&one), &two).await;

    let month = Month::of(at(0));
    let charge = charge(&month, spending(one.chatbot.chatbot_id), 3, 10);
    database.store.credits().reserve(&one.scope(), &charge).await.unwrap().unwrap();
    assert_eq!(database.store.credits().usage(&two.scope(), &month, 10).await.unwrap().used, 1);
    database.store.credits().refund(&two.scope(), &charge, 3).await.unwrap();
    assert_eq!(database.store.credits().usage(&one.scope(), &month, 10).await.unwrap().used, 4);
}

async fn an_agency_owner_reaches_sub_accounts_and_no_others(database: &Database) {
    let store = &database.store;
    let new = |parent_id, kind, name: &str| NewAccount {
        parent_id,
        kind,
        name: name.into(),
        plan: Plan::Scale,
        monthly_credits: None,
    };
    let agency = store.accounts().create(&new(None, AccountKind::Agency, "agency"), at(0)).await.unwrap();
    let below = new(Some(agency.account_id), AccountKind::Standard, "below");
    let below = store.accounts().create(&below, at(0)).await.unwrap();
    let agency = Box::pin(World::within(store, agency, "agency", 1)).await;
    let below = Box::pin(World::within(store, below, "below", 2)).await;
    let other = World::new(store, "other", 3).await;

    let owner = store.api_keys().authenticate(&KeyHash::new([1; 32])).await.unwrap().unwrap().scope();
    assert!(owner.includes_sub_accounts);
    assert_eq!(store.chatbots().list(&owner).await.unwrap().len(), 2);
    assert_eq!(
        store.chatbots().find(&owner, below.chatbot.chatbot_id).await.unwrap().map(|bot| bot.account_id),
        Some(below.account.account_id)
    );
    let words = ["deliver".to_owned()];
    assert_eq!(candidates(store, &owner, below.chatbot.chatbot_id, &words, &[], 10).await.unwrap().len(), 1);
    let begun = store
        .conversations()
        .begin_turn(&owner, &turn(&below.chatbot, None, "hello"), at(9))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(begun.conversation.account_id, below.account.account_id);
    let mut work = job("refresh");
    work.subject = Some(Subject::chatbot(below.chatbot.chatbot_id));
    let enqueued = store.jobs().enqueue(&owner, &work, at(9)).await.unwrap().unwrap();
    let enqueued = store.jobs().find(&below.scope(), enqueued.job_id).await.unwrap().unwrap();
    assert_eq!(enqueued.scope(), Some(below.scope()));
    assert_unreachable(database, &owner, None, &other).await;

    // An admin of the agency has no such reach, and nobody reaches upwards or sideways.
    store.users().set_role(&agency.scope(), agency.user.user_id, Role::Admin).await.unwrap();
    let admin = store.api_keys().authenticate(&KeyHash::new([1; 32])).await.unwrap().unwrap().scope();
    assert!(!admin.includes_sub_accounts);
    assert_unreachable(database, &admin, Some(&agency), &below).await;
    let below_owner = store.api_keys().authenticate(&KeyHash::new([2; 32])).await.unwrap().unwrap().scope();
    assert_unreachable(database, &below_owner, Some(&below), &agency).await;
    let upwards = Scope { includes_sub_accounts: true, ..below_owner };
    assert_unreachable(database, &upwards, Some(&below), &agency).await;
}

async fn the_search_index_never_crosses_tenants(database: &Database) {
    let store = &database.store;
    let one = World::new(store, "one", 1).await;
    let two = World::new(store, "two", 2).await;
    let canary = outcome(vec![chunk("Secret", "the canary sings at noon")]);
    assert!(store.webpages().finish(&two.scope(), two.page.webpage_id, &canary, at(9)).await.unwrap());
    let words = ["canary".to_owned(), "sings".to_owned()];
    let own = one.chatbot.chatbot_id;
    assert!(candidates(store, &one.scope(), own, &words, &[], 10).await.unwrap().is_empty());
    assert_eq!(store.search().document_frequencies(&one.scope(), own, &words).await.unwrap(), [0, 0]);
    let theirs = two.chatbot.chatbot_id;
    assert_eq!(candidates(store, &two.scope(), theirs, &words, &[], 10).await.unwrap().len(), 1);
    assert_eq!(store.search().document_frequencies(&two.scope(), theirs, &words).await.unwrap(), [1, 1]);
    let (scope, bot) = store.chatbots().find_public(theirs).await.unwrap().unwrap();
    assert_eq!((scope, bot.chatbot_id), (two.scope(), theirs));
    assert_eq!(store.chatbots().find_public(uuid::Uuid::nil()).await.unwrap(), None);
}
