//! Reports of mail servers: which message did not arrive, where, and whether it ever will (RFC 3464).

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::{
    headers::{self, Fields},
    plain,
};

/// Most recipients of one report.
const MAX_RECIPIENTS: usize = 100;

/// Longest explanation of a mail server, in characters.
const MAX_DIAGNOSTIC: usize = 500;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BounceKind {
    /// It was delivered or passed on; nothing went wrong.
    Delivered,
    /// It has not been delivered yet; the mail server tries on.
    Delayed,
    /// It was not delivered. A later message to the same address may be.
    Temporary,
    /// It was not delivered, and no later one will be.
    Permanent,
}

/// What became of a message at one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BouncedRecipient {
    /// The address in lower case, if the report names one.
    pub address: Option<String>,
    /// What became of the message.
    pub kind: BounceKind,
    /// The status code of RFC 3463, such as `5.1.1`.
    pub status: Option<String>,
    /// What the mail server said, on one line of at most 500 characters.
    pub diagnostic: Option<String>,
}

/// A report of a mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounce {
    /// The worst that became of the message at any recipient.
    pub kind: BounceKind,
    /// `Message-ID` of the message that the report is about, without angle brackets.
    pub original_message_id: Option<String>,
    /// The recipients, at most 100.
    pub recipients: Vec<BouncedRecipient>,
}

/// Reads a report in the form of RFC 3464. Returns `None` if it has no part with the status.
pub(crate) fn read(message: &Message<'_>) -> Option<Bounce> {
    let status = message.parts.iter().find(|part| {
        part.is_content_type("message", "delivery-status")
            || part.is_content_type("message", "global-delivery-status")
    })?;
    let groups = groups(&content(status));
    let mut recipients: Vec<BouncedRecipient> =
        groups.iter().filter_map(|group| recipient(group)).take(MAX_RECIPIENTS).collect();
    if recipients.is_empty() {
        recipients.push(BouncedRecipient {
            address: None,
            kind: BounceKind::Permanent,
            status: None,
            diagnostic: None,
        });
    }
    let kind = recipients.iter().map(|recipient| recipient.kind).max().unwrap_or(BounceKind::Permanent);
    Some(Bounce { kind, original_message_id: original_id(message), recipients })
}

/// Reads a report in another form, such as that of qmail and Exim. Only what is certain is returned.
pub(crate) fn guess(fields: &Fields<'_>, message: &Message<'_>, text: &str) -> Bounce {
    let status = text
        .split(|c: char| c.is_whitespace() || "()[]#<>,;:".contains(c))
        .find(|word| is_status(word))
        .map(str::to_owned);
    let lower = text.to_lowercase();
    let kind = match &status {
        Some(status) if status.starts_with('4') => BounceKind::Temporary,
        _ if lower.contains("delayed")
            || lower.contains("will be retried")
            || lower.contains("still being retried") =>
        {
            BounceKind::Delayed
        }
        _ => BounceKind::Permanent,
    };
    let address =
        fields.get("X-Failed-Recipients").and_then(|list| list.split(',').find_map(headers::address));
    let recipients = vec![BouncedRecipient { address, kind, status, diagnostic: None }];
    let original_message_id = original_id(message).or_else(|| id_in_text(text));
    Bounce { kind, original_message_id, recipients }
}

/// Returns the id of the message that a report returns whole or in part.
fn original_id(message: &Message<'_>) -> Option<String> {
    message.parts.iter().find_map(|part| match &part.body {
        PartType::Message(original) => headers::ids(&Fields::of(original), "Message-ID").into_iter().next(),
        _ if part.is_content_type("text", "rfc822-headers")
            || part.is_content_type("message", "rfc822-headers")
            || part.is_content_type("message", "rfc822") =>
        {
            id_in_text(&content(part))
        }
        _ => None,
    })
}

/// Returns the value of the first line `Message-ID: <…>` of a text.
fn id_in_text(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.trim_start_matches(['>', ' ']).split_once(':')?;
        if !name.eq_ignore_ascii_case("message-id") {
            return None;
        }
        let id = value.trim().trim_start_matches('<').split(['>', ' ']).next()?.trim();
        (id.contains('@') && id.len() <= 998).then(|| id.to_owned())
    })
}

fn content(part: &MessagePart<'_>) -> String {
    match &part.body {
        PartType::Text(text) | PartType::Html(text) => text.to_string(),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        PartType::Message(_) | PartType::Multipart(_) => String::new(),
    }
}

/// Returns the groups of fields, which empty lines separate. Names are in lower case, folded lines are
/// joined.
fn groups(text: &str) -> Vec<Vec<(String, String)>> {
    let mut groups: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            groups.push(Vec::new());
        } else if let Some(group) = groups.last_mut() {
            match line.split_once(':') {
                Some((name, value)) if !line.starts_with([' ', '\t']) => {
                    group.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
                }
                _ => {
                    if let Some((_, value)) = group.last_mut()
                        && value.len() < 2_000
                    {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                }
            }
        }
    }
    groups
}

fn recipient(group: &[(String, String)]) -> Option<BouncedRecipient> {
    let field = |name: &str| group.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    // `rfc822; ada@acme.example`
    let of_type = |value: &str| value.split_once(';').map_or(value, |(_, rest)| rest).trim().to_owned();
    let address = field("original-recipient")
        .or_else(|| field("final-recipient"))
        .and_then(|value| headers::address(&of_type(value)));
    let action = field("action")
        .map(|action| action.split_whitespace().next().unwrap_or_default().to_ascii_lowercase());
    if action.is_none() && field("final-recipient").is_none() {
        return None;
    }
    let status = field("status")
        .and_then(|status| status.split_whitespace().next())
        .filter(|status| is_status(status))
        .map(str::to_owned);
    let diagnostic = field("diagnostic-code")
        .map(|value| plain::cut(&plain::clean_line(&of_type(value)), MAX_DIAGNOSTIC).to_owned());
    let class = status.as_deref().and_then(|status| status.chars().next());
    let kind = match (action.as_deref(), class) {
        (Some("delivered" | "relayed" | "expanded"), _) | (None, Some('2')) => BounceKind::Delivered,
        (Some("delayed"), _) => BounceKind::Delayed,
        (_, Some('4')) => BounceKind::Temporary,
        _ => BounceKind::Permanent,
    };
    Some(BouncedRecipient { address, kind, status, diagnostic })
}

/// Returns whether a word is a status code of RFC 3463.
fn is_status(word: &str) -> bool {
    let mut parts = word.split('.');
    let class = parts.next().is_some_and(|class| matches!(class, "2" | "4" | "5"));
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    class && is_number(parts.next()) && is_number(parts.next()) && parts.next().is_none()
}
