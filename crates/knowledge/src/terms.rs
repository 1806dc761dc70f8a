//! [`Terms`]: the analyzed words of a text.

/// The analyzed words of a text in their order, from [`analyze`](fn@crate::analyze).
///
/// They are held as one text, in which they are also stored: a search reads the words of hundreds of
/// passages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms(String);

impl Terms {
    /// Returns the words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        // Words contain no white space, and an empty text is not a word.
        self.0.split_ascii_whitespace()
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns the number of bytes in which they are held.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<T: AsRef<str>> FromIterator<T> for Terms {
    fn from_iter<I: IntoIterator<Item = T>>(words: I) -> Self {
        let mut terms = Self::default();
        terms.extend(words);
        terms
    }
}

impl<T: AsRef<str>> Extend<T> for Terms {
    fn extend<I: IntoIterator<Item = T>>(&mut self, words: I) {
        for word in words {
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(word.as_ref());
        }
    }
}

/// Reads words that are separated by spaces.
impl From<String> for Terms {
    fn from(words: String) -> Self {
        Self(words)
    }
}

/// Writes the words with spaces between them.
impl From<Terms> for String {
    fn from(terms: Terms) -> Self {
        terms.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_in_order() {
        let terms: Terms = ["open", "nine", "open"].into_iter().collect();
        assert_eq!(terms.iter().collect::<Vec<_>>(), ["open", "nine", "open"]);
        assert_eq!((terms.len(), terms.is_empty()), (3, false));
        assert_eq!(String::from(terms.clone()), "open nine open");
        assert_eq!(Terms::from("open nine open".to_owned()), terms);
        assert_eq!((Terms::default().len(), Terms::default().is_empty()), (0, true));
    }
}
