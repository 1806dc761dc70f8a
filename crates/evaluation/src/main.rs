//! `frontdesk-evaluation`: measures search and answers on labeled sites, and trains the extractive writer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use frontdesk_assistant::{Selection, SelectionWeights, explain};
use frontdesk_embedding::Model;
use frontdesk_evaluation::{
    baseline::Baseline,
    comparison::{Outcome, compare},
    corpus::read_pages,
    judge::{Answer, judge},
    measures::{Measures, Share, Table, markdown, rank},
    questions::read_questions,
    samples::{Origin, Sample, Searching, samples},
    training::{Settings, answers_as_built, cross_validate, train},
};

mod arguments;

use arguments::AssistantArguments;

/// Measure search and answers on labeled sites.
///
/// Each question is answered twice: with vectors of the content, and by words alone, as in the first minute
/// of a chatbot. The figures are cross-validated: the writer that answers the questions of a site is trained
/// on the others. Sites of more than 50 questions are divided into five parts.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask eval", bin_name = "cargo xtask eval")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Arguments {
    /// Folders with `site/` and `questions.jsonl`.
    #[arg(value_name = "SITE", required = true)]
    sites: Vec<PathBuf>,
    /// Answer by words alone only, as if the content had no vectors yet.
    #[arg(long)]
    lexical: bool,
    /// Train the extractive writer on all questions, and write its weights.
    #[arg(long)]
    train: bool,
    /// Measure the writer with the weights that it is built with, which may have been trained on these
    /// questions.
    #[arg(long, conflicts_with = "train")]
    as_built: bool,
    /// Also list every question that was not answered right; those of a model follow those of the extractive
    /// writer.
    #[arg(long)]
    details: bool,
    /// Also list every question with its answer.
    #[arg(long)]
    answers: bool,
    /// Write what became of each question to this file, for a later `--compare`.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compare with the run that `--save` wrote to this file.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Folder for vectors that are kept between runs.
    #[arg(long, value_name = "DIR", default_value = "target/evaluation")]
    cache: PathBuf,
    #[command(flatten)]
    assistant: AssistantArguments,
}

/// Questions from which a site is divided into parts.
const LARGE: usize = 50;

/// Further questions to train on, from the root of the repository.
const TRAINING: &str = "crates/evaluation/training";

/// Where the weights are, from the root of the repository.
const WEIGHTS: &str = "crates/assistant/src/selection/weights.json";

#[expect(clippy::print_stderr, reason = "a command reports to the terminal")]
fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "a command prints its result")]
fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    // Before minutes of work: a mistake in the name should not cost them.
    let earlier = arguments.compare.as_deref().map(read_outcomes).transpose()?;
    let endpoint = arguments.assistant.endpoint()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let model = Model::bundled()?;
    let states: &[State] = if arguments.lexical { &[State::WORDS] } else { &State::ALL };
    let mut outcomes: Vec<Outcome> = Vec::new();
    for state in states {
        let searching = Searching {
            model: &model,
            has_vectors: state.has_vectors,
            cache: &arguments.cache,
            training: Some(Path::new(TRAINING)),
            assistant: None,
        };
        let samples = runtime.block_on(samples(&arguments.sites, searching))?;
        // With a model, each question is searched for again, because the model rewrites one that refers to an
        // earlier one. It is asked once: with vectors, as nearly always.
        let rewritten = match endpoint.as_ref().filter(|_| state.has_vectors || arguments.lexical) {
            Some(endpoint) => {
                let searching = Searching { assistant: Some(endpoint.assistant()), ..searching };
                runtime.block_on(frontdesk_evaluation::samples::samples(&arguments.sites, searching))?
            }
            None => Vec::new(),
        };
        let asked_of_model: Vec<&Sample> =
            rewritten.iter().filter(|sample| sample.origin == Origin::Labeled).collect();
        let written = match &endpoint {
            Some(endpoint) => {
                runtime.block_on(endpoint.answers(asked_of_model, arguments.assistant.at_a_time()))
            }
            None => Vec::new(),
        };
        println!("## {}\n", state.name);
        let table = report(arguments, *state, &samples, &written);
        outcomes.extend(table.outcomes.into_iter().map(|outcome| state.named(outcome)));
        if arguments.train {
            let all: Vec<&Sample> = samples.iter().collect();
            write_weights(train(&all, state.settings), *state, &table.measures)?;
            println!("wrote {WEIGHTS}, {}\n", state.name);
        }
    }
    if let Some(endpoint) = &endpoint {
        println!("{}\n", endpoint.calls());
    }
    println!("{}", baseline(arguments)?);
    if let Some(earlier) = &earlier {
        println!("{}", compare(earlier, &outcomes));
    }
    if let Some(path) = &arguments.save {
        fs_err::write(path, serde_json::to_string_pretty(&outcomes)? + "\n")?;
    }
    Ok(())
}

