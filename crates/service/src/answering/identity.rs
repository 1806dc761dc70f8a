//! Verification of identity assertions: JWTs (RFC 7519) in which the customer's own server states who a
//! visitor is.
//!
//! An assertion is either trusted completely or the request is refused. It never falls back to an anonymous
//! visitor, because then nobody would notice that the integration is broken. The token's header selects among
//! the secrets and keys of the domain record at most: it brings no key, and no algorithm that the record has
//! no key for.

use std::collections::HashSet;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use frontdesk_store::{IdentityKey, Redacted, VisitorSubject};
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, errors::ErrorKind};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::identity_key;

/// The largest accepted difference between the clocks of the two servers.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);
/// The longest accepted lifetime, so that a leaked assertion is not useful for long.
const MAX_LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// The longest token that is parsed, in characters; the limit of the contract.
const MAX_TOKEN_CHARS: usize = 8192;
/// The longest subject, in characters. The subject becomes the external id of a contact.
const MAX_SUBJECT_CHARS: usize = 255;

/// The claims of a trusted assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    /// The visitor's id in the customer's own system.
    pub(super) subject: VisitorSubject,
    pub(super) email: Option<String>,
    pub(super) name: Option<String>,
    pub(super) phone: Option<String>,
    pub(super) company: Option<String>,
}

/// The reason why an assertion is not trusted. The text is shown to the integrator: it names the claim and
/// the rule, and never repeats the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum IdentityError {
    #[error("The identity assertion in contact.jwt is longer than {MAX_TOKEN_CHARS} characters.")]
    TooLong,
    #[error("The identity assertion in contact.jwt is not a JWT with the claims exp, iat, sub and aud.")]
    Malformed,
    #[error(
        "The identity assertion in contact.jwt has the header crit. No extensions are supported: leave crit out."
    )]
    UnknownExtension,
    #[error(
        "The identity assertion in contact.jwt must be signed with HS256, or with RS256 or EdDSA if the domain has a public key for it."
    )]
    WrongAlgorithm,
    #[error("The identity assertion in contact.jwt is not signed with the identity secret or a key of {0}.")]
    WrongSignature(String),
    #[error("The identity assertion in contact.jwt lacks the claim {0}.")]
    MissingClaim(&'static str),
    #[error("The claim {claim} of the identity assertion in contact.jwt must be {expected}.")]
    WrongClaim { claim: &'static str, expected: &'static str },
    #[error("The identity assertion in contact.jwt has expired.")]
    Expired,
    #[error(
        "The identity assertion in contact.jwt is valid for too long: exp must be at most 24 hours ahead."
    )]
    LifetimeTooLong,
    #[error("The identity assertion in contact.jwt is not valid yet: {0} is in the future.")]
    NotYetValid(&'static str),
    #[error("The identity assertion in contact.jwt is not issued for this domain: aud must be {0}.")]
    WrongAudience(String),
    #[error(
        "The claim sub of the identity assertion in contact.jwt must have 1 to {MAX_SUBJECT_CHARS} characters."
    )]
    InvalidSubject,
    #[error(
        "The account has no domain, so the identity assertion in contact.jwt cannot be verified. Add a domain first."
    )]
    NoDomain,
    #[error(
        "The domain {0} requires an identity assertion: send one in contact.jwt, or name in domain_id the domain that the visitor is on."
    )]
    Missing(String),
    #[error(
        "Identity assertions are switched off for the domain {0}: leave contact.jwt out, or set identity_enforcement of the domain to optional."
    )]
    SwitchedOff(String),
}

/// What verifies the assertions of a domain.
#[derive(Debug)]
pub(super) struct TrustedKeys<'a> {
    /// The audience of assertions.
    pub(super) hostname: &'a str,
    /// The secrets that are valid now (HS256).
    pub(super) secrets: Vec<Redacted<String>>,
    /// Further keys.
    pub(super) public_keys: &'a [IdentityKey],
}

