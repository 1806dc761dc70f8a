//! The one normal form of e-mail addresses, host names and web addresses.
//!
//! People write the same address in several ways: `Info@Bäcker.example`, `info@xn--bcker-gra.example`,
//! `info@bäcker.example.`. An address is converted to the normal form before it is stored or compared, and
//! shown and sent in that form: ASCII wherever the standards have an ASCII form. So a reply needs no mail
//! server with SMTPUTF8, an origin of a browser is equal to the host name of its domain, and an export can be
//! imported.
//!
//! | part | normal form |
//! |---|---|
//! | host name | lower case, each label in its ASCII form (`xn--`, UTS 46), no final dot |
//! | before the `@` | lower case, composed characters (NFC); characters beyond ASCII stay, as they have no ASCII form |
//! | path and query of a web address | percent-encoded as browsers do it; encoded characters stay unchanged |
//! | port of a web address | left out if it is that of its scheme |
//!
//! ```
//! let address = frontdesk_address::email("Info@Bäcker.example");
//! assert_eq!(address.as_deref(), Some("info@xn--bcker-gra.example"));
//! assert_eq!(
//!     frontdesk_address::web_address("https://Bäckerei.example:443/über-uns?q=größe").as_deref(),
//!     Some("https://xn--bckerei-5wa.example/%C3%BCber-uns?q=gr%C3%B6%C3%9Fe")
//! );
//! ```

mod email;
mod host;
mod web;

pub use email::{email, email_key, spellings};
pub use host::{host, host_as_written};
pub use web::web_address;
