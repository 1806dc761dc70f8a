//! The links between deals and contacts when contacts are merged or erased.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::row::{Columns, email_spellings};
use crate::{Contact, StoreError};

/// What takes the place of a person's data in texts of deals.
const ERASED: &str = "[erased]";
/// Shorter texts are too common to be somebody's.
const SHORTEST: usize = 3;

/// Links the deals of a contact to another one of the account instead.
pub(crate) async fn move_to_contact(
    connection: &mut AnyConnection,
    account_id: Uuid,
    from: Uuid,
    to: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deal_contacts (deal_id, contact_id, account_id) SELECT deal_id, $3, account_id \
         FROM deal_contacts WHERE account_id = $1 AND contact_id = $2 ON CONFLICT (deal_id, contact_id) DO NOTHING",
    )
    .bind(account_id.to_string())
    .bind(from.to_string())
    .bind(to.to_string())
    .execute(&mut *connection)
    .await?;
    // The links to the old contact are deleted with it.
    Ok(())
}

/// Removes a contact from its deals: the links, its name, addresses and numbers in titles and reasons, and the events that report these deals. The
/// deals stay, because they are the business of the account. The board of the account is locked.
pub(crate) async fn erase_contact(
    connection: &mut AnyConnection,
    contact: &Contact,
) -> Result<(), StoreError> {
    let (account_id, contact_id) = (contact.account_id.to_string(), contact.contact_id.to_string());
    let linked = sqlx::query(
        "SELECT d.deal_id AS deal_id, d.title AS title, d.lost_reason AS lost_reason FROM deals AS d \
         JOIN deal_contacts AS link ON link.deal_id = d.deal_id WHERE link.account_id = $1 AND link.contact_id = $2",
    )
    .bind(&account_id)
    .bind(&contact_id)
    .fetch_all(&mut *connection)
    .await?;
    for deal in linked {
        let (deal_id, title) = (deal.text("deal_id")?, without(&deal.text("title")?, contact));
        let reason = deal.text_opt("lost_reason")?.map(|reason| without(&reason, contact));
        sqlx::query("UPDATE deals SET title = $2, search_text = $3, lost_reason = $4 WHERE deal_id = $1")
            .bind(&deal_id)
            .bind(&title)
            .bind(title.to_lowercase())
            .bind(reason)
            .execute(&mut *connection)
            .await?;
        sqlx::query("DELETE FROM events WHERE account_id = $1 AND type LIKE 'deal.%' AND data LIKE $2")
            .bind(&account_id)
            .bind(format!("%{deal_id}%"))
            .execute(&mut *connection)
            .await?;
    }
    // Events of deals that the contact was linked to at that time.
    sqlx::query("DELETE FROM events WHERE account_id = $1 AND type LIKE 'deal.%' AND data LIKE $2")
        .bind(&account_id)
        .bind(format!("%{contact_id}%"))
        .execute(&mut *connection)
        .await?;
    sqlx::query("DELETE FROM deal_contacts WHERE account_id = $1 AND contact_id = $2")
        .bind(&account_id)
        .bind(&contact_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns a text in which the data of a contact is replaced, in upper or lower case.
fn without(text: &str, contact: &Contact) -> String {
    let mut left = text.to_owned();
    let spellings = contact.email.as_deref().map(email_spellings);
    let known = [&contact.email, &contact.name, &contact.phone, &contact.external_id].into_iter().flatten();
    let known = known.chain(spellings.iter().flatten()).filter(|known| known.chars().count() >= SHORTEST);
    for known in known {
        left = replaced(&left, known);
    }
    left
}

fn replaced(text: &str, known: &str) -> String {
    let known: Vec<char> = known.chars().flat_map(char::to_lowercase).collect();
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = without_prefix(rest, &known) {
            written.push_str(ERASED);
            rest = after;
        } else {
            written.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    written
}

/// Returns what follows a prefix that is given in lower case.
fn without_prefix<'t>(text: &'t str, prefix: &[char]) -> Option<&'t str> {
    let mut left = prefix;
    for (start, character) in text.char_indices() {
        if left.is_empty() {
            return Some(&text[start..]);
        }
        for lower in character.to_lowercase() {
            left = left.split_first().filter(|(expected, _)| **expected == lower)?.1;
        }
    }
    left.is_empty().then_some("")
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn texts_lose_what_is_known_of_a_person() {
        for (text, known, left) in [
            ("Ann Baker: lawn mower", "ann baker", "[erased]: lawn mower"),
            ("Mower for ANN BAKER", "Ann Baker", "Mower for [erased]"),
            ("Zoë, zoë and Zoe", "ZOË", "[erased], [erased] and Zoe"),
            ("Mower", "Ann", "Mower"),
            ("İstanbul", "stanbul", "İ[erased]"),
        ] {
            assert_eq!(replaced(text, known), left);
        }
    }
}
