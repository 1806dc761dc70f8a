//! The tenants: accounts with their people, keys and domains, and what each may have and spend.

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod credits;
pub(crate) mod domains;
pub(crate) mod links;
pub(crate) mod members;
pub(crate) mod passkeys;
pub(crate) mod pending_sign_ins;
pub(crate) mod people;
pub(crate) mod plan_limits;
pub(crate) mod reply_credits;
pub(crate) mod second_factors;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod tenants;
pub(crate) mod users;

pub use tenants::{Account, AccountKind, Accounts, NewAccount, Plan};
