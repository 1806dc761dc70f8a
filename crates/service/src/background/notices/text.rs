//! What notices say.

use frontdesk_store::{
    ActivityStatus, DealActivity, Event, EventData, MessageRole, NoticeContent, OpenInvitation,
};
use jiff::Timestamp;

/// Characters of a visitor's message that a notice repeats.
const MAX_QUOTE: usize = 500;

/// Subject and body of an e-mail.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) subject: String,
    pub(super) body: String,
}

/// A conversation waits for a person. Returns `None` if the event is about something else.
pub(super) fn handoff(account: &str, event: &Event) -> Option<Text> {
    let EventData::HandoffRequested { conversation, note, last_messages, contact, .. } = &event.data else {
        return None;
    };
    let mut lines = vec![format!("A visitor of {account} waits for a person."), String::new()];
    if let Some(contact) = contact {
        let known = [&contact.name, &contact.email, &contact.phone, &contact.company];
        let known: Vec<&str> = known.into_iter().filter_map(|field| field.as_deref()).collect();
        lines.push(format!("Visitor: {}", known.join(", ")));
    }
    lines.extend(note.iter().map(|note| format!("Note: {note}")));
    let last = last_messages.iter().rev().find(|message| message.role == MessageRole::Visitor);
    if let Some(message) = last {
        let quote: String = message.text.chars().take(MAX_QUOTE).collect();
        let cut = if quote.len() < message.text.len() { "…" } else { "" };
        lines.push(format!("Last message: {quote}{cut}"));
    }
    lines.push(format!("Conversation: {}", conversation.conversation_id));
    lines.push(format!("Requested at: {}", event.created_at));
    Some(Text { subject: format!("A visitor of {account} waits for you"), body: lines.join("\n") })
}

/// An activity is due soon. Returns `None` if it is not open any more, or has no due time.
pub(super) fn activity_reminder(account: &str, activity: &DealActivity) -> Option<Text> {
    let due_at = activity.due_at.filter(|_| activity.status == ActivityStatus::Open)?;
    let mut lines = vec![
        format!("Reminder of {account}: {}", activity.title),
        String::new(),
        format!("Type: {}", activity.kind),
        format!("Due at: {due_at}"),
    ];
    lines.extend(activity.note.iter().map(|note| format!("Note: {note}")));
    lines.push(format!("Deal: {}", activity.deal_id));
    lines.push(format!("Activity: {}", activity.deal_activity_id));
    Some(Text { subject: format!("Reminder: {}", activity.title), body: lines.join("\n") })
}

/// A webhook endpoint accepts no events.
pub(super) fn webhook_failing(account: &str, url: &str, since: Timestamp) -> Text {
    Text {
        subject: format!("Webhook of {account} fails"),
        body: format!(
            "Events of {account} could not be delivered to\n\n    {url}\n\nsince {since}. Every attempt has failed. \
             If none succeeds within five days, the endpoint is disabled.\n\nThe list of its deliveries shows the results."
        ),
    }
}

/// A webhook endpoint was disabled.
pub(super) fn webhook_disabled(account: &str, url: &str, is_gone: bool) -> Text {
    let reason = if is_gone {
        "It responded that it is gone (410)."
    } else {
        "Every attempt to deliver an event has failed for five days."
    };
    Text {
        subject: format!("Webhook of {account} was disabled"),
        body: format!(
            "No more events of {account} are sent to\n\n    {url}\n\n{reason}\n\nWhen it works again, enable it, and have the events \
             sent that it has missed (recover)."
        ),
    }
}

/// The most characters of a name in an e-mail to somebody who does not know whose it is.
const LONGEST_NAME: usize = 80;

