//! Second factors: secrets of authenticator apps and their codes (RFC 6238), and recovery codes.

use data_encoding::BASE32_NOPAD;
use frontdesk_store::{Authenticator, KeyHash, Redacted, ReencryptedSecret, SecretOwner};
use jiff::Timestamp;
use qrcode::{QrCode, render::svg};
use sha2::{Digest, Sha256};
use totp_rs::{Builder, Totp};
use uuid::Uuid;

use crate::platform::secrets::encryption::SecretCipher;

/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_LENGTH: usize = 20;
/// Digits of a code.
const DIGITS: usize = 6;
/// The steps before and after the present one whose codes are accepted: clocks differ, and typing takes time.
const SKEW: u16 = 1;
/// The name of the service in authenticator apps.
const ISSUER: &str = "Frontdesk";
/// How many recovery codes a person gets.
const RECOVERY_CODES: usize = 10;
/// The characters of recovery codes: 32 that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of a recovery code. 16 out of 32 carry 80 bits, so a fast hash without a pepper is sufficient.
const RECOVERY_LENGTH: usize = 16;
/// Characters of a recovery code between two hyphens.
const GROUP: usize = 4;

/// Why a second factor cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecondFactorError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The secret, or the address of it, is not one that apps accept.
    #[error("the secret of an authenticator app cannot be written")]
    Totp(#[from] totp_rs::TotpError),
    /// The address does not fit into a QR code.
    #[error("the secret of an authenticator app cannot be drawn")]
    QrCode(#[from] qrcode::types::QrError),
}

/// A new secret, to be shown once.
pub(crate) struct NewSecret {
    /// The secret in Base32.
    pub(crate) text: String,
    /// The address that apps open.
    pub(crate) uri: String,
    /// The address as a QR code in SVG.
    pub(crate) qr_code: String,
}

impl NewSecret {
    /// Generates a secret for the person with an e-mail address.
    pub(crate) fn generate(email: &str) -> Result<Self, SecondFactorError> {
        let mut bytes = [0; SECRET_LENGTH];
        getrandom::fill(&mut bytes)?;
        // A colon separates the service from the person, so neither name has one.
        let totp = app(bytes.to_vec()).with_account_name(email.replace(':', " ")).build()?;
        let uri = totp.to_url()?;
        let qr_code = QrCode::new(&uri)?.render::<svg::Color<'_>>().module_dimensions(1, 1).build();
        Ok(Self { text: BASE32_NOPAD.encode(&bytes), uri, qr_code })
    }

    /// Encrypts the secret for a person, to be stored.
    pub(crate) fn encrypted(
        &self,
        cipher: &SecretCipher,
        person_id: Uuid,
    ) -> Result<Redacted<String>, getrandom::Error> {
        cipher.encrypt(&self.text, &purpose(person_id))
    }
}

/// What a person has typed in as a code.
pub(crate) enum Code {
    /// The digits of an authenticator app.
    OfApp(String),
    /// The hash of a recovery code, which may be unknown.
    Recovery(KeyHash),
}

impl Code {
    /// Reads what a person has typed. `None` if it has the form of neither.
    pub(crate) fn read(text: &str, person_id: Uuid) -> Option<Self> {
        let plain: String = text.chars().filter(|sign| !sign.is_whitespace() && *sign != '-').collect();
        let plain = plain.to_ascii_lowercase();
        if plain.len() == DIGITS && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::OfApp(plain));
        }
        let is_recovery_code =
            plain.len() == RECOVERY_LENGTH && plain.bytes().all(|byte| ALPHABET.contains(&byte));
        is_recovery_code.then(|| Self::Recovery(hash(person_id, &plain)))
    }
}

/// Returns the step whose code this is, if it is one of the present moment. `None` also if the secret cannot
/// be decrypted.
pub(crate) fn step_of(
    cipher: &SecretCipher,
    authenticator: &Authenticator,
    code: &str,
    now: Timestamp,
) -> Option<u64> {
    let purpose = purpose(authenticator.person_id);
    let Some(secret) = cipher.decrypt(&authenticator.secret, &purpose) else {
        let person_id = authenticator.person_id;
        tracing::error!(%person_id, "the secret of a second factor cannot be decrypted; was the pepper changed?");
        return None;
    };
    let totp: Totp = app(BASE32_NOPAD.decode(secret.expose().as_bytes()).ok()?).build().ok()?;
    totp.check(code, u64::try_from(now.as_second()).ok()?)
}

/// New recovery codes as text, to be shown once, with the hashes under which they are stored.
pub(crate) fn recovery_codes(person_id: Uuid) -> Result<(Vec<String>, Vec<KeyHash>), getrandom::Error> {
    let mut codes = Vec::with_capacity(RECOVERY_CODES);
    let mut hashes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        let mut bytes = [0; RECOVERY_LENGTH];
        getrandom::fill(&mut bytes)?;
        // 256 is a multiple of 32, so every character is equally likely.
        let plain: Vec<u8> = bytes.iter().map(|byte| ALPHABET[usize::from(byte % 32)]).collect();
        let plain = String::from_utf8_lossy(&plain).into_owned();
        hashes.push(hash(person_id, &plain));
        let groups: Vec<&str> =
            (0..RECOVERY_LENGTH / GROUP).map(|at| &plain[at * GROUP..][..GROUP]).collect();
        codes.push(groups.join("-"));
    }
    Ok((codes, hashes))
}

