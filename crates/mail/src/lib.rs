//! E-mail messages from raw bytes to values.
//!
//! [`read()`] turns the bytes of a message (RFC 5322, MIME) into an [`Email`]: who wrote it, which message it
//! responds to, its text with and without quoted parts, its HTML in a safe form, its attachments, and its
//! [`Nature`]: whether a person wrote it, or a program. Messages come from strangers and are often broken, so
//! as much as possible is read, size and nesting are bounded ([`Limits`]), and nothing panics. A message that
//! cannot be read is [`Unreadable`], with a reason for people.
//!
//! ```
//! use frontdesk_mail::{Limits, Nature, read};
//!
//! let bytes = b"From: Ada <ada@acme.example>\r\nSubject: Re: Delivery\r\nMessage-ID: <2@acme.example>\r\n\
//!     In-Reply-To: <1@shop.example>\r\n\r\nTuesday suits me.\r\n\r\n\
//!     On 3 May 2026, Shop wrote:\r\n> When?\r\n";
//! let email = read(bytes, &Limits::default())?;
//! assert_eq!(email.from.address, "ada@acme.example");
//! assert_eq!(email.reply, "Tuesday suits me.");
//! assert_eq!(email.folded.as_deref(), Some("On 3 May 2026, Shop wrote:\n> When?"));
//! assert_eq!(email.in_reply_to, ["1@shop.example"]);
//! assert_eq!(email.nature, Nature::Person);
//! # Ok::<(), frontdesk_mail::Unreadable>(())
//! ```
//!
//! Reading a large message takes tens of milliseconds, so call it outside of async threads.
//!
//! Reading order: `email` and `mailbox` (the result), `limits` and `unreadable` (what is refused), `read`
//! (the order of the steps), `repair` (what is mended first), `headers`, `body` (which parts are the text),
//! `alternative`, `part_text`, `transfer`, `charset` and `legacy`, `html` and `plain` (text), `rtf`,
//! `enriched` and `calendar` (other formats), `quote`, `attribution`, `answers`, `signature`, `phrases` and
//! `words` (replies without what they quote), `attachment`, `file_name`, `tnef` and `lzfu`, `nature` and
//! `bounce`, `thread` (which thread a message belongs to).

mod alternative;
mod answers;
mod attachment;
mod attribution;
mod body;
mod bounce;
mod calendar;
mod charset;
mod email;
mod enriched;
mod file_name;
mod headers;
mod html;
mod legacy;
mod limits;
mod lines;
mod lzfu;
mod mailbox;
mod nature;
mod part_text;
mod phrases;
mod plain;
mod quote;
mod raw_part;
mod read;
mod repair;
mod rtf;
mod signature;
mod subject;
mod thread;
mod tnef;
mod transfer;
mod unreadable;
mod words;

pub use attachment::{Attachment, SkippedAttachment, media_type, safe_name};
pub use bounce::{Bounce, BounceKind, BouncedRecipient};
pub use email::Email;
pub use html::sanitize;
pub use limits::Limits;
pub use mailbox::Mailbox;
pub use nature::Nature;
pub use quote::{Split, split};
pub use read::read;
pub use subject::{base_subject, is_forward};
pub use thread::{MAX_HOPS, ORIGIN_HEADER, Own, SubjectKey, ThreadKeys};
pub use unreadable::Unreadable;
