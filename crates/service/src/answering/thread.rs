//! Email threads: the order of their messages, and who wrote them.

use std::collections::HashSet;

use frontdesk_assistant::Mail;
use frontdesk_model::ThreadMessage;
use frontdesk_store::replace_nul;
use jiff::{Timestamp, fmt::rfc2822};

use super::mail;

/// The number of most recent messages that are used; earlier ones are ignored.
const MAX_MESSAGES: usize = 10;
/// The part of one message that is used, in characters.
const MAX_BODY_CHARS: usize = 8000;
/// Names of mailboxes that belong to a role in a business instead of a person, without punctuation.
const ROLE_MAILBOXES: [&str; 31] = [
    "admin",
    "billing",
    "contact",
    "contacto",
    "contatti",
    "contato",
    "enquiries",
    "hello",
    "help",
    "helpdesk",
    "info",
    "kontakt",
    "mail",
    "marketing",
    "noreply",
    "office",
    "order",
    "orders",
    "post",
    "sales",
    "service",
    "servicio",
    "shop",
    "store",
    "support",
    "team",
    "vendas",
    "ventas",
    "vendite",
    "verkauf",
    "verkoop",
];
/// Words of a sender with fewer characters, such as initials, identify nobody.
const MIN_NAME_CHARS: usize = 2;

/// The used part of an email thread, oldest message first.
#[derive(Debug)]
pub(super) struct Thread {
    mails: Vec<Mail>,
    /// The sender of the first message of the whole thread.
    first_sender: String,
}

impl Thread {
    /// Takes the most recent messages, each cut to the part that is used.
    ///
    /// If every message has a readable delivery time, the messages are sorted by it. Otherwise their order is
    /// the one in which they were sent to us, oldest first.
    pub(super) fn recent(mut messages: Vec<ThreadMessage>) -> Self {
        let times: Option<Vec<Timestamp>> = messages.iter().map(delivered_at).collect();
        if let Some(times) = times {
            let mut timed: Vec<_> = times.into_iter().zip(messages).collect();
            timed.sort_by_key(|(time, _)| *time);
            messages = timed.into_iter().map(|(_, message)| message).collect();
        }
        let first_sender = messages.first().map(|message| message.from.clone()).unwrap_or_default();
        let skipped = messages.len().saturating_sub(MAX_MESSAGES);
        let mails = messages.into_iter().skip(skipped).map(|message| Mail {
            from: replace_nul(message.from),
            body: replace_nul(cut(&message.body, MAX_BODY_CHARS)),
        });
        Self { mails: mails.collect(), first_sender }
    }

    /// Returns the newest words of the customer, without quotations and signatures, or the subject if there
    /// are none.
    pub(super) fn question(&self, subject: &str, business: &Business) -> String {
        let customer = self.of_customer(business);
        let words = customer.iter().rev().map(|mail| mail::own_words(&mail.body));
        words.into_iter().find(|words| !words.is_empty()).unwrap_or_else(|| mail::topic(subject).to_owned())
    }

    /// Returns the messages of the customer:
    ///
    /// 1. If the business is recognized among the senders, the messages of all others.
    /// 2. Otherwise those of the person who began the thread; or, if a role mailbox such as `info@` began it,
    ///    those of the senders that are no role mailboxes.
    /// 3. All messages if that leaves none.
    fn of_customer(&self, business: &Business) -> Vec<&Mail> {
        let senders: Vec<Sender> = self.mails.iter().map(|mail| Sender::of(&mail.from)).collect();
        let first = Sender::of(&self.first_sender);
        let is_customer = |sender: &Sender| {
            if senders.iter().any(|sender| business.is_sender(sender)) {
                !business.is_sender(sender)
            } else if first.is_role_mailbox() {
                !sender.is_role_mailbox()
            } else {
                sender.may_be(&first)
            }
        };
        let mails = self.mails.iter().zip(&senders);
        let customer: Vec<&Mail> =
            mails.filter(|(_, sender)| is_customer(sender)).map(|(mail, _)| mail).collect();
        if customer.is_empty() { self.mails.iter().collect() } else { customer }
    }

    /// Returns the messages, oldest first.
    pub(super) fn mails(&self) -> &[Mail] {
        &self.mails
    }
}

/// Reads a delivery time in the form of RFC 3339 or of RFC 2822, as mail systems write it.
fn delivered_at(message: &ThreadMessage) -> Option<Timestamp> {
    let text = message.delivered_at.value()?.trim();
    let written_by_mail_system = || rfc2822::parse(text).ok().map(|time| time.timestamp());
    text.parse().ok().or_else(written_by_mail_system)
}

fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The features by which messages of the business are recognized.
#[derive(Debug, Default)]
pub(super) struct Business {
    name: Vec<String>,
    hostnames: Vec<String>,
}

impl Business {
    /// A business with this name, whose websites have these host names.
    pub(super) fn new(name: &str, hostnames: impl IntoIterator<Item = String>) -> Self {
        let hostnames = hostnames.into_iter().map(|hostname| {
            let hostname = hostname.to_lowercase();
            hostname.strip_prefix("www.").map(str::to_owned).unwrap_or(hostname)
        });
        Self { name: words(name), hostnames: hostnames.collect() }
    }

    /// Whether the sender's address is at one of the host names or below it, or the sender is named after the
    /// business. With an address elsewhere the name must be the same; alone it may go on, as in "Acme
    /// support".
    fn is_sender(&self, sender: &Sender) -> bool {
        let is_named = !self.name.is_empty() && sender.name.starts_with(&self.name);
        let Some(domain) = sender.domain() else { return is_named };
        let is_at_hostname = self.hostnames.iter().any(|hostname| {
            let below = domain.strip_suffix(hostname.as_str());
            below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
        });
        is_at_hostname || (is_named && sender.name.len() == self.name.len())
    }
}

/// The sender of a message.
#[derive(Debug)]
struct Sender {
    /// Words of the display name in lower case.
    name: Vec<String>,
    /// Address in lower case.
    address: Option<String>,
}

impl Sender {
    /// Reads a name, an address, or both in the form `Jo Miller <jo@customer.example>`.
    fn of(from: &str) -> Self {
        let from = from.to_lowercase();
        let is_delimiter = |character: char| character.is_whitespace() || "<>()[]\",;:".contains(character);
        let is_address = |part: &&str| {
            part.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
        };
        let address = from.split(is_delimiter).rev().find(is_address);
        let name = words(&address.map_or_else(|| from.clone(), |address| from.replacen(address, " ", 1)));
        Self { name, address: address.map(|address| address.trim_end_matches('.').to_owned()) }
    }

    fn local_part(&self) -> &str {
        self.address.as_deref().and_then(|address| address.split('@').next()).unwrap_or_default()
    }

    fn is_role_mailbox(&self) -> bool {
        let mailbox = words(self.local_part()).concat();
        ROLE_MAILBOXES.contains(&mailbox.as_str())
    }

    fn domain(&self) -> Option<&str> {
        self.address.as_deref()?.rsplit_once('@').map(|(_, domain)| domain)
    }

    /// Whether both may be the same person: by address if both have one, otherwise by a common word of the
    /// names and of the part of the address before the `@`.
    fn may_be(&self, other: &Self) -> bool {
        match (&self.address, &other.address) {
            (Some(address), Some(other)) => address == other,
            _ => !self.identifying_words().is_disjoint(&other.identifying_words()),
        }
    }

    fn identifying_words(&self) -> HashSet<String> {
        let all = self.name.iter().cloned().chain(words(self.local_part()));
        all.filter(|word| word.chars().count() >= MIN_NAME_CHARS).collect()
    }
}

