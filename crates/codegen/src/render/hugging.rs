//! Lays out calls as `rustfmt` does where `prettyplease` gives every argument a line of its own: the last
//! argument of a call, such as a closure, begins on the line of the call, and a chain stays on one line if
//! only its last call needs several.
//!
//! ```text
//! call                                call.query("limit", |value| {
//!     .query(                             value.minimum(1);
//!         "limit",                    });
//!         |value| {              →
//!             value.minimum(1);
//!         },
//!     );
//! ```

/// The widest line, as `prettyplease` has it.
const WIDTH: usize = 89;
/// The longest chain on one line whose last call has further lines, as `rustfmt` has it.
const CHAIN: usize = 60;
/// The columns of one level.
const LEVEL: usize = 4;

/// A line of code without its indentation.
#[derive(Clone, Debug)]
struct Line {
    indent: usize,
    text: String,
}

impl Line {
    fn new(line: &str) -> Self {
        let text = line.trim_start_matches(' ');
        Self { indent: line.len() - text.len(), text: text.to_owned() }
    }

    fn width(&self) -> usize {
        self.indent + self.text.chars().count()
    }

    /// Whether it is a comment or an attribute, which stays where it is.
    fn is_aside(&self) -> bool {
        self.text.starts_with("//") || self.text.starts_with('#')
    }

    fn closes(&self) -> bool {
        self.text.starts_with([')', ']', '}'])
    }
}

/// Returns the text of items with shorter calls. Text with a string of several lines is returned as it is.
pub(super) fn hugged(text: &str) -> String {
    if !text.lines().any(|line| line.ends_with('(')) || has_string_of_lines(text) {
        return text.to_owned();
    }
    let mut lines: Vec<Line> = text.lines().map(Line::new).collect();
    // From the end, so that what is within a call is laid out before the call.
    for at in (0..lines.len()).rev() {
        // A line may become a call with one argument, and that call the end of a chain.
        while hug(&mut lines, at) {}
    }
    let mut hugged = String::with_capacity(text.len());
    for line in &lines {
        if !line.text.is_empty() {
            hugged.extend(std::iter::repeat_n(' ', line.indent));
        }
        hugged.push_str(&line.text);
        hugged.push('\n');
    }
    hugged
}

/// Shortens the call or the chain that begins in a line; returns whether it did.
fn hug(lines: &mut Vec<Line>, at: usize) -> bool {
    if lines.get(at).is_none_or(Line::is_aside) {
        return false;
    }
    hug_last_argument(lines, at) || join_arguments(lines, at) || join_chain(lines, at)
}

/// Begins the last argument of a call in the line of the call.
fn hug_last_argument(lines: &mut Vec<Line>, at: usize) -> bool {
    let call = &lines[at];
    let is_call = call
        .text
        .strip_suffix('(')
        .is_some_and(|name| name.ends_with(|last: char| last.is_alphanumeric() || "_!>".contains(last)));
    // Parameters of functions have no last argument that spans lines, but types that end alike.
    if !is_call || call.text.contains("fn ") {
        return false;
    }
    let Some(end) = end_of(lines, at).filter(|end| lines[*end].text.starts_with(')')) else { return false };
    let inner = &lines[at + 1..end];
    if inner.iter().any(|line| line.indent == call.indent + LEVEL && line.is_aside()) {
        return false;
    }
    let starts: Vec<usize> = (at + 1..end)
        .filter(|line| lines[*line].indent == call.indent + LEVEL && !lines[*line].closes())
        .collect();
    let Some((&last, before)) = starts.split_last() else { return false };
    // Every argument before the last one is one line.
    if last != at + 1 + before.len() || last + 1 >= end || !may_be_hugged(&lines[last], before.is_empty()) {
        return false;
    }
    // It ends with the delimiter that it begins with, and nothing follows.
    let is_whole = (last + 1..end - 1).all(|line| lines[line].indent > call.indent + LEVEL)
        && lines[end - 1].indent == call.indent + LEVEL
        && lines[end - 1].closes()
        && lines[end - 1].text.trim_end_matches(',').chars().all(|letter| ")]}".contains(letter));
    let mut head = call.clone();
    for argument in &lines[at + 1..=last] {
        if !head.text.ends_with('(') {
            head.text.push(' ');
        }
        head.text.push_str(&argument.text);
    }
    if !is_whole || head.width() > WIDTH {
        return false;
    }
    let mut tail = call.clone();
    tail.text = format!("{}{}", lines[end - 1].text.trim_end_matches(','), lines[end].text);
    replace(lines, at, (head, last), (tail, end - 1, end));
    true
}

