//! Long lines: lists and unions that do not fit in one line have one for each entry.

/// The indentation of the description of an operation.
pub(super) const DESCRIBED: &str = "    ";

/// Columns of a line of code.
pub(super) const WIDTH: usize = 100;

/// Whether a line of code is short enough.
pub(super) fn fits(line: &str) -> bool {
    line.trim_end().chars().count() <= WIDTH
}

/// A statement that imports or exports names of another module.
pub(super) fn names(keyword: &str, names: &[&str], from: &str) -> String {
    let one_line = format!("{keyword} {{ {} }} from '{from}';\n", names.join(", "));
    if names.is_empty() {
        String::new()
    } else if fits(&one_line) {
        one_line
    } else {
        format!("{keyword} {{\n  {},\n}} from '{from}';\n", names.join(",\n  "))
    }
}

/// An array behind the start of a line, whose indentation the closing bracket has.
pub(super) fn array(start: &str, entries: &[String]) -> String {
    let one_line = format!("{start}[{}]", entries.join(", "));
    if entries.is_empty() || fits(&one_line) {
        return one_line;
    }
    let indent = indentation(start);
    let lines: String = entries.iter().map(|entry| format!("{indent}  {entry},\n")).collect();
    format!("{start}[\n{lines}{indent}]")
}

/// A type behind the start of a line, and a line break: each alternative of a long union has its own line.
pub(super) fn placed(start: &str, ty: &str) -> String {
    let one_line = format!("{start} {ty};\n");
    if fits(&one_line) {
        return one_line;
    }
    let indent = indentation(start);
    let lines = |types: Vec<&str>| -> String {
        types
            .iter()
            .map(|ty| format!("\n{}", placed(&format!("{indent}  |"), ty).trim_end_matches(";\n")))
            .collect()
    };
    let types = alternatives(ty);
    if types.len() > 1 {
        return format!("{start}{};\n", lines(types));
    }
    let entries = ty.strip_prefix('(').and_then(|inner| inner.strip_suffix(")[]")).map(alternatives);
    match entries.filter(|entries| entries.len() > 1) {
        Some(entries) => format!("{start} ({}\n{indent})[];\n", lines(entries)),
        None => one_line,
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The alternatives of a union. Signs in brackets and in texts are parts of one of them.
fn alternatives(ty: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut in_text, mut escaped) = (0, 0_usize, false, false);
    for (at, character) in ty.char_indices() {
        if in_text {
            in_text = character != '\'' || escaped;
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            '\'' => in_text = true,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.push(ty[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(ty[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::{alternatives, array, names, placed};

    #[test]
    fn alternatives_are_those_of_the_union_itself() {
        for (ty, types) in [
            ("string", vec!["string"]),
            ("'a' | 'it\\'s | \\\\' | null", vec!["'a'", "'it\\'s | \\\\'", "null"]),
            ("('a' | 'b')[] | null", vec!["('a' | 'b')[]", "null"]),
            ("{ a: 'x' | 'y' } | Others<A, 1 | 2>", vec!["{ a: 'x' | 'y' }", "Others<A, 1 | 2>"]),
        ] {
            assert_eq!(alternatives(ty), types, "{ty}");
        }
    }

    #[test]
    fn long_unions_have_a_line_for_each_alternative() {
        let [long, other] = ["a", "b"].map(|letter| format!("'{}'", letter.repeat(60)));
        assert_eq!(placed("  a:", "'x' | 'y'"), "  a: 'x' | 'y';\n");
        assert_eq!(
            placed("  a?:", &format!("{long} | {other} | null")),
            format!("  a?:\n    | {long}\n    | {other}\n    | null;\n")
        );
        assert_eq!(
            placed("  a:", &format!("({long} | {other})[]")),
            format!("  a: (\n    | {long}\n    | {other}\n  )[];\n")
        );
        assert_eq!(
            placed("  a:", &format!("({long} | {other})[] | null")),
            format!("  a:\n    | (\n      | {long}\n      | {other}\n    )[]\n    | null;\n")
        );
        // One long word stays whole, and brackets of two types are not those of a list.
        let word = "w".repeat(120);
        assert_eq!(placed("  a:", &word), format!("  a: {word};\n"));
    }

    #[test]
    fn long_lists_have_a_line_for_each_entry() {
        let entries = ["a", "b"].map(|letter| letter.repeat(60));
        assert_eq!(array("  a: ", &["1".to_owned(), "2".to_owned()]), "  a: [1, 2]");
        assert_eq!(
            array("  a: ", &entries),
            format!("  a: [\n    {},\n    {},\n  ]", entries[0], entries[1])
        );
        assert_eq!(names("import", &["a", "b"], "./c.js"), "import { a, b } from './c.js';\n");
        assert_eq!(names("export", &[], "./c.js"), "");
        assert_eq!(
            names("export type", &[&entries[0], &entries[1]], "./c.js"),
            format!("export type {{\n  {},\n  {},\n}} from './c.js';\n", entries[0], entries[1])
        );
    }
}
