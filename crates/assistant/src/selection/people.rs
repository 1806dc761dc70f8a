//! What a text says of people: a name in a line of its own and the sentences below it, such as on the page of
//! a team.
//!
//! Of these sentences few repeat the name: "She runs the surgery." A question of a person is answered with
//! the whole entry, so that nothing is said of anybody without the name, or after that of another.

use frontdesk_knowledge::says_when;

use super::windows::{Shape, Source, Window};

/// Most words of a line that is a name.
const MOST_WORDS: usize = 5;

/// Most bytes of an entry.
const MOST_BYTES: usize = 400;

/// Words in lower case inside a name, separated by spaces.
const PARTICLES: &str =
    "von van vom zu zum zur de der den des di da do dos del della du la le und and et y e i und ter ten";

/// Returns the entries of people: windows that begin with a name and end before the next one.
pub(super) fn entries(sources: &[Source<'_>]) -> Vec<Window> {
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let starts: Vec<usize> = (0..source.segments.len()).filter(|at| is_name(source, *at)).collect();
        for (place, &start) in starts.iter().enumerate() {
            let until = starts.get(place + 1).copied().unwrap_or(source.segments.len());
            let begin = source.segments[start].range.start;
            let fits = |at: &usize| {
                let segment = &source.segments[*at];
                !segment.withheld
                    && segment.range.end - begin <= MOST_BYTES
                    && matches!(segment.shape, Shape::Sentence | Shape::Item)
            };
            let end = (start + 1..until).take_while(fits).last();
            if let Some(end) = end.filter(|_| !source.segments[start].withheld) {
                found.push(Window { source: index, segments: start..end + 1, names_person: true });
            }
        }
    }
    found
}

/// Returns whether a segment is a line that is a name and has text below it.
fn is_name(source: &Source<'_>, at: usize) -> bool {
    let text = source.passage.text.as_str();
    let segment = &source.segments[at];
    let Some(next) = source.segments.get(at + 1) else { return false };
    let is_line = segment.starts_line && next.starts_line;
    let line = text[segment.range.clone()].trim_start_matches(['#', ' ', '*']);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_particle = |word: &str| PARTICLES.split(' ').any(|particle| particle == word);
    let is_part = |word: &&str| {
        is_particle(word)
            || word.chars().next().is_some_and(char::is_uppercase)
                && word
                    .chars()
                    .all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’' | '.'))
    };
    is_line
        && (1..=MOST_WORDS).contains(&words.len())
        && words.iter().all(is_part)
        && words.first().is_some_and(|first| !is_particle(first))
        && !line.ends_with(['.', '!', '?', ':'])
        && !words.iter().any(|word| says_when(word))
}

/// Returns whether a text names somebody: with a capital letter inside a sentence. In German, where nouns
/// have one too, two words of a name follow each other.
pub(super) fn names_somebody(text: &str, language: Option<&str>) -> bool {
    let is_german = language.is_some_and(|language| language.starts_with("de"));
    let (mut is_start, mut was_name) = (true, false);
    text.split_whitespace().any(|word| {
        let bare = word.trim_matches(|edge: char| !edge.is_alphanumeric());
        let mut letters = bare.chars();
        let is_capitalized = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
            && !says_when(bare);
        let is_name = is_capitalized && (if is_german { was_name } else { !is_start });
        was_name = is_capitalized && bare.len() == word.len();
        is_start = word.ends_with(['.', '!', '?', ':', '-', '–', '•']);
        is_name
    })
}
