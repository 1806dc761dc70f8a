//! Documents of a corpus: the YAML and JSON files at its top, one root file for every folder below `multi`,
//! and the only document of every other folder at its top.

use std::path::Path;

use anyhow::{Context, Result};
use fs_err as fs;

use frontdesk_disk::FolderLoader;

/// The folder of the documents that consist of several files.
const MULTI: &str = "multi";
/// A table with one row `| folder | root file | … |` for each document of several files.
const ROOTS: &str = "multi/README.md";
/// The root file of a document of several files that the table does not mention, unless its folder has only
/// one document at its top.
const DEFAULT_ROOT: &str = "openapi.yaml";

/// A document of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The prefix of the names of its crates.
    pub name: String,
    /// The root file, relative to the corpus.
    pub file: String,
    /// The size of the root file.
    pub bytes: u64,
}

/// Returns the documents of a corpus, ordered by size so that the first results appear soon.
pub fn find(corpus: &Path) -> Result<Vec<Document>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(corpus)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.metadata()?.is_file() {
            files.extend(Some(name).filter(|name| is_document(name)));
        } else if name != MULTI
            && let Some(root) = only_document(&corpus.join(&name))?
        {
            files.push(format!("{name}/{root}"));
        }
    }
    let several = corpus.join(MULTI);
    if several.is_dir() {
        let table = fs::read_to_string(corpus.join(ROOTS)).unwrap_or_default();
        for entry in fs::read_dir(&several)? {
            let folder = entry?.file_name().to_string_lossy().into_owned();
            let root = match root_in_table(&table, &folder) {
                Some(root) => root.to_owned(),
                None => only_document(&several.join(&folder))?.unwrap_or_else(|| DEFAULT_ROOT.to_owned()),
            };
            let file = format!("{MULTI}/{folder}/{root}");
            if corpus.join(&file).is_file() {
                files.push(file);
            }
        }
    }
    let mut documents = files
        .into_iter()
        .map(|file| {
            let bytes =
                fs::metadata(corpus.join(&file)).context("a document was removed during the run")?.len();
            Ok(Document { name: crate_name(&file), file, bytes })
        })
        .collect::<Result<Vec<_>>>()?;
    documents.sort_by(|one, other| (one.bytes, &one.name).cmp(&(other.bytes, &other.name)));
    Ok(documents)
}

/// Returns a loader of the files of a corpus.
pub fn loader(corpus: &Path) -> FolderLoader {
    match corpus.canonicalize() {
        Ok(corpus) => FolderLoader::new(&corpus, &corpus),
        Err(_) => FolderLoader::new(corpus, corpus),
    }
}

fn is_document(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Returns the document at the top of a folder, if it is the only one.
fn only_document(folder: &Path) -> Result<Option<String>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut found = None;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.metadata()?.is_file() && is_document(&name) && found.replace(name).is_some() {
            return Ok(None);
        }
    }
    Ok(found)
}

/// Returns the second cell of the row whose first cell is this folder.
fn root_in_table<'t>(table: &'t str, folder: &str) -> Option<&'t str> {
    table.lines().find_map(|line| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        (cells.next()? == folder).then(|| cells.next()).flatten()
    })
}

/// Returns the crate name prefix: the name of the file, or of the folder of several files, in kebab case and
/// beginning with a letter.
pub fn crate_name(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').collect();
    let stem = match parts.as_slice() {
        [MULTI, folder, ..] | [folder, _] => folder,
        _ => {
            let name = parts.last().copied().unwrap_or_default();
            name.rsplit_once('.').map_or(name, |(stem, _)| stem)
        }
    };
    let lower = stem.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join("-");
    if name.starts_with(|first: char| first.is_ascii_lowercase()) { name } else { format!("api-{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_crates() {
        for (file, name) in [
            ("github-api.json", "github-api"),
            ("intercom-2.16.yaml", "intercom-2-16"),
            ("2ch.yaml", "api-2ch"),
            ("Some_API.yml", "some-api"),
            ("multi/kin-circularRef/base.yml", "kin-circularref"),
            ("08-pets/api.yaml", "api-08-pets"),
        ] {
            assert_eq!(crate_name(file), name);
        }
    }

    #[test]
    fn a_corpus_is_its_top_and_one_root_for_each_folder_of_several_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in [
            ("large.json", "{          }"),
            ("small.yaml", "a"),
            ("notes.md", "no document"),
            ("alone/api.yaml", "abcdef"),
            ("two/api.yaml", "a"),
            ("two/other.yaml", "a"),
            ("multi/one/openapi.yaml", "abc"),
            ("multi/one/part.yaml", "a"),
            ("multi/three/api.yaml", "abcde"),
            ("multi/three/parts/openapi.yaml", "a"),
            ("multi/two/base.yml", "abcd"),
            ("multi/two/openapi.yaml", "not the root"),
            ("multi/README.md", "| folder | root |\n|---|---|\n| two | base.yml | a circle |\n"),
        ] {
            let place = folder.path().join(path);
            fs::create_dir_all(place.parent().expect("a file has a folder")).expect("it can be made");
            fs::write(place, text).expect("it can be written");
        }
        let found = find(folder.path()).expect("the folder can be read");
        let files: Vec<&str> = found.iter().map(|document| document.file.as_str()).collect();
        let expected = [
            "small.yaml",
            "multi/one/openapi.yaml",
            "multi/two/base.yml",
            "multi/three/api.yaml",
            "alone/api.yaml",
            "large.json",
        ];
        assert_eq!(files, expected);
    }
}
