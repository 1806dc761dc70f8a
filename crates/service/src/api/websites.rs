//! Websites of a chatbot.

use frontdesk_knowledge::PathRules;
use frontdesk_model::{
    CancelWebsiteCrawlError, CrawlOutcome, CrawlReason, CrawlReport, CrawlReportEntry, CreateWebsiteError,
    DeleteWebsiteError, GetCrawlReportError, GetWebsiteError, ImportSitemapError, ListWebsitesError,
    RecrawlOnly, RecrawlTooSoon, RecrawlTooSoonError, RecrawlTooSoonErrorKind, RecrawlWebsiteError,
    RefreshInterval, TrainingFailure, TrainingFailureRequired, UpdateWebsiteError, Website, WebsiteList,
    WebsiteSource, WebsiteStatus,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{
    CancelWebsiteCrawl, CreateWebsite, DeleteWebsite, GetCrawlReport, GetWebsite, ImportSitemap,
    ListWebsites, RecrawlWebsite, UpdateWebsite, Websites,
};
use frontdesk_store::{
    self as store, Chatbot, CrawlScope, NewWebsite, PathPatterns, RecrawlRefused, Scope, StoreError,
    WebsiteError, WebsiteOptions,
};
use http::Extensions;
use uuid::Uuid;

use super::{count, filters::check_known, tags, text_snippets::numbered};
use crate::{
    api::{Service, converted_ids},
    background::{jobs::Queue, training},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// The message of the 409 when a website exists.
const EXISTS: &str = "The chatbot has a website with this address already.";

impl Resource for store::Website {
    const PARAMETER: &'static str = "website_id";
    const NOT_FOUND: &'static str = "Website not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        service.store.websites().find(scope, chatbot.chatbot_id, id).await
    }
}

impl Websites for Service {
    type Caller = Caller;

    async fn list_websites(
        &self,
        request: ListWebsites<Caller>,
    ) -> Result<WebsiteList, Failure<ListWebsitesError>> {
        let ListWebsites { caller, chatbot_id, status, tag_id, limit, cursor, incoming, .. } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let chatbot: Chatbot = loaded(&incoming)?;
        let ids: Vec<_> = tag_id.iter().map(|id| ("tag_id".to_owned(), *id)).collect();
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        check_known(
            "status",
            status.as_ref().map(WebsiteStatus::as_str),
            WebsiteStatus::KNOWN,
            &mut failures,
        );
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let status = status.and_then(|status| status.as_str().parse().ok());
        let page = self
            .store
            .websites()
            .page(&caller.scope, chatbot_id.uuid(), status, tag_id.map(Into::into), &page)
            .await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(WebsiteList::new(page.items.into_iter().map(|website| shown(self, website)), pagination))
    }

    async fn create_website(
        &self,
        request: CreateWebsite<Caller>,
    ) -> Result<Website, Failure<CreateWebsiteError>> {
        let CreateWebsite { caller, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let tag_ids = body.tag_ids.unwrap_or_default();
        let (include, exclude) =
            (body.include_paths.unwrap_or_default(), body.exclude_paths.unwrap_or_default());
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &numbered(&tag_ids)).await?;
        failures.extend(check_patterns(Some(&include), Some(&exclude)));
        let url = address(&body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let options = WebsiteOptions {
            max_pages: body.max_pages.map(small),
            max_depth: body.max_depth.map(small),
            include_paths: PathPatterns(include),
            exclude_paths: PathPatterns(exclude),
            include_subdomains: body.include_subdomains.unwrap_or(false),
            include_files: body.include_files.unwrap_or(true),
            refresh_interval: body.refresh_interval.as_ref().map_or(store::RefreshInterval::Never, interval),
        };
        let source = store::WebsiteSource::Crawl;
        let new = NewWebsite { url, source, options, tag_ids: converted_ids(tag_ids), job: training::job() };
        let created = self.store.websites().create(&caller.scope, chatbot.chatbot_id, &new, self.now()).await;
        self.job_signals.enqueued(Queue::Crawl);
        match created {
            Ok(website) => Ok(shown(self, website.ok_or_else(gone::<Chatbot>)?)),
            Err(WebsiteError::AlreadyExists { website_id }) => {
                Err(responses::already_exists(EXISTS, website_id).into())
            }
            Err(WebsiteError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn import_sitemap(
        &self,
        request: ImportSitemap<Caller>,
    ) -> Result<Website, Failure<ImportSitemapError>> {
        let ImportSitemap { caller, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let tag_ids = body.tag_ids.unwrap_or_default();
        let filter: Vec<String> = body.url_filter.into_iter().collect();
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &numbered(&tag_ids)).await?;
        if let Err(error) = PathRules::new(&filter, &[]) {
            failures.push(check::Failure { path: "url_filter".to_owned(), message: error.to_string() });
        }
        let url = address(&body.sitemap_url, "sitemap_url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let options = WebsiteOptions {
            max_pages: body.max_pages.map(small),
            include_paths: PathPatterns(filter),
            refresh_interval: body.refresh_interval.as_ref().map_or(store::RefreshInterval::Never, interval),
            ..WebsiteOptions::default()
        };
        let source = store::WebsiteSource::Sitemap;
        let new = NewWebsite { url, source, options, tag_ids: converted_ids(tag_ids), job: training::job() };
        let created = self.store.websites().create(&caller.scope, chatbot.chatbot_id, &new, self.now()).await;
        self.job_signals.enqueued(Queue::Crawl);
        match created {
            Ok(website) => Ok(shown(self, website.ok_or_else(gone::<Chatbot>)?)),
            Err(WebsiteError::AlreadyExists { website_id }) => {
                Err(responses::already_exists(EXISTS, website_id).into())
            }
            Err(WebsiteError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn get_website(&self, request: GetWebsite<Caller>) -> Result<Website, Failure<GetWebsiteError>> {
        Ok(shown(self, loaded(&request.incoming)?))
    }

    async fn update_website(
        &self,
        request: UpdateWebsite<Caller>,
    ) -> Result<Website, Failure<UpdateWebsiteError>> {
        let UpdateWebsite { caller, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let website: store::Website = loaded(&incoming)?;
        let ids = numbered(body.tag_ids.as_deref().unwrap_or_default());
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        failures.extend(check_patterns(body.include_paths.as_deref(), body.exclude_paths.as_deref()));
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let tag_ids = body.tag_ids.clone().map(converted_ids);
        let change = move |options: &mut WebsiteOptions| {
            options.max_pages = body.max_pages.map(small).or(options.max_pages);
            options.max_depth = body.max_depth.map(small).or(options.max_depth);
            if let Some(patterns) = body.include_paths {
                options.include_paths = PathPatterns(patterns);
            }
            if let Some(patterns) = body.exclude_paths {
                options.exclude_paths = PathPatterns(patterns);
            }
            options.include_subdomains = body.include_subdomains.unwrap_or(options.include_subdomains);
            options.include_files = body.include_files.unwrap_or(options.include_files);
            if let Some(other) = &body.refresh_interval {
                options.refresh_interval = interval(other);
            }
        };
        let websites = self.store.websites();
        let updated =
            websites.update(&caller.scope, &website, tag_ids.as_deref(), self.now(), change).await?;
        Ok(shown(self, updated.ok_or_else(gone::<store::Website>)?))
    }

    async fn delete_website(
        &self,
        request: DeleteWebsite<Caller>,
    ) -> Result<(), Failure<DeleteWebsiteError>> {
        let website: store::Website = loaded(&request.incoming)?;
        if !self.store.websites().delete(&request.caller.scope, &website).await? {
            return Err(gone::<store::Website>().into());
        }
        training::announce(self, &website.account_scope(), website.chatbot_id).await?;
        Ok(())
    }

    async fn recrawl_website(
        &self,
        request: RecrawlWebsite<Caller>,
    ) -> Result<Website, Failure<RecrawlWebsiteError>> {
        let website: store::Website = loaded(&request.incoming)?;
        let what = match request.body.and_then(|body| body.only) {
            Some(RecrawlOnly::All) => CrawlScope::All,
            Some(RecrawlOnly::Failed) => CrawlScope::Failed,
            Some(RecrawlOnly::Changed) | None => CrawlScope::Changed,
        };
        match training::recrawl(self, &request.caller.scope, &website, what).await {
            Ok(website) => Ok(shown(self, website.ok_or_else(gone::<store::Website>)?)),
            Err(RecrawlRefused::InProgress) => Err(responses::running_already(
                "The website is being crawled. Wait until the crawl has ended, or cancel it.",
            )
            .into()),
            Err(RecrawlRefused::TooSoon { available_at }) => Err(too_soon(self.now(), available_at).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn cancel_website_crawl(
        &self,
        request: CancelWebsiteCrawl<Caller>,
    ) -> Result<Website, Failure<CancelWebsiteCrawlError>> {
        let website: store::Website = loaded(&request.incoming)?;
        let cancelled = self.store.websites().cancel(&request.caller.scope, &website, self.now()).await?;
        let cancelled = cancelled.ok_or_else(gone::<store::Website>)?;
        training::announce(self, &cancelled.account_scope(), cancelled.chatbot_id).await?;
        Ok(shown(self, cancelled))
    }

    async fn get_crawl_report(
        &self,
        request: GetCrawlReport<Caller>,
    ) -> Result<CrawlReport, Failure<GetCrawlReportError>> {
        let GetCrawlReport { caller, website_id, outcome, limit, cursor, incoming, .. } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let mut failures = Vec::new();
        check_known(
            "outcome",
            outcome.as_ref().map(CrawlOutcome::as_str),
            CrawlOutcome::KNOWN,
            &mut failures,
        );
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let outcome = outcome.and_then(|outcome| outcome.as_str().parse().ok());
        let page = self.store.websites().report(&caller.scope, website_id.uuid(), outcome, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        let entries = page.items.into_iter().map(|entry| CrawlReportEntry {
            url: entry.url,
            outcome: CrawlOutcome::from(entry.outcome.as_str()),
            http_status: entry.http_status.map(i64::from),
            reason: entry.reason.map(CrawlReason::from),
            at: entry.fetched_at.map(timestamp),
        });
        Ok(CrawlReport::new(entries, pagination))
    }
}

/// A website that was crawled a moment ago.
fn too_soon(now: jiff::Timestamp, available_at: jiff::Timestamp) -> RecrawlTooSoon {
    // A part of a second counts as a whole one, so that the next attempt is not too early.
    let seconds = now.duration_until(available_at).as_secs().saturating_add(1);
    let unit = if seconds == 1 { "second" } else { "seconds" };
    let message =
        format!("The website was crawled a moment ago. It can be crawled again in {seconds} {unit}.");
    let body = RecrawlTooSoonError::new(message)
        .error(RecrawlTooSoonErrorKind::RateLimited)
        .recrawl_available_at(timestamp(available_at));
    RecrawlTooSoon { retry_after: seconds, body }
}

/// Returns an address in its normal form; one that cannot be used is a failing field.
pub(super) fn address(text: &str, field: &str, failures: &mut Vec<check::Failure>) -> String {
    match training::start_url(text) {
        Ok(url) => url.into(),
        Err(problem) => {
            failures.push(check::Failure { path: field.to_owned(), message: problem.to_owned() });
            String::new()
        }
    }
}

/// Returns the patterns that cannot be read, as failing fields.
fn check_patterns(include: Option<&[String]>, exclude: Option<&[String]>) -> Vec<check::Failure> {
    let lists = [("include_paths", include), ("exclude_paths", exclude)];
    let failures = lists.into_iter().filter_map(|(field, patterns)| {
        let error = PathRules::new(patterns?, &[]).err()?;
        Some(check::Failure { path: format!("{field}.{}", error.index), message: error.to_string() })
    });
    failures.collect()
}

/// A limit of a request, which its schema keeps small.
fn small(limit: i64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}

fn interval(shown: &RefreshInterval) -> store::RefreshInterval {
    shown.as_str().parse().unwrap_or(store::RefreshInterval::Never)
}

/// A stored website as the interface shows it, with the limits that its crawl really has.
fn shown(service: &Service, stored: store::Website) -> Website {
    let max_pages = count(training::max_pages(service, &stored));
    let max_depth = i64::from(training::max_depth(service, &stored));
    let is_sitemap = stored.source == store::WebsiteSource::Sitemap;
    Website {
        website_id: stored.website_id.into(),
        sitemap_url: is_sitemap.then(|| stored.url.clone()),
        url: stored.url,
        source_type: WebsiteSource::from(stored.source.as_str()),
        max_pages,
        max_depth: if is_sitemap { 0 } else { max_depth },
        include_paths: stored.include_paths.0,
        exclude_paths: stored.exclude_paths.0,
        include_subdomains: stored.include_subdomains,
        include_files: Some(stored.include_files),
        refresh_interval: RefreshInterval::from(stored.refresh_interval.as_str()),
        status: WebsiteStatus::from(stored.status.as_str()),
        pages_found: count(stored.pages_found),
        pages_ready: count(stored.pages_ready),
        pages_failed: count(stored.pages_failed),
        pages_skipped: count(stored.pages_skipped),
        last_crawled_at: stored.last_crawled_at.map(timestamp),
        next_crawl_at: stored.next_crawl_at.map(timestamp),
        recrawl_available_at: stored.recrawl_available_at.map(timestamp),
        last_error: stored.last_error.map(|error| {
            TrainingFailure::new(TrainingFailureRequired {
                code: error.code,
                message: error.message,
                at: timestamp(error.at),
            })
        }),
        tag_ids: converted_ids(stored.tag_ids),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    }
}
