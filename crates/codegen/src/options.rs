//! Options of a run: names, which crates, how they are packaged, and how they depend on the runtime.

use std::collections::BTreeMap;

use crate::GenerateError;
use crate::emit::{RUNTIME_PACKAGE, WEBHOOKS};
use crate::ir::{Api, Group};
use crate::lower::is_method;
use crate::package_options::{JavaScriptOptions, PackageOptions};
use crate::settings::PaginationSetting;

/// Names, packaging and dependencies of the generated crates.
///
/// [`Options::of_workspace`] fits a repository that generates crates as members of its own workspace, and
/// [`Options::stand_alone`] fits output that leaves the repository. Everything else is set on the fields:
///
/// ```
/// use frontdesk_codegen::{Crates, Options};
///
/// let mut options = Options::of_workspace("shop", "spec/v1/openapi.yaml");
/// options.crates = Crates { server: false, ..Crates::ALL };
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The prefix of the packages, in kebab-case: `shop` makes `shop-model`, `-server` and `-client`.
    pub name: String,
    /// The document's path, as generated headers show it.
    pub source: String,
    /// The command that generates the files again, as generated headers show it.
    pub command: String,
    /// Whether headers name the source file of the emitter, which only readers of its repository can look up.
    pub names_emitters: bool,
    /// Which crates are generated.
    pub crates: Crates,
    /// The package for JavaScript, if one is generated.
    pub javascript: Option<JavaScriptOptions>,
    /// How the manifests relate to a workspace.
    pub layout: Layout,
    /// Where the generated crates find the library that they call.
    pub runtime: RuntimeDependency,
    /// What the manifests say beyond names and dependencies.
    pub package: PackageOptions,
    /// The tags whose features are enabled by default, in a document so large that tags are features; all of
    /// them if `None`.
    pub default_features: Option<Vec<String>>,
    /// Names of the client's methods by the ids of their operations: `listPets` and `list`. Other operations
    /// cannot take them, wherever the document lists these.
    pub methods: BTreeMap<String, String>,
    /// How pages follow each other, by the ids of operations; `*` is for every GET operation that it fits and
    /// whose pages are not declared otherwise.
    pub pagination: BTreeMap<String, PaginationSetting>,
    /// Further derived traits by the name of the type, as paths: `Pet` and `["Eq", "schemars::JsonSchema"]`.
    /// The name `*` stands for all types.
    pub derives: BTreeMap<String, Vec<String>>,
    /// Further dependencies of all generated crates, for the types of `x-rust-type` and for derived traits:
    /// the name, and the value as TOML on one line. Paths are relative to the output folder.
    pub dependencies: BTreeMap<String, Dependency>,
    /// Whether a defect of the document that has a sensible reading is an error all the same.
    ///
    /// These are the problems whose [`nature`](crate::nature) is [`Nature::Defect`](crate::Nature::Defect).
    pub strict: bool,
}

impl Options {
    /// Options for members of a workspace that declares the runtime and the generated crates among its
    /// dependencies.
    pub fn of_workspace(name: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            command: "cargo xtask codegen".to_owned(),
            names_emitters: true,
            crates: Crates::ALL,
            javascript: None,
            layout: Layout::Inherit,
            runtime: RuntimeDependency::Workspace,
            package: PackageOptions::default(),
            default_features: None,
            methods: BTreeMap::new(),
            pagination: BTreeMap::new(),
            derives: BTreeMap::new(),
            dependencies: BTreeMap::new(),
            strict: false,
        }
    }

    /// Options for a workspace of its own that builds wherever it is copied to.
    pub fn stand_alone(
        name: impl Into<String>,
        source: impl Into<String>,
        runtime: RuntimeDependency,
    ) -> Self {
        Self { names_emitters: false, layout: Layout::Own, runtime, ..Self::of_workspace(name, source) }
    }

    /// The package of the runtime.
    pub fn runtime_package(&self) -> String {
        match &self.runtime {
            RuntimeDependency::Workspace => RUNTIME_PACKAGE.to_owned(),
            RuntimeDependency::Vendored(_) => format!("{}-runtime", self.name),
            RuntimeDependency::Path { package, .. } | RuntimeDependency::Version { package, .. } => {
                package.clone()
            }
        }
    }
}

