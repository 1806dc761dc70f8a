//! Workers with a kind of job made for the test, a clock that the test moves, and a database in memory.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use frontdesk_store::{AccountKind, Job, JobState, NewAccount, NewJob, Plan, Scope, Store};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{
    super::{
        kind::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, Outcome},
        queue::{JobSignals, Queue},
        registry::Registry,
        run::{Environment, Timing},
    },
    JobRunner, start,
};
use crate::platform::{Clock, metrics::Metrics};

const QUEUE: Queue = Queue::Crawl;
const ATTEMPTS: u32 = 3;
const TIME_LIMIT: SignedDuration = SignedDuration::from_secs(1_000);
const EVERY: SignedDuration = SignedDuration::from_secs(100);

/// What a job of the test does, by its payload.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Script {
    Finish,
    Fail,
    Panic,
    Hang,
    /// Finishes when the process is to stop.
    UntilStopped,
    /// Continues ten seconds later, this often, then finishes.
    Wait(u64),
    /// Continues after the deadline.
    WaitTooLong,
    /// Runs for a moment of real time.
    Work,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    script: Script,
}

/// What the kind has seen.
#[derive(Debug, Default)]
struct Seen {
    runs: Mutex<Vec<Uuid>>,
    given_up: Mutex<BTreeMap<Uuid, Vec<String>>>,
    working: AtomicUsize,
    most_working: AtomicUsize,
    /// How many calls of the hook fail.
    hook_failures: AtomicUsize,
}

struct Fake {
    spec: JobSpec,
    clock: Clock,
    signals: JobSignals,
    seen: Arc<Seen>,
}

impl JobKind for Fake {
    type Payload = Payload;

    fn spec(&self) -> &JobSpec {
        &self.spec
    }

    async fn run(&self, job: &Job, Payload { script }: Payload) -> Result<Outcome, JobError> {
        self.seen.runs.lock().unwrap().push(job.job_id);
        let working = self.seen.working.fetch_add(1, Ordering::SeqCst) + 1;
        self.seen.most_working.fetch_max(working, Ordering::SeqCst);
        // Also when the run is dropped.
        let _leave = Leave(Arc::clone(&self.seen));
        match script {
            Script::Fail => Err("the mill stands still".into()),
            Script::Panic => panic!("the mill is on fire"),
            Script::Hang => std::future::pending().await,
            Script::UntilStopped => {
                while !self.signals.is_stopping() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Ok(Outcome::Done)
            }
            Script::Wait(times) if job.runs <= times => {
                Ok(Outcome::ContinueAt(self.clock.now() + SignedDuration::from_secs(10)))
            }
            Script::Finish | Script::Wait(_) => Ok(Outcome::Done),
            Script::WaitTooLong => Ok(Outcome::ContinueAt(self.clock.now() + TIME_LIMIT)),
            Script::Work => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(Outcome::Done)
            }
        }
    }

    async fn give_up(&self, job: &Job, reason: &GiveUpReason) -> Result<(), BoxError> {
        let is_failing = |left: usize| left.checked_sub(1);
        if self.seen.hook_failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_failing).is_ok() {
            return Err("nobody listens".into());
        }
        self.seen.given_up.lock().unwrap().entry(job.job_id).or_default().push(reason.to_string());
        Ok(())
    }
}

