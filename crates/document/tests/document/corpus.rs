//! Real documents: every one of a folder is read and bundled, and its bundle means the same.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use frontdesk_document::{Document, LoadError, Loader};

struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        std::fs::read_to_string(self.0.join(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::NotFound,
            _ => LoadError::Failed(error.to_string()),
        })
    }
}

/// The roots of a corpus: every document directly in its folder, and the one that each folder in `multi`
/// begins with.
fn roots(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries
    };
    let is_document = |path: &PathBuf| {
        path.extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| matches!(extension, "json" | "yaml" | "yml"))
    };
    let mut roots: Vec<PathBuf> = entries(folder).into_iter().filter(is_document).collect();
    for group in entries(&folder.join("multi")).into_iter().filter(|path| path.is_dir()) {
        let documents: Vec<PathBuf> = entries(&group).into_iter().filter(is_document).collect();
        let named =
            |stem: &str| documents.iter().find(|path| path.file_stem().is_some_and(|name| name == stem));
        // A folder without a conventional root holds one of the same name as itself, as far as letters go.
        let by_folder = || {
            let letters = |path: &Path| -> String {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
                name.chars().filter(char::is_ascii_alphabetic).collect()
            };
            let wanted: String = letters(&group).trim_start_matches("gc").to_owned();
            documents.iter().find(|path| letters(path).contains(&wanted))
        };
        roots.extend(named("openapi").or_else(|| named("base")).or_else(by_folder).cloned());
    }
    roots
}

#[test]
fn real_documents_are_read_and_bundled() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        // Written past the capture of the test harness, so that a run without the corpus shows it.
        let _ = writeln!(std::io::stderr(), "SKIPPED corpus: FRONTDESK_CORPUS names no folder of documents");
        return;
    };
    let roots = roots(&folder);
    assert!(!roots.is_empty(), "FRONTDESK_CORPUS names a folder without documents");
    let mut failed = Vec::new();
    for path in &roots {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let loader = Folder(path.parent().unwrap_or(&folder).to_owned());
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let started = Instant::now();
        let (document, diagnostics) = Document::read(&file, &loader);
        let read = started.elapsed();
        let counts = diagnostics.counts();
        let Some(document) = document else {
            let text = diagnostics.render(diagnostics.sources(), false);
            println!(
                "REFUSED {name}: {} errors in {read:?}\n{}",
                counts.errors,
                text.chars().take(3000).collect::<String>()
            );
            failed.push(name);
            continue;
        };
        let bundle = document.bundle();
        let value = bundle.to_value();
        for (format, text) in [("json", bundle.to_json()), ("yaml", bundle.to_yaml())] {
            let path = format!("bundle.{format}");
            let (again, problems) = Document::read(&path, &crate::loader(&[(&path, &text)]));
            let again =
                again.unwrap_or_else(|| panic!("{name}: {}", problems.render(problems.sources(), false)));
            assert!(
                again.files().count() == 1 && again.bundle().to_value() == value,
                "{name} as {format} differs"
            );
        }
        let independent: serde_json::Value = serde_yaml::from_str(&bundle.to_yaml()).unwrap_or_default();
        let same = independent == value;
        let conforms = bundle
            .conforms()
            .map_or_else(|problem| problem.render(document.sources(), false), |_| "conforms".to_owned());
        println!(
            "READ {name}: {} files in {read:?}, {} warnings, {} notes, {} in the bundle; {}{conforms}",
            document.files().count(),
            counts.warnings,
            counts.notes,
            bundle.diagnostics().len(),
            if same { "" } else { "another YAML reader differs; " },
        );
    }
    println!("{} of {} documents read", roots.len() - failed.len(), roots.len());
    assert!(failed.is_empty(), "refused: {failed:?}");
}
