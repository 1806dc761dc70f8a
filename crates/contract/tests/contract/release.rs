//! Tests of the problems that prevent a release, on a small contract with a fixed date.

use std::collections::BTreeMap;

use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::Bump;
use frontdesk_contract::release::{Assessment, Candidate, Lock, Release, assess, sha256, text};
use frontdesk_document::{Document, MemoryLoader};
use insta::assert_snapshot;

const FOLDER: &str = "spec/v1/released";

/// Returns a contract with two operations; the second one is given.
fn contract(version: &str, second: &str) -> String {
    format!(
        "openapi: 3.0.3
info:
  title: Pets
  version: {version}
paths:
  /pets:
    get:
      operationId: listPets
      responses: {{'200': {{description: Pets}}}}
{second}"
    )
}

/// Returns an operation with these lifecycle keys.
fn operation(words: &str) -> String {
    format!(
        "  /cats:
    get:
      operationId: listCats
{words}      responses: {{'200': {{description: Cats}}}}
"
    )
}

fn dying(sunset: &str) -> String {
    operation(&format!("      deprecated: true\n      x-sunset: '{sunset}'\n"))
}

/// A contract with its releases.
#[derive(Default)]
struct History {
    lock: Lock,
    frozen: BTreeMap<String, String>,
    changelog: String,
    earlier: Option<Lock>,
}

impl History {
    /// Adds a release with this date.
    fn released(mut self, date: &str, text: &str) -> Self {
        let bundle = read(text).bundle().to_yaml();
        let version = version_of(text);
        let release = Release {
            version: version.parse().expect("a version"),
            date: date.parse().expect("a date"),
            crates: version.parse().expect("a version"),
            sha256: sha256(&bundle),
        };
        self.frozen.insert(release.file(), bundle);
        self.lock = self.lock.with(release);
        self.changelog = format!("## {version} - {date}\n\nVersion {version}.\n\n{}", self.changelog);
        self
    }

    fn telling(mut self, section: &str) -> Self {
        self.changelog = format!("{section}\n\n{}", self.changelog);
        self
    }

    fn assessed(&self, today: &str, crates: &str, text: &str) -> Assessment {
        let document = read(text);
        let candidate = Candidate {
            document: &document,
            bundle: &document.bundle().to_yaml(),
            crates: &crates.parse().expect("a version"),
            changelog: &Changelog::parse(&self.changelog).expect("it is well formed"),
            folder: FOLDER,
            lock: &self.lock,
            frozen: &self.frozen,
            earlier: self.earlier.as_ref(),
            today: today.parse().expect("a date"),
        };
        assess(&candidate, |_| None)
    }

    /// Returns the codes of the problems.
    fn codes(&self, today: &str, crates: &str, text: &str) -> Vec<&'static str> {
        self.assessed(today, crates, text).problems.iter().map(|problem| problem.code).collect()
    }
}

fn version_of(text: &str) -> &str {
    text.lines().find_map(|line| line.trim().strip_prefix("version: ")).expect("a version")
}

