//! Threads with people outside of the account, the channels that they arrive by, and e-mails that became no
//! message.

pub(crate) mod inbox_channels;
pub(crate) mod skipped_mails;
pub(crate) mod threads;
