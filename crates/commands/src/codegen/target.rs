//! A document, the folder that crates are generated to, and the options: from arguments and `codegen.toml`.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use frontdesk_codegen::settings::{Kind, RuntimeSetting, Settings, WorkspaceMode, check_name};
use frontdesk_codegen::{JavaScriptOptions, Layout, Options, RuntimeDependency, VendoredFile};
use frontdesk_disk::{FolderLoader, canonical, relative, slashed};

use super::header::Header;
use super::settings_file::SettingsFile;
use super::surroundings;
use crate::command_line::CodegenArguments;
use crate::program::{Program, RuntimeSource};

/// A document, and the folder that crates are generated to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The path of the document in diagnostics, relative to the folder that it is read from.
    pub(super) spec: String,
    pub(super) loader: FolderLoader,
    /// The output folder, canonical.
    pub(super) out: PathBuf,
    /// The output folder as the user wrote it.
    pub(super) folder: String,
    pub(super) options: Options,
    /// The command that updates this target, as the user wrote it.
    pub(super) command: String,
    /// Whether the output is that of this workspace's own document.
    pub(super) is_own: bool,
    runtime_source: Option<RuntimeSource>,
    /// The options of the document in a file, if there is one.
    pub(super) settings: Option<SettingsFile>,
}

impl Target {
    /// Returns the target of the generated crates of the program's repository.
    pub fn of_repository(program: &Program) -> Result<Self> {
        let repository = program.repository()?;
        let (root, spec, out) = (&repository.root, repository.spec, repository.out);
        let loader = FolderLoader::new(root, root);
        let settings = SettingsFile::beside(Path::new(spec), root)?;
        let command = format!("{} codegen", program.command);
        let mut target = Self {
            spec: spec.to_owned(),
            loader,
            out: root.join(out),
            folder: out.to_owned(),
            // Its owners can mend the contract, and a misspelled reference would silently become raw JSON.
            options: Options {
                strict: true,
                javascript: repository.has_javascript.then(JavaScriptOptions::default),
                command: command.clone(),
                ..Options::of_workspace(repository.name, spec)
            },
            command,
            runtime_source: program.runtime,
            is_own: true,
            settings: None,
        };
        if let Some(settings) = settings {
            target.configure(&settings.content, &settings.folder)?;
            target.settings = Some(settings);
        }
        Ok(target)
    }

    /// Returns a target for stand-alone crates from any document, outside of this workspace's generated
    /// crates.
    ///
    /// Relative paths are resolved against `started_in`.
    pub fn stand_alone(
        program: &Program,
        spec: &Path,
        out: &Path,
        name: &str,
        started_in: &Path,
    ) -> Result<Self> {
        let arguments = CodegenArguments {
            spec: Some(spec.to_owned()),
            out: Some(out.to_owned()),
            name: Some(name.to_owned()),
            ..CodegenArguments::default()
        };
        Self::of_document(program, spec, &arguments, started_in)
    }

    /// Returns whether `codegen.toml` beside the document says where its crates are.
    pub(crate) fn is_configured(arguments: &CodegenArguments) -> Result<bool> {
        let Some(spec) = &arguments.spec else { return Ok(false) };
        let file = SettingsFile::beside(spec, &env::current_dir()?)?;
        Ok(file.is_some_and(|file| file.content.out.is_some()))
    }

    /// Returns the names, packaging and dependencies of the crates.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the command that updates the crates, as the user wrote it.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Returns the target that arguments name.
    pub(crate) fn from_arguments(program: &Program, arguments: &CodegenArguments) -> Result<Self> {
        let started_in = env::current_dir().context("the current folder cannot be read")?;
        let target = match &arguments.spec {
            None => Self::of_repository(program),
            Some(spec) if is_own(program, spec, arguments, &started_in)? => {
                let mut target = Self::of_repository(program)?;
                target.add_copies(&arguments.map, &started_in)?;
                Ok(target)
            }
            Some(spec) => Self::of_document(program, spec, arguments, &started_in),
        }?;
        let strict = arguments.strict || target.options.strict;
        Ok(Self { options: Options { strict, ..target.options }, ..target })
    }