/// What the content has while the questions are answered.
#[derive(Debug, Clone, Copy)]
struct State {
    has_vectors: bool,
    name: &'static str,
    settings: Settings,
}

impl State {
    const VECTORS: Self = Self { has_vectors: true, name: "with vectors", settings: Settings::VECTORS };
    const WORDS: Self = Self { has_vectors: false, name: "by words alone", settings: Settings::WORDS };
    const ALL: [Self; 2] = [Self::VECTORS, Self::WORDS];

    /// Returns an outcome under a name that tells it from that of the same question in the other state.
    fn named(self, outcome: Outcome) -> Outcome {
        if self.has_vectors {
            return outcome;
        }
        Outcome { site: format!("{}, {}", outcome.site, self.name), ..outcome }
    }
}

/// The figures of one state.
struct Report {
    measures: Table,
    outcomes: Vec<Outcome>,
}

/// Answers the samples, and prints the figures and what else was asked for.
#[expect(clippy::print_stdout, reason = "a command prints its result")]
fn report(arguments: &Arguments, state: State, samples: &[Sample], written: &[(&Sample, Answer)]) -> Report {
    let large: Vec<String> = sites(samples)
        .into_iter()
        .filter(|site| {
            let is_own = |sample: &&Sample| sample.site == *site && sample.origin == Origin::Labeled;
            samples.iter().filter(is_own).count() > LARGE
        })
        .collect();
    let answers = if arguments.as_built {
        answers_as_built(samples)
    } else {
        cross_validate(samples, |sample| part(sample, &large), state.settings)
    };
    let measures = measure(&answers);
    let mut shown = measures.clone();
    shown.extend(measure(written).into_iter().map(|(name, measures)| (format!("{name}, model"), measures)));
    println!("{}", markdown(&shown));
    if arguments.details {
        for (sample, answer) in asked(&answers).chain(asked(written)) {
            let verdict = judge(&sample.question, answer);
            if answer.refused == sample.question.answerable
                || (sample.question.answerable && !verdict.has_fact)
            {
                println!("{}", described(sample, answer));
            }
        }
    }
    if arguments.answers {
        for (sample, answer) in asked(&answers).chain(asked(written)) {
            let said = if answer.refused { "(refused)" } else { &answer.text };
            println!("{} {}\n  {}\n", sample.question.id, sample.question.text, said.replace('\n', "\n  "));
        }
    }
    let outcomes = asked(&answers).map(|(sample, answer)| {
        Outcome::of(&sample.site, &sample.question, &sample.task.retrieval.passages, answer)
    });
    Report { outcomes: outcomes.collect(), measures }
}

