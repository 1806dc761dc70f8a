//! How generated headers name the document and the command.
//!
//! Headers must not depend on where the command was started, and must not name folders of one machine. Paths
//! are therefore relative to the folder that contains both the document and the output.

use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use frontdesk_codegen::settings::RuntimeSetting;
use frontdesk_disk::{canonical, relative, slashed};

use crate::command_line::CodegenArguments;

/// The minimum depth of a folder that makes two paths in it related: `/home/me` does, `/home` does not.
const RELATED: usize = 2;

/// The paths of one target in its headers.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// The folder that paths are relative to, if the document and the output are related.
    base: Option<PathBuf>,
    document: PathBuf,
    /// Whether paths are as the user wrote them.
    as_written: bool,
}

impl Header {
    /// Returns the header for a document and an output folder; both paths are canonical.
    pub(super) fn new(document: &Path, out: &Path) -> Self {
        let common =
            document.parent().and_then(|folder| folder.ancestors().find(|folder| out.starts_with(folder)));
        let depth = |folder: &&Path| {
            folder.components().filter(|part| matches!(part, Component::Normal(_))).count() >= RELATED
        };
        Self {
            base: common.filter(depth).map(Path::to_owned),
            document: document.to_owned(),
            as_written: false,
        }
    }

    /// Returns the header of a command for the user's terminal.
    pub(super) fn as_written() -> Self {
        Self { base: None, document: PathBuf::new(), as_written: true }
    }

    /// Returns the path of the document.
    pub(super) fn source(&self) -> String {
        self.shown(&self.document)
    }

    /// Returns the command that generates again.
    pub(super) fn command(
        &self,
        program: &str,
        arguments: &CodegenArguments,
        started_in: &Path,
    ) -> Result<String> {
        let path = |path: &Path| -> Result<String> {
            if self.as_written {
                return Ok(quoted(&slashed(path)));
            }
            Ok(quoted(&self.shown(&canonical(&started_in.join(path))?)))
        };
        let mut command = format!("{program} codegen");
        let mut add = |option: &str, value: &str| {
            command.push_str(format!(" --{option} {value}").trim_end());
        };
        for (option, given) in [("spec", &arguments.spec), ("out", &arguments.out)] {
            if let Some(given) = given {
                add(option, &path(given)?);
            }
        }
        if let Some(name) = &arguments.name {
            add("name", name);
        }
        if !arguments.only.is_empty() {
            let kinds: Vec<&str> = arguments.only.iter().map(|kind| kind.as_str()).collect();
            add("only", &kinds.join(","));
        }
        match &arguments.runtime {
            Some(RuntimeSetting::Vendored) => add("runtime", "vendored"),
            Some(RuntimeSetting::Workspace) => add("runtime", "workspace"),
            Some(RuntimeSetting::Path(place)) => add("runtime", &format!("path={}", path(Path::new(place))?)),
            Some(RuntimeSetting::Version { version, package: None }) => {
                add("runtime", &quoted(&format!("version={version}")));
            }
            Some(RuntimeSetting::Version { version, package: Some(package) }) => {
                add("runtime", &quoted(&format!("version={version},package={package}")));
            }
            None => {}
        }
        if let Some(mode) = arguments.workspace {
            add("workspace", mode.as_str());
        }
        for (address, folder) in &arguments.map {
            let folder = if self.as_written {
                slashed(folder)
            } else {
                self.shown(&canonical(&started_in.join(folder))?)
            };
            add("map", &quoted(&format!("{address}={folder}")));
        }
        if arguments.strict && !self.as_written {
            add("strict", "");
        }
        Ok(command)
    }

    /// Returns the path relative to the base; of an unrelated one the last name, because the rest describes
    /// one machine.
    fn shown(&self, path: &Path) -> String {
        match &self.base {
            Some(base) if is_near(base, path) => relative(base, path),
            _ => path.file_name().map_or_else(|| ".".to_owned(), |name| slashed(Path::new(name))),
        }
    }
}

/// Returns whether a path is in the folder, or in one around it that makes them related.
fn is_near(base: &Path, path: &Path) -> bool {
    let common = base.ancestors().find(|folder| path.starts_with(folder));
    common.is_some_and(|folder| folder.components().count() > RELATED)
}

/// Quotes an argument for a shell.
fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-=,".contains(character);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(document: &str, out: &str) -> String {
        let header = Header::new(Path::new(document), Path::new(out));
        let arguments = CodegenArguments {
            spec: Some(document.into()),
            out: Some(out.into()),
            name: Some("pets".to_owned()),
            ..CodegenArguments::default()
        };
        header.command("tool", &arguments, Path::new("/")).expect("a command")
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_relative_to_what_document_and_output_have_in_common() {
        for (document, out, expected) in [
            ("/absent/me/api/pets.yaml", "/absent/me/pets", "--spec api/pets.yaml --out pets"),
            ("/absent/me/pets.yaml", "/absent/me", "--spec pets.yaml --out ."),
            ("/absent/api/pets.yaml", "/other/build/pets", "--spec pets.yaml --out pets"),
            ("/absent/api/pets.yaml", "/absent/pets", "--spec pets.yaml --out pets"),
        ] {
            assert_eq!(command(document, out), format!("tool codegen {expected} --name pets"));
        }
    }
}
