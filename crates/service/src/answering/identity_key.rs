//! Public keys that verify identity assertions beside the secret of a domain.

use base64::{Engine, prelude::BASE64_STANDARD};
use frontdesk_store::{IdentityKey, IdentityKeyAlgorithm};
use jsonwebtoken::{Algorithm, DecodingKey};

/// The first and the last line of a key in the form `SubjectPublicKeyInfo` (RFC 7468, section 13).
const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";

/// Bytes of an RSA key of 2,048 bits in this form, the shortest that RFC 7518, section 3.3, allows.
const RSA_2048_BYTES: usize = 294;

/// Returns the algorithm of an assertion that a key verifies.
pub(super) fn algorithm(key: &IdentityKey) -> Algorithm {
    match key.algorithm {
        IdentityKeyAlgorithm::Rs256 => Algorithm::RS256,
        IdentityKeyAlgorithm::EdDsa => Algorithm::EdDSA,
    }
}

/// Reads a key.
pub(super) fn read(key: &IdentityKey) -> Result<DecodingKey, jsonwebtoken::errors::Error> {
    match key.algorithm {
        IdentityKeyAlgorithm::Rs256 => DecodingKey::from_rsa_pem(key.public_key.as_bytes()),
        IdentityKeyAlgorithm::EdDsa => DecodingKey::from_ed_pem(key.public_key.as_bytes()),
    }
}

