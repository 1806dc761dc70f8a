//! Guards against unwanted submissions of contact forms.

use frontdesk_model::FormSubmission;

use super::FormSettings;

/// Links of a submission that are usual, unless the form says otherwise.
const USUAL_LINKS: u32 = 3;

/// What becomes of a submission. Whoever has sent it does not learn it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is a thread.
    Wanted,
    /// It is a thread with the status `spam`: people who fill in a trap, or are fast, can be found there.
    Spam,
}

/// Judges a submission. `filled_for` is the time since its token was issued, in seconds; `None` without a
/// valid token.
pub(crate) fn verdict(
    settings: &FormSettings,
    submission: &FormSubmission,
    filled_for: Option<i64>,
) -> Verdict {
    let is_trapped = submission.website.as_deref().is_some_and(|text| !text.trim().is_empty());
    let is_too_fast = settings
        .min_fill_seconds
        .is_some_and(|seconds| filled_for.is_none_or(|filled_for| filled_for < i64::from(seconds)));
    let texts = [
        submission.name.as_deref(),
        submission.email.as_deref(),
        submission.company.as_deref(),
        submission.subject.as_deref(),
        Some(submission.message.as_str()),
    ];
    let text = texts.map(Option::unwrap_or_default).join("\n").to_lowercase();
    let links = text.matches("http://").count() + text.matches("https://").count();
    let most = settings.max_links.unwrap_or(USUAL_LINKS);
    let is_blocked = settings.blocked.iter().any(|blocked| contains(&text, &blocked.trim().to_lowercase()));
    let is_doubtful = is_trapped || is_too_fast || links > most as usize || is_blocked;
    if is_doubtful { Verdict::Spam } else { Verdict::Wanted }
}

/// Returns whether a text contains a blocked one that no letters or digits adjoin: `ass` does not block
/// `class`.
fn contains(text: &str, blocked: &str) -> bool {
    if blocked.is_empty() {
        return false;
    }
    text.match_indices(blocked).any(|(begin, found)| {
        let before = text[..begin].chars().next_back();
        let after = text[begin + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_keep_back_what_is_unwanted() {
        let settings = FormSettings {
            max_links: Some(1),
            min_fill_seconds: Some(3),
            blocked: vec!["Casino".to_owned(), "spam.example".to_owned()],
            ..FormSettings::default()
        };
        let submission = |message: &str| FormSubmission::new(message);
        let cases = [
            (submission("Do you repair trimmers? See https://a.example/"), Some(3), Verdict::Wanted),
            (submission("Casinos are closed"), Some(9), Verdict::Wanted),
            (submission("https://a.example/ HTTPS://b.example/"), Some(9), Verdict::Spam),
            (submission("the best CASINO!"), Some(9), Verdict::Spam),
            (submission("Hello").email("x@spam.example"), Some(9), Verdict::Spam),
            (submission("Hello").website("https://a.example/"), Some(9), Verdict::Spam),
            (submission("Hello").website(" "), Some(9), Verdict::Wanted),
            (submission("Hello"), Some(2), Verdict::Spam),
            (submission("Hello"), None, Verdict::Spam),
        ];
        for (submission, filled_for, expected) in cases {
            assert_eq!(verdict(&settings, &submission, filled_for), expected, "{submission:?}");
        }
        assert_eq!(verdict(&FormSettings::default(), &submission("Hello"), None), Verdict::Wanted);
    }
}
