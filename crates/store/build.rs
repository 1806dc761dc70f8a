//! Embeds the steps of `migrations`: writes `steps.rs`, which has the version, the description and the SQL of
//! every step of a dialect.
//!
//! The macro of sqlx does the same, but builds each database a second time, for the machine that compiles.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    let written = steps("sqlite", "SQLITE_STEPS")
        .and_then(|sqlite| Ok(sqlite + &steps("postgres", "POSTGRES_STEPS")?))
        .and_then(|source| {
            let folder = env::var("OUT_DIR").map_err(|error| error.to_string())?;
            fs::write(Path::new(&folder).join("steps.rs"), source).map_err(|error| error.to_string())
        });
    if let Err(message) = written {
        println!("cargo::error={message}");
    }
}

/// The source of a constant that has all steps of a folder, oldest first.
fn steps(dialect: &str, name: &str) -> Result<String, String> {
    let folder = Path::new("migrations").join(dialect);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    let mut source = format!("const {name}: &[(i64, &str, &str)] = &[\n");
    for path in paths {
        let (version, description) = meaning(&path).ok_or_else(|| {
            format!("{}: a migration is named by number and subject, as in 0001_initial.sql", path.display())
        })?;
        let file = path.display().to_string().replace('\\', "/");
        source += &format!(
            "    ({version}, {description:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\"))),\n"
        );
    }
    Ok(source + "];\n")
}

/// The version and the description of a step, which its file is named by.
fn meaning(path: &Path) -> Option<(i64, String)> {
    let (version, subject) = path.file_name()?.to_str()?.strip_suffix(".sql")?.split_once('_')?;
    Some((version.parse().ok()?, subject.replace('_', " ")))
}