impl TrustedKeys<'_> {
    /// Returns the claims of an assertion whose signature one of the keys verifies. Times and names are not
    /// checked yet.
    fn claims(&self, token: &str) -> Result<Claims, IdentityError> {
        check_extensions(token)?;
        let header =
            jsonwebtoken::decode_header(token).map_err(|error| identity_error(&error, self.hostname));
        let algorithm = header?.alg;
        let keys: Vec<DecodingKey> = match algorithm {
            Algorithm::HS256 => self
                .secrets
                .iter()
                .map(|secret| DecodingKey::from_secret(secret.expose().as_bytes()))
                .collect(),
            // A stored key that cannot be read verifies nothing.
            other => {
                let fitting = self.public_keys.iter().filter(|key| identity_key::algorithm(key) == other);
                fitting.filter_map(|key| identity_key::read(key).ok()).collect()
            }
        };
        // The library checks syntax, algorithm and signature. Claims are checked against the injected time.
        let mut validation = Validation::new(algorithm);
        validation.required_spec_claims = HashSet::new();
        validation.validate_exp = false;
        validation.validate_aud = false;
        let mut refused = IdentityError::WrongAlgorithm;
        for key in &keys {
            match jsonwebtoken::decode::<Claims>(token, key, &validation) {
                Ok(decoded) => return Ok(decoded.claims),
                Err(error) => refused = identity_error(&error, self.hostname),
            }
        }
        Err(refused)
    }
}

/// The part of a header that changes what the rest of it means. The library reads the other members.
#[derive(Deserialize)]
struct Extensions {
    /// Present also if it is `null`.
    #[serde(default, deserialize_with = "present")]
    crit: Option<Value>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Refuses a token that needs an extension to be understood (RFC 7515, section 4.1.11). None is, and the
/// names of registered headers or an empty list are not allowed there.
fn check_extensions(token: &str) -> Result<(), IdentityError> {
    let header = token.split('.').next().unwrap_or_default();
    let header = BASE64_URL_SAFE_NO_PAD.decode(header).map_err(|_| IdentityError::Malformed)?;
    let header: Extensions = serde_json::from_slice(&header).map_err(|_| IdentityError::Malformed)?;
    if header.crit.is_some() { Err(IdentityError::UnknownExtension) } else { Ok(()) }
}

/// The claims that are read. A token with a duplicate claim is malformed, because two readers could each use
/// a different one. What type they have is checked by name, so that the integrator is told which one is
/// wrong.
#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    exp: Option<Value>,
    #[serde(default)]
    iat: Option<Value>,
    #[serde(default)]
    nbf: Option<Value>,
    #[serde(default)]
    sub: Option<Value>,
    #[serde(default)]
    aud: Option<Value>,
    #[serde(default)]
    email: Option<Value>,
    #[serde(default)]
    name: Option<Value>,
    #[serde(default)]
    phone: Option<Value>,
    #[serde(default)]
    company: Option<Value>,
}

/// Milliseconds since 1970 of a present time; as seconds they are tens of thousands of years away.
const MILLISECONDS: std::ops::Range<f64> = 1e12..1e14;

/// Reads a time: seconds since 1970, possibly with a fraction (RFC 7519, section 2).
fn moment(claim: &'static str, value: Option<Value>) -> Result<Option<Timestamp>, IdentityError> {
    let wrong = |expected| IdentityError::WrongClaim { claim, expected };
    let Some(value) = value else { return Ok(None) };
    let Value::Number(number) = value else {
        return Err(wrong("a number of seconds since 1970, without quotes"));
    };
    if number.as_f64().is_some_and(|number| MILLISECONDS.contains(&number)) {
        return Err(wrong("in seconds since 1970. It is in milliseconds: divide it by 1000"));
    }
    let seconds = number.as_i64().or_else(|| number.as_f64().and_then(whole_seconds));
    let moment = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    moment.map(Some).ok_or_else(|| wrong("a number of seconds since 1970"))
}

/// Returns the whole seconds of a time with a fraction, or `None` if it is not a representable time.
fn whole_seconds(seconds: f64) -> Option<i64> {
    let duration = SignedDuration::try_from_secs_f64(seconds.trunc()).ok()?;
    Some(duration.as_secs())
}