/// Encrypts the secret of an app again, unless the new cipher decrypts it already. Returns `None` if none of
/// the peppers of `cipher` fits.
pub(crate) fn reencrypted(
    cipher: &SecretCipher,
    new_cipher: &SecretCipher,
    authenticator: &Authenticator,
) -> Result<Option<Vec<ReencryptedSecret>>, getrandom::Error> {
    let (before, purpose) = (&authenticator.secret, purpose(authenticator.person_id));
    if new_cipher.decrypt(before, &purpose).is_some() {
        return Ok(Some(Vec::new()));
    }
    let Some(plain) = cipher.decrypt(before, &purpose) else { return Ok(None) };
    let after = new_cipher.encrypt(plain.expose(), &purpose)?;
    let owner = SecretOwner::Authenticator(authenticator.person_id);
    Ok(Some(vec![ReencryptedSecret { owner, before: before.clone(), after }]))
}

/// What all apps use: SHA-1, 6 digits and 30 seconds, which are the only values that each one knows.
fn app(secret: Vec<u8>) -> Builder {
    Builder::new().with_secret(secret).with_skew(SKEW).with_issuer(Some(ISSUER))
}

/// Returns the purpose for which the secret of a person is encrypted. Part of the stored form.
fn purpose(person_id: Uuid) -> String {
    format!("second factor of {person_id}")
}

/// Returns the hash of a recovery code. Part of the stored form.
fn hash(person_id: Uuid, plain: &str) -> KeyHash {
    let hash = Sha256::new()
        .chain_update(b"recovery code")
        .chain_update(person_id.as_bytes())
        .chain_update(plain.as_bytes());
    KeyHash::new(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::secrets::pepper::Peppers;

    fn authenticator(person_id: Uuid, secret: Redacted<String>) -> Authenticator {
        Authenticator {
            person_id,
            secret,
            last_step: 0,
            failures: 0,
            blocked_until: None,
            created_at: Timestamp::UNIX_EPOCH,
            confirmed_at: None,
        }
    }

    #[test]
    fn codes_are_those_of_the_standard_and_its_neighbors() {
        let (cipher, person_id) = (SecretCipher::new(&Peppers::of("pepper")), Uuid::new_v4());
        // RFC 6238, appendix B: the last 6 of the 8 digits.
        let text = BASE32_NOPAD.encode(b"12345678901234567890");
        let stored = cipher.encrypt(&text, &purpose(person_id)).unwrap();
        let known = authenticator(person_id, stored.clone());
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        for (seconds, code, step) in [
            (59, "287082", 1),
            (1_111_111_109, "081804", 37_037_036),
            (1_234_567_890, "005924", 41_152_263),
            (20_000_000_000, "353130", 666_666_666),
        ] {
            for moment in [seconds - 30, seconds, seconds + 30] {
                assert_eq!(step_of(&cipher, &known, code, at(moment)), Some(step), "{code} at {moment}");
            }
            for moment in [seconds + 60, seconds + 86_400] {
                assert_eq!(step_of(&cipher, &known, code, at(moment)), None, "{code} at {moment}");
            }
        }
        let of_others = authenticator(Uuid::new_v4(), stored);
        assert_eq!(step_of(&cipher, &of_others, "287082", at(59)), None, "a secret belongs to its person");
    }

    #[test]
    fn a_new_secret_is_shown_in_three_forms() {
        let new = NewSecret::generate("a:b@acme.example").unwrap();
        assert_eq!(new.text.len(), 32);
        let uri =
            format!("otpauth://totp/Frontdesk:a%20b%40acme.example?secret={}&issuer=Frontdesk", new.text);
        assert_eq!(new.uri, uri);
        assert!(new.qr_code.contains("<svg ") && new.qr_code.ends_with("</svg>"), "{}", new.qr_code);
        let (cipher, person_id) = (SecretCipher::new(&Peppers::of("pepper")), Uuid::new_v4());
        assert!(!new.encrypted(&cipher, person_id).unwrap().expose().contains(&new.text));
    }

    #[test]
    fn recovery_codes_are_read_as_people_type_them() {
        let person_id = Uuid::new_v4();
        let (codes, hashes) = recovery_codes(person_id).unwrap();
        assert_eq!((codes.len(), hashes.len()), (10, 10));
        let read = |text: &str| match Code::read(text, person_id) {
            Some(Code::Recovery(hash)) => Some(hash),
            _ => None,
        };
        let code = &codes[0];
        assert_eq!(code.len(), 19, "{code}");
        for typed in [code.clone(), code.to_uppercase(), code.replace('-', " "), format!(" {code} ")] {
            assert_eq!(read(&typed), Some(hashes[0]), "{typed}");
        }
        assert_ne!(read(&codes[1]), Some(hashes[0]));
        for other in ["", "12345", "1234567", "ilou-ilou-ilou-ilou", &code[1..], "é23456"] {
            assert!(Code::read(other, person_id).is_none(), "{other}");
        }
        assert!(
            matches!(Code::read(" 123 456 ", person_id), Some(Code::OfApp(digits)) if digits == "123456")
        );
        assert!(matches!(Code::read(code, Uuid::new_v4()), Some(Code::Recovery(hash)) if hash != hashes[0]));
    }
}
