//! Numbers in documents agree with the constants that they come from.
//!
//! A document names the constant in a comment right before the number, which readers do not see:
//! `<!-- constant: crates/store/src/contacts.rs MAX_TAGS -->50`.

use syn::{BinOp, Expr, Item, Lit};

use super::Finding;
use super::repository::Repository;

const BEGIN: &str = "<!-- constant: ";
const END: &str = "-->";

/// Checks all documents.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.files("md") {
        for (index, line) in text.lines().enumerate() {
            // Code shows how a marker is written.
            for part in line.split('`').step_by(2).flat_map(|text| text.split(BEGIN).skip(1)) {
                if let Err((wrong, advice)) = check_number(repository, part) {
                    findings.push(Finding::new(path, index + 1, wrong, advice));
                }
            }
        }
    }
    findings
}

/// Checks the number after a marker, or returns what is wrong and what to do.
fn check_number(repository: &Repository, part: &str) -> Result<(), (String, String)> {
    let form = || format!("write `{BEGIN}FILE NAME {END}` right before the number");
    let Some((marker, after)) = part.split_once(END) else {
        return Err(("the comment that names a constant has no end".to_owned(), form()));
    };
    let Some((file, name)) = marker.trim().split_once(' ') else {
        return Err(("the comment names a file or a constant, not both".to_owned(), form()));
    };
    let Some(value) = repository.text(file).ok().and_then(|source| value(source, name)) else {
        let wrong = format!("{file} has no constant `{name}` whose value is a plain number");
        return Err((wrong, "correct the marker; a constant may be a product or a duration".to_owned()));
    };
    let digits: String =
        after.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
    if digits.parse() == Ok(value) {
        return Ok(());
    }
    Err((
        format!("the document says {digits:?}, but `{name}` in {file} is {value}"),
        format!("write {value}"),
    ))
}

/// Returns the value of a constant, in the unit in which it is written.
fn value(source: &str, name: &str) -> Option<u64> {
    fn find(items: &[Item], name: &str) -> Option<u64> {
        items.iter().find_map(|item| match item {
            Item::Const(constant) if constant.ident == name => evaluate(&constant.expr),
            Item::Mod(module) => find(&module.content.as_ref()?.1, name),
            _ => None,
        })
    }
    find(&syn::parse_file(source).ok()?.items, name)
}

fn evaluate(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(inner) => evaluate(&inner.expr),
        Expr::Cast(cast) => evaluate(&cast.expr),
        Expr::Binary(binary) => {
            let (left, right) = (evaluate(&binary.left)?, evaluate(&binary.right)?);
            match binary.op {
                BinOp::Mul(_) => left.checked_mul(right),
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Div(_) => left.checked_div(right),
                BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
                _ => None,
            }
        }
        // `Duration::from_secs(30)`.
        Expr::Call(call) if call.args.len() == 1 => evaluate(call.args.first()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: (&str, &str) = (
        "crates/a/src/lib.rs",
        "const LIMIT: usize = 4 * 1_024;\nconst TIME: Duration = Duration::from_secs(30);\nconst NAME: &str = \"\";\n",
    );

    fn findings(document: &str) -> Vec<String> {
        let repository = Repository::with(&[SOURCE, ("README.md", document)]);
        check(&repository).into_iter().map(|finding| format!("{} {}", finding.line, finding.wrong)).collect()
    }

    #[test]
    fn numbers_agree_with_their_constants() {
        let document = "At most <!-- constant: crates/a/src/lib.rs LIMIT -->4,096 bytes within \
                        <!-- constant: crates/a/src/lib.rs TIME -->30 seconds, or 5 times. `<!-- constant: FILE NAME -->1`";
        assert_eq!(findings(document), [""; 0]);
    }

    #[test]
    fn other_numbers_and_markers_are_findings() {
        assert_eq!(
            findings("\n<!-- constant: crates/a/src/lib.rs LIMIT -->4,095"),
            ["2 the document says \"4095\", but `LIMIT` in crates/a/src/lib.rs is 4096"]
        );
        for name in ["NAME", "OTHER"] {
            let expected =
                format!("1 crates/a/src/lib.rs has no constant `{name}` whose value is a plain number");
            assert_eq!(findings(&format!("<!-- constant: crates/a/src/lib.rs {name} -->1")), [expected]);
        }
        assert_eq!(
            findings("<!-- constant: LIMIT -->1"),
            ["1 the comment names a file or a constant, not both"]
        );
    }
}