/// Reads a text.
fn text(claim: &'static str, value: Option<Value>) -> Result<Option<String>, IdentityError> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Number(_)) => {
            Err(IdentityError::WrongClaim { claim, expected: "a text. It is a number: put it in quotes" })
        }
        Some(_) => Err(IdentityError::WrongClaim { claim, expected: "a text" }),
    }
}

/// Returns whether an audience names a host, in any of its spellings.
fn is_host(audience: &str, hostname: &str) -> bool {
    audience.eq_ignore_ascii_case(hostname)
        || frontdesk_address::host(audience).is_some_and(|audience| audience == hostname)
}

/// Reads an audience: a text, or a list of texts.
fn audiences(value: Option<Value>) -> Result<Option<Vec<String>>, IdentityError> {
    match value {
        None => Ok(None),
        Some(Value::String(one)) => Ok(Some(vec![one])),
        Some(value) => serde_json::from_value(value)
            .map(Some)
            .map_err(|_| IdentityError::WrongClaim { claim: "aud", expected: "a text or a list of texts" }),
    }
}

/// Verifies an assertion that was signed for a domain, and returns its claims.
pub(super) fn verify(
    token: &str,
    trusted: &TrustedKeys<'_>,
    now: Timestamp,
) -> Result<Assertion, IdentityError> {
    if token.len() > MAX_TOKEN_CHARS && token.chars().nth(MAX_TOKEN_CHARS).is_some() {
        return Err(IdentityError::TooLong);
    }
    let hostname = trusted.hostname;
    let claims = trusted.claims(token)?;

    let expires = moment("exp", claims.exp)?.ok_or(IdentityError::MissingClaim("exp"))?;
    let issued = moment("iat", claims.iat)?.ok_or(IdentityError::MissingClaim("iat"))?;
    let begins = moment("nbf", claims.nbf)?;
    let subject = text("sub", claims.sub)?.ok_or(IdentityError::MissingClaim("sub"))?;
    let audiences = audiences(claims.aud)?.ok_or(IdentityError::MissingClaim("aud"))?;
    if expires.duration_until(now) >= LEEWAY {
        return Err(IdentityError::Expired);
    }
    if now.duration_until(expires) > MAX_LIFETIME + LEEWAY {
        return Err(IdentityError::LifetimeTooLong);
    }
    if now.duration_until(issued) > LEEWAY {
        return Err(IdentityError::NotYetValid("iat"));
    }
    if begins.is_some_and(|begins| now.duration_until(begins) > LEEWAY) {
        return Err(IdentityError::NotYetValid("nbf"));
    }
    if !audiences.iter().any(|audience| is_host(audience, hostname)) {
        return Err(IdentityError::WrongAudience(hostname.to_owned()));
    }
    let subject = VisitorSubject::new(&subject)
        .filter(|_| !subject.contains(char::is_control))
        .filter(|subject| subject.as_str().chars().count() <= MAX_SUBJECT_CHARS)
        .ok_or(IdentityError::InvalidSubject)?;
    Ok(Assertion {
        subject,
        email: text("email", claims.email)?,
        name: text("name", claims.name)?,
        phone: text("phone", claims.phone)?,
        company: text("company", claims.company)?,
    })
}