    fn of_document(
        program: &Program,
        spec: &Path,
        arguments: &CodegenArguments,
        started_in: &Path,
    ) -> Result<Self> {
        let document = canonical(&started_in.join(spec))?;
        let file = SettingsFile::beside(spec, started_in)?;
        let content = file.as_ref().map(|file| file.content.clone()).unwrap_or_default();
        let place = SettingsFile::place(spec, started_in)?;
        let missing = |option: &str, key: &str| {
            format!("`--{option}` is missing; give it, or write `{key} = \"…\"` to `{place}`")
        };
        let (out, folder) = match (&arguments.out, &content.out, &file) {
            (Some(out), ..) => (canonical(&started_in.join(out))?, slashed(out)),
            (None, Some(out), Some(file)) => {
                let out = canonical(&file.folder.join(out))?;
                let folder = relative(&canonical(started_in)?, &out);
                (out, folder)
            }
            _ => bail!(missing("out", "out")),
        };
        let name =
            arguments.name.clone().or(content.name.clone()).with_context(|| missing("name", "name"))?;
        check_name(&name).map_err(|problem| anyhow!("`{name}` is not a valid crate name: {problem}"))?;
        if let Some(repository) = &program.repository {
            ensure!(
                !out.starts_with(repository.root.join(repository.out)),
                "`{folder}` is inside the folder of this workspace's generated crates; choose another folder"
            );
        }
        if let Some((other, path)) = SettingsFile::owner_of(&out, spec, started_in)? {
            bail!(
                "`{folder}` is the folder of the crates generated from `{other}`, according to `{path}`; choose another folder"
            );
        }
        let header = Header::new(&document, &out);
        let mut target = Self {
            spec: slashed(spec),
            loader: FolderLoader::for_document(spec, started_in)?,
            options: Options::stand_alone(name, header.source(), RuntimeDependency::Workspace),
            command: String::new(),
            runtime_source: program.runtime,
            is_own: false,
            settings: None,
            out,
            folder,
        };
        target.options.layout = match surroundings::workspace_around(&target.out)? {
            Some(_) => Layout::Member,
            None => Layout::Own,
        };
        // The library is vendored unless something else is asked for.
        if arguments.runtime.is_none() && content.runtime.is_none() {
            target.options.runtime = target.runtime(&RuntimeSetting::Vendored, started_in)?;
        }
        if let Some(file) = &file {
            target.configure(&content, &file.folder)?;
        }
        target.apply(arguments, started_in)?;
        if target.options.runtime == RuntimeDependency::Workspace && target.options.layout == Layout::Own {
            bail!("`runtime workspace` needs a workspace around the output; add `--workspace member`");
        }
        target.options.command = header.command(program.command, arguments, started_in)?;
        target.command = Header::as_written().command(program.command, arguments, started_in)?;
        target.settings = file;
        Ok(target)
    }

    /// Applies options of the command line.
    fn apply(&mut self, arguments: &CodegenArguments, started_in: &Path) -> Result<()> {
        if !arguments.only.is_empty() {
            let kinds: Vec<Kind> = arguments.only.iter().map(|kind| (*kind).into()).collect();
            self.only(&kinds);
        }
        if let Some(mode) = arguments.workspace {
            self.options.layout = WorkspaceMode::from(mode).into();
        }
        if let Some(runtime) = &arguments.runtime {
            self.options.runtime = self.runtime(runtime, started_in)?;
        }
        self.add_copies(&arguments.map, started_in)
    }

