//! `cargo xtask release`: checks whether the contract may be released, and releases it.

use std::path::Path;

use anyhow::{Context, Result};
use frontdesk_contract::changelog::dated;
use frontdesk_contract::release::{
    Assessment, CHANGELOG, Candidate, LOCK_FILE, Lock, Release, annotations, assess, sha256, text,
};
use semver::Version;

use crate::codegen::{NAME, Outcome, Target};
use crate::command_line::{ReleaseArguments, ReleaseFormat};
use crate::compat::{Input, Read, code, today};
use crate::releases::{FOLDER, Releases, changelog, crates_version, parsed};
use crate::workspace::root;
use crate::{Exit, terminal};
use frontdesk_disk::Folder;

/// Checks the document of this workspace, and releases it unless `--check` is set or there are problems.
pub fn run(arguments: &ReleaseArguments) -> Result<Exit> {
    let root = root()?;
    let today = today(arguments.today);
    let document = match Input::current(&root).read(terminal::color()) {
        Read::Accepted(document) => document,
        Read::Rejected(reasons) => {
            terminal::say(&reasons)?;
            return Ok(Exit::Rejected);
        }
    };
    let releases = Releases::read(&root)?;
    let (changelog, changes) = changelog(&root)?;
    let crates = crates_version(&root)?;
    let earlier = arguments.since.as_deref().map(|revision| lock_at(revision, &root)).transpose()?;
    let bundle = document.bundle().to_yaml();
    let candidate = Candidate {
        document: &document,
        bundle: &bundle,
        crates: &crates,
        changelog: &changelog,
        folder: FOLDER,
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
        match arguments.format {
            ReleaseFormat::Text => terminal::print(&text(&assessment.problems))?,
            ReleaseFormat::Github => terminal::print(&annotations(&assessment.problems))?,
        }
        terminal::say(&rejection(&assessment))?;
        return Ok(Exit::Breaking);
    }
    let version = assessment.version.as_ref().context("an assessment without problems has no version")?;
    if arguments.check || !assessment.changed {
        terminal::say(&state(&assessment, version))?;
        return Ok(Exit::Done);
    }
    if !is_fresh()? {
        terminal::say("error: the generated crates are not up to date\n\nhint: run `cargo xtask codegen`\n")?;
        return Ok(Exit::Stale);
    }
    let release = Release { version: version.clone(), date: today, crates, sha256: sha256(&bundle) };
    let file = format!("{FOLDER}/{}", release.file());
    let files = [
        (file.as_str(), bundle.as_str()),
        (CHANGELOG, &dated(&changes, version, today)),
        // The lock file is last: a bundle without an entry is reported, but an entry without its bundle would
        // break a promise.
        (&format!("{FOLDER}/{LOCK_FILE}"), &releases.lock.with(release).to_toml()),
    ];
    Folder::new(&root)
        .write(&files)
        .map_err(|(path, error)| anyhow::Error::new(error).context(format!("failed to write `{path}`")))?;
    terminal::say(&format!(
        "released {version} on {today}: `{file}` is frozen\n\nhint: commit it together with {CHANGELOG} and {LOCK_FILE}, and tag the \
         commit `v{version}`\n"
    ))?;
    Ok(Exit::Done)
}

fn is_fresh() -> Result<bool> {
    Ok(match Target::workspace()?.prepare()? {
        Outcome::Accepted { plan, .. } => plan.is_fresh(),
        Outcome::Rejected(_) => false,
    })
}

/// Returns the lock at a revision, which is empty before the first release.
fn lock_at(revision: &str, root: &Path) -> Result<Lock> {
    let commit = Input::commit(revision, root)?;
    commit.text(&format!("{FOLDER}/{LOCK_FILE}"))?.map_or_else(|| Ok(Lock::default()), |text| parsed(&text))
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