/// Returns a name on one line, cut where it is long.
fn in_short(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// Somebody is invited to an account.
pub(super) fn invitation(open: &OpenInvitation, link: &str) -> Text {
    let OpenInvitation { expires_at, .. } = open;
    // Whoever invites has chosen both names, and the e-mail goes to a stranger.
    let (account_name, inviter_name) = (in_short(&open.account_name), in_short(&open.inviter_name));
    Text {
        subject: format!("{inviter_name} invites you to {account_name}"),
        body: format!(
            "{inviter_name} invites you to work with {account_name} in Frontdesk.\n\nJoin here:\n\n    {link}\n\n\
             The link works once, until {expires_at}. You sign in with this e-mail address.\n\nIf you do not know them, ignore \
             this e-mail: nothing happens."
        ),
    }
}

/// Somebody has forgotten a password.
pub(super) fn password_reset(email: &str, link: &str) -> Text {
    Text {
        subject: "Choose a new password".to_owned(),
        body: format!(
            "Somebody has asked for a new password for {email} in Frontdesk. If that was you, choose one here:\n\n    {link}\n\n\
             The link works once, for 30 minutes. A new password signs you out everywhere.\n\nIf it was not you, ignore this \
             e-mail: your password stays as it is."
        ),
    }
}

/// Something has happened to the second factor of a person. Returns `None` if the notice is about something
/// else.
pub(super) fn second_factor(content: &NoticeContent, email: &str, at: Timestamp) -> Option<Text> {
    let (subject, happened, advice) = match content {
        NoticeContent::SecondFactorEnabled => (
            "Your sign-in has a second factor now",
            format!(
                "From now on, whoever signs in to Frontdesk as {email} needs a code beside the password."
            ),
            "If it was not you, choose a new password, and ask whoever runs this service to remove the second factor.",
        ),
        NoticeContent::SecondFactorRemoved => (
            "Your second factor was removed",
            format!("From now on, the password suffices to sign in to Frontdesk as {email}."),
            "If you do not know of it, choose a new password and add a second factor again.",
        ),
        NoticeContent::RecoveryCodeUsed { left } => (
            "A recovery code was used",
            format!(
                "Somebody has signed in to Frontdesk as {email} with the password and a recovery code. {left} of the codes are left."
            ),
            "If it was not you, choose a new password and make new recovery codes.",
        ),
        NoticeContent::AppRemoved => (
            "Your authenticator app was removed",
            format!(
                "From now on, a passkey or a recovery code is needed beside the password to sign in to Frontdesk as {email}."
            ),
            "If you do not know of it, choose a new password and add the app again.",
        ),
        NoticeContent::PasskeyAdded { name } => (
            "A passkey was added",
            format!(
                "From now on, the passkey “{}” signs in to Frontdesk as {email}, and the password alone does not suffice.",
                in_short(name)
            ),
            "If it was not you, remove the passkey and choose a new password, or ask whoever runs this service to remove your second factors.",
        ),
        NoticeContent::PasskeyRemoved { name, is_last } => (
            "A passkey was removed",
            format!(
                "The passkey “{}” does not sign in to Frontdesk as {email} any more.{}",
                in_short(name),
                if *is_last { " From now on, the password suffices." } else { "" }
            ),
            "If you do not know of it, choose a new password and look at your second factors.",
        ),
        NoticeContent::PasskeyRefused { name } => (
            "A passkey was refused",
            format!(
                "Somebody has used the passkey “{}” to sign in to Frontdesk as {email}. Its counter had not advanced, as if there were a copy of it. Nobody was signed in.",
                in_short(name)
            ),
            "Remove the passkey and add a new one. If it was not you, choose a new password as well.",
        ),
        NoticeContent::WrongCodes => (
            "Somebody has entered wrong codes with your password",
            format!(
                "Somebody knows the password with which {email} signs in to Frontdesk, and has entered several wrong codes. Nobody was signed in."
            ),
            "If it was not you, choose a new password.",
        ),
        _ => return None,
    };
    Some(Text { subject: subject.to_owned(), body: format!("{happened}\n\nThis was at {at}.\n\n{advice}") })
}

#[cfg(test)]
mod tests {
    use frontdesk_store::{ConversationMode, EventConversation, EventMessage};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn names_in_invitations_are_short_and_on_one_line() {
        assert_eq!(in_short("Jo\r\n\nVisit  evil.example"), "Jo Visit evil.example");
        assert_eq!(in_short(&"ä".repeat(80)), "ä".repeat(80));
        assert_eq!(in_short(&"ä".repeat(81)), format!("{}…", "ä".repeat(80)));
    }

    #[test]
    fn a_handover_names_the_conversation_and_quotes_the_visitor() {
        let now = Timestamp::UNIX_EPOCH;
        let message = |role, text: &str| EventMessage {
            message_id: Uuid::nil(),
            role,
            text: text.to_owned(),
            truncated: false,
            created_at: now,
        };
        let event = Event {
            event_id: Uuid::nil(),
            account_id: Uuid::nil(),
            sequence: 1,
            data: EventData::HandoffRequested {
                conversation: EventConversation {
                    conversation_id: Uuid::max(),
                    chatbot_id: Uuid::nil(),
                    contact_id: None,
                    source: "api".to_owned(),
                    mode: ConversationMode::HumanRequested,
                    created_at: now,
                    thread_id: None,
                },
                reason: "user_request".to_owned(),
                note: None,
                last_messages: vec![
                    message(MessageRole::Visitor, &"ä".repeat(501)),
                    message(MessageRole::Assistant, "One moment."),
                ],
                contact: None,
            },
            created_at: now,
        };
        let text = handoff("Acme", &event).unwrap();
        assert_eq!(text.subject, "A visitor of Acme waits for you");
        let quoted = format!("Last message: {}…\n", "ä".repeat(500));
        assert!(text.body.contains(&quoted) && text.body.contains(&Uuid::max().to_string()), "{}", text.body);
    }
}
