//! Recipients of follow-ups who want no more of them. A link in each e-mail names its address by a secret.

use jiff::Timestamp;
use uuid::Uuid;

use crate::board::secret_tokens::{address_hash, token_hash};
use crate::sql::error::StoreError;
use crate::sql::row::micros;

record! {
    /// The link by which a recipient unsubscribes.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UnsubscribeLink, columns unsubscribe_link_columns of "l." {
        /// The account that has sent the e-mail.
        pub account_id: Uuid,
        /// Its name.
        pub account_name: String = "k.name",
        /// The contact it was sent to, if it is still there.
        pub contact_id: Option<Uuid>,
        /// The stored form of the address it was sent to.
        pub address_hash: String,
    }
}

group! {
    /// Recipients of follow-ups who want no more of them.
    pub Unsubscribes, unsubscribes
}

impl Unsubscribes<'_> {
    /// Returns the link with this secret. Whoever has it is the recipient, so there is no scope.
    pub async fn find(self, token: Uuid) -> Result<Option<UnsubscribeLink>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            unsubscribe_link_columns!(),
            " FROM unsubscribe_links AS l JOIN accounts AS k ON k.account_id = l.account_id WHERE l.token_hash = $1"
        ))
        .bind(token_hash(token));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Notes that no follow-ups are sent any more to the address of a link.
    pub async fn unsubscribe(self, link: &UnsubscribeLink, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO unsubscribed_addresses (account_id, address_hash, contact_id, unsubscribed_at) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, address_hash) DO NOTHING",
        )
        .bind(link.account_id.to_string())
        .bind(link.address_hash.clone())
        .bind(link.contact_id.map(|id| id.to_string()))
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Makes a link for an address of an account, and returns its secret. E-mails of follow-ups have one
    /// already.
    pub async fn issue_link(self, account_id: Uuid, email: &str, now: Timestamp) -> Result<Uuid, StoreError> {
        let token = Uuid::new_v4();
        sqlx::query(
            "INSERT INTO unsubscribe_links (token_hash, account_id, address_hash, created_at) VALUES ($1, $2, $3, $4)",
        )
        .bind(token_hash(token))
        .bind(account_id.to_string())
        .bind(address_hash(account_id, email))
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        Ok(token)
    }
}
