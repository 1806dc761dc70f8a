//! The search for messages that follow those which were read before.
//!
//! Whoever asks for all numbers of a mailbox gets a list of any length, so they are asked for in windows. A
//! mailbox may number its messages without gaps, or by the time (4,000,000,000 and more), so a window that is
//! counted in numbers may hold nothing for as long as a visit lasts. Further windows are therefore counted in
//! messages: the server says which number the last message of a window has. Positions of messages move when
//! others are deleted; they only decide how large a window is, and numbers decide what is in it, so nothing
//! is missed.

use async_imap::Session;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use tokio::time::Instant;

use super::{Bounds, Cursor, ImapError, ImapServer, LINES, Renumbered, Wire, timed};

/// Messages of one window.
const WINDOW: u32 = 20_000;

/// Bytes of a list of so many numbers, each with a space.
const NUMBERS: u64 = 256 * 1024;

/// The messages of a mailbox to fetch.
pub(super) struct Found {
    /// Where the visit begins.
    pub(super) cursor: Cursor,
    /// The numbers of new messages in their order.
    pub(super) uids: Vec<u32>,
    /// There may be further ones.
    pub(super) has_more: bool,
}

/// Opens the mailbox, and looks for new messages. A search that takes long ends without any, and the next
/// visit continues it.
pub(super) async fn search(
    session: &mut Session<Wire>,
    server: &ImapServer,
    cursor: Option<&Cursor>,
    bounds: Bounds,
    now: Timestamp,
) -> Result<Found, ImapError> {
    session.as_mut().allow(LINES, 0);
    let opened = timed(bounds.step(), session.examine(&server.mailbox)).await;
    let mailbox = opened.map_err(|error| match error {
        ImapError::Protocol(reason) => ImapError::Mailbox { mailbox: server.mailbox.clone(), reason },
        other => other,
    })?;
    let mut asking = Asking { session, bounds };
    let newest = match mailbox.uid_next {
        Some(next) => next.saturating_sub(1),
        // Old servers do not say which number comes next.
        None => asking.numbers("UID *").await?.into_iter().max().unwrap_or(0),
    };
    let uid_validity = mailbox.uid_validity.unwrap_or(0);
    let Some(cursor) = cursor else {
        let cursor = Cursor { uid_validity, last_uid: newest, read_at: now, failing: None, renumbered: None };
        return Ok(Found { cursor, uids: Vec::new(), has_more: false });
    };
    let mut cursor = if cursor.uid_validity == uid_validity {
        cursor.clone()
    } else {
        let renumbered = Some(Renumbered { newest, since: cursor.read_at });
        Cursor { uid_validity, last_uid: 0, failing: None, renumbered, ..cursor.clone() }
    };
    cursor.read_at = now;
    if let Some(renumbered) = cursor.renumbered.take() {
        let (end, since) = (renumbered.newest.min(newest), day_before(renumbered.since));
        let window = asking.after(&mut cursor.last_uid, end, mailbox.exists, Some(&since)).await?;
        let (uids, is_last) = match window {
            Window::Last(uids) => (uids, true),
            Window::Inner(uids) => (uids, false),
        };
        if !is_last || !uids.is_empty() {
            cursor.renumbered = Some(renumbered);
            return Ok(Found { cursor, uids, has_more: !is_last || end < newest });
        }
        // Whatever has arrived since then counts, however old its date is.
        cursor.last_uid = cursor.last_uid.max(end);
    }
    let (uids, has_more) = match asking.after(&mut cursor.last_uid, newest, mailbox.exists, None).await? {
        Window::Last(uids) => (uids, false),
        Window::Inner(uids) => (uids, true),
    };
    Ok(Found { cursor, uids, has_more })
}

/// The numbers in a window, in their order.
enum Window {
    /// No message follows the window.
    Last(Vec<u32>),
    /// Messages follow the window.
    Inner(Vec<u32>),
}

/// Questions about the numbers of messages.
struct Asking<'a> {
    session: &'a mut Session<Wire>,
    bounds: Bounds,
}

impl Asking<'_> {
    /// Returns the next message numbers after `after`, and moves `after` past windows without messages. If
    /// there is a first day, only messages that arrived since then count.
    async fn after(
        &mut self,
        after: &mut u32,
        newest: u32,
        exists: u32,
        since: Option<&str>,
    ) -> Result<Window, ImapError> {
        let begun = Instant::now();
        // Nearly always the new messages are few, or follow without large gaps.
        let end = after.saturating_add(WINDOW).min(newest);
        let uids = self.between(*after, end, since).await?;
        if end >= newest {
            return Ok(Window::Last(uids));
        }
        if !uids.is_empty() {
            return Ok(Window::Inner(uids));
        }
        let mut position = self.position(*after, exists).await?;
        loop {
            position = position.saturating_add(WINDOW);
            let is_last = position >= exists;
            let end = if is_last { newest } else { self.number(position).await?.min(newest) };
            let uids = self.between(*after, end, since).await?;
            if is_last || end >= newest {
                return Ok(Window::Last(uids));
            }
            if !uids.is_empty() {
                return Ok(Window::Inner(uids));
            }
            *after = end.max(*after);
            if begun.elapsed() >= self.bounds.slice() {
                return Ok(Window::Inner(Vec::new()));
            }
        }
    }

    /// Returns the position of a message with the number `after` or a lower one, with at most a window
    /// between both.
    async fn position(&mut self, after: u32, exists: u32) -> Result<u32, ImapError> {
        if after == 0 || exists <= WINDOW {
            return Ok(0);
        }
        let (mut low, mut high) = (0, exists);
        // New messages are at the end.
        let mut middle = exists - WINDOW;
        while high - low > WINDOW {
            if self.number(middle).await? <= after {
                low = middle;
            } else {
                high = middle;
            }
            middle = low + (high - low) / 2;
        }
        Ok(low)
    }

    /// Returns the number of the message at a position, counted from 1.
    async fn number(&mut self, position: u32) -> Result<u32, ImapError> {
        let numbers = self.numbers(&position.to_string()).await?;
        numbers.into_iter().max().ok_or_else(|| {
            ImapError::Protocol(format!("the server did not say which UID message {position} has"))
        })
    }

    /// Returns the numbers above `after` up to `end`, in their order.
    async fn between(&mut self, after: u32, end: u32, since: Option<&str>) -> Result<Vec<u32>, ImapError> {
        if after >= end {
            return Ok(Vec::new());
        }
        let since = since.map(|day| format!(" SINCE {day}")).unwrap_or_default();
        let mut uids = self.numbers(&format!("UID {}:{end}{since}", after.saturating_add(1))).await?;
        uids.retain(|uid| *uid > after && *uid <= end);
        uids.sort_unstable();
        Ok(uids)
    }

    async fn numbers(&mut self, query: &str) -> Result<Vec<u32>, ImapError> {
        self.session.as_mut().allow(NUMBERS, 0);
        let found = timed(self.bounds.step(), self.session.uid_search(query)).await?;
        Ok(found.into_iter().collect())
    }
}

/// Returns the day before a time in the form of IMAP, such as `02-May-2026`.
fn day_before(time: Timestamp) -> String {
    let before = time.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(time);
    before.to_zoned(TimeZone::UTC).strftime("%d-%b-%Y").to_string()
}