    /// Applies the settings of `codegen.toml`, whose paths are relative to `folder`.
    fn configure(&mut self, content: &Settings, folder: &Path) -> Result<()> {
        if let Some(name) = content.name.as_ref().filter(|_| self.is_own) {
            self.options.name.clone_from(name);
        }
        if content.javascript.is_some() {
            self.options.javascript.clone_from(&content.javascript);
        }
        if let Some(kinds) = &content.only {
            self.only(kinds);
        }
        if let Some(mode) = content.workspace {
            self.options.layout = mode.into();
        }
        if let Some(runtime) = &content.runtime {
            self.options.runtime = self.runtime(runtime, folder)?;
        }
        self.options.strict = content.strict.unwrap_or(self.options.strict);
        self.options.package = content.package.clone();
        self.options.default_features.clone_from(&content.default_features);
        self.options.methods.clone_from(&content.methods);
        self.options.pagination.clone_from(&content.pagination);
        self.options.derives = content.derived();
        let mut dependencies = std::collections::BTreeMap::new();
        for (name, dependency) in &content.dependencies {
            let rebased = |path: &str| match canonical(&folder.join(path)) {
                Ok(place) => relative(&self.out, &place),
                Err(_) => path.to_owned(),
            };
            dependencies.insert(name.clone(), dependency.dependency(rebased));
        }
        self.options.dependencies = dependencies;
        let copies: Vec<(String, PathBuf)> =
            content.map.iter().map(|(address, folder)| (address.clone(), PathBuf::from(folder))).collect();
        self.add_copies(&copies, folder)
    }

    /// Generates these packages and no others.
    fn only(&mut self, kinds: &[Kind]) {
        self.options.crates = Kind::crates(kinds);
        self.options.javascript =
            kinds.contains(&Kind::JavaScript).then(|| self.options.javascript.take().unwrap_or_default());
    }

    fn add_copies(&mut self, copies: &[(String, PathBuf)], folder: &Path) -> Result<()> {
        for (address, copy) in copies {
            let place = canonical(&folder.join(copy))?;
            ensure!(place.is_dir(), "`{}` is not a folder; `--map` needs a folder after `=`", copy.display());
            self.loader = self.loader.clone().with_copies(address, place);
        }
        Ok(())
    }

    /// Returns the runtime that a setting names; its path is relative to `folder`.
    fn runtime(&self, setting: &RuntimeSetting, folder: &Path) -> Result<RuntimeDependency> {
        let name = &self.options.name;
        Ok(match setting {
            RuntimeSetting::Vendored => {
                let source = self.runtime_source.context(
                    "this program does not contain the library that generated code calls; write where it is with `--runtime`, or as \
                     `runtime` in `codegen.toml`",
                )?;
                let files = source(name).into_iter();
                RuntimeDependency::Vendored(files.map(|(path, text)| VendoredFile { path, text }).collect())
            }
            RuntimeSetting::Workspace => RuntimeDependency::Workspace,
            RuntimeSetting::Version { version, package } => RuntimeDependency::Version {
                version: version.clone(),
                package: package.clone().unwrap_or_else(|| format!("{name}-runtime")),
            },
            RuntimeSetting::Path(path) => {
                let place = canonical(&folder.join(path))?;
                RuntimeDependency::Path {
                    package: surroundings::package_at(&place)?,
                    path: relative(&self.out, &place),
                }
            }
        })
    }

    /// Returns a hint for the user's workspace if its members do not include the generated crates.
    pub(super) fn hint_for_members(&self) -> Result<String> {
        if self.is_own || self.options.layout == Layout::Own {
            return Ok(String::new());
        }
        let mut folders = self.options.crates.folders();
        if matches!(self.options.runtime, RuntimeDependency::Vendored(_)) {
            folders.push("runtime");
        }
        surroundings::hint_for_members(&self.out, &folders)
    }
}

/// Returns whether arguments name exactly what is generated without arguments.
fn is_own(program: &Program, spec: &Path, arguments: &CodegenArguments, started_in: &Path) -> Result<bool> {
    let (Some(out), Some(name), Some(repository)) = (&arguments.out, &arguments.name, &program.repository)
    else {
        return Ok(false);
    };
    let root = &repository.root;
    Ok(canonical(&started_in.join(spec))? == root.join(repository.spec)
        && canonical(&started_in.join(out))? == root.join(repository.out)
        && *name == repository.name)
}
