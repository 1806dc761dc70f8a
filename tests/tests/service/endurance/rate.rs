//! Sixty requests a minute for each key, and not one more.

use frontdesk_client::model::{ListChatbotsError, RateLimitedErrorKind};
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, client},
};

#[tokio::test(flavor = "multi_thread")]
async fn the_sixty_first_request_within_a_minute_is_refused() {
    let limit = frontdesk_service::config::Config::default().limits.requests_per_key;
    assert_eq!(limit, 60);
    let service = Installation::start_with(Database::sqlite().await, |config| {
        config.limits.requests_per_key = limit;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = client(service.address(), &service.database.key(&acme.owner, &[]).text);
    let fast = service.database.key(&acme.owner, &["--rate-per-minute", "90"]);
    let fast = client(service.address(), &fast.text);
    let usual = service.client(&acme);
    for (client, limit) in [(&usual, 60), (&fast, 90)] {
        // All at once: what is counted is not what is answered first.
        let calls: Vec<_> = (0..limit + 5)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.chatbots().list().await })
            })
            .collect();
        let mut passed = 0;
        for call in calls {
            match call.await.unwrap() {
                Ok(_) => passed += 1,
                Err(error) => match error.declared() {
                    Some(ListChatbotsError::TooManyRequests(limited)) => {
                        assert!((1..=60).contains(&limited.retry_after), "{limited:?}");
                        assert_eq!(limited.body.error, Some(RateLimitedErrorKind::RateLimited));
                    }
                    other => panic!("{other:?}"),
                },
            }
        }
        assert_eq!(passed, limit);
    }
    // The other keys of the same user have limits of their own.
    other.chatbots().list().await.unwrap();
    service.stop().await;
}
