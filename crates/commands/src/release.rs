//! `release`: checks whether the contract may be released, and releases it.

use anyhow::{Context, Result};
use frontdesk_codegen::settings::FILE as SETTINGS;
use frontdesk_contract::changelog::dated;
use frontdesk_contract::release::{
    Assessment, CHANGELOG, Candidate, LOCK_FILE, Lock, Problem, Release, annotations, assess, sha256, text,
};
use frontdesk_document::Document;
use semver::Version;

use crate::codegen::Target;
use crate::command_line::{CodegenArguments, ReleaseArguments, ReleaseFormat};
use crate::compat::{Input, NAME, Read, code, today};
use crate::contract::Contract;
use crate::releases::{Releases, changelog, crates_version, parsed};
use crate::{Exit, Program, terminal};
use frontdesk_disk::Folder;

/// The code of a problem with the version of the generated crates.
const CRATES_VERSION: &str = "release-crates-version";

/// Checks the document, and releases it unless `--check` is set or there are problems.
pub fn run(program: &Program, arguments: &ReleaseArguments) -> Result<Exit> {
    let contract = Contract::given(program, arguments.spec.as_deref())?;
    let today = today(arguments.today);
    let document = match Input::current(&contract).read(terminal::color()) {
        Read::Accepted(document) => document,
        Read::Rejected(reasons) => {
            terminal::say(&reasons)?;
            return Ok(Exit::Rejected);
        }
    };
    let releases = Releases::read(&contract)?;
    let (changelog, changes) = changelog(&contract)?;
    let target = target(program, arguments)?;
    let crates = crates(&contract, target.as_ref(), &document)?;
    let earlier = arguments.since.as_deref().map(|revision| lock_at(revision, &contract)).transpose()?;
    let bundle = document.bundle().to_yaml();
    let candidate = Candidate {
        document: &document,
        bundle: &bundle,
        crates: &crates,
        changelog: &changelog,
        folder: &contract.released,
        lock: &releases.lock,
        frozen: &releases.frozen,
        earlier: earlier.as_ref(),
        today,
    };
    // A document that the generator rejects is still checked; `cargo xtask codegen` reports what is wrong
    // with it.
    let mut unknown = None;
    let assessment = assess(&candidate, |base| {
        code::between(base, &document, NAME).map_err(|why| unknown = Some(why)).ok()
    });
    if let Some(why) = unknown {
        terminal::say(&code::not_compared(&why))?;
    }
    if !assessment.problems.is_empty() {
        let problems: Vec<Problem> =
            assessment.problems.iter().map(|problem| placed(problem, &contract)).collect();
        let shown = match arguments.format {
            ReleaseFormat::Text => text(&problems),
            ReleaseFormat::Github => annotations(&problems),
        };
        terminal::print(&program.named(&shown))?;
        terminal::say(&program.named(&rejection(&assessment)))?;
        return Ok(Exit::Breaking);
    }
    let version = assessment.version.as_ref().context("an assessment without problems has no version")?;
    if arguments.check || !assessment.changed {
        terminal::say(&state(&assessment, version))?;
        return Ok(Exit::Done);
    }
    if let Some(target) = target.filter(|target| !target.is_fresh().unwrap_or(false)) {
        terminal::say(&format!(
            "error: the generated crates are not up to date\n\nhint: run `{}`\n",
            target.command()
        ))?;
        return Ok(Exit::Stale);
    }
    let release = Release { version: version.clone(), date: today, crates, sha256: sha256(&bundle) };
    let folder = &contract.released;
    let file = format!("{folder}/{}", release.file());
    let files = [
        (file.as_str(), bundle.as_str()),
        (CHANGELOG, &dated(&changes, version, today)),
        // The lock file is last: a bundle without an entry is reported, but an entry without its bundle would
        // break a promise.
        (&format!("{folder}/{LOCK_FILE}"), &program.named(&releases.lock.with(release).to_toml())),
    ];
    Folder::new(&contract.root)
        .write(&files)
        .map_err(|(path, error)| anyhow::Error::new(error).context(format!("failed to write `{path}`")))?;
    terminal::say(&format!(
        "released {version} on {today}: `{file}` is frozen\n\nhint: commit it together with {CHANGELOG} and {LOCK_FILE}, and tag the \
         commit `v{version}`\n"
    ))?;
    Ok(Exit::Done)
}

/// Returns the crates that are generated from the document, if `codegen.toml` says where they are.
fn target(program: &Program, arguments: &ReleaseArguments) -> Result<Option<Target>> {
    let codegen = CodegenArguments { spec: arguments.spec.clone(), ..CodegenArguments::default() };
    match arguments.spec {
        Some(_) if !Target::is_configured(&codegen)? => Ok(None),
        _ => Target::from_arguments(program, &codegen).map(Some),
    }
}

/// Returns the version of the crates that are generated from the document.
fn crates(contract: &Contract, target: Option<&Target>, document: &Document) -> Result<Version> {
    if contract.is_own {
        return crates_version(&contract.root);
    }
    let package = target.map(|target| target.options().package.clone()).unwrap_or_default();
    package.version_for(document).parse().context("the version of the generated crates is not valid")
}

/// Points a problem with the version of the crates at the file that has it: the crates of a document outside
/// of a repository of this kind do not have that of a workspace.
fn placed(problem: &Problem, contract: &Contract) -> Problem {
    let mut problem = problem.clone();
    if problem.code == CRATES_VERSION && !contract.is_own {
        problem.location.file = match contract.path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{SETTINGS}"),
            None => SETTINGS.to_owned(),
        };
        problem.help = problem.help.replace("`workspace.package.version`", "`version` below `[package]`");
    }
    problem
}

/// Returns the lock at a revision, which is empty before the first release.
fn lock_at(revision: &str, contract: &Contract) -> Result<Lock> {
    let folder = &contract.released;
    let text = Input::commit(revision, &contract.root)?.text(&format!("{folder}/{LOCK_FILE}"))?;
    text.map_or_else(|| Ok(Lock::default()), |text| parsed(&text, folder))
}

fn state(assessment: &Assessment, version: &Version) -> String {
    match (&assessment.last, assessment.changed) {
        (Some(last), false) => format!("nothing changed since {last}\n"),
        (Some(last), true) => {
            let needed = assessment.needed;
            format!(
                "{version} can be released; compared with {last}, the document needs a {} version, the server crate {}, the client crate {}\n",
                needed.spec, needed.server, needed.client
            )
        }
        (None, _) => format!("{version} can be released as the first version\n"),
    }
}

fn rejection(assessment: &Assessment) -> String {
    let count = assessment.problems.len();
    let problems = if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
    let version = assessment.version.as_ref().map_or_else(|| "the document".to_owned(), Version::to_string);
    format!(
        "{version} cannot be released: {problems}; nothing was written\nhint: `cargo xtask explain CODE` explains a code\n"
    )
}