/// Returns the questions of the sites as they are.
fn asked<'a>(answers: &'a [(&'a Sample, Answer)]) -> impl Iterator<Item = &'a (&'a Sample, Answer)> {
    answers.iter().filter(|(sample, _)| sample.origin == Origin::Labeled)
}

/// Reads what `--save` wrote.
fn read_outcomes(path: &Path) -> Result<Vec<Outcome>, Box<dyn std::error::Error>> {
    serde_json::from_str(&fs_err::read_to_string(path)?)
        .map_err(|error| format!("{}: {error}; expected a file that `--save` wrote", path.display()).into())
}

fn sites(samples: &[Sample]) -> Vec<String> {
    let mut sites: Vec<String> = samples.iter().map(|sample| sample.site.clone()).collect();
    sites.dedup();
    sites
}

/// Returns the part of a sample in the cross-validation. Questions that follow each other have numbers near
/// each other.
fn part(sample: &Sample, large: &[String]) -> String {
    if !large.contains(&sample.site) {
        return sample.site.clone();
    }
    let digits: String = sample.question.id.chars().filter(char::is_ascii_digit).collect();
    let number: u32 = digits.parse().unwrap_or_default();
    format!("{} {}", sample.site, number / 5 % 5)
}

fn measure(answers: &[(&Sample, Answer)]) -> Table {
    let mut table = Table::new();
    for (sample, answer) in answers {
        let mut names = vec![format!("kind: {}", sample.question.kind)];
        if sample.origin == Origin::Labeled {
            names.extend(["all".to_owned(), format!("site: {}", sample.site)]);
        }
        for name in names {
            let measures: &mut Measures = table.entry(name).or_default();
            measures.add(&sample.question, &sample.task.retrieval, answer);
        }
    }
    table
}

/// Returns how often plain BM25 finds a right page.
fn baseline(arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    let mut recall = [Share::default(); 3];
    for folder in &arguments.sites {
        let baseline = Baseline::new(&read_pages(&folder.join("site"))?);
        let questions = read_questions(&folder.join("questions.jsonl"))?;
        for question in questions.iter().filter(|question| question.answerable) {
            let rank = rank(question, baseline.search(&question.text).into_iter());
            for (recall, most) in recall.iter_mut().zip([1, 3, 5]) {
                recall.add(rank.is_some_and(|rank| rank <= most));
            }
        }
    }
    let [one, three, five] = recall.map(|share| share.value().unwrap_or_default());
    Ok(format!("Plain BM25 over pages: recall@1 {one:.2}, recall@3 {three:.2}, recall@5 {five:.2}\n"))
}

fn described(sample: &Sample, answer: &Answer) -> String {
    let Sample { site, question, .. } = sample;
    let outcome = match (question.answerable, answer.refused) {
        (true, true) => "wrongly refused",
        (true, false) => "the fact is missing",
        (false, _) => "answered, but the site does not say",
    };
    let why = explain(&sample.task);
    format!(
        "{site} {} ({}): {outcome}\n  question: {}\n  expected: {}\n  decision: {:?}, {}\n  selected: {}\n",
        question.id,
        question.kind,
        question.text,
        question.must_contain_any.join(" | "),
        why.reason,
        why.margin.map_or_else(
            || "a word or a number is lacking".to_owned(),
            |margin| format!("margin {margin:.2}")
        ),
        answer.text.replace('\n', "\n            "),
    )
}

fn write_weights(
    selection: Selection,
    state: State,
    table: &Table,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut weights: SelectionWeights = serde_json::from_str(&fs_err::read_to_string(WEIGHTS)?)?;
    let all = table.get("all").cloned().unwrap_or_default();
    let value = |share: Share| share.value().unwrap_or_default();
    let provenance = format!(
        "Trained by `cargo xtask eval --train` on {} answerable and {} unanswerable questions about labeled sites, and on near misses. \
         Cross-validated by site: accuracy {:.2}, wrongly refused {:.2}, rightly refused {:.2}.",
        all.accuracy.count,
        all.rightly_refused.count,
        value(all.accuracy),
        value(all.wrongly_refused),
        value(all.rightly_refused),
    );
    let kind = if state.has_vectors { &mut weights.hybrid } else { &mut weights.lexical };
    *kind = Selection { provenance, ..selection };
    let mut text = serde_json::to_string_pretty(&weights)?;
    text.push('\n');
    fs_err::write(WEIGHTS, text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
