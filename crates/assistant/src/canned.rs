//! Drafts made of fixed phrases: refusals, handovers and courtesies.

use frontdesk_knowledge::Language;

use crate::draft::{Action, Draft};
use crate::phrases::Phrases;
use crate::task::{Kind, Task};

/// Says that the training content has no answer.
pub(crate) fn refuse(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_refuse } else { phrases.refuse };
    let draft = Draft::phrase(Action::Refuse, phrases.fill(phrase, &task.settings.business_name));
    Draft { is_unanswered: true, ..draft }
}

/// Says that the chatbot does not discuss the topic.
pub(crate) fn blocked(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_refuse } else { phrases.blocked };
    Draft::phrase(Action::Refuse, phrases.fill(phrase, &task.settings.business_name))
}

/// Hands the conversation over to a person.
pub(crate) fn hand_over(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_escalate } else { phrases.escalate };
    Draft::phrase(Action::Escalate, phrases.fill(phrase, &task.settings.business_name))
}

/// Accepts that the visitor does not want a person.
pub(crate) fn carry_on(language: Language) -> Draft {
    Draft::phrase(Action::Clarify, Phrases::of(language).carry_on.to_owned())
}

/// Adapts a draft to its channel: an e-mail gets a salutation and a closing.
pub(crate) fn for_channel(task: &Task, language: Language, mut draft: Draft) -> Draft {
    if let Kind::EmailReply { .. } = task.kind {
        draft.text = Phrases::of(language).mail(&draft.text, &task.settings.business_name);
    }
    draft
}
