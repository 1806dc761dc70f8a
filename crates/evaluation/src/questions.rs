//! Labeled questions, with the facts that a right answer contains.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A question with its label.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// Identifier within its set.
    pub id: String,
    /// The visitor's words.
    #[serde(rename = "question")]
    pub text: String,
    /// Whether the content has the answer. If not, the chatbot should refuse or hand over to a person.
    pub answerable: bool,
    /// Paths of all pages that have the answer.
    #[serde(default)]
    pub expected_pages: Vec<String>,
    /// Texts of the content, any of which makes an answer right.
    #[serde(default)]
    pub must_contain_any: Vec<String>,
    /// Other spellings of the same facts.
    #[serde(default)]
    pub also_accept: Vec<String>,
    /// Texts that no answer may contain.
    #[serde(default)]
    pub must_not_contain: Vec<String>,
    /// The question that was asked before it in the same conversation, by its id.
    #[serde(default)]
    pub after: Option<String>,
    /// The kind of question, such as `paraphrase` or `typo`; measures are also reported by kind.
    #[serde(default)]
    pub kind: String,
}

/// The error of reading a file of questions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionsError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line is not a question.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The problem.
        reason: String,
    },
    /// A question follows one that does not exist.
    #[error("question `{id}` comes after `{after}`, which does not exist")]
    UnknownPredecessor {
        /// The question.
        id: String,
        /// The id that it names.
        after: String,
    },
    /// The file has no questions.
    #[error("{path} has no questions")]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Reads questions: one JSON object per line from a `.jsonl` file, else CSV with a header line.
///
/// CSV columns: `question` is required. `expected` has texts of which the answer must contain one, separated
/// by `|`; a question without any is unanswerable. `pages` (paths separated by `|`), `kind`, `id` and `after`
/// are optional.
pub fn read_questions(path: &Path) -> Result<Vec<Question>, QuestionsError> {
    let text = fs_err::read_to_string(path)?;
    let questions = if path.extension().is_some_and(|extension| extension == "jsonl") {
        read_lines(path, &text)?
    } else {
        read_csv(path, &text)?
    };
    if questions.is_empty() {
        return Err(QuestionsError::Empty { path: path.to_owned() });
    }
    for question in &questions {
        if let Some(after) = &question.after
            && !questions.iter().any(|other| other.id == *after)
        {
            return Err(QuestionsError::UnknownPredecessor { id: question.id.clone(), after: after.clone() });
        }
    }
    Ok(questions)
}

fn read_lines(path: &Path, text: &str) -> Result<Vec<Question>, QuestionsError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| QuestionsError::Line {
                path: path.to_owned(),
                line: index as u64 + 1,
                reason: error.to_string(),
            })
        })
        .collect()
}

/// A row of a CSV file.
#[derive(Debug, Deserialize)]
struct Row {
    question: String,
    #[serde(default)]
    expected: String,
    #[serde(default)]
    pages: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    after: String,
}

fn read_csv(path: &Path, text: &str) -> Result<Vec<Question>, QuestionsError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut questions = Vec::new();
    for (index, row) in reader.deserialize::<Row>().enumerate() {
        let row = row.map_err(|error| QuestionsError::Line {
            path: path.to_owned(),
            line: error.position().map_or(index as u64 + 2, csv::Position::line),
            reason: error.to_string(),
        })?;
        let expected = parts(&row.expected);
        questions.push(Question {
            id: if row.id.is_empty() { (index + 1).to_string() } else { row.id },
            text: row.question,
            answerable: !expected.is_empty(),
            expected_pages: parts(&row.pages),
            must_contain_any: expected,
            also_accept: Vec::new(),
            must_not_contain: Vec::new(),
            after: (!row.after.is_empty()).then_some(row.after),
            kind: row.kind,
        });
    }
    Ok(questions)
}

fn parts(text: &str) -> Vec<String> {
    text.split('|').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<Question>, QuestionsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs_err::write(&path, text).unwrap();
        read_questions(&path)
    }

    #[test]
    fn csv_needs_only_questions() {
        let questions = read(
            "q.csv",
            "question,expected,pages\nOpen on Sunday?,closed | Closed,/hours\nDo you sell cars?,,\n",
        )
        .unwrap();
        assert!(questions[0].answerable);
        assert_eq!(questions[0].must_contain_any, ["closed", "Closed"]);
        assert_eq!(questions[0].expected_pages, ["/hours"]);
        assert!(!questions[1].answerable);
        assert_eq!(questions[1].id, "2");
    }

    #[test]
    fn errors_name_the_line() {
        let error = read("q.csv", "frage,antwort\nWie?,So\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("question"), "{error}");
        let error = read("q.jsonl", "{\"id\": \"a\"}\n").unwrap_err().to_string();
        assert!(error.contains("line 1: missing field `question`"), "{error}");
        let error = read("q.csv", "question,after\nAnd on Monday?,7\n").unwrap_err().to_string();
        assert_eq!(error, "question `1` comes after `7`, which does not exist");
        assert!(read("q.csv", "question\n").unwrap_err().to_string().ends_with("has no questions"));
    }
}
