//! `codegen.toml`: options that are used every time, in a file beside the document.
//!
//! ```toml
//! name = "petstore"
//! out = "../petstore"
//! only = ["client"]
//!
//! [package]
//! license = "MIT OR Apache-2.0"
//! repository = "https://github.com/example/petstore"
//! ```
//!
//! Paths are relative to the folder of the file. Unknown keys and bad values are errors that point at their
//! place.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use toml::{Table, Value};

use crate::{Crates, Dependency, JavaScriptOptions, Layout, PackageOptions};

/// The name of the file.
pub const FILE: &str = "codegen.toml";

/// The content of the file. Every key is optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The document that the file is for, relative to the file. Without it, there may be only one beside it.
    #[serde(default)]
    pub spec: Option<String>,
    /// The prefix of the packages, in kebab case.
    #[serde(default, deserialize_with = "crate_name")]
    pub name: Option<String>,
    /// The output folder.
    #[serde(default)]
    pub out: Option<String>,
    /// The packages to generate: `model`, `server`, `client`, `javascript`.
    #[serde(default)]
    pub only: Option<Vec<Kind>>,
    /// Whether defects of the document are errors.
    #[serde(default)]
    pub strict: Option<bool>,
    /// How the manifests relate to a workspace.
    #[serde(default)]
    pub workspace: Option<WorkspaceMode>,
    /// Where the generated crates find the runtime.
    #[serde(default)]
    pub runtime: Option<RuntimeSetting>,
    /// Folders with copies of the files whose URLs begin with the key.
    #[serde(default)]
    pub map: BTreeMap<String, String>,
    /// Metadata of the packages.
    #[serde(default)]
    pub package: PackageOptions,
    /// The package for JavaScript. Without `only`, it is generated if this table is there.
    #[serde(default)]
    pub javascript: Option<JavaScriptOptions>,
    /// The tags whose features are enabled by default.
    #[serde(default)]
    pub default_features: Option<Vec<String>>,
    /// Names of the client's methods by the ids of their operations, which no other operation takes.
    #[serde(default)]
    pub methods: BTreeMap<String, String>,
    /// How pages follow each other, by the ids of operations, for documents without `x-pagination`; `*` is
    /// for every GET operation that it fits.
    #[serde(default)]
    pub pagination: BTreeMap<String, PaginationSetting>,
    /// Further derived traits by the name of the type; `*` stands for all types.
    #[serde(default)]
    pub derives: BTreeMap<String, Vec<TraitPath>>,
    /// Further dependencies of the generated crates.
    #[serde(default)]
    pub dependencies: BTreeMap<String, DependencySetting>,
}

/// How the pages of a list follow each other, with the keys of `x-pagination`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaginationSetting {
    /// What leads to the next page.
    pub style: PageStyle,
    /// The query parameter with the cursor, the number of the page, or the number of skipped items.
    pub parameter: Option<String>,
    /// The member of the success with the next cursor, with dots between nested members.
    pub next: Option<String>,
    /// The number of the first page; 1 if `None`.
    pub first: Option<i64>,
    /// The member of the success with the list, with dots between nested members; `None` if the success is
    /// the list.
    pub items: Option<String>,
}

/// What leads to the next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageStyle {
    /// A value of the response becomes a parameter of the next request.
    Cursor,
    /// A parameter counts pages.
    Page,
    /// A parameter counts skipped items.
    Offset,
    /// The `Link` header has the URL of the next page.
    Link,
}

/// A generated package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Types and operations, which the others need.
    Model,
    /// Traits and router.
    Server,
    /// The client.
    Client,
    /// The client for JavaScript, which needs none of the others.
    #[serde(rename = "javascript")]
    JavaScript,
}

impl Kind {
    /// The crates that a list asks for; the model is among them if there is any.
    pub fn crates(kinds: &[Self]) -> Crates {
        Crates {
            model: kinds.iter().any(|kind| *kind != Self::JavaScript),
            server: kinds.contains(&Self::Server),
            client: kinds.contains(&Self::Client),
        }
    }

