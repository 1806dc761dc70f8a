//! `cargo xtask release`: whether the contract may be released, and its release.

use std::path::Path;

use anyhow::{Context, Result};
use frontdesk_contract::changelog::dated;
use frontdesk_contract::release::{
    CHANGELOG, Candidate, Judgement, LOCK_FILE, Lock, Release, annotations, judge, sha256, text,
};
use semver::Version;

use crate::codegen::{NAME, Outcome, Target};
use crate::command_line::{ReleaseArguments, ReleaseFormat};
use crate::compat::{Input, Read, code, today};
use crate::folder::Folder;
use crate::releases::{FOLDER, Releases, changelog, crates_version, parsed};
use crate::workspace::root;
use crate::{Exit, terminal};

/// Judges the document of this workspace; releases it unless it is only to be checked, or something stands in the way.
pub fn run(arguments: &ReleaseArguments) -> Result<Exit> {
    let root = root()?;
    let today = today(arguments.today);
    let document = match Input::current(&root).read(terminal::color()) {
        Read::Taken(document) => document,
        Read::Refused(reasons) => {
            terminal::say(&reasons)?;
            return Ok(Exit::Refused);
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
    // A document that cannot be generated from is judged all the same; `cargo xtask codegen` tells what is wrong with it.
    let mut unknown = None;
    let judgement = judge(&candidate, |base| {
        code::between(base, &document, NAME).map_err(|why| unknown = Some(why)).ok()
    });
    if let Some(why) = unknown {
        terminal::say(&code::not_compared(&why))?;
    }
    if !judgement.problems.is_empty() {
        match arguments.format {
            ReleaseFormat::Text => terminal::print(&text(&judgement.problems))?,
            ReleaseFormat::Github => terminal::print(&annotations(&judgement.problems))?,
        }
        terminal::say(&refusal(&judgement))?;
        return Ok(Exit::Breaking);
    }
    let version = judgement.version.as_ref().context("a version that nothing stands in the way of")?;
    if arguments.check || !judgement.changed {
        terminal::say(&state(&judgement, version))?;
        return Ok(Exit::Done);
    }
    if !is_fresh()? {
        terminal::say(
            "error: the generated crates are not those of the document\n\nhint: run `cargo xtask codegen`\n",
        )?;
        return Ok(Exit::Stale);
    }
    let release = Release { version: version.clone(), date: today, crates, sha256: sha256(&bundle) };
    let file = format!("{FOLDER}/{}", release.file());
    let files = [
        (file.as_str(), bundle.as_str()),
        (CHANGELOG, &dated(&changes, version, today)),
        // Last: a bundle without an entry is told as such, an entry without its bundle would be a broken promise.
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
        Outcome::Taken { plan, .. } => plan.is_fresh(),
        Outcome::Refused(_) => false,
    })
}

/// The lock at a revision; without one nothing was released by then.
fn lock_at(revision: &str, root: &Path) -> Result<Lock> {
    let commit = Input::commit(revision, root)?;
    commit.text(&format!("{FOLDER}/{LOCK_FILE}"))?.map_or_else(|| Ok(Lock::default()), |text| parsed(&text))
}

fn state(judgement: &Judgement, version: &Version) -> String {
    match (&judgement.last, judgement.changed) {
        (Some(last), false) => format!("nothing changed since {last}\n"),
        (Some(last), true) => {
            let needed = judgement.needed;
            format!(
                "{version} can be released; since {last} the document needs a {} version, the server crate {}, the client crate {}\n",
                needed.spec, needed.server, needed.client
            )
        }
        (None, _) => format!("{version} can be released, the first version\n"),
    }
}

fn refusal(judgement: &Judgement) -> String {
    let count = judgement.problems.len();
    let problems = if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
    let version = judgement.version.as_ref().map_or_else(|| "the document".to_owned(), Version::to_string);
    format!(
        "{version} cannot be released: {problems}; nothing is written\nhint: `cargo xtask explain CODE` tells more about a code\n"
    )
}