fn identity_error(error: &jsonwebtoken::errors::Error, hostname: &str) -> IdentityError {
    match error.kind() {
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName | ErrorKind::MissingAlgorithm => {
            IdentityError::WrongAlgorithm
        }
        ErrorKind::InvalidSignature => IdentityError::WrongSignature(hostname.to_owned()),
        _ => IdentityError::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{EncodingKey, Header};
    use serde_json::json;

    const HOST: &str = "shop.example";
    const SECRET: &str = "an identity secret of the domain";
    const NOW: i64 = 1_800_000_000;

    fn verify(token: &str, hostname: &str, secret: &str, now: Timestamp) -> Result<Assertion, IdentityError> {
        let secrets = vec![Redacted::new(secret.to_owned())];
        super::verify(token, &TrustedKeys { hostname, secrets, public_keys: &[] }, now)
    }

    fn now() -> Timestamp {
        Timestamp::from_second(NOW).unwrap()
    }

    fn good() -> Value {
        json!({
            "sub": "customer-7", "aud": HOST, "iat": NOW - 5, "exp": NOW + 600,
            "email": "jo@customer.example", "name": "Jo Miller"
        })
    }

    /// The good claims with some of them replaced, or removed by null.
    fn claims(changes: &Value) -> Value {
        let mut claims = good();
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        claims
    }

    fn sign(claims: &Value, algorithm: Algorithm, secret: &str) -> String {
        jsonwebtoken::encode(&Header::new(algorithm), claims, &EncodingKey::from_secret(secret.as_bytes()))
            .unwrap()
    }

    /// A token from raw JSON texts, signed correctly.
    fn sign_raw(header: &str, payload: &str, secret: &str) -> String {
        let body =
            format!("{}.{}", BASE64_URL_SAFE_NO_PAD.encode(header), BASE64_URL_SAFE_NO_PAD.encode(payload));
        let key = EncodingKey::from_secret(secret.as_bytes());
        let signature = jsonwebtoken::crypto::sign(body.as_bytes(), &key, Algorithm::HS256).unwrap();
        format!("{body}.{signature}")
    }

    #[test]
    fn a_good_assertion_names_the_visitor() {
        let assertion = verify(&sign(&good(), Algorithm::HS256, SECRET), HOST, SECRET, now()).unwrap();
        assert_eq!(assertion.subject.as_str(), "customer-7");
        assert_eq!(assertion.email.as_deref(), Some("jo@customer.example"));
        assert_eq!(assertion.name.as_deref(), Some("Jo Miller"));
        assert_eq!(assertion.phone, None);
    }

    #[test]
    fn clock_differences_of_a_minute_and_lifetimes_of_a_day_are_accepted() {
        for change in [
            json!({ "exp": NOW - 59 }),
            json!({ "iat": NOW + 60 }),
            json!({ "exp": NOW + 24 * 3600 }),
            json!({ "exp": 1_800_000_300.75 }),
            json!({ "nbf": NOW + 30 }),
            json!({ "aud": ["other.example", HOST] }),
            json!({ "aud": "Shop.Example" }),
            json!({ "sub": "x".repeat(255) }),
        ] {
            let token = sign(&claims(&change), Algorithm::HS256, SECRET);
            assert!(verify(&token, HOST, SECRET, now()).is_ok(), "{change}");
        }
    }

    #[test]
    fn claims_that_break_a_rule_are_named() {
        const MILLISECONDS: &str = "in seconds since 1970. It is in milliseconds: divide it by 1000";
        let wrong = |claim, expected| IdentityError::WrongClaim { claim, expected };
        for (change, expected) in [
            (json!({ "exp": null }), IdentityError::MissingClaim("exp")),
            (json!({ "iat": null }), IdentityError::MissingClaim("iat")),
            (json!({ "sub": null }), IdentityError::MissingClaim("sub")),
            (json!({ "aud": null }), IdentityError::MissingClaim("aud")),
            (json!({ "exp": NOW - 60 }), IdentityError::Expired),
            (json!({ "exp": 0 }), IdentityError::Expired),
            (json!({ "exp": -1 }), IdentityError::Expired),
            (json!({ "exp": NOW + 24 * 3600 + 61 }), IdentityError::LifetimeTooLong),
            (
                json!({ "exp": (NOW + 600).to_string() }),
                wrong("exp", "a number of seconds since 1970, without quotes"),
            ),
            (json!({ "exp": u64::MAX }), wrong("exp", "a number of seconds since 1970")),
            (json!({ "exp": 1e300 }), wrong("exp", "a number of seconds since 1970")),
            (json!({ "exp": (NOW + 600) * 1000 }), wrong("exp", MILLISECONDS)),
            (json!({ "exp": 1_800_000_600_000.5 }), wrong("exp", MILLISECONDS)),
            (json!({ "iat": NOW * 1000 }), wrong("iat", MILLISECONDS)),
            (json!({ "nbf": NOW * 1000 }), wrong("nbf", MILLISECONDS)),
            (json!({ "nbf": true }), wrong("nbf", "a number of seconds since 1970, without quotes")),
            (json!({ "iat": "yesterday" }), wrong("iat", "a number of seconds since 1970, without quotes")),
            (json!({ "iat": NOW + 61 }), IdentityError::NotYetValid("iat")),
            (json!({ "nbf": NOW + 61 }), IdentityError::NotYetValid("nbf")),
            (json!({ "sub": 7 }), wrong("sub", "a text. It is a number: put it in quotes")),
            (json!({ "sub": true }), wrong("sub", "a text")),
            (json!({ "aud": 7 }), wrong("aud", "a text or a list of texts")),
            (json!({ "aud": [HOST, 7] }), wrong("aud", "a text or a list of texts")),
            (
                json!({ "phone": 442_079_460_018_i64 }),
                wrong("phone", "a text. It is a number: put it in quotes"),
            ),
            (json!({ "sub": " " }), IdentityError::InvalidSubject),
            (json!({ "sub": "a\u{0}b" }), IdentityError::InvalidSubject),
            (json!({ "sub": "x".repeat(256) }), IdentityError::InvalidSubject),
            (json!({ "aud": "other.example" }), IdentityError::WrongAudience(HOST.into())),
            (json!({ "aud": ["other.example"] }), IdentityError::WrongAudience(HOST.into())),
            (json!({ "aud": [] }), IdentityError::WrongAudience(HOST.into())),
            (json!({ "email": ["a@b.example"] }), wrong("email", "a text")),
        ] {
            let token = sign(&claims(&change), Algorithm::HS256, SECRET);
            assert_eq!(verify(&token, HOST, SECRET, now()), Err(expected), "{change}");
        }
    }

    #[test]
    fn only_the_key_and_algorithm_of_the_domain_are_accepted() {
        let foreign = sign(&good(), Algorithm::HS256, "the secret of another domain");
        assert_eq!(verify(&foreign, HOST, SECRET, now()), Err(IdentityError::WrongSignature(HOST.into())));
        let stronger = sign(&good(), Algorithm::HS512, SECRET);
        assert_eq!(verify(&stronger, HOST, SECRET, now()), Err(IdentityError::WrongAlgorithm));

        let payload = good().to_string();
        let unsigned = format!(
            "{}.{}.",
            BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#),
            BASE64_URL_SAFE_NO_PAD.encode(&payload)
        );
        assert!(verify(&unsigned, HOST, SECRET, now()).is_err());
        for algorithm in ["RS256", "ES256", "EdDSA"] {
            let confused = sign_raw(&format!(r#"{{"alg":"{algorithm}"}}"#), &payload, SECRET);
            assert_eq!(
                verify(&confused, HOST, SECRET, now()),
                Err(IdentityError::WrongAlgorithm),
                "{algorithm}"
            );
        }
        // A key in the token's header is ignored.
        let jwk = BASE64_URL_SAFE_NO_PAD.encode("the attacker's secret");
        let header = format!(r#"{{"alg":"HS256","jwk":{{"kty":"oct","k":"{jwk}"}},"kid":"1"}}"#);
        let offered = sign_raw(&header, &payload, "the attacker's secret");
        assert_eq!(verify(&offered, HOST, SECRET, now()), Err(IdentityError::WrongSignature(HOST.into())));
    }

    #[test]
    fn public_keys_and_several_secrets_verify() {
        use frontdesk_store::IdentityKeyAlgorithm::{EdDsa, Rs256};
        use identity_key::tests::{ED_PRIVATE, ED_PUBLIC, RSA_PRIVATE, RSA_PUBLIC, key};

        let (ed, rsa) = (key(EdDsa, ED_PUBLIC), key(Rs256, RSA_PUBLIC));
        let token = |algorithm, key| jsonwebtoken::encode(&Header::new(algorithm), &good(), &key).unwrap();
        let by_ed = token(Algorithm::EdDSA, EncodingKey::from_ed_pem(ED_PRIVATE.as_bytes()).unwrap());
        let by_rsa = token(Algorithm::RS256, EncodingKey::from_rsa_pem(RSA_PRIVATE.as_bytes()).unwrap());
        let with = |secrets: &[&str], public_keys: &[IdentityKey], token: &str| {
            let secrets = secrets.iter().map(|secret| Redacted::new((*secret).to_owned())).collect();
            super::verify(token, &TrustedKeys { hostname: HOST, secrets, public_keys }, now())
        };
        assert!(with(&[SECRET], &[rsa.clone(), ed.clone()], &by_ed).is_ok());
        assert!(with(&[SECRET], &[rsa.clone(), ed.clone()], &by_rsa).is_ok());
        assert!(with(&["new", SECRET], &[], &sign(&good(), Algorithm::HS256, SECRET)).is_ok());

        let wrong_signature = Err(IdentityError::WrongSignature(HOST.into()));
        assert_eq!(with(&[SECRET], std::slice::from_ref(&rsa), &by_ed), Err(IdentityError::WrongAlgorithm));
        let stranger = "-----BEGIN PUBLIC KEY-----\n\
            MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----";
        assert_eq!(with(&[SECRET], &[key(EdDsa, stranger)], &by_ed), wrong_signature);
        // The public key of the domain must not count as a secret (RFC 8725, section 2.1).
        for public_key in [&rsa.public_key, &ed.public_key] {
            let confused = sign(&good(), Algorithm::HS256, public_key);
            assert_eq!(with(&[SECRET], &[rsa.clone(), ed.clone()], &confused), wrong_signature);
        }
    }

    #[test]
    fn malformed_tokens_are_refused() {
        let good = sign(&good(), Algorithm::HS256, SECRET);
        let twice = sign_raw(
            r#"{"alg":"HS256"}"#,
            &format!(r#"{{"sub":"a","sub":"b","aud":"{HOST}","iat":{NOW},"exp":{}}}"#, NOW + 60),
            SECRET,
        );
        let array = sign_raw(r#"{"alg":"HS256"}"#, "[]", SECRET);
        for token in [
            "",
            ".",
            "..",
            "a.b.c",
            "not a token",
            good.trim_end_matches(|_| true),
            &twice,
            &array,
            &format!("{good}.x"),
        ] {
            assert_eq!(verify(token, HOST, SECRET, now()), Err(IdentityError::Malformed), "{token:?}");
        }
        let long = format!("{good}{}", "A".repeat(MAX_TOKEN_CHARS));
        assert_eq!(verify(&long, HOST, SECRET, now()), Err(IdentityError::TooLong));
    }

    #[test]
    fn a_token_that_needs_an_extension_is_refused() {
        let payload = good().to_string();
        for crit in
            [r#"["exp"]"#, r#"["b64"]"#, r#"["urn:example:x"]"#, r#"["alg"]"#, "[]", "null", "{}", r#""kid""#]
        {
            let token = sign_raw(&format!(r#"{{"alg":"HS256","crit":{crit}}}"#), &payload, SECRET);
            assert_eq!(verify(&token, HOST, SECRET, now()), Err(IdentityError::UnknownExtension), "{crit}");
        }
        let twice = sign_raw(r#"{"alg":"HS256","crit":["a"],"crit":["b"]}"#, &payload, SECRET);
        assert!(verify(&twice, HOST, SECRET, now()).is_err());
        // Headers that only describe the token, or point to keys elsewhere, are not followed.
        let hint = r#"{"alg":"HS256","kid":"1","jku":"https://evil.example/keys","x5u":"https://evil.example/c","cty":"x"}"#;
        assert!(verify(&sign_raw(hint, &payload, SECRET), HOST, SECRET, now()).is_ok());
    }

    #[test]
    fn a_tampered_payload_breaks_the_signature() {
        let token = sign(&good(), Algorithm::HS256, SECRET);
        let parts: Vec<_> = token.split('.').collect();
        let forged = BASE64_URL_SAFE_NO_PAD.encode(claims(&json!({ "sub": "customer-8" })).to_string());
        let forged = format!("{}.{forged}.{}", parts[0], parts[2]);
        assert_eq!(verify(&forged, HOST, SECRET, now()), Err(IdentityError::WrongSignature(HOST.into())));
    }
}