/// Puts the arguments of a call, or the entries of its array, on the line of the call if they fit there now.
fn join_arguments(lines: &mut Vec<Line>, at: usize) -> bool {
    let call = &lines[at];
    if !call.text.ends_with(['(', '[']) || !call.text.contains('(') || call.text.contains("fn ") {
        return false;
    }
    let Some(end) = end_of(lines, at).filter(|end| *end > at + 1) else { return false };
    let arguments = &lines[at + 1..end];
    let is_plain = |line: &Line| {
        line.indent == call.indent + LEVEL && line.text.ends_with(',') && !line.is_aside() && !line.closes()
    };
    if !arguments.iter().all(is_plain) {
        return false;
    }
    let arguments: Vec<&str> = arguments.iter().map(|line| line.text.as_str()).collect();
    let text = format!("{}{}{}", call.text, arguments.join(" ").trim_end_matches(','), lines[end].text);
    let joined = Line { indent: call.indent, text };
    if joined.width() > WIDTH {
        return false;
    }
    lines.splice(at..=end, [joined]);
    true
}

/// Whether a last argument with this first line may begin in the line of its call.
fn may_be_hugged(first: &Line, is_only: bool) -> bool {
    let Some(before) = first.text.strip_suffix('{') else {
        return is_only && first.text.ends_with(['(', '[']);
    };
    is_only || before.trim_end().ends_with(['|', ')']) && before.trim_start_matches("move ").starts_with('|')
}

/// Puts a chain of calls on one line, of which only the last has further lines.
fn join_chain(lines: &mut Vec<Line>, at: usize) -> bool {
    let start = lines[at].clone();
    let inner = start.indent + LEVEL;
    let is_link = |line: &Line| line.indent == inner && line.text.starts_with('.');
    if !lines.get(at + 1).is_some_and(is_link) {
        return false;
    }
    let last = (at + 1..lines.len()).take_while(|line| is_link(&lines[*line])).last().unwrap_or(at + 1);
    let Some(end) = end_of(lines, last) else { return false };
    // Nothing follows the last call of the chain but the end of the expression.
    if !lines[last].text.ends_with(['(', '{', '['])
        || lines.get(end + 1).is_some_and(|next| next.indent > start.indent)
    {
        return false;
    }
    let mut head = start.clone();
    for link in &lines[at + 1..=last] {
        head.text.push_str(&link.text);
    }
    let chain = head.text.rfind(" = ").map_or(head.text.as_str(), |equals| &head.text[equals + 3..]);
    let length = chain.chars().count();
    if head.width() > WIDTH || last > at + 1 && length > CHAIN {
        return false;
    }
    let tail = Line { indent: start.indent, text: lines[end].text.clone() };
    replace(lines, at, (head, last), (tail, end, end));
    true
}

/// Returns the line that closes what the end of a line opens.
fn end_of(lines: &[Line], at: usize) -> Option<usize> {
    let indent = lines[at].indent;
    let end =
        (at + 1..lines.len()).find(|line| lines[*line].indent <= indent && !lines[*line].text.is_empty())?;
    (lines[end].indent == indent && lines[end].closes()).then_some(end)
}

/// Replaces the lines from `at` to the first given one, and those between the last two, by one line each, and
/// moves what is in between to the left.
fn replace(
    lines: &mut Vec<Line>,
    at: usize,
    (head, last): (Line, usize),
    (tail, close, end): (Line, usize, usize),
) {
    for line in &mut lines[last + 1..close] {
        line.indent = line.indent.saturating_sub(LEVEL);
    }
    lines.splice(close..=end, [tail]);
    lines.splice(at..=last, [head]);
}

/// Whether a string contains the end of a line, so that what follows is not indentation.
fn has_string_of_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && ends_within_string(line)
    })
}

/// Whether a line ends within a string that begins in it.
fn ends_within_string(line: &str) -> bool {
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let before = &rest[..start];
        // A quotation mark may be a letter of its own.
        if before.ends_with('\'') && rest[start + 1..].starts_with('\'') {
            rest = &rest[start + 2..];
            continue;
        }
        let marks = before.len() - before.trim_end_matches('#').len();
        let is_raw = before.trim_end_matches('#').ends_with('r');
        rest = &rest[start + 1..];
        if is_raw {
            let close = format!("\"{}", "#".repeat(marks));
            let Some(end) = rest.find(&close) else { return true };
            rest = &rest[end + close.len()..];
            continue;
        }
        let mut is_escaped = false;
        let end = rest.char_indices().find(|(_, letter)| {
            let ends = *letter == '"' && !is_escaped;
            is_escaped = *letter == '\\' && !is_escaped;
            ends
        });
        let Some((end, _)) = end else { return true };
        rest = &rest[end + 1..];
    }
    false
}
