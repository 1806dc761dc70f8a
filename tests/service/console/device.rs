//! [`Device`]: an authenticator with one passkey, and the browser in front of it (Web Authentication).

use data_encoding::BASE64URL_NOPAD;
use p256::ecdsa::{Signature, SigningKey, signature::Signer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Flags of the data of an authenticator.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const HAS_CREDENTIAL: u8 = 1 << 6;

/// The address of the service in these tests, and what passkeys are bound to.
pub(crate) const ORIGIN: &str = "https://desk.example";
pub(crate) const HOST: &str = "desk.example";

/// A passkey on a device. What it says can be made to lie.
#[derive(Clone)]
pub(crate) struct Device {
    key: SigningKey,
    id: Vec<u8>,
    /// The id of the person, as the service has given it.
    handle: String,
    pub(crate) origin: &'static str,
    pub(crate) host: &'static str,
    /// How often it has signed; `None` for one that does not count.
    pub(crate) counter: Option<u32>,
    pub(crate) verifies: bool,
}

impl Device {
    /// Makes a passkey as the service asks for it. Returns it with what the browser sends.
    pub(crate) fn make(options: &Value) -> (Self, Value) {
        let secret = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        let device = Self {
            key: SigningKey::from_slice(&secret).unwrap(),
            id: Uuid::new_v4().into_bytes().to_vec(),
            handle: options["user"]["id"].as_str().unwrap().to_owned(),
            origin: ORIGIN,
            host: HOST,
            counter: Some(1),
            verifies: true,
        };
        let response = device.response(options);
        (device, response)
    }

    /// What the browser sends of the passkey when it is made.
    pub(crate) fn response(&self, options: &Value) -> Value {
        let point = self.key.verifying_key().to_encoded_point(false);
        let mut data = self.data(HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        // A key of COSE: EC2, ES256, P-256, and the two coordinates.
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(point.x().unwrap());
        data.extend([0x22, 0x58, 0x20]);
        data.extend(point.y().unwrap());
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": …}.
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        let id = self.id();
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": BASE64URL_NOPAD.encode(self.client_data("webauthn.create", options).as_bytes()),
                "attestationObject": BASE64URL_NOPAD.encode(&attestation),
                "transports": ["internal"],
            },
        })
    }

    /// Signs what the service asks for. Returns what the browser sends.
    pub(crate) fn sign(&mut self, options: &Value) -> Value {
        self.counter = self.counter.map(|counter| counter + 1);
        let (data, client_data) = (self.data(0), self.client_data("webauthn.get", options));
        let signed = [data.clone(), Sha256::digest(&client_data).to_vec()].concat();
        let signature: Signature = self.key.sign(&signed);
        let id = self.id();
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": BASE64URL_NOPAD.encode(client_data.as_bytes()),
                "authenticatorData": BASE64URL_NOPAD.encode(&data),
                "signature": BASE64URL_NOPAD.encode(signature.to_der().as_bytes()),
                "userHandle": self.handle,
            },
        })
    }

    /// The id of the passkey as text.
    pub(crate) fn id(&self) -> String {
        BASE64URL_NOPAD.encode(&self.id)
    }

    /// Lets the device say that its passkey belongs to the person of another one.
    pub(crate) fn impersonate(&mut self, other: &Self) {
        self.handle.clone_from(&other.handle);
    }

    fn data(&self, more: u8) -> Vec<u8> {
        let flags = PRESENT | if self.verifies { VERIFIED } else { 0 } | more;
        let mut data = Sha256::digest(self.host).to_vec();
        data.push(flags);
        data.extend(self.counter.unwrap_or_default().to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let challenge = &options["challenge"];
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false })
            .to_string()
    }
}
