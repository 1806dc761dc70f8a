//! The queues of the service.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use frontdesk_store::ChangeTopic;
use tokio::sync::Notify;

use crate::platform::config::Config;

/// A queue of jobs. Queues do not delay each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// Reading websites.
    Crawl,
    /// Reading uploaded documents and spreadsheets.
    Files,
    /// Having uploaded images read.
    Images,
    /// Having uploaded recordings written down.
    Recordings,
    /// Short recurring work of the installation.
    Housekeeping,
    /// Making the vectors of chunks.
    Embed,
    /// Sending e-mail.
    Mail,
    /// Sending messages of the inbox.
    Channels,
    /// Fetching messages from mailboxes and bots.
    Fetch,
}

impl Queue {
    /// All queues.
    pub(crate) const ALL: [Self; 9] = [
        Self::Crawl,
        Self::Files,
        Self::Images,
        Self::Recordings,
        Self::Housekeeping,
        Self::Embed,
        Self::Mail,
        Self::Channels,
        Self::Fetch,
    ];

    /// Returns the name under which jobs are stored and counted.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Files => "files",
            Self::Images => "images",
            Self::Recordings => "recordings",
            Self::Housekeeping => "housekeeping",
            Self::Embed => "embed",
            Self::Mail => "mail",
            Self::Channels => "channels",
            Self::Fetch => "fetch",
        }
    }

    /// Returns what a job of the queue may have changed for the people of its account.
    pub(super) const fn topics(self) -> &'static [ChangeTopic] {
        match self {
            Self::Crawl | Self::Files | Self::Images | Self::Recordings | Self::Embed => {
                &[ChangeTopic::Chatbots, ChangeTopic::Content]
            }
            Self::Channels | Self::Fetch => &[ChangeTopic::Account, ChangeTopic::Threads],
            Self::Housekeeping => &[ChangeTopic::Activities, ChangeTopic::Contacts],
            Self::Mail => &[],
        }
    }

    /// Returns how many jobs of the queue this process runs at a time. One account gets half of these places,
    /// as `places` explains.
    pub(crate) fn concurrency(self, config: &Config) -> usize {
        match self {
            Self::Crawl => config.training.workers,
            Self::Files => config.files.workers,
            // The limits of the models, so a slow endpoint delays neither documents nor the other kind.
            Self::Images => config.files.vision.max_concurrency,
            Self::Recordings => config.files.transcription.max_concurrency,
            // The model itself uses several cores.
            // The one job of `mail` sends one notice after the other.
            Self::Housekeeping | Self::Embed | Self::Mail => 1,
            // They mostly wait for others.
            Self::Channels | Self::Fetch => 4,
        }
    }
}

/// Wakes the workers of this process when a job was enqueued, so that they do not have to poll for it. Clones
/// share the signals.
#[derive(Clone, Debug, Default)]
pub struct JobSignals {
    queues: Arc<[Notify; Queue::ALL.len()]>,
    is_stopping: Arc<AtomicBool>,
}

impl JobSignals {
    /// Reports that a job was added to a queue and committed.
    pub(crate) fn enqueued(&self, queue: Queue) {
        self.queues[queue as usize].notify_one();
    }

    /// Returns whether the process is to stop, so that a job that consists of many parts begins no other one.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Reports that the process is to stop.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns once a job was added to a queue after the previous call.
    pub(super) async fn wait(&self, queue: Queue) {
        self.queues[queue as usize].notified().await;
    }
}