    /// The kind as options spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Server => "server",
            Self::Client => "client",
            Self::JavaScript => "javascript",
        }
    }
}

/// How manifests relate to a workspace, as options spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceMode {
    /// [`Layout::Own`].
    Own,
    /// [`Layout::Member`].
    Member,
    /// [`Layout::Inherit`].
    Inherit,
}

impl From<WorkspaceMode> for Layout {
    fn from(mode: WorkspaceMode) -> Self {
        match mode {
            WorkspaceMode::Own => Self::Own,
            WorkspaceMode::Member => Self::Member,
            WorkspaceMode::Inherit => Self::Inherit,
        }
    }
}

/// Where the generated crates find the runtime, as options spell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeSetting {
    /// In the output.
    Vendored,
    /// In the dependencies of the workspace.
    Workspace,
    /// In this folder.
    Path(String),
    /// In a registry, under this name; without one, it is `NAME-runtime`.
    Version {
        /// A requirement such as `1.2`.
        version: String,
        /// The name of the package.
        package: Option<String>,
    },
}

impl RuntimeSetting {
    /// Reads the form of the command line: `vendored`, `workspace`, `path=DIR` or
    /// `version=REQUIREMENT[,package=NAME]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        const FORMS: &str =
            "write `vendored`, `workspace`, `path=DIR`, `version=1.2` or `version=1.2,package=NAME`";
        let (version, package) = match text.split_once(",package=") {
            Some((version, package)) => (version, Some(package.to_owned())),
            None => (text, None),
        };
        match (text, version.split_once('=')) {
            ("vendored", _) => Ok(Self::Vendored),
            ("workspace", _) => Ok(Self::Workspace),
            (_, Some(("path", path))) if !path.is_empty() && package.is_none() => {
                Ok(Self::Path(path.to_owned()))
            }
            (_, Some(("version", version))) if !version.is_empty() => {
                Ok(Self::Version { version: version.to_owned(), package })
            }
            _ => Err(FORMS.to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for RuntimeSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Setting;

        impl<'de> Visitor<'de> for Setting {
            type Value = RuntimeSetting;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(
                    "`\"vendored\"`, `\"workspace\"`, `{ path = \"…\" }` or `{ version = \"…\", package = \"…\" }`",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RuntimeSetting, E> {
                match text {
                    "vendored" => Ok(RuntimeSetting::Vendored),
                    "workspace" => Ok(RuntimeSetting::Workspace),
                    text => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuntimeSetting, A::Error> {
                let (mut path, mut version, mut package) = (None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "path" => path = Some(map.next_value()?),
                        "version" => version = Some(map.next_value()?),
                        "package" => package = Some(map.next_value()?),
                        key => return Err(de::Error::unknown_field(key, &["path", "version", "package"])),
                    }
                }
                match (path, version, package) {
                    (Some(path), None, None) => Ok(RuntimeSetting::Path(path)),
                    (None, Some(version), package) => Ok(RuntimeSetting::Version { version, package }),
                    _ => Err(de::Error::custom("give either `path`, or `version` with or without `package`")),
                }
            }
        }

        deserializer.deserialize_any(Setting)
    }
}

/// The path of a trait that can be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraitPath(pub String);

impl<'de> Deserialize<'de> for TraitPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match syn::parse_str::<syn::Path>(&text) {
            Ok(_) => Ok(Self(text)),
            Err(_) => Err(de::Error::custom(format!(
                "`{text}` is not the path of a trait, such as `Hash` or `schemars::JsonSchema`"
            ))),
        }
    }
}

/// A dependency as manifests spell it.
#[derive(Clone, Debug, PartialEq)]
pub struct DependencySetting(Table);

impl<'de> Deserialize<'de> for DependencySetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(version) => Ok(Self(Table::from_iter([("version".to_owned(), version.into())]))),
            Value::Table(table) => match table.get("path") {
                Some(path) if !path.is_str() => Err(de::Error::custom("`path` is not a text")),
                _ => Ok(Self(table)),
            },
            _ => Err(de::Error::custom("write a version such as \"1\", or a table as in a manifest")),
        }
    }
}

