//! Places on this machine that the configuration names: whether they can be used, before the service starts.

use std::{
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use crate::platform::{
    config::{Config, SearchModel},
    files,
};

/// A folder or program that the configuration names cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be used for {setting}: {problem}", path.display())]
pub struct PlaceError {
    /// The setting that names it, or would.
    setting: &'static str,
    path: PathBuf,
    problem: io::Error,
}

/// Refuses a configuration whose folders and programs cannot be used: otherwise the first uploaded file, or
/// the first question, would be what finds out.
pub(super) fn check(config: &Config) -> Result<(), PlaceError> {
    if let Some(folder) = files::chosen_folder(config) {
        writable(&folder).map_err(|problem| PlaceError {
            setting: "files.directory",
            path: folder,
            problem,
        })?;
    }
    if let Some(program) = &config.files.extractor {
        access(program, Access::EXEC_OK).map_err(|problem| PlaceError {
            setting: "files.extractor",
            path: program.clone(),
            problem: problem.into(),
        })?;
    }
    if let SearchModel::Folder(folder) = &config.search.model {
        std::fs::read_dir(folder).map_err(|problem| PlaceError {
            setting: "search.model",
            path: folder.clone(),
            problem,
        })?;
    }
    Ok(())
}

/// Checks that files can be made in a folder, which is created when it is needed, so that it is the nearest
/// folder above it that counts.
fn writable(folder: &Path) -> io::Result<()> {
    let here = Path::new(".");
    let above = folder.ancestors().map(|path| if path.as_os_str().is_empty() { here } else { path });
    for path in above {
        match std::fs::metadata(path) {
            Ok(found) if !found.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
            Ok(_) => return Ok(access(path, Access::WRITE_OK | Access::EXEC_OK)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_cannot_be_used_are_named_before_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let absent = folder.path().join("absent");
        let sound = || {
            let mut config = Config::default();
            config.files.directory = Some(absent.join("files"));
            config
        };
        check(&sound()).unwrap();
        assert!(!absent.exists(), "looking creates nothing");
        let mut config = sound();
        config.files.directory = Some(file.join("files"));
        assert!(check(&config).unwrap_err().to_string().contains("files.directory"));
        let mut config = sound();
        config.files.extractor = Some(absent.clone());
        assert!(check(&config).unwrap_err().to_string().contains("files.extractor"));
        let mut config = sound();
        config.search.model = SearchModel::Folder(absent);
        assert!(check(&config).unwrap_err().to_string().contains("search.model"));
    }
}