/// Which crates are generated.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Crates {
    /// The types and operations, which the others need.
    pub model: bool,
    /// The traits of a server and its router.
    pub server: bool,
    /// The client.
    pub client: bool,
}

impl Crates {
    /// Model, server and client.
    pub const ALL: Self = Self { model: true, server: true, client: true };

    /// The folders of the generated crates.
    pub fn folders(self) -> Vec<&'static str> {
        let all = [("model", self.model), ("server", self.server), ("client", self.client)];
        all.into_iter().filter(|(_, made)| *made).map(|(folder, _)| folder).collect()
    }
}

/// How the manifests relate to a workspace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The output is a workspace of its own.
    Own,
    /// The crates are members of the workspace around the output folder. Their manifests are complete by
    /// themselves.
    Member,
    /// The crates are members of the workspace around the output folder, and inherit metadata, lints and
    /// dependencies from it.
    Inherit,
}

/// Where the generated crates find the library that they call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeDependency {
    /// They are members of a workspace that names the library among its dependencies.
    Workspace,
    /// The library's own files are part of the output, in the folder `runtime`.
    Vendored(Vec<VendoredFile>),
    /// At this path, relative to the output folder.
    Path {
        /// The folder of the package.
        path: String,
        /// The name of the package.
        package: String,
    },
    /// In a registry.
    Version {
        /// A requirement such as `1.2`.
        version: String,
        /// The name of the package.
        package: String,
    },
}

/// A file of the vendored runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VendoredFile {
    /// The path within the package.
    pub path: String,
    /// The text. In a manifest, `{package}` stands for the lines that all packages of a run have in common.
    pub text: String,
}

/// A dependency beyond those of generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The folder of the package relative to the output folder.
    pub path: Option<String>,
    /// The other keys, as TOML: `version = "1"`, `features = ["std"]`.
    pub keys: Vec<(String, String)>,
}

/// Whether every part of the options that names a part of the document finds it.
pub(crate) fn check(api: &Api, options: &Options) -> Result<(), GenerateError> {
    for feature in options.default_features.iter().flatten() {
        if !api.features {
            return Err(GenerateError::Option {
                key: "default-features",
                value: feature.clone(),
                problem: "the document is so small that its tags are no features; remove the key".to_owned(),
            });
        }
        let events = (!api.webhooks.is_empty()).then(|| WEBHOOKS.to_owned());
        let known: Vec<String> = api.groups.iter().map(Group::feature).chain(events).collect();
        if !known.contains(feature) {
            return Err(GenerateError::Option {
                key: "default-features",
                value: feature.clone(),
                problem: format!("there is no such feature; the features are {}", known.join(", ")),
            });
        }
    }
    check_methods(api, options)?;
    for name in options.derives.keys() {
        let is_type = api.types.iter().any(|def| def.name == *name && def.duplicate_of.is_none());
        if name != "*" && !is_type {
            let problem = match api.types.iter().find(|def| def.name == *name) {
                Some(def) => {
                    let original = def.duplicate_of.map_or(name, |id| &api.type_def(id).name);
                    format!("it is an alias of `{original}`; name that")
                }
                None => "the model has no such type; write its name in Rust, such as `NewPet`".to_owned(),
            };
            return Err(GenerateError::Option { key: "derives", value: name.clone(), problem });
        }
    }
    Ok(())
}

fn check_methods(api: &Api, options: &Options) -> Result<(), GenerateError> {
    let refused = |value: &str, problem: String| {
        Err(GenerateError::Option { key: "methods", value: value.to_owned(), problem })
    };
    for (id, name) in &options.methods {
        if !is_method(name) {
            return refused(
                name,
                "this is not the name of a method; write words in lower case with `_` between them"
                    .to_owned(),
            );
        }
        let Some(group) =
            api.groups.iter().find(|group| group.operations.iter().any(|other| other.id == *id))
        else {
            return refused(id, "the document has no operation with this id".to_owned());
        };
        let others = group.operations.iter().filter(|other| other.id != *id);
        let mut same = others.filter(|other| options.methods.get(&other.id) == Some(name));
        if let Some(other) = same.next() {
            return refused(id, format!("`{}` has the same method, `{name}`", other.id));
        }
    }
    Ok(())
}
