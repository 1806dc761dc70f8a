//! Hashes of secrets in addresses, and of e-mail addresses that must be recognized but not kept.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::sql::row::{email_key, email_spellings};

/// Returns the stored form of a secret in an address. The secret has 122 random bits, so a fast hash is
/// sufficient.
pub(crate) fn token_hash(token: Uuid) -> String {
    hex(&[b"token", token.as_bytes()])
}

/// Returns the stored form of an e-mail address of an account, by which it is recognized after the contact
/// was erased. Equal addresses of two accounts have different hashes.
pub(crate) fn address_hash(account_id: Uuid, email: &str) -> String {
    hex(&[b"address", account_id.as_bytes(), email_key(email).as_bytes()])
}

/// Returns the stored form of an e-mail address, and that of its other spelling, which rows of earlier
/// versions may have.
pub(crate) fn address_hashes(account_id: Uuid, email: &str) -> [String; 2] {
    email_spellings(email).map(|email| hex(&[b"address", account_id.as_bytes(), email.as_bytes()]))
}

fn hex(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    HEXLOWER.encode(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_recognized_in_any_case_and_in_its_account_only() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(address_hash(one, "Ann@Customer.example "), address_hash(one, "ann@customer.example"));
        assert_ne!(address_hash(one, "ann@customer.example"), address_hash(two, "ann@customer.example"));
        assert_eq!(address_hash(one, "ann@bäcker.example"), address_hash(one, "ann@xn--bcker-gra.example"));
        let [hash, older] = address_hashes(one, "ann@xn--bcker-gra.example");
        assert_eq!(hash, address_hash(one, "ann@xn--bcker-gra.example"));
        assert_eq!(older, hex(&[b"address", one.as_bytes(), "ann@bäcker.example".as_bytes()]));
        assert_ne!(token_hash(one), token_hash(two));
        assert_eq!(token_hash(one).len(), 64);
    }
}
