//! The dispatcher: claims endpoints with events to deliver, and makes the attempts that are due.
//!
//! One task decides, and attempts run beside it. It is woken by signals of the store, and looks for what is
//! due every second in any case: that finds planned retries, and what a signal was lost for. An attempt
//! counts as running until its result is written, so nothing is sent twice while the database is not
//! available. What was sent and not written when a process dies is sent again by the next one.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use frontdesk_store::{
    Attempted, DueDelivery, EndpointLease, HealthPolicy, QueuedEvents, StoreError, Webhooks,
};
use jiff::SignedDuration;
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use uuid::Uuid;

use super::attempt;
use crate::background::{Background, webhooks::MAX_ENDPOINTS};

/// Attempts that run at a time for one endpoint.
const PER_ENDPOINT: usize = 4;
/// Attempts that run at a time for one endpoint whose last attempt has failed: enough to notice that it works
/// again, and little while it hangs.
const PER_FAILING_ENDPOINT: usize = 1;
/// Attempts that run at a time in this process.
const PER_PROCESS: usize = 1_024;
// One account, all of whose endpoints hang, leaves at least half of them for others.
const _: () =
    assert!(MAX_ENDPOINTS * PER_ENDPOINT as u64 <= PER_PROCESS as u64 / 2, "one account could take too many");
/// Endpoints that one look claims.
const CLAIMED_AT_ONCE: usize = 500;
/// How long an endpoint stays with a process that does not renew its lease.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// How often leases are renewed. Two renewals may fail before a lease ends.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How often the dispatcher looks for what is due without a signal.
const POLL: Duration = Duration::from_secs(1);
/// How long an endpoint stays claimed that has nothing due.
const IDLE: Duration = Duration::from_secs(5);
/// What becomes of endpoints that fail.
const HEALTH: HealthPolicy = HealthPolicy {
    tell_after: SignedDuration::from_hours(24),
    disable_after: SignedDuration::from_hours(5 * 24),
};

