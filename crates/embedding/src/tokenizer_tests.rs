//! Token ids against those of the library `tokenizers`, and tables that are not valid.

use serde::Deserialize;

use crate::{files::Files, tokenizer::Tokenizer};

#[derive(Deserialize)]
struct Expected {
    text: String,
    times: usize,
    ids: Vec<i32>,
}

fn bundled() -> Tokenizer {
    Files::bundled().tokenizer(512).expect("the bundled tables are valid")
}

fn assert_equals(tokenizer: &Tokenizer, fixtures: &str) {
    let expected: Vec<Expected> = serde_json::from_str(fixtures).expect("the fixtures are valid");
    assert!(expected.len() > 60);
    for expected in expected {
        let ids = tokenizer.encode("", &expected.text.repeat(expected.times));
        assert_eq!(ids, expected.ids, "{:?} × {}", expected.text, expected.times);
    }
}

#[test]
fn equals_the_reference_tokenizer() {
    assert_equals(&bundled(), include_str!("../tests/fixtures/tokens.json"));
}

#[test]
fn the_english_tokenizer_equals_the_reference() {
    assert_equals(&bundled_english(), include_str!("../tests/fixtures/english_tokens.json"));
}

fn bundled_english() -> Tokenizer {
    Files::bundled_english().tokenizer(512).expect("the bundled table is valid")
}

#[test]
fn a_prefix_is_a_part_of_the_text() {
    let tokenizer = bundled();
    for text in ["Où ?", "\u{301}accent", " spaces"] {
        assert_eq!(tokenizer.encode("query: ", text), tokenizer.encode("", &format!("query: {text}")));
    }
}

#[test]
fn long_input_is_cut_and_keeps_its_end_token() {
    for (tokenizer, ends) in [(bundled(), (0, 2)), (bundled_english(), (101, 102))] {
        for text in ["word ".repeat(100_000), "x".repeat(3_000_000), "\u{301}".repeat(500_000)] {
            let ids = tokenizer.encode("", &text);
            assert!(ids.len() <= 512);
            assert_eq!((ids[0], ids[ids.len() - 1]), ends);
        }
    }
}

#[test]
fn problems_of_tables_name_file_and_line() {
    fn problem(normalizer: &str, vocabulary: &str) -> String {
        Tokenizer::unigram(normalizer, vocabulary, 512).expect_err("a table is not valid").to_string()
    }
    let vocabulary = "<s>\t0\n<pad>\t0\n</s>\t0\n<unk>\t0\n▁a\t-1.5\n";
    assert_eq!(
        problem("a0\t20\nx\t20\n", vocabulary),
        "normalizer.tsv, line 2: expected a hexadecimal code point, a tab, and code points separated by spaces"
    );
    assert_eq!(
        problem("d800\t20\n", vocabulary),
        "normalizer.tsv, line 1: expected a hexadecimal code point, a tab, and code points separated by spaces"
    );
    for line in ["▁b", "▁b\t", "▁b\tlow", "▁b\tNaN", "\t-2", ""] {
        assert_eq!(
            problem("", &format!("{vocabulary}{line}\n")),
            "vocabulary.tsv, line 6: expected a piece, a tab, and its score"
        );
    }
    assert_eq!(
        problem("", "<s>\t0\n▁a\t-1\n"),
        "vocabulary.tsv has no piece </s>; supported are Unigram vocabularies with <s>, </s> and <unk> in vocabulary.tsv, and \
         WordPiece vocabularies with [CLS], [SEP] and [UNK] in vocab.txt"
    );
}