impl DependencySetting {
    /// Returns the dependency, with its path as `rebase` gives it for the output folder.
    pub fn dependency(&self, rebase: impl Fn(&str) -> String) -> Dependency {
        let path = self.0.get("path").and_then(Value::as_str).map(rebase);
        let keys = self.0.iter().filter(|(key, _)| *key != "path");
        Dependency { path, keys: keys.map(|(key, value)| (key.clone(), value.to_string())).collect() }
    }
}

/// Why the file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The line's text.
    pub excerpt: String,
    /// How many characters of it are wrong.
    pub width: usize,
}

impl SettingsError {
    /// Returns the error as text, for a file of this path.
    pub fn render(&self, path: &str) -> String {
        let (line, column) = (self.line, self.column);
        let margin = " ".repeat(line.to_string().len());
        format!(
            "{message}\n{margin}--> {path}:{line}:{column}\n{margin} |\n{line} | {excerpt}\n{margin} | {indent}{marks}",
            message = self.message,
            excerpt = self.excerpt,
            indent = " ".repeat(column - 1),
            marks = "^".repeat(self.width.max(1)),
        )
    }

    fn at(text: &str, range: std::ops::Range<usize>, message: String) -> Self {
        let start = range.start.min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let excerpt = text[line_start..].lines().next().unwrap_or_default();
        let column = text[line_start..start].chars().count() + 1;
        let end = range.end.clamp(start, line_start + excerpt.len().max(start - line_start));
        Self {
            line: text[..start].matches('\n').count() + 1,
            column,
            message,
            excerpt: excerpt.to_owned(),
            width: text[start..end].chars().count(),
        }
    }
}

impl Settings {
    /// Reads the file's text.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        toml::from_str(text).map_err(|error| {
            let message = error.message().replace("unknown field", "unknown key").trim().replace('\n', "; ");
            SettingsError::at(text, error.span().unwrap_or(0..0), message)
        })
    }

    /// Points at a value of a key that does not fit the document.
    pub fn point_at(text: &str, key: &str, value: &str, problem: &str) -> SettingsError {
        let start = text.find(key).unwrap_or_default();
        let at = text[start..].find(value).map_or(start, |at| start + at);
        SettingsError::at(text, at..at + value.len(), format!("`{value}` in `{key}`: {problem}"))
    }

    /// The extra derived traits, as options take them.
    pub fn derived(&self) -> BTreeMap<String, Vec<String>> {
        let paths = |paths: &Vec<TraitPath>| paths.iter().map(|path| path.0.clone()).collect();
        self.derives.iter().map(|(name, traits)| (name.clone(), paths(traits))).collect()
    }
}

/// Whether packages can have this prefix; otherwise what they can have.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    let starts_well = name.starts_with(|character: char| character.is_ascii_lowercase());
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if starts_well && plain && !name.ends_with('-') && !name.contains("--") {
        Ok(())
    } else {
        Err("use lower-case letters, digits and single hyphens, beginning with a letter, such as `pet-store`")
    }
}

