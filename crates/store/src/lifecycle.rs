//! What concerns all groups at once: new accounts, invitations, merging and erasing people, settings of
//! accounts, retention, archives and backups.

pub(crate) mod account_data;
pub(crate) mod account_erasure;
pub(crate) mod account_settings;
pub(crate) mod ageing;
pub(crate) mod backup;
pub(crate) mod creation;
pub(crate) mod erasure;
pub(crate) mod forgetting;
pub(crate) mod forgotten;
pub(crate) mod invitations;
pub(crate) mod merging;
pub(crate) mod passkeys;
pub(crate) mod personal_data;
pub(crate) mod retention;
pub(crate) mod second_factors;
