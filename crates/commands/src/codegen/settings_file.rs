//! The file with the options of one document: `codegen.toml` beside it, or `NAME.codegen.toml` if several
//! documents are in one folder.
//!
//! `codegen.toml` is for the document that its key `spec` names, or for the only one in its folder. Otherwise
//! the crates of one document would be overwritten by those of another.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use frontdesk_codegen::settings::{FILE, Settings};
use frontdesk_disk::{canonical, slashed};
use fs_err as fs;

/// How much of a file is read to see whether it is a document, in bytes.
const HEAD: usize = 16 << 10;

/// The file with the options of a document.
#[derive(Clone, Debug)]
pub(super) struct SettingsFile {
    /// The path as the user would write it.
    pub(super) path: String,
    /// The folder that its paths are relative to, canonical.
    pub(super) folder: PathBuf,
    text: String,
    pub(super) content: Settings,
}

impl SettingsFile {
    /// Reads the file for a document, if there is one.
    pub(super) fn beside(document: &Path, started_in: &Path) -> Result<Option<Self>> {
        if let Some(own) = Self::read(&named(document), started_in)? {
            return Ok(Some(own));
        }
        let Some(file) = Self::read(&document.with_file_name(FILE), started_in)? else { return Ok(None) };
        if let Some(spec) = &file.content.spec {
            let is_meant = canonical(&file.folder.join(spec))? == canonical(&started_in.join(document))?;
            return Ok(is_meant.then_some(file));
        }
        let others = other_documents(&file.folder, document)?;
        if !others.is_empty() {
            bail!(
                "`{}` does not say which document it is for, and {} {} beside `{}`\n\nhint: write `spec = \"…\"` with the name of its document to it, \
                 and the options of another document to a file such as `{}`",
                file.path,
                others.join(", "),
                if others.len() == 1 { "is" } else { "are" },
                slashed(document),
                slashed(&named(document)),
            );
        }
        Ok(Some(file))
    }

    /// Returns the path of the file that options of a document belong in.
    pub(super) fn place(document: &Path, started_in: &Path) -> Result<String> {
        let shared = document.with_file_name(FILE);
        let is_taken =
            Self::read(&shared, started_in)?.is_some() && Self::beside(document, started_in)?.is_none();
        Ok(slashed(&if is_taken { named(document) } else { shared }))
    }

    /// Returns the document, and the path of its file, that another file beside this one gives the output
    /// folder `out`.
    pub(super) fn owner_of(
        out: &Path,
        document: &Path,
        started_in: &Path,
    ) -> Result<Option<(String, String)>> {
        let Some(file) = Self::read(&document.with_file_name(FILE), started_in)? else { return Ok(None) };
        let (Some(spec), Some(folder)) = (&file.content.spec, &file.content.out) else { return Ok(None) };
        let is_other = canonical(&file.folder.join(spec))? != canonical(&started_in.join(document))?;
        let is_same_folder = canonical(&file.folder.join(folder))? == out;
        Ok((is_other && is_same_folder).then(|| (spec.clone(), file.path)))
    }

    pub(super) fn point_at(&self, key: &str, value: &str, problem: &str) -> String {
        Settings::point_at(&self.text, key, value, problem).render(&self.path)
    }

    fn read(place: &Path, started_in: &Path) -> Result<Option<Self>> {
        let path = slashed(place);
        let place = started_in.join(place);
        if !place.is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(&place)?;
        let content = Settings::parse(&text).map_err(|error| anyhow!(error.render(&path)))?;
        let folder = canonical(&place)?.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Some(Self { path, folder, text, content }))
    }
}

/// Returns the file for one document among several: `pets.codegen.toml` for `pets.yaml`.
fn named(document: &Path) -> PathBuf {
    let stem = document.file_stem().unwrap_or_default().to_string_lossy();
    document.with_file_name(format!("{stem}.{FILE}"))
}

/// Returns the names of the folder's documents except for this one, in backticks.
fn other_documents(folder: &Path, document: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_text = Path::new(&name).extension().is_some_and(|ending| {
            ["json", "yaml", "yml"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        });
        if is_text && document.file_name() != Some(&name) && is_document(&entry.path()) {
            found.push(format!("`{}`", name.to_string_lossy()));
        }
    }
    found.sort();
    Ok(found)
}

/// Returns whether a file begins as a document, and not as a part of one. A file that cannot be read is none.
fn is_document(place: &Path) -> bool {
    use std::io::Read as _;

    let mut head = Vec::new();
    let read = fs::File::open(place).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let begins = |line: &str| {
        let key = line.trim_start_matches(['{', ' ', '\t']).trim_start_matches(['"', '\'']);
        let indented = line.starts_with([' ', '\t']) && !text.trim_start().starts_with('{');
        !indented && (key.starts_with("openapi") || key.starts_with("swagger"))
    };
    read.is_ok() && text.lines().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_begin_with_their_version() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in [
            ("a.yaml", "# Pets\nopenapi: 3.0.3\n"),
            ("b.json", "{\n  \"openapi\": \"3.0.3\"\n}"),
            ("c.yml", "'openapi': 3.1.0\n"),
            ("part.yaml", "Pet:\n  type: object\n  openapi: 1\n"),
            ("notes.txt", "openapi: 3.0.3\n"),
        ] {
            fs::write(folder.path().join(name), text).expect("it can be written");
        }
        let others = other_documents(folder.path(), Path::new("api/a.yaml")).expect("a list");
        assert_eq!(others, ["`b.json`", "`c.yml`"]);
        assert_eq!(named(Path::new("api/pets.yaml")), Path::new("api/pets.codegen.toml"));
    }
}