fn read(text: &str) -> Document {
    let (document, problems) =
        Document::read("spec/v1/openapi.yaml", &MemoryLoader::new().with("spec/v1/openapi.yaml", text));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

/// Returns a history with one release, which has both operations.
fn first() -> History {
    History::default().released("2026-11-21", &contract("1.0.0", &operation("")))
}

#[test]
fn the_first_version_needs_its_changelog_and_nothing_else() {
    let text = contract("1.0.0", &operation(""));
    let ready = History::default().telling("## 1.0.0 - unreleased\n\n- Pets.");
    let assessment = ready.assessed("2026-11-21", "1.0.0", &text);
    assert_eq!((assessment.problems.len(), assessment.changed, assessment.last), (0, true, None));
    assert_eq!(History::default().codes("2026-11-21", "1.0.0", &text), ["release-changelog-entry"]);
    let empty = History::default().telling("## 1.0.0 - unreleased");
    assert_eq!(empty.codes("2026-11-21", "1.0.0", &text), ["release-changelog-entry"]);
    assert_eq!(ready.codes("2026-11-21", "1.0.0", &contract("soon", "")), ["release-version"]);
}

#[test]
fn an_unchanged_document_needs_nothing() {
    let assessment = first().assessed("2027-01-01", "1.0.0", &contract("1.0.0", &operation("")));
    assert!(!assessment.changed);
    assert!(assessment.problems.is_empty(), "{:?}", assessment.problems);
}

#[test]
fn an_addition_needs_a_minor_version_of_the_document_and_a_major_one_of_the_server() {
    let more = format!("{}  /dogs:\n    get:\n      responses: {{}}\n", operation(""));
    let history = first().telling("## 1.1.0 - unreleased\n\n- Dogs.");
    let assessment = history.assessed("2027-01-01", "2.0.0", &contract("1.1.0", &more));
    assert!(assessment.problems.is_empty(), "{:?}", assessment.problems);
    assert_eq!((assessment.needed.spec, assessment.needed.server), (Bump::Minor, Bump::Major));
    // The version is checked first, because the changelog needs a section for the right version.
    assert_eq!(first().codes("2027-01-01", "2.0.0", &contract("1.0.1", &more)), ["release-version"]);
    assert_eq!(history.codes("2027-01-01", "1.1.0", &contract("1.1.0", &more)), ["release-crates-version"]);
    assert_eq!(history.codes("2027-01-01", "2.0.0", &contract("1.2.0", &more)), ["release-version"]);
    assert_eq!(first().codes("2027-01-01", "2.0.0", &contract("1.1.0", &more)), ["release-changelog-entry"]);
}

#[test]
fn text_changes_need_a_patch_version() {
    let prose = operation("      description: All cats.\n");
    let history = first().telling("## 1.0.1 - unreleased\n\n- Cats are described.");
    assert_eq!(history.codes("2027-01-01", "1.0.1", &contract("1.0.1", &prose)), [""; 0]);
    assert_eq!(history.codes("2027-01-01", "1.0.1", &contract("1.0.0", &prose)), ["release-version"]);
}

#[test]
fn a_removal_takes_a_deprecation_a_year_and_an_announcement() {
    let deprecated =
        |released: &str, sunset: &str| first().released(released, &contract("1.1.0", &dying(sunset)));
    let gone = contract("1.2.0", "");
    let telling = "## 1.2.0 - unreleased\n\n- `listCats` is removed.";
    let codes =
        |history: History, today: &str, telling: &str| history.telling(telling).codes(today, "3.0.0", &gone);
    let year = || deprecated("2027-01-10", "2028-01-10");
    assert_eq!(codes(year(), "2028-01-10", telling), [""; 0], "twelve months, over, announced");
    assert_eq!(codes(year(), "2028-01-09", telling), ["release-breaking"; 2], "the sunset has not passed");
    assert_eq!(codes(first(), "2028-01-10", telling), ["release-breaking"], "it was never deprecated");
    let short = || deprecated("2027-01-10", "2027-12-10");
    assert_eq!(codes(short(), "2028-01-10", telling), ["release-breaking"; 2], "eleven months");
    let silent = "## 1.2.0 - unreleased\n\n- Fewer operations.";
    assert_eq!(codes(year(), "2028-01-10", silent), ["release-breaking"; 2], "nobody was told");
}

#[test]
fn notice_counts_from_the_release_that_announced_this_end_without_a_break() {
    let gone = contract("1.4.0", "");
    let telling = "## 1.4.0 - unreleased\n\n- `listCats` is removed.";
    let path = |second: &str, third: &str| {
        first()
            .released("2027-01-10", &contract("1.1.0", &dying("2028-01-10")))
            .released("2027-06-10", &contract("1.2.0", second))
            .released("2027-09-10", &contract("1.3.0", third))
            .telling(telling)
            .codes("2030-01-01", "4.0.0", &gone)
    };
    assert_eq!(path(&dying("2028-01-10"), &dying("2028-01-10")), [""; 0], "repeated");
    assert_eq!(path(&dying("2028-06-10"), &dying("2028-06-10")), [""; 0], "put off");
    assert_eq!(path(&operation(""), &dying("2028-01-10")), ["release-breaking"; 2], "taken back in between");
    assert_eq!(
        path(&dying("2028-12-10"), &dying("2028-01-10")),
        ["release-breaking"; 2],
        "later, then earlier"
    );
}

#[test]
fn released_files_stay_unchanged() {
    let text = contract("1.0.0", &operation(""));
    let codes = |history: &History| history.codes("2027-01-01", "1.0.0", &text);
    let mut edited = first();
    let bundle = edited.frozen.get_mut("1.0.0.yaml").expect("it is frozen");
    *bundle = bundle.replace("Pets", "Cats");
    assert_eq!(codes(&edited), ["release-frozen-changed"]);
    let mut missing = first();
    missing.frozen.clear();
    assert_eq!(codes(&missing), ["release-frozen-missing"]);
    let mut foreign = first();
    foreign.frozen.insert("1.1.0.yaml".to_owned(), text.clone());
    assert_eq!(codes(&foreign), ["release-frozen-unknown"]);
    let mut forgotten = first();
    forgotten.changelog.clear();
    assert_eq!(codes(&forgotten), ["release-changelog-entry"]);
    // An edit that also changes the hash in the lock is detected by comparison with the lock of the target
    // branch.
    let mut covered = first();
    covered.earlier = Some(covered.lock.clone());
    assert_eq!(codes(&covered), [""; 0]);
    covered.lock =
        Lock::default().with(Release { sha256: sha256("other"), ..first().lock.releases()[0].clone() });
    assert_eq!(codes(&covered), ["release-frozen-changed", "release-lock-changed"]);
}

#[test]
fn every_problem_says_what_is_wrong_where_and_what_to_do() {
    let mut history = first();
    history.earlier = Some(history.lock.clone());
    history.lock =
        Lock::default().with(Release { sha256: sha256("other"), ..history.lock.releases()[0].clone() });
    let assessment = history.assessed("2027-01-01", "1.0.0", &contract("1.0.0", ""));
    assert_snapshot!(text(&assessment.problems));
    let assessment = first().assessed(
        "2027-01-01",
        "2.0.0",
        &contract("1.0.1", &(operation("") + "  /dogs: {get: {responses: {}}}\n")),
    );
    assert_snapshot!("version", text(&assessment.problems));
}
