//! Critical rules that forbid mentioning something, which the extractive writer can follow.
//!
//! Other critical rules need understanding, so they have an effect only with a model.

use frontdesk_knowledge::fold_text;

/// Phrases that are followed by the forbidden subject, in normalized form.
const OPENINGS: [&str; 24] = [
    "mention ",
    "mentioning ",
    "talk about ",
    "talking about ",
    "speak about ",
    "discuss ",
    "discussing ",
    "comment on ",
    "answer questions about ",
    "answer questions on ",
    "give information about ",
    "give information on ",
    "share information about ",
    "reveal ",
    "erwahne ",
    "uber ",
    "auskunft zu ",
    "mentionne ",
    "mentionner ",
    "parle de ",
    "menciones ",
    "mencionar ",
    "hables de ",
    "parlare di ",
];

/// Words that make a rule a prohibition.
const PROHIBITIONS: [&str; 17] = [
    "never", "not", "don't", "dont", "avoid", "refuse", "no", "nie", "niemals", "nicht", "kein", "keine",
    "jamais", "nunca", "no", "mai", "ne",
];

/// Separators of subjects.
const SEPARATORS: [&str; 14] = [
    ",",
    ";",
    "/",
    " or ",
    " and ",
    " nor ",
    " such as ",
    " like ",
    " including ",
    " oder ",
    " und ",
    " ou ",
    " et ",
    " o ",
];

/// Words at the beginning of a subject that do not belong to it.
const PADDING: [&str; 19] = [
    "the",
    "a",
    "an",
    "any",
    "our",
    "your",
    "their",
    "his",
    "her",
    "die",
    "der",
    "das",
    "den",
    "unsere",
    "les",
    "la",
    "el",
    "anything about",
    "questions about",
];

/// Returns the subjects that a rule forbids to mention; empty if it is another kind of rule.
pub(super) fn forbidden_mentions(rule: &str) -> Vec<String> {
    fold_text(rule).split(['.', '\n', '!']).flat_map(forbidden_in_sentence).collect()
}

fn forbidden_in_sentence(sentence: &str) -> Vec<String> {
    let found = OPENINGS.iter().filter_map(|opening| {
        let at = sentence.find(opening)?;
        let bounded = at == 0 || sentence[..at].ends_with(|before: char| !before.is_alphanumeric());
        bounded.then_some((at, at + opening.len()))
    });
    let Some((start, end)) = found.min() else { return Vec::new() };
    // German puts the prohibition behind the verb ("Erwähne niemals X") or the subject ("über X nicht
    // sprechen").
    let words = |text: &str| -> Vec<String> {
        text.split(|character: char| !character.is_alphanumeric() && character != '\'')
            .map(str::to_owned)
            .collect()
    };
    let prohibits = |text: &str| words(text).iter().any(|word| PROHIBITIONS.contains(&word.as_str()));
    if !prohibits(&sentence[..start]) && !prohibits(&sentence[end..]) {
        return Vec::new();
    }
    let mut subjects = vec![sentence[end..].to_owned()];
    for separator in SEPARATORS {
        subjects = subjects.iter().flat_map(|subject| subject.split(separator)).map(str::to_owned).collect();
    }
    subjects.iter().map(|subject| trim_subject(subject)).filter(|subject| subject.len() > 1).collect()
}

fn trim_subject(subject: &str) -> String {
    let mut subject = subject.trim_matches(|character: char| !character.is_alphanumeric());
    while let Some(rest) = PADDING.iter().chain(&PROHIBITIONS).find_map(|padding| {
        subject.strip_prefix(padding).filter(|rest| rest.starts_with(' ')).map(str::trim_start)
    }) {
        subject = rest;
    }
    for verb in
        [" sprechen", " reden", " nicht", " nie", " niemals", " under any circumstances", " in any way"]
    {
        subject = subject.strip_suffix(verb).unwrap_or(subject);
    }
    subject.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prohibitions_give_their_subjects() {
        for (rule, expected) in [
            ("Never mention our prices.", &["prices"][..]),
            ("Do not talk about competitors such as Foo or Bar Inc.", &["competitors", "foo", "bar inc"]),
            ("Don't discuss the merger, layoffs and salaries!", &["merger", "layoffs", "salaries"]),
            ("You must never answer questions about \"Project X\"", &["project x"]),
            ("Never reveal internal email addresses under any circumstances", &["internal email addresses"]),
            ("Erwähne niemals Rabatte.", &["rabatte"]),
            ("Über Gehälter nicht sprechen", &["gehalter"]),
            ("Ne parle de politique jamais", &["politique jamais"]),
            ("Always mention the free trial", &[]),
            ("Be polite", &[]),
            ("Notice the mention of prices", &[]),
            ("", &[]),
        ] {
            assert_eq!(forbidden_mentions(rule), expected, "{rule}");
        }
    }
}
