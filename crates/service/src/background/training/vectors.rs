//! How long a chatbot stays in training for the vectors of its passages.
//!
//! The first thing that an owner does with a new chatbot is to try it. Without vectors its answers are much
//! worse, so it becomes `ready` together with them if they take only seconds. They are made while the crawl
//! runs, so most of them exist when it ends.

use frontdesk_store::{ChatbotStatus, StoreError, Website};
use jiff::{SignedDuration, Timestamp};

use crate::{background::Background, platform::config::SearchModel};

/// The longest wait after a crawl: about as long as an owner watches a page that says "nearly done". A model
/// that fails or is overloaded delays a chatbot by this time.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(10);

/// The largest number of passages without vectors that a chatbot waits for. Two cores process that many in
/// time; a chatbot with more is `ready` at once, and its vectors follow.
const MOST_PASSAGES: u32 = 200;

/// How often the passages are counted.
const LOOK_INTERVAL: SignedDuration = SignedDuration::from_millis(250);

/// Returns when to check again, if a chatbot in training must still wait for its vectors after the crawl of a
/// website; `None` if it need not.
pub(super) async fn next_look(
    service: &Background,
    website: &Website,
) -> Result<Option<Timestamp>, StoreError> {
    let (scope, now) = (website.account_scope(), service.now());
    let has_model = service.config.search.model != SearchModel::None;
    let Some(ended_at) = website.last_crawled_at.filter(|_| has_model) else { return Ok(None) };
    if ended_at.duration_until(now) >= LONGEST_WAIT {
        return Ok(None);
    }
    let chatbot = service.store.chatbots().find(&scope, website.chatbot_id).await?;
    if chatbot.is_none_or(|chatbot| chatbot.status != ChatbotStatus::Training) {
        return Ok(None);
    }
    // The crawl that ends last waits for all.
    if service.store.websites().unfinished(&scope, website.chatbot_id).await? > 0 {
        return Ok(None);
    }
    let vectors = service.store.vectors();
    let remaining = vectors.count_unprocessed(&scope, website.chatbot_id, MOST_PASSAGES + 1).await?;
    let is_worth_it = (1..=u64::from(MOST_PASSAGES)).contains(&remaining);
    Ok(is_worth_it.then(|| now.saturating_add(LOOK_INTERVAL)).transpose().unwrap_or_default())
}
