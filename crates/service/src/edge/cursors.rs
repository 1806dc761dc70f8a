//! Cursors: positions in lists, signed so that clients cannot make them up.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use frontdesk_store::{Position, Store, StoreError};
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The length of a signature, in bytes: enough that none is guessed, and short in an address.
const SIGNATURE_LENGTH: usize = 16;
/// The length of the key, in bytes.
const KEY_LENGTH: usize = 32;

/// Signs cursors and checks them. All processes of an installation share the key.
#[derive(Clone)]
pub struct Cursors {
    key: Vec<u8>,
}

impl std::fmt::Debug for Cursors {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cursors").finish_non_exhaustive()
    }
}

/// Why cursors cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum CursorError {
    /// The system gives no random numbers.
    #[error("the operating system gives no random numbers")]
    Random(#[from] getrandom::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Cursors {
    /// Loads the installation's key, or makes it at the first start.
    pub(crate) async fn open(store: &Store) -> Result<Self, CursorError> {
        let mut candidate = [0; KEY_LENGTH];
        getrandom::fill(&mut candidate)?;
        let key = store.secrets().get_or_create("cursor_key", &candidate).await?.expose().clone();
        Ok(Self { key })
    }

    fn signature(&self, list: &str, position: &[u8]) -> [u8; SIGNATURE_LENGTH] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("a key may have any length");
        mac.update(list.as_bytes());
        mac.update(&[0]);
        mac.update(position);
        let mut signature = [0; SIGNATURE_LENGTH];
        signature.copy_from_slice(&mac.finalize().into_bytes()[..SIGNATURE_LENGTH]);
        signature
    }

    /// Writes a position as a cursor of a list, which `list` tells from all others.
    pub(crate) fn write(&self, list: &str, position: &Position) -> String {
        let mut bytes = serde_json::to_vec(position).expect("a position is numbers and text");
        bytes.extend(self.signature(list, &bytes));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a cursor. `None` if it is not one of this list.
    pub(crate) fn read(&self, list: &str, cursor: &str) -> Option<Position> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (position, signature) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE_LENGTH)?)?;
        // What a signature protects is not secret, so the time that this comparison takes tells nothing of
        // use.
        (signature == self.signature(list, position)).then(|| serde_json::from_slice(position).ok())?
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_store::SortKey;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_cursor_belongs_to_one_list_of_one_installation() {
        let cursors = Cursors { key: vec![7; KEY_LENGTH] };
        let position = Position { key: SortKey::Text("Zoë".into()), id: Uuid::max() };
        let cursor = cursors.write("tags of one", &position);
        assert_eq!(cursors.read("tags of one", &cursor), Some(position.clone()));
        assert_eq!(cursors.read("tags of two", &cursor), None);
        assert_eq!(Cursors { key: vec![8; KEY_LENGTH] }.read("tags of one", &cursor), None);
        for broken in ["", "x", "AAAA", &cursor[1..], &format!("{cursor}A"), &cursor.to_lowercase()] {
            assert_eq!(cursors.read("tags of one", broken), None, "{broken}");
        }
        let forged = BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&position).unwrap());
        assert_eq!(cursors.read("tags of one", &forged), None);
    }
}