/// Returns the words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: &str, body: &str) -> ThreadMessage {
        ThreadMessage::new(from, body)
    }

    fn thread(messages: &[(&str, &str)]) -> Thread {
        Thread::recent(messages.iter().map(|(from, body)| message(from, body)).collect())
    }

    fn acme() -> Business {
        Business::new("Acme", ["www.acme.example".to_owned(), "shop.other.example".to_owned()])
    }

    #[test]
    fn ten_messages_of_eight_thousand_characters_are_used() {
        let long = "ä".repeat(9_000);
        let messages = (0..14).map(|number| message(&format!("sender {number}"), &long)).collect();
        let mails = Thread::recent(messages).mails().to_vec();
        assert_eq!(mails.len(), 10);
        assert_eq!(mails[0].from, "sender 4");
        assert!(mails.iter().all(|mail| mail.body.chars().count() == 8_000));
    }

    #[test]
    fn messages_are_sorted_by_time_if_every_time_is_readable() {
        let froms = |times: &[&str]| {
            let messages = times.iter().enumerate().map(|(number, time)| {
                let message = message(&number.to_string(), "body");
                if time.is_empty() { message } else { message.delivered_at((*time).to_owned()) }
            });
            let mails = Thread::recent(messages.collect()).mails().to_vec();
            mails.into_iter().map(|mail| mail.from).collect::<Vec<_>>().join(" ")
        };
        let newest_first = ["2026-11-19T10:00:00Z", "2026-11-19T09:00:00Z"];
        assert_eq!(froms(&newest_first), "1 0");
        // An offset, and the form that mail systems write, with and without the name of the day and a
        // comment.
        for middle in [
            "2026-11-19T10:30:00+01:00",
            "Thu, 19 Nov 2026 10:30:00 +0100",
            "19 Nov 2026 09:30:00 GMT",
            "Thu, 19 Nov 2026 10:30:00 +0100 (CET)",
        ] {
            assert_eq!(froms(&[newest_first[0], newest_first[1], middle]), "1 2 0", "{middle}");
        }
        for unreadable in ["", "yesterday", "19.11.2026", "2026-11-19T08:00:00"] {
            assert_eq!(froms(&[newest_first[0], newest_first[1], unreadable]), "0 1 2", "{unreadable:?}");
        }
        let same = ["2026-11-19T10:00:00Z"; 3];
        assert_eq!(froms(&same), "0 1 2");
        // The oldest two by time are dropped, although they come last.
        let backwards: Vec<String> =
            (0..12).map(|hour| format!("2026-11-19T{:02}:00:00Z", 20 - hour)).collect();
        let backwards: Vec<&str> = backwards.iter().map(String::as_str).collect();
        assert_eq!(froms(&backwards), "9 8 7 6 5 4 3 2 1 0");
    }

    #[test]
    fn the_business_is_recognized_by_address_and_name() {
        for (from, expected) in [
            ("support@acme.example", true),
            ("Jo <jo@ACME.example.>", true),
            ("jo@mail.acme.example", true),
            ("jo@shop.other.example", true),
            ("jo@other.example", false),
            ("jo@notacme.example", false),
            ("Acme", true),
            ("ACME support", true),
            ("Acme <acme@mail.example>", true),
            ("Acme Customer <jo@customer.example>", false),
            ("Jo of Acme", false),
            ("", false),
            ("@", false),
        ] {
            assert_eq!(acme().is_sender(&Sender::of(from)), expected, "{from:?}");
        }
        assert!(!Business::new("", []).is_sender(&Sender::of("")));
        assert!(!Business::new("", []).is_sender(&Sender::of("Jo")));
    }

    #[test]
    fn the_question_is_the_newest_of_the_customer() {
        let answered = thread(&[
            ("jo@customer.example", "Do you repair it?"),
            ("Acme support", "Which model is it?"),
            ("Jo Miller", "The red one. What does it cost?"),
            ("Ann <ann@acme.example>", "Shall we call you?"),
        ]);
        assert_eq!(answered.question("Re: Repair", &acme()), "The red one. What does it cost?");
        // The business wrote first.
        let offered = thread(&[("ann@acme.example", "Shall we call you?"), ("jo@customer.example", "Yes.")]);
        assert_eq!(offered.question("Offer", &acme()), "Yes.");
        // Nobody is recognized: the person who began the thread is the customer.
        let unknown = thread(&[
            ("jo@customer.example", "Do you repair it?"),
            ("Jo Miller", "Hello? What does it cost?"),
            ("support@unknown.example", "Which model is it?"),
        ]);
        assert_eq!(unknown.question("Re: Repair", &acme()), "Hello? What does it cost?");
        // Nobody is recognized, and a role mailbox began the thread.
        let from_role =
            thread(&[("no-reply@unknown.example", "Shall we call you?"), ("jo@customer.example", "Yes.")]);
        assert_eq!(from_role.question("Offer", &acme()), "Yes.");
        let role_only =
            thread(&[("info@unknown.example", "Do you repair it?"), ("info@unknown.example", "Hello?")]);
        assert_eq!(role_only.question("Offer", &acme()), "Hello?");
        // Only the business wrote, as in a test of the set-up.
        let own = thread(&[("ann@acme.example", "What does it cost?")]);
        assert_eq!(own.question("Repair", &acme()), "What does it cost?");
    }

    #[test]
    fn the_first_sender_is_known_even_if_the_first_message_is_not_used() {
        let mut messages = vec![message("jo@customer.example", "Do you repair it?")];
        messages.extend((0..9).map(|_| message("support@unknown.example", "Which model is it?")));
        messages.push(message("jo@customer.example", "The red one?"));
        messages.push(message("support@unknown.example", "Thank you."));
        assert_eq!(Thread::recent(messages).question("Repair", &acme()), "The red one?");
    }

    #[test]
    fn messages_without_own_words_are_skipped() {
        let quoted = thread(&[("Jo", "First?"), ("Jo", "Second?"), ("Jo", "> quoted only")]);
        assert_eq!(quoted.question("Re: Topic", &acme()), "Second?");
        let empty = thread(&[("Jo", "> quoted"), ("Jo", "")]);
        assert_eq!(empty.question("Re: AW: Topic", &acme()), "Topic");
    }
}
