//! The form in which two questions are the same.

/// Returns a question in lower case, without punctuation and with single spaces. A question without letters
/// and digits is returned in lower case as it is.
pub(crate) fn question_key(question: &str) -> String {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { lower.trim().to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::question_key;

    #[test]
    fn case_punctuation_and_white_space_make_no_difference() {
        assert_eq!(question_key("  Do you  deliver,\nABROAD?! "), "do you deliver abroad");
        assert_eq!(question_key("Öffnet ihr sonntags?"), "öffnet ihr sonntags");
        assert_eq!(question_key(" ?! "), "?!");
        assert_ne!(question_key("How much is plan A?"), question_key("How much is plan B?"));
    }
}