/// Checks that a key can verify assertions; otherwise the text completes "The field …".
pub(crate) fn check(key: &IdentityKey) -> Result<(), &'static str> {
    const FORM: &str = "must be a public key in PEM, from BEGIN PUBLIC KEY to END PUBLIC KEY";
    let encoded =
        key.public_key.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)).ok_or(FORM)?;
    let encoded: String = encoded.split_ascii_whitespace().collect();
    let bytes = BASE64_STANDARD.decode(encoded).map_err(|_| FORM)?;
    if read(key).is_err() {
        return Err("is not a key for its algorithm: RS256 needs RSA, EdDSA needs Ed25519");
    }
    if key.algorithm == IdentityKeyAlgorithm::Rs256 && bytes.len() < RSA_2048_BYTES {
        return Err("must have at least 2048 bits");
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Made with `openssl genpkey -algorithm ed25519`.
    pub(in crate::answering) const ED_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIK1zDDIpEQ1PXNEUitDLjJcGC/AwqPR6NTLVvG+HhTqf\n\
        -----END PRIVATE KEY-----";
    pub(in crate::answering) const ED_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAcpyKOp5IHMbHlQj+Q+dYQfAWBhRAJwT+kO6eFKwfWJ8=\n\
        -----END PUBLIC KEY-----";
    /// Made with `openssl genrsa`, with 2,048 and 1,024 bits.
    pub(in crate::answering) const RSA_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCqPwyAiYlml994\n\
        VvXh4lyWgQeuVV+zMIhLVA6GKgYHVZ84VIsaEH6FFl3/9+9wIuiORdXDZY5H/NTH\n\
        RddhvOx5W63oppLzpl9FDJMLfXgNENuEo85WPOzUjGlsiAffG9joZXugkS76B3u3\n\
        aIU7JSagkfaUJRY5HDz9lF3R38K0lDs6UixrWlaRvNfc0Z0+HWMIU0tURK5sDjUk\n\
        k7ntx8wVOUr2D2PCkXGOvOVvzCisFZ1jON1FRfMjBDc1Wtr8VyhVfw4DoopeLnQ1\n\
        8fYL2kol0qCkjSsFyPyTbIcUHsHguq45m+tAmndbW4yBP/skzqLGh7LDVlqQwDSV\n\
        +jLlCPU9AgMBAAECggEAIsTioEO2mInO3WxhJiNNRn2OnIeaFmYEh+HgX30oownV\n\
        DTOS/x08QaD6TKMNtwiiFyBjEldk0gXsTNBSNwdXAkf7gga2/2TMkzUIuPGEeaKm\n\
        OnYb11f1BEmy5DP565Jr37aOI5JTFkQ9+4ywnQ4uz99PjRzv53UBbcaFzK2Wvbss\n\
        dKcn6BdB1VNrZNXx7GTpD20fK/3wyQIyNPPlPYVYbYTnb8rxgL7Cp/7pwzmxJLvN\n\
        bS6pObsWa+PVzBPBisPSe1UPZvKbOp8gkZh1icNBjneCIrxMh74Id5dMVuPZ7SpH\n\
        wM10pNAAIZyoJBS686i78kMxN0J5ANTR1555Qh1C4QKBgQDp36XC4VQ8ERTqOHZj\n\
        uQw+levn40Vl+Cy+PrgAY0C8+lmul95PjLhPDbe8d2DoTaxJkcUsjO7AFmmzYiYD\n\
        m9YVnA5+1j73DOe65R1fjLivFxChYl4t/U4rKHRPFWkm/AKWLO6b5Jf27VCGoqIo\n\
        WqbPsPw6teXY/Uod0woKvCn2LQKBgQC6Wl2GAR8/NHXXUP8CqICOQiTazHy1wKox\n\
        qpLNCGEEZYwE0viymBi0NJ4cS96CxxyKZW7JPhFdgr5iIClJXI6hEjcKhkx+7wkE\n\
        kKo4SznBqRHqZ+cHb+y928hk3MP95HT68mIsE0S/a9Gg8/4xMO3F9p++Wm4U5JIu\n\
        vONYKm31UQKBgQDBpDrEU/uBzIbrs5pa0WHRBCMSmfvhBQ5O6vFA6O02S3cr93TL\n\
        mvEUC4ChHJrxXTaUp4yBaaNZCnW0YESnYkVtGQxreosh1N6dwYyDi6ly138ekKr4\n\
        Gy64z0MWI90vuSOPIl7iVvB4NGAjSc9H6F8LwjfliKxp8LaIYS+EWe3IdQKBgQCK\n\
        FQVxkwlFOykKR6D9pj/DqW1HlvfdcQprTNoEBO5mZJwwwua25w5/EPILQ4h33PPf\n\
        9LL3eP9DC+roKK6PBn9FCIsySDsMXzCOamdG2S7Nueplh2Hf1+ZS9DTzz8WGLq8j\n\
        d1CZGhn5wPmOytySNJAq/Mh3MuiYoJlU+m9219GsUQKBgHLVXpyYUXdSeC+zcdIZ\n\
        Kbgw/ul64Lj4CRscA7tqJYS//ao6Kd3LHel80iUH9skIU+M/Jjwd+E9kpczKwRAu\n\
        Iq53G3hS/oUjhfMWwGLyBQ6MV+CRC3eCTVP8B+2UUoxH90oi+D9HOjRWIQTvFGo/\n\
        Bi+414rVqo46TxBzo4aPESUB\n\
        -----END PRIVATE KEY-----";
    pub(in crate::answering) const RSA_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqj8MgImJZpffeFb14eJc\n\
        loEHrlVfszCIS1QOhioGB1WfOFSLGhB+hRZd//fvcCLojkXVw2WOR/zUx0XXYbzs\n\
        eVut6KaS86ZfRQyTC314DRDbhKPOVjzs1IxpbIgH3xvY6GV7oJEu+gd7t2iFOyUm\n\
        oJH2lCUWORw8/ZRd0d/CtJQ7OlIsa1pWkbzX3NGdPh1jCFNLVESubA41JJO57cfM\n\
        FTlK9g9jwpFxjrzlb8worBWdYzjdRUXzIwQ3NVra/FcoVX8OA6KKXi50NfH2C9pK\n\
        JdKgpI0rBcj8k2yHFB7B4LquOZvrQJp3W1uMgT/7JM6ixoeyw1ZakMA0lfoy5Qj1\n\
        PQIDAQAB\n\
        -----END PUBLIC KEY-----";
    const RSA_SHORT: &str = "-----BEGIN PUBLIC KEY-----\n\
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCzOhg8eEV8EeiLMlXNyKmdqZpn\n\
        Y3MNmxI2agWDb1kPgxJuO54sQ7UNtYZXi4MDJv9k7Xb9nSNF2Rn5Gfw/uHh7/NYo\n\
        oGwKqPRJ+ijcCvz47FBQwIxU73m9mBVO1fydz5zQSBfQ8Z936ZHZY/4N0ULInKvw\n\
        XSLN2iHuknEn7bEgkwIDAQAB\n\
        -----END PUBLIC KEY-----";

    pub(in crate::answering) fn key(algorithm: IdentityKeyAlgorithm, public_key: &str) -> IdentityKey {
        IdentityKey { algorithm, public_key: public_key.to_owned() }
    }

    #[test]
    fn keys_fit_their_algorithm() {
        use IdentityKeyAlgorithm::{EdDsa, Rs256};
        assert_eq!(check(&key(EdDsa, ED_PUBLIC)), Ok(()));
        assert_eq!(check(&key(Rs256, RSA_PUBLIC)), Ok(()));
        let no_key = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----";
        for (algorithm, text, problem) in [
            (EdDsa, RSA_PUBLIC, "is not a key"),
            (Rs256, ED_PUBLIC, "is not a key"),
            (Rs256, RSA_SHORT, "at least 2048 bits"),
            (EdDsa, ED_PRIVATE, "must be a public key"),
            (Rs256, RSA_PRIVATE, "must be a public key"),
            (EdDsa, no_key, "is not a key"),
            (EdDsa, "", "must be a public key"),
            (Rs256, "a secret", "must be a public key"),
        ] {
            let refused = check(&key(algorithm, text)).unwrap_err();
            assert!(refused.contains(problem), "{text}: {refused}");
        }
    }
}