fn crate_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_name(&name).map_err(de::Error::custom)?;
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Settings::parse(text).expect_err("it is refused").render("codegen.toml")
    }

    #[test]
    fn every_key_is_read() {
        let text = "spec = 'pets.yaml'\nname = 'pets'\nout = '../pets'\nonly = ['client']\nstrict = true\nworkspace = 'member'\n\
            runtime = { version = '1', package = 'acme-runtime' }\ndefault-features = ['pets']\n\
            [map]\n'https://example.com/' = 'copies'\n\
            [package]\nversion = '1.0.0'\ntitle = 'Pets'\nlicense = 'MIT'\nauthors = ['A']\nrepository = 'https://a'\n\
            homepage = 'https://b'\nkeywords = ['pets']\ncategories = ['api-bindings']\nrust-version = '1.90'\npublish = false\n\
             [javascript]\nname = '@acme/pets'\n\
            [methods]\nlistPets = 'list'\n[pagination.listPets]\nstyle = 'cursor'\nparameter = 'after'\nnext = 'meta.next'\n\
            items = 'data'\n[derives]\nPet = ['Eq', 'schemars::JsonSchema']\n\
            [dependencies]\nschemars = '1'\nmoney = { path = '../money', features = ['std'] }\n";
        let settings =
            Settings::parse(text).unwrap_or_else(|error| panic!("{}", error.render("codegen.toml")));
        assert_eq!(settings.name.as_deref(), Some("pets"));
        assert_eq!(
            settings.runtime,
            Some(RuntimeSetting::Version {
                version: "1".to_owned(),
                package: Some("acme-runtime".to_owned())
            })
        );
        assert_eq!(settings.methods["listPets"], "list");
        assert_eq!(settings.spec.as_deref(), Some("pets.yaml"));
        assert_eq!(settings.pagination["listPets"].next.as_deref(), Some("meta.next"));
        assert_eq!(settings.derived()["Pet"], ["Eq", "schemars::JsonSchema"]);
        let money = settings.dependencies["money"].dependency(|path| format!("../{path}"));
        assert_eq!(money.path.as_deref(), Some("../../money"));
        assert_eq!(money.keys, [("features".to_owned(), "[\"std\"]".to_owned())]);
        assert_eq!(settings.package.rust_version.as_deref(), Some("1.90"));
        assert_eq!(settings.javascript.unwrap().name.as_deref(), Some("@acme/pets"));
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, place, message) in [
            ("name = 'pets'\nnmae = 'pets'\n", "2:1", "unknown key `nmae`, expected one of `spec`, `name`"),
            ("name = 'Pet Store'\n", "1:8", "use lower-case letters"),
            ("[package]\nversion = '1.0'\n", "2:11", "`1.0` is not a version that cargo accepts; `1.0.0` is"),
            ("[package]\nlicence = 'MIT'\n", "2:1", "unknown key `licence`"),
            ("[package]\nrust-version = '1.60'\n", "2:16", "older than 1.85"),
            ("[package]\nrepository = 'github.com/a'\n", "2:14", "begins with `https://`"),
            ("only = ['clients']\n", "1:9", "unknown variant `clients`"),
            ("[pagination.a]\nstyle = 'cursors'\n", "2:9", "unknown variant `cursors`"),
            ("runtime = 'vendor'\n", "1:11", "expected `\"vendored\"`"),
            ("[javascript]\nname = 'Pets'\n", "2:8", "`Pets` is not a name of npm"),
            ("[derives]\nPet = ['not a path']\n", "2:7", "`not a path` is not the path of a trait"),
            (
                "[package]\nkeywords = ['far-too-long-for-a-keyword']\n",
                "2:12",
                "is not a keyword of crates.io",
            ),
        ] {
            let shown = refused(text);
            assert!(shown.contains(&format!(" --> codegen.toml:{place}\n")), "{place} of\n{shown}");
            assert!(shown.contains(message), "{message} of\n{shown}");
        }
        let text = "[derives]\nPat = ['Eq']\n";
        let error = Settings::point_at(text, "derives", "Pat", "the model has no such type");
        insta::assert_snapshot!(error.render("codegen.toml"), @r"
        `Pat` in `derives`: the model has no such type
         --> codegen.toml:2:1
          |
        2 | Pat = ['Eq']
          | ^^^
        ");
    }

    #[test]
    fn the_command_line_spells_the_runtime_in_one_word() {
        assert_eq!(RuntimeSetting::parse("vendored"), Ok(RuntimeSetting::Vendored));
        assert_eq!(RuntimeSetting::parse("path=../a"), Ok(RuntimeSetting::Path("../a".to_owned())));
        let version = RuntimeSetting::Version { version: "1.2".to_owned(), package: Some("b".to_owned()) };
        assert_eq!(RuntimeSetting::parse("version=1.2,package=b"), Ok(version));
        for text in ["", "path=", "version=", "vendor", "path=a,package=b"] {
            assert!(RuntimeSetting::parse(text).is_err(), "{text}");
        }
    }
}
