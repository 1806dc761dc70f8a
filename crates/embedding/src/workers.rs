//! [`Workers`]: the threads that compute the vectors of passages, one for each core.
//!
//! A passage is a batch of its own, too small to be divided: two threads that share each passage take longer
//! than two that compute a passage each. So each worker computes whole passages with one thread.

use rten::ThreadPool;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The niceness of the threads: a thread of a question gets three times as much of a core. On a busy machine
/// all of them together still get as much as one thread would.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// The largest number of workers. Each has about 10 MB of memory of its own.
const MAX_WORKERS: usize = 8;

/// Threads for passages, each with its own pool.
#[derive(Debug)]
pub(crate) struct Workers(Vec<Arc<ThreadPool>>);

impl Workers {
    /// Returns workers for a machine with so many cores. On systems where threads cannot have a lower
    /// priority, half of the cores stay free for questions.
    pub(crate) fn new(cores: usize) -> Self {
        let count = if cfg!(target_os = "linux") { cores } else { cores / 2 };
        Self((0..count.clamp(1, MAX_WORKERS)).map(|_| Arc::new(worker())).collect())
    }

    /// Returns the pool of the first worker, for calls with one passage.
    pub(crate) fn first(&self) -> &Arc<ThreadPool> {
        &self.0[0]
    }

    /// Calls `work` for each item, and returns the results in the order of the items. All workers run at
    /// once, each call with the pool of its worker.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &Arc<ThreadPool>) -> R + Sync,
    ) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(items.len()));
        thread::scope(|scope| {
            for pool in self.0.iter().take(items.len()) {
                let (next, done, work) = (&next, &done, &work);
                scope.spawn(move || {
                    pool.run(|| {
                        while let place = next.fetch_add(1, Ordering::Relaxed)
                            && let Some(item) = items.get(place)
                        {
                            let result = work(item, pool);
                            done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
                        }
                    });
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

fn worker() -> ThreadPool {
    let pool = ThreadPool::with_num_threads(1);
    #[cfg(target_os = "linux")]
    {
        let caller = thread::current().id();
        pool.run(|| {
            // A pool without threads would run this on the thread of the caller.
            if thread::current().id() != caller {
                // On Linux this is the niceness of the thread. If it cannot be changed, it stays as it is.
                let _ = rustix::process::nice(NICENESS);
            }
        });
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Barrier, time::Duration};

    #[test]
    fn results_have_the_order_of_their_items() {
        let workers = Workers::new(4);
        let items: Vec<u64> = (0..40).collect();
        let doubled = workers.each(&items, |item, _| {
            thread::sleep(Duration::from_millis(item % 3));
            item * 2
        });
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(workers.each(&items[..0], |item, _| *item).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn all_workers_run_at_once_and_give_way_to_others() {
        let own = rustix::process::getpriority_process(None).unwrap();
        let workers = Workers::new(3);
        // Returns only if three calls are running.
        let barrier = Barrier::new(3);
        let niceness = workers.each(&[(); 3], |(), _| {
            barrier.wait();
            rustix::process::getpriority_process(None).unwrap()
        });
        assert_eq!(niceness, [(own + NICENESS).min(19); 3]);
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), own, "the caller keeps its own");
    }
}
