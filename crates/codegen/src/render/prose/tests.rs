//! Tests of prose: what it becomes, and that nothing in it misleads rustdoc.

use quote::quote;

use super::*;
use crate::render::docs;

/// Prose, and what is made of it.
#[test]
fn prose_is_safe_for_rustdoc() {
    let cases: &[(&str, &str)] = &[
        ("  \n\nTrimmed.  \n\n", "Trimmed."),
        ("", ""),
        // Brackets.
        (
            "An [x] and [y](https://example.com) and \\[z].",
            "An \\[x\\] and [y](https://example.com) and \\[z\\].",
        ),
        ("A range [0, 100] and `[code]`.", "A range \\[0, 100\\] and `[code]`."),
        ("See [a].\n\n[a]: https://example.com", "See [a].\n\n[a]: https://example.com"),
        ("See [the thing](ChatBot) here.", "See the thing here."),
        (
            "See [the section](#section/Auth) or [`code`](./a.html).",
            "See [the section](#section/Auth) or [`code`](./a.html).",
        ),
        ("| a | b |\n|---|---|\n| [x] | `y` |", "| a | b |\n|---|---|\n| \\[x\\] | `y` |"),
        ("# Heading [x]", "# Heading \\[x\\]"),
        ("- [ ] open\n- [x] done", "- [ ] open\n- [x] done"),
        // Placeholders and HTML.
        ("Send `<key>` as <your-key> in Vec<String>.", "Send `<key>` as `<your-key>` in Vec`<String>`."),
        ("if a < b and c > d", "if a < b and c > d"),
        ("<p>One <b>bold</b> word.</p><p>Two.</p>", "One **bold** word.\n\nTwo."),
        (
            "See <a href=\"https://example.com/a\">the docs</a>.<br>Next <code>x</code>.",
            "See [the docs](https://example.com/a).\\\nNext `x`.",
        ),
        ("<ul><li>One</li><li>Two</li></ul>", "- One\n- Two"),
        ("An <a>unfinished link", "An unfinished link"),
        ("<a href='https://example.com'>open", "\\[open"),
        ("<!-- hidden -->Shown.", "Shown."),
        // Addresses.
        ("See https://example.com/a_b?c=d.", "See <https://example.com/a_b?c=d>."),
        ("(see https://example.com#a).This (b)", "(see <https://example.com#a>).This (b)"),
        (
            "(https://example.com/a_(b)) and <https://example.com>",
            "(<https://example.com/a_(b)>) and <https://example.com>",
        ),
        (
            "`https://example.com` [https://example.com](https://example.com)",
            "`https://example.com` [https://example.com](https://example.com)",
        ),
        ("http:// is a scheme", "http:// is a scheme"),
        // Code.
        ("```\ncurl [x] https://example.com\n```", "```text\ncurl [x] https://example.com\n```"),
        ("```rust\nlet x = 1;\n```", "```text\nlet x = 1;\n```"),
        ("```json\n{\n\n\n  \"a\": 1}\n```", "```json\n{\n\n\n  \"a\": 1}\n```"),
        (
            "Code:\n\n    let x = [1];\n      more\n\n    end\n\nText.",
            "Code:\n\n```text\nlet x = [1];\n  more\n\nend\n```\n\nText.",
        ),
        ("- Item:\n\n      code\n\n- Next", "- Item:\n\n  ```text\n  code\n  ```\n\n- Next"),
        // What has no end.
        ("Like:\n```\nopen", "Like:\n```text\nopen\n```"),
        ("- Item:\n  ~~~\n  open", "- Item:\n  ~~~text\n  open\n  ~~~"),
        ("> ```\n> open", "> ```text\n> open"),
        ("```json", "```json\n```"),
        // Characters that Rust refuses in comments.
        ("a\r\nb\rc\u{202E}d\u{7}", "a b cd"),
        // Structure.
        ("One\ntwo\nthree.", "One two three."),
        ("One  \ntwo\\\nthree.", "One\\\ntwo\\\nthree."),
        ("- one\n  more\n- two", "- one more\n- two"),
        ("> quoted\n> more", "> quoted more"),
        ("A\n\n\n\nB", "A\n\nB"),
        ("`a\nb` c", "`a b` c"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(text), *expected, "from {text:?}");
    }
}

#[test]
fn prose_is_wrapped_without_changing_its_structure() {
    let long = "word ".repeat(18);
    let long = long.trim_end();
    let url = "https://example.com/".to_owned() + &"path/".repeat(30);
    let code = format!("`{}`", "x ".repeat(40).trim_end());
    let cases = [
        (format!("{long} next"), format!("{long}\nnext")),
        (format!("- {long} next"), format!("- {long}\n  next")),
        (format!("12. {long} next"), format!("12. {}\n    word next", &long[..84])),
        (format!("> {long} next"), format!("> {long}\n> next")),
        (format!("> - {long} next"), format!("> - {}\n>   word next", &long[..84])),
        // None of these may begin a line.
        (format!("{long} - next"), format!("{long} -\nnext")),
        (format!("{long} 1. next"), format!("{long} 1.\nnext")),
        (format!("{long} # next"), format!("{long} #\nnext")),
        // Too long for any line, but whole.
        (format!("See {url} there"), format!("See\n<{url}>\nthere")),
        (format!("{long} {code}"), format!("{long}\n{code}")),
        (format!("# {long} {long}"), format!("# {long} {long}")),
        (format!("| a |\n|---|\n| {long} {long} |"), format!("| a |\n|---|\n| {long} {long} |")),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(&text), expected, "from {text:?}");
    }
}

/// Whatever the prose says, rustdoc finds in the result no link to an item, no HTML and no Rust code to
/// compile.
#[test]
fn prose_is_safe_whatever_it_says() {
    let pieces = [
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "`",
        "```",
        "\n",
        "\n\n",
        "    ",
        "- ",
        "1. ",
        "> ",
        "|",
        "---",
        "\\",
        "&",
        "*",
        "_",
        "https://a.b",
        "word",
        "<b>",
        "</b>",
        "<a href=\"x\">",
        "</a>",
        "<pre>",
        "<p>",
        "é",
        "\t",
        "  \n",
        "~~~",
        "#",
        "[^1]",
        "[a]: b",
        "<!--",
        "-->",
        "<?",
        "<![CDATA[",
        "<script>",
        "rust",
        "|---|",
    ];
    // A linear congruential generator (Numerical Recipes): the same prose on every run.
    let mut state = 1_u32;
    for _ in 0..4_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        let safe = markdown(&text);
        assert!(safe.lines().all(|line| line == line.trim_end()), "{text:?} became {safe:?}");
        assert!(!safe.contains(['\u{0}', '\u{1}', '\r']), "{text:?} became {safe:?}");
        assert_eq!(hazard(&safe), None, "{text:?} became {safe:?}");
        let comment = docs(&text);
        assert!(syn::parse2::<syn::File>(quote!(#comment struct A;)).is_ok(), "{text:?}");
    }
}

/// What rustdoc would stumble over.
fn hazard(markdown: &str) -> Option<String> {
    let mut broken = None;
    let mut found = None;
    let callback = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        broken = Some(format!("link to `{}`", link.reference));
        None
    };
    for event in Parser::new_with_broken_link_callback(markdown, EXTENSIONS, Some(callback)) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => found = Some(format!("HTML `{html}`")),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => found = Some("indented code".to_owned()),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))
                if matches!(&*language, "" | "rust" | "ignore") =>
            {
                found = Some(format!("code in `{language}`"));
            }
            _ => {}
        }
    }
    broken.or(found)
}
