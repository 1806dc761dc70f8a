//! What outlives a request: jobs, training, channels, webhooks, notices and follow-ups.
//!
//! [`Background`] is what this work needs beside the edge and the platform.
//!
//! - `jobs`: kinds of jobs, queues, workers, recurring jobs.
//! - `embeddings`: the configured embedding model, and the job that makes the vectors of the training
//!   content.
//! - `training`: crawling and indexing; `media`: the models that read images and recordings.
//! - `channels`: messages of the inbox that come from and go to mail servers and messengers.
//! - `webhooks`: delivery of events; `notices`: e-mail to the people of accounts.
//! - `follow_ups`: messages that activities of deals send to contacts; `unclaimed`: visitors for whom nobody
//!   has come.

pub(crate) mod channels;
pub(crate) mod embeddings;
pub(crate) mod follow_ups;
pub(crate) mod jobs;
pub(crate) mod media;
pub(crate) mod notices;
pub(crate) mod training;
pub(crate) mod unclaimed;
pub(crate) mod webhooks;

use std::{ops::Deref, sync::Arc};

use frontdesk_documents::Extractor;
use frontdesk_knowledge::Hosts;
use frontdesk_outbound::Outbound;

use self::{jobs::JobSignals, media::MediaModels, notices::Mailer};
use crate::edge::Edge;

/// What work needs that outlives a request, on the edge and the platform. Clones are cheap and share
/// everything.
#[derive(Clone, Debug)]
pub struct Background {
    /// What it runs on.
    pub edge: Edge,
    /// Wakes the workers of this process when a job was enqueued.
    pub job_signals: JobSignals,
    /// The way to websites.
    pub outbound: Outbound,
    /// The way to webhook endpoints.
    pub webhook_outbound: Outbound,
    /// The way to mail servers of channels.
    pub mail_outbound: Outbound,
    /// The way to the interfaces of messengers.
    pub messenger_outbound: Outbound,
    /// The way to the mail server of the installation, if there is one.
    pub(crate) mailer: Option<Arc<Mailer>>,
    /// The pauses between requests to the hosts that are crawled.
    pub crawled_hosts: Hosts,
    /// Reads uploaded files in child processes.
    pub extractor: Extractor,
    /// The models that read uploaded images and recordings.
    pub(crate) media: MediaModels,
}

impl Deref for Background {
    type Target = Edge;

    fn deref(&self) -> &Edge {
        &self.edge
    }
}
