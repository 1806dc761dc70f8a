//! A sender or a recipient.

/// A name and an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Mailbox {
    /// The name of the person, if it is known; never empty.
    pub name: Option<String>,
    /// The address, in its normal form (`frontdesk_address`).
    pub address: String,
}