/// The running dispatcher. Dropping it stops it at once; [`Dispatcher::shutdown`] also writes the results of
/// attempts that end soon.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Dispatcher {
    /// Starts it.
    pub(crate) fn start(service: &Background) -> Self {
        let (stop, stopped) = watch::channel(false);
        let work = Work {
            queued: service.store.webhooks().queued_events(),
            service: service.clone(),
            owner: Uuid::new_v4().to_string(),
            endpoints: BTreeMap::new(),
            woken: BTreeSet::new(),
            running: JoinSet::new(),
            ended: Vec::new(),
            next_look: Instant::now(),
            next_heartbeat: Instant::now() + HEARTBEAT,
        };
        Self { stop, task: tokio::spawn(work.run(stopped)) }
    }

    /// Returns the handle of the task that runs until the process stops, to see whether it does.
    pub(crate) fn worker(&self) -> AbortHandle {
        self.task.abort_handle()
    }

    /// Stops it, and gives its endpoints back.
    pub(crate) async fn shutdown(mut self) {
        self.stop.send_replace(true);
        if let Err(error) = (&mut self.task).await {
            tracing::error!(%error, "the dispatcher of webhooks ended unexpectedly");
        }
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An endpoint that this process has claimed.
#[derive(Debug)]
struct Claimed {
    lease_number: u64,
    /// The deliveries that are being attempted, or whose result is not written yet.
    running: BTreeSet<Uuid>,
    /// Whether something may be due that is not running.
    may_have_more: bool,
    is_failing: bool,
    idle_since: Instant,
}

impl Claimed {
    fn new(lease_number: u64) -> Self {
        Self {
            lease_number,
            running: BTreeSet::new(),
            may_have_more: true,
            is_failing: false,
            idle_since: Instant::now(),
        }
    }

    fn free(&self) -> usize {
        let limit = if self.is_failing { PER_FAILING_ENDPOINT } else { PER_ENDPOINT };
        limit.saturating_sub(self.running.len())
    }
}

struct Work {
    service: Background,
    owner: String,
    queued: QueuedEvents,
    endpoints: BTreeMap<Uuid, Claimed>,
    /// Endpoints that a signal has named and that are not claimed.
    woken: BTreeSet<Uuid>,
    running: JoinSet<Attempted>,
    /// Results that are not written yet.
    ended: Vec<Attempted>,
    next_look: Instant,
    next_heartbeat: Instant,
}

impl Work {
    async fn run(mut self, mut stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "events cannot be delivered at the moment");
                self.next_look = Instant::now() + POLL;
                tokio::time::sleep(POLL).await;
            }
            tokio::select! {
                queued = self.queued.next() => self.wake(queued.as_deref()),
                Some(ended) = self.running.join_next() => self.end(ended),
                () = sleep_until(self.next_look) => {}
                // An error means that the handle is gone, which asks for the same.
                _ = stopped.wait_for(|stop| *stop) => {}
            }
            while let Some(ended) = self.running.try_join_next() {
                self.end(ended);
            }
        }
        self.stop().await;
    }

    /// Does everything that can be done without waiting for an attempt.
    async fn step(&mut self) -> Result<(), StoreError> {
        self.write_results().await?;
        let now = Instant::now();
        if now >= self.next_heartbeat {
            self.renew().await?;
            self.next_heartbeat = now + HEARTBEAT;
        }
        if now >= self.next_look {
            self.look().await?;
            self.next_look = now + POLL;
        }
        if !self.woken.is_empty() {
            let woken: Vec<Uuid> = std::mem::take(&mut self.woken).into_iter().collect();
            self.claim(Some(&woken)).await?;
        }
        self.begin().await
    }

    /// Notes the endpoints for which events were queued; `None` means that these are unknown.
    fn wake(&mut self, endpoints: Option<&[Uuid]>) {
        let Some(endpoints) = endpoints else {
            self.next_look = Instant::now();
            return;
        };
        for endpoint in endpoints {
            match self.endpoints.get_mut(endpoint) {
                Some(claimed) => claimed.may_have_more = true,
                None => drop(self.woken.insert(*endpoint)),
            }
        }
    }

    fn end(&mut self, ended: Result<Attempted, tokio::task::JoinError>) {
        match ended {
            Ok(attempted) => self.ended.push(attempted),
            // Its delivery counts as running until the endpoint is claimed again.
            Err(error) => tracing::error!(%error, "an attempt to deliver an event ended unexpectedly"),
        }
    }

    async fn write_results(&mut self) -> Result<(), StoreError> {
        if self.ended.is_empty() {
            return Ok(());
        }
        self.webhooks().record(&self.owner, &self.ended, HEALTH, self.service.now()).await?;
        for attempted in std::mem::take(&mut self.ended) {
            if let Some(claimed) = self.endpoints.get_mut(&attempted.webhook_endpoint_id) {
                claimed.running.remove(&attempted.delivery.webhook_delivery_id);
                claimed.idle_since = Instant::now();
            }
        }
        Ok(())
    }

    /// Renews all leases, and forgets the endpoints that another process has, or nobody any more.
    async fn renew(&mut self) -> Result<(), StoreError> {
        if self.endpoints.is_empty() {
            return Ok(());
        }
        let held = self.webhooks().renew(&self.owner, LEASE, self.service.now()).await?;
        let held: BTreeMap<Uuid, u64> =
            held.into_iter().map(|lease| (lease.webhook_endpoint_id, lease.lease_number)).collect();
        self.endpoints.retain(|endpoint, claimed| held.get(endpoint) == Some(&claimed.lease_number));
        Ok(())
    }

    /// Looks for what is due, without a signal, and gives endpoints back that have had nothing due for a
    /// while.
    async fn look(&mut self) -> Result<(), StoreError> {
        let idle: Vec<Uuid> = self
            .endpoints
            .iter()
            .filter(|(_, claimed)| {
                claimed.running.is_empty() && !claimed.may_have_more && claimed.idle_since.elapsed() > IDLE
            })
            .map(|(endpoint, _)| *endpoint)
            .collect();
        if !idle.is_empty() {
            self.webhooks().release(&self.owner, &idle).await?;
            self.endpoints.retain(|endpoint, _| !idle.contains(endpoint));
        }
        for claimed in self.endpoints.values_mut() {
            claimed.may_have_more = true;
        }
        if self.webhooks().is_any_due(self.service.now()).await? {
            self.claim(None).await?;
        }
        Ok(())
    }

    async fn claim(&mut self, only: Option<&[Uuid]>) -> Result<(), StoreError> {
        if self.running.len() >= PER_PROCESS {
            return Ok(());
        }
        let now = self.service.now();
        let claimed = self.webhooks().claim(&self.owner, only, LEASE, CLAIMED_AT_ONCE, now).await?;
        for EndpointLease { webhook_endpoint_id, lease_number } in claimed {
            self.endpoints.insert(webhook_endpoint_id, Claimed::new(lease_number));
        }
        Ok(())
    }

    /// Begins the attempts that are due, as far as the limits allow.
    async fn begin(&mut self) -> Result<(), StoreError> {
        let ready: Vec<Uuid> = self
            .endpoints
            .iter()
            .filter(|(_, claimed)| claimed.may_have_more && claimed.free() > 0)
            .map(|(endpoint, _)| *endpoint)
            .collect();
        if ready.is_empty() || self.running.len() >= PER_PROCESS {
            return Ok(());
        }
        // Deliveries that are running are among those that are due.
        let limit = 2 * PER_ENDPOINT;
        let due = self.webhooks().due(&self.owner, &ready, limit, self.service.now()).await?;
        let mut found: BTreeMap<Uuid, usize> = BTreeMap::new();
        for delivery in &due {
            *found.entry(delivery.target.webhook_endpoint_id).or_default() += 1;
        }
        for endpoint in ready {
            if let Some(claimed) = self.endpoints.get_mut(&endpoint) {
                claimed.may_have_more = found.get(&endpoint).is_some_and(|found| *found == limit);
            }
        }
        for due in due {
            self.attempt(due);
        }
        Ok(())
    }

    fn attempt(&mut self, due: DueDelivery) {
        let (id, endpoint) = (due.delivery.webhook_delivery_id, due.target.webhook_endpoint_id);
        let Some(claimed) = self.endpoints.get_mut(&endpoint) else { return };
        claimed.is_failing = due.target.failing_since.is_some();
        if claimed.running.contains(&id) {
            return;
        }
        if claimed.free() == 0 || self.running.len() >= PER_PROCESS {
            claimed.may_have_more = true;
            return;
        }
        claimed.running.insert(id);
        let service = self.service.clone();
        self.running.spawn(async move { attempt::make(&service, due).await });
    }

    /// Waits for running attempts for a while, writes their results, and gives all endpoints back.
    async fn stop(mut self) {
        let all_end = async {
            while let Some(ended) = self.running.join_next().await {
                if let Ok(attempted) = ended {
                    self.ended.push(attempted);
                }
            }
        };
        let _ = timeout(self.service.config.jobs.drain_timeout, all_end).await;
        self.running.abort_all();
        let endpoints: Vec<Uuid> = self.endpoints.keys().copied().collect();
        let ending = async {
            self.write_results().await?;
            self.service.store.webhooks().release(&self.owner, &endpoints).await
        };
        if let Err(error) = ending.await {
            // The leases end, and what was sent is sent again.
            tracing::warn!(%error, "the results of the last deliveries cannot be stored");
        }
    }

    fn webhooks(&self) -> Webhooks<'_> {
        self.service.store.webhooks()
    }
}