struct Leave(Arc<Seen>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A database with one account, and the environment of workers on it.
struct World {
    environment: Environment,
    scope: Scope,
    seconds: Arc<AtomicI64>,
    seen: Arc<Seen>,
}

impl World {
    async fn new() -> Self {
        Self::with(None).await
    }

    async fn with(every: Option<SignedDuration>) -> Self {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let seconds = Arc::new(AtomicI64::new(1_800_000_000));
        let clock = {
            let seconds = Arc::clone(&seconds);
            Clock::from_fn(move || Timestamp::from_second(seconds.load(Ordering::SeqCst)).unwrap())
        };
        let scope = account(&store, &clock).await;
        let seen = Arc::new(Seen::default());
        let signals = JobSignals::default();
        let fake = Fake {
            spec: spec(every),
            clock: clock.clone(),
            signals: signals.clone(),
            seen: Arc::clone(&seen),
        };
        let environment = Environment {
            store,
            clock,
            metrics: Metrics::new(),
            signals,
            registry: Arc::new(Registry::default().with(fake)),
            timing: Timing {
                lease: SignedDuration::from_secs(30),
                heartbeat: Duration::from_millis(20),
                poll: Duration::from_millis(10),
                schedule: Duration::from_millis(20),
                drain: Duration::ZERO,
            },
        };
        Self { environment, scope, seconds, seen }
    }

    fn start(&self, concurrency: usize) -> JobRunner {
        start(&self.environment, &[(QUEUE, concurrency)])
    }

    fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    async fn enqueue(&self, script: Script) -> Uuid {
        self.enqueue_job(&spec(None).new_job(&Payload { script })).await
    }

    async fn enqueue_job(&self, job: &NewJob) -> Uuid {
        self.enqueue_job_of(&self.scope, job).await
    }

    async fn another_account(&self) -> Scope {
        account(&self.environment.store, &self.environment.clock).await
    }

    async fn enqueue_of(&self, scope: &Scope, script: Script) -> Uuid {
        self.enqueue_job_of(scope, &spec(None).new_job(&Payload { script })).await
    }

    async fn enqueue_job_of(&self, scope: &Scope, job: &NewJob) -> Uuid {
        let now = self.environment.clock.now();
        let enqueued = self.environment.store.jobs().enqueue(scope, job, now).await.unwrap();
        self.environment.signals.enqueued(QUEUE);
        enqueued.unwrap().job_id
    }

    async fn job(&self, job_id: Uuid) -> Job {
        self.environment.store.jobs().find(&self.scope, job_id).await.unwrap().unwrap()
    }

    /// The job once it is in this state.
    async fn in_state(&self, job_id: Uuid, state: JobState) -> Job {
        self.once(job_id, |job| job.state == state).await
    }

    /// The job once it is as wanted.
    async fn once(&self, job_id: Uuid, is_wanted: impl Fn(&Job) -> bool) -> Job {
        for _ in 0..1_000 {
            let job = self.job(job_id).await;
            if is_wanted(&job) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it does not come to this: {:?}", self.job(job_id).await);
    }

    /// Waits until a job of an account is done.
    async fn done_of(&self, scope: &Scope, job_id: Uuid) {
        for _ in 0..1_000 {
            let job = self.environment.store.jobs().find(scope, job_id).await.unwrap().unwrap();
            if job.state == JobState::Done {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the job waits for others");
    }

    /// Enough time for workers to do something wrong.
    async fn a_while(&self) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    fn runs(&self) -> usize {
        self.seen.runs.lock().unwrap().len()
    }

    fn given_up(&self, job_id: Uuid) -> Vec<String> {
        self.seen.given_up.lock().unwrap().get(&job_id).cloned().unwrap_or_default()
    }
}

async fn account(store: &Store, clock: &Clock) -> Scope {
    let account = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "Mill".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    store.accounts().create(&account, clock.now()).await.unwrap().scope()
}

fn spec(every: Option<SignedDuration>) -> JobSpec {
    JobSpec {
        name: "fake",
        queue: QUEUE,
        max_attempts: ATTEMPTS,
        backoff: Backoff { first: SignedDuration::from_secs(8), longest: SignedDuration::from_secs(60) },
        time_limit: TIME_LIMIT,
        every,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_runs_once_and_is_done() {
    let world = World::new().await;
    let runner = world.start(2);
    let job_id = world.enqueue(Script::Finish).await;
    let done = world.in_state(job_id, JobState::Done).await;
    assert_eq!((done.attempts, done.last_error), (1, None));
    world.a_while().await;
    assert_eq!(world.runs(), 1);
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payload_that_cannot_be_read_is_given_up_at_once() {
    let world = World::new().await;
    let runner = world.start(1);
    let mut job = spec(None).new_job(&Payload { script: Script::Finish });
    job.payload = json!({ "script": "dance" });
    let job_id = world.enqueue_job(&job).await;
    let failed = world.in_state(job_id, JobState::Failed).await;
    assert_eq!(failed.attempts, 1);
    let error = failed.last_error.unwrap();
    assert!(
        error.starts_with("no attempt can succeed: the payload cannot be read: unknown variant"),
        "{error}"
    );
    assert_eq!((world.given_up(job_id), world.runs()), (vec![error], 0));
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_and_panics_are_retried_later_and_given_up_with_a_reason() {
    for (script, problem) in [(Script::Fail, "the mill stands still"), (Script::Panic, "the mill is on fire")]
    {
        let world = World::new().await;
        let runner = world.start(1);
        let job_id = world.enqueue(script).await;
        for attempt in 1..ATTEMPTS {
            let failed =
                world.once(job_id, |job| job.state == JobState::Queued && job.attempts == attempt).await;
            let error = failed.last_error.unwrap();
            assert!(error.contains(problem), "{error}");
            let wait = world.environment.clock.now().duration_until(failed.run_at).as_secs();
            // 8 seconds, then 16, each shortened by up to a quarter.
            let longest = 8 << (attempt - 1);
            assert!((longest * 3 / 4 - 1..=longest).contains(&wait), "attempt {attempt}: {wait} s");
            world.a_while().await;
            assert_eq!(world.job(job_id).await.attempts, attempt, "it did not wait");
            world.pass(wait + 1);
        }
        let failed = world.in_state(job_id, JobState::Failed).await;
        let error = failed.last_error.unwrap();
        assert!(error.starts_with("the last attempt failed: ") && error.contains(problem), "{error}");
        assert_eq!(world.given_up(job_id), [error]);
        assert_eq!(world.runs(), 3);
        // A run is counted after its result is stored.
        runner.shutdown().await;
        let metrics = world.environment.metrics.render(&[]);
        assert!(metrics.contains("frontdesk_jobs_given_up_total{kind=\"fake\"} 1"), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_waits_gives_its_worker_back_and_uses_up_no_attempt() {
    const WAITS: u64 = 6;
    let world = World::new().await;
    let runner = world.start(1);
    let waiting = world.enqueue(Script::Wait(WAITS)).await;
    for run in 1..=WAITS {
        let job = world.once(waiting, |job| job.state == JobState::Queued && job.runs == run).await;
        assert_eq!((job.attempts, job.last_error), (0, None));
        // The only worker is free meanwhile.
        let other = world.enqueue(Script::Finish).await;
        world.in_state(other, JobState::Done).await;
        assert_eq!(world.job(waiting).await.runs, run);
        world.pass(10);
    }
    let done = world.in_state(waiting, JobState::Done).await;
    assert_eq!((done.attempts, done.runs), (1, WAITS + 1));
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_hangs_is_given_up_at_its_deadline() {
    let world = World::new().await;
    let runner = world.start(1);
    let hanging = world.enqueue(Script::Hang).await;
    let running = world.in_state(hanging, JobState::Running).await;
    assert_eq!(running.deadline_at, Some(world.environment.clock.now() + TIME_LIMIT));
    // Its lease is renewed all the while.
    for _ in 0..9 {
        world.pass(20);
        let now = world.environment.clock.now();
        world.once(hanging, |job| job.lease_until > Some(now + SignedDuration::from_secs(20))).await;
    }
    assert_eq!(world.job(hanging).await.runs, 1);
    world.pass(1_000);
    let failed = world.in_state(hanging, JobState::Failed).await;
    assert_eq!(failed.last_error.as_deref(), Some("the time limit of the job was reached"));
    assert_eq!(world.given_up(hanging).len(), 1);
    // Its worker is free again.
    let other = world.enqueue(Script::Finish).await;
    world.in_state(other, JobState::Done).await;
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_would_continue_after_its_deadline_is_given_up_without_waiting() {
    let world = World::new().await;
    let runner = world.start(1);
    let job_id = world.enqueue(Script::WaitTooLong).await;
    let failed = world.in_state(job_id, JobState::Failed).await;
    assert_eq!(failed.last_error.as_deref(), Some("the time limit of the job was reached"));
    // A deadline that passes while the job waits in the queue.
    let slow = world.enqueue(Script::Wait(1)).await;
    world.once(slow, |job| job.state == JobState::Queued && job.runs == 1).await;
    world.pass(2_000);
    world.in_state(slow, JobState::Failed).await;
    assert_eq!(world.runs(), 2, "it ran again after its deadline");
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_puts_jobs_back_without_using_up_an_attempt() {
    let world = World::new().await;
    let runner = world.start(1);
    let job_id = world.enqueue(Script::Hang).await;
    world.in_state(job_id, JobState::Running).await;
    while world.runs() == 0 {
        world.a_while().await;
    }
    runner.shutdown().await;
    let waiting = world.job(job_id).await;
    assert_eq!((waiting.state, waiting.attempts, waiting.lease_owner), (JobState::Queued, 0, None));
    assert_eq!(world.seen.working.load(Ordering::SeqCst), 0, "it still runs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_lets_running_jobs_finish_and_begins_no_others() {
    let mut world = World::new().await;
    world.environment.timing.drain = Duration::from_mins(1);
    let runner = world.start(1);
    let (running, waiting) = (world.enqueue(Script::UntilStopped).await, world.enqueue(Script::Finish).await);
    world.in_state(running, JobState::Running).await;
    assert!(!world.environment.signals.is_stopping());
    runner.shutdown().await;
    let (running, waiting) = (world.job(running).await, world.job(waiting).await);
    assert_eq!((running.state, running.attempts), (JobState::Done, 1));
    assert_eq!((waiting.state, waiting.attempts), (JobState::Queued, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_job_stops() {
    let world = World::new().await;
    let runner = world.start(1);
    let job_id = world.enqueue(Script::Hang).await;
    world.in_state(job_id, JobState::Running).await;
    let held = world.job(job_id).await;
    assert!(world.environment.store.jobs().complete(&held, world.environment.clock.now()).await.unwrap());
    // The only worker becomes free because the lease is lost.
    let other = world.enqueue(Script::Finish).await;
    world.in_state(other, JobState::Done).await;
    assert_eq!(world.given_up(job_id), Vec::<String>::new());
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_runs_as_many_jobs_at_a_time_as_it_may() {
    let world = World::new().await;
    let runner = world.start(3);
    let mut jobs = Vec::new();
    for _ in 0..30 {
        jobs.push(world.enqueue(Script::Work).await);
    }
    for job_id in jobs {
        world.in_state(job_id, JobState::Done).await;
    }
    assert_eq!(world.seen.most_working.load(Ordering::SeqCst), 3);
    assert_eq!(world.runs(), 30);
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_hangs_leaves_half_of_the_places_for_others() {
    let world = World::new().await;
    let other = world.another_account().await;
    for _ in 0..8 {
        world.enqueue(Script::Hang).await;
    }
    let runner = world.start(4);
    for _ in 0..3 {
        let job_id = world.enqueue_of(&other, Script::Finish).await;
        world.done_of(&other, job_id).await;
    }
    assert_eq!(world.seen.working.load(Ordering::SeqCst), 2, "half of four");
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_take_turns_at_a_single_place() {
    let world = World::new().await;
    let other = world.another_account().await;
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.push(world.enqueue(Script::Finish).await);
        world.pass(1);
    }
    // It came last.
    let small = world.enqueue_of(&other, Script::Finish).await;
    expected.insert(1, small);
    let runner = world.start(1);
    world.done_of(&other, small).await;
    for job_id in expected.iter().filter(|job_id| **job_id != small) {
        world.in_state(*job_id, JobState::Done).await;
    }
    assert_eq!(*world.seen.runs.lock().unwrap(), expected);
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_kills_its_workers_is_given_up_and_those_who_wait_are_informed() {
    let world = World::new().await;
    let job_id = world.enqueue(Script::Finish).await;
    for _ in 0..ATTEMPTS {
        let jobs = world.environment.store.jobs();
        let lease = SignedDuration::from_secs(30);
        let claimed = jobs.claim(QUEUE.name(), "dead", lease, world.environment.clock.now()).await.unwrap();
        assert_eq!(claimed.map(|job| job.job_id), Some(job_id));
        world.pass(40);
    }
    // The first two attempts to inform fail; the job stays unfinished until one succeeds.
    world.seen.hook_failures.store(2, Ordering::SeqCst);
    let runner = world.start(1);
    for run in 4..=5 {
        world.once(job_id, |job| job.runs == run).await;
        world.a_while().await;
        assert_eq!(world.job(job_id).await.state, JobState::Running);
        world.pass(40);
    }
    let failed = world.in_state(job_id, JobState::Failed).await;
    assert_eq!(failed.last_error.as_deref(), Some("the worker died during the last attempt"));
    assert_eq!((world.given_up(job_id).len(), world.runs()), (1, 0));
    runner.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kind_of_another_version_is_left_to_its_workers_for_a_while() {
    let world = World::new().await;
    let runner = world.start(1);
    let unknown = NewJob { kind: "weave".into(), ..spec(None).new_job(&Payload { script: Script::Finish }) };
    let job_id = world.enqueue_job(&unknown).await;
    let waiting = world.once(job_id, |job| job.state == JobState::Queued && job.attempts == 1).await;
    assert_eq!(waiting.last_error.as_deref(), Some("this version does not know jobs of the kind `weave`"));
    runner.shutdown().await;
}

/// The one job that the scheduler keeps, whatever its state.
async fn recurring(world: &World) -> Vec<(JobState, u64)> {
    let counts = world.environment.store.jobs().counts().await.unwrap();
    counts.iter().map(|count| (count.state, count.jobs)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recurring_work_is_done_by_one_of_several_processes_at_each_time() {
    let world = World::with(Some(EVERY)).await;
    // The scheduler sends no payload, which this kind refuses; giving up must not end the recurrence either.
    let runners = [world.start(2), world.start(2), world.start(2)];
    for time in 1..=4 {
        for _ in 0..100 {
            let given_up: usize = world.seen.given_up.lock().unwrap().values().map(Vec::len).sum();
            if given_up >= time {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.a_while().await;
        let given_up = world.seen.given_up.lock().unwrap().clone();
        assert_eq!(given_up.len(), 1, "there are several jobs: {given_up:?}");
        assert_eq!(given_up.values().map(Vec::len).sum::<usize>(), time, "{given_up:?}");
        assert_eq!(recurring(&world).await, [(JobState::Queued, 1)]);
        world.pass(100);
    }
    for runner in runners {
        runner.shutdown().await;
    }
}
