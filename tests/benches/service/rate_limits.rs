//! How many requests a second one API key gets through, by where its rate limit is counted.
//!
//! `cargo bench --package frontdesk-tests --bench service -- rate_limits` needs `FRONTDESK_TEST_POSTGRES_URL`
//! and `FRONTDESK_TEST_REDIS_URL`. It runs the service on SQLite, where the process counts, on PostgreSQL,
//! which counts in portions, and on PostgreSQL with Redis, all in this process, and has each answer for a
//! second in turn. The last figure is what PostgreSQL decides in a second if each event is a statement of its
//! own, as it was before there were portions: no more requests than that could get through.

use std::env;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use frontdesk_client::{Client, RetryPolicy};
use frontdesk_service::config::{Config, Keys, SearchModel};
use frontdesk_service::{Running, WantedKey, issue_key, start};
use frontdesk_store::{AccountKind, NewAccount, NewUser, Plan, Redacted, Role};
use jiff::Timestamp;
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::Result;

const CALLERS: usize = 16;
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_secs(1);
const UNLIMITED: u32 = 1_000_000;
const DATABASES: [&str; 2] = ["frontdesk_bench_rates", "frontdesk_bench_rates_redis"];

/// The decision of version 1.2.0, which writes all events of the minute again for each of them.
const ONE_BY_ONE: &str = "\
    INSERT INTO rate_windows AS kept (name, events, wait, expires_at) \
    SELECT 'key:bench', ARRAY[moment], 0, moment + 60000000 \
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS moment OFFSET 0) AS clock \
    ON CONFLICT (name) DO UPDATE SET (events, wait, expires_at) = ( \
        SELECT recent || moment, 0, moment + 60000000 FROM ( \
            SELECT moment, ARRAY( \
                SELECT event FROM unnest(kept.events) AS event WHERE event > moment - 60000000 ORDER BY event \
            ) AS recent FROM (SELECT GREATEST( \
                (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, kept.events[cardinality(kept.events)] \
            ) AS moment OFFSET 0) AS clock OFFSET 0 \
        ) AS state \
    ) RETURNING wait";

/// A service, and its rate in each round.
struct Side {
    name: &'static str,
    running: Running,
    client: Client,
    rates: Vec<f64>,
}

pub(crate) async fn measure_all() -> Result<()> {
    let server = env::var("FRONTDESK_TEST_POSTGRES_URL")?;
    let folder = tempfile::tempdir()?;
    let file = format!("sqlite:{}", folder.path().join("bench.db").display());
    let mut sides = vec![side("SQLite, counted by the process", file, None).await?];
    let mut administration = PgConnection::connect(&server).await?;
    for name in DATABASES {
        let statements =
            [format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")];
        for statement in statements {
            administration.execute(AssertSqlSafe(statement)).await?;
        }
    }
    sides.push(side("PostgreSQL, in portions", with_database(&server, DATABASES[0]), None).await?);
    if let Ok(redis) = env::var("FRONTDESK_TEST_REDIS_URL") {
        let url = with_database(&server, DATABASES[1]);
        sides.push(side("PostgreSQL, counted by Redis", url, Some(redis)).await?);
    }
    let pool = PgPoolOptions::new().max_connections(4).connect(&with_database(&server, DATABASES[0])).await?;
    let mut one_by_one = Vec::new();
    for _ in 0..ROUNDS {
        for side in &mut sides {
            let client = side.client.clone();
            let rate = rate(async move || client.chatbots().list().await.is_ok()).await?;
            side.rates.push(rate);
        }
        let pool = pool.clone();
        let rate = rate(async move || sqlx::query(ONE_BY_ONE).execute(&pool).await.is_ok()).await?;
        one_by_one.push(rate);
    }
    let reference = sides.iter().map(|side| median(&side.rates)).next().unwrap_or_default();
    for side in &sides {
        let rate = median(&side.rates);
        println!("{}: {rate:.0} requests/s, {:.2} of SQLite", side.name, rate / reference);
    }
    println!("PostgreSQL, each event by itself: {:.0} decisions/s at most", median(&one_by_one));
    for side in sides {
        side.running.shutdown().await;
    }
    pool.close().await;
    for name in DATABASES {
        administration.execute(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"))).await?;
    }
    Ok(())
}

/// How often some callers do something in a second.
async fn rate(call: impl AsyncFn() -> bool + Clone) -> Result<f64> {
    let begun = Instant::now();
    let callers = (0..CALLERS).map(|_| {
        let call = call.clone();
        async move {
            let mut done = 0_u32;
            while begun.elapsed() < ROUND {
                if !call().await {
                    return None;
                }
                done += 1;
            }
            Some(done)
        }
    });
    let done = futures_util::future::join_all(callers).await;
    let done: Option<u32> = done.into_iter().sum();
    Ok(f64::from(done.ok_or("a call failed")?) / begun.elapsed().as_secs_f64())
}

async fn side(name: &'static str, url: String, redis: Option<String>) -> Result<Side> {
    let mut config = Config { database: Redacted::new(url), ..Config::default() };
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.search.model = SearchModel::None;
    config.limits.requests_per_key = UNLIMITED;
    config.limits.redis_url = redis.map(Redacted::new);
    let keys: Keys = config.keys.clone();
    let running = start(config).await?;
    let account = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "bench".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    let now = Timestamp::now();
    let account = running.store.accounts().create(&account, now).await?;
    let owner = NewUser { email: "owner@bench.example".into(), name: "Owner".into(), role: Role::Owner };
    let owner = running.store.users().create(&account.scope(), &owner, now).await?;
    let wanted = WantedKey { user_id: owner.user_id, name: "bench".into(), rate_per_minute: None };
    let issued = issue_key(&running.store, &keys, &account.scope(), wanted, now).await?;
    let key = issued.ok_or("the account has the user")?.key;
    let client = Client::builder(format!("http://{}", running.address))
        .bearer(key.expose())
        .retry(RetryPolicy::NEVER)
        .build()?;
    Ok(Side { name, running, client, rates: Vec::new() })
}

fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}

/// The URL of another database of the same server.
fn with_database(server: &str, name: &str) -> String {
    let (address, options) = server.split_once('?').unwrap_or((server, ""));
    let address = address.rsplit_once('/').map_or(address, |(address, _)| address);
    format!("{address}/{name}?{options}")
}
