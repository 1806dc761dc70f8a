//! Whether the generated crates of a checkout agree with its contract, without running the generator.

use std::path::Path;
use std::process::Command;

/// The files of the contract.
const CONTRACT: &str = ":(glob)spec/**/v1/*.yaml";
/// The output of the generator.
const GENERATED: &str = "generated";
/// What else the output depends on.
const GENERATOR: &[&str] = &[
    "crates/codegen",
    "crates/disk",
    "crates/document",
    "crates/pattern",
    "crates/vendored",
    "crates/commands",
    "crates/openapi",
];

/// Returns whether Git shows that the generated crates are current.
///
/// 1. Neither the contract, the generator nor the generated crates have changes that are not committed. What
///    is committed agrees, because continuous integration checks it.
/// 2. The last commit that changed the generated crates contains the last change of the contract, or follows
///    it.
///
/// `false` if there is no repository or no Git.
pub fn generated_crates_are_current(root: &Path) -> bool {
    let paths = [CONTRACT, GENERATED].iter().chain(GENERATOR);
    let changes = git(root, &["status", "--porcelain", "--"], paths.copied());
    if changes.is_none_or(|changes| !changes.is_empty()) {
        return false;
    }
    let last_commit =
        |path| git(root, &["log", "-1", "--format=%H", "--"], [path]).filter(|commit| !commit.is_empty());
    let (Some(contract), Some(generated)) = (last_commit(CONTRACT), last_commit(GENERATED)) else {
        return false;
    };
    git(root, &["merge-base", "--is-ancestor", &contract, &generated], []).is_some()
}

/// Returns the output of a Git command that succeeds.
fn git<'a>(root: &Path, arguments: &[&str], paths: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let output = Command::new("git").args(arguments).args(paths).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A repository with a contract and its generated crates.
    struct Repository(TempDir);

    impl Repository {
        fn new() -> Self {
            let repository = Self(tempfile::tempdir().unwrap());
            repository.git(&["init", "--quiet"]);
            repository.write("spec/v1/openapi.yaml", "1");
            repository.write("generated/model/src/lib.rs", "1");
            repository.commit();
            repository
        }

        fn git(&self, arguments: &[&str]) {
            let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
            let status =
                Command::new("git").args(identity).args(arguments).current_dir(&self.0).status().unwrap();
            assert!(status.success(), "git {arguments:?}");
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn commit(&self) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--message", "Change"]);
        }

        fn is_current(&self) -> bool {
            generated_crates_are_current(self.0.path())
        }
    }

    #[test]
    fn a_clean_checkout_is_current() {
        let repository = Repository::new();
        assert!(repository.is_current());
        repository.write("spec/v1/released/1.0.0.yaml", "1");
        repository.write("README.md", "1");
        repository.commit();
        assert!(repository.is_current(), "neither of them is generated from");
    }

    #[test]
    fn a_change_is_current_when_the_crates_follow_it() {
        let repository = Repository::new();
        repository.write("spec/v1/openapi.yaml", "2");
        assert!(!repository.is_current());
        repository.commit();
        assert!(!repository.is_current());
        repository.write("generated/model/src/lib.rs", "2");
        assert!(!repository.is_current(), "nobody has checked it");
        repository.commit();
        assert!(repository.is_current());
        repository.write("crates/codegen/src/lib.rs", "2");
        assert!(!repository.is_current(), "a file of the generator is new");
    }

    #[test]
    fn without_a_repository_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!generated_crates_are_current(folder.path()));
    }
}
