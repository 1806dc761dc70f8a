//! Sources of the configuration and their order: flags override the environment, which overrides the file and
//! the defaults.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use toml::de::{DeTable, DeValue};

use super::{
    Config, SearchModel,
    settings::{Kind, SETTINGS, Setting},
};

/// The file that is read when none is named, if it exists.
const DEFAULT_FILE: &str = "frontdesk.toml";

/// The environment variable that names the file.
const FILE_VARIABLE: &str = "FRONTDESK_CONFIG";

/// Similarity of two names from which one is suggested as a correction of the other, from 0 to 1.
const SIMILARITY: f64 = 0.7;

/// Prefix of all environment variables.
const VARIABLE_PREFIX: &str = "FRONTDESK_";

/// The sources of the settings.
#[derive(Debug, Default)]
pub struct Sources {
    /// The file given with `--config`. Without it, the environment may name one; otherwise `frontdesk.toml`
    /// is read if it exists.
    pub file: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// Keys of settings with the values of their flags.
    pub flags: Vec<(&'static str, Vec<String>)>,
}

/// A configuration, and the source of each setting.
#[derive(Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Notices about environment variables that look like misspelled settings.
    pub notices: Vec<String>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Loaded {
    /// Returns the source of the value of a setting.
    pub fn origin(&self, setting: &Setting) -> Origin {
        self.origins.get(setting.key).cloned().unwrap_or(Origin::Default)
    }

    /// Returns the value of a setting for display, with secrets redacted. Empty if it is not set.
    pub fn shown(&self, setting: &Setting) -> Vec<String> {
        (setting.show)(&self.config)
    }
}

/// The source of the value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is not set.
    Default,
    /// A line of the file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Environment(variable) => formatter.write_str(variable),
            Self::Flag(flag) => write!(formatter, "--{flag}"),
        }
    }
}

/// Why the configuration cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}; name an existing one with --config", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{}:{line}: the file is not valid TOML: {problem}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
    /// The file has a key that is not a setting.
    #[error("{}:{line}: there is no setting `{key}`; {advice}", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// Advice on what to write instead.
        advice: String,
    },
    /// A value cannot be used.
    #[error("{origin}: `{key}` cannot be set: {problem}; {advice}")]
    Value {
        /// The source of the value.
        origin: Origin,
        /// The setting.
        key: &'static str,
        /// The problem.
        problem: String,
        /// Advice on what to write instead.
        advice: String,
    },
    /// A setting requires another one.
    #[error("`{key}` is set but `{missing}` is not; set both or neither")]
    Incomplete {
        /// The setting that is set.
        key: &'static str,
        /// The setting that it needs.
        missing: &'static str,
    },
}

/// Reads all sources and combines them.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let mut loading = Loading { config: Config::default(), origins: BTreeMap::new() };
    if let Some((path, text)) = read_file(sources)? {
        loading.file(&path, &text)?;
    }
    let notices = loading.environment(&sources.environment)?;
    for (key, texts) in &sources.flags {
        let setting = Setting::by_key(key).expect("flags are made from the table of settings");
        loading.set(setting, texts, Origin::Flag(setting.flag))?;
    }
    let Loading { config, origins } = loading;
    check(&config)?;
    Ok(Loaded { config, notices, origins })
}

fn read_file(sources: &Sources) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let variable = || {
        let set = sources.environment.iter().find(|(name, _)| name == FILE_VARIABLE);
        set.map(|(_, path)| PathBuf::from(path))
    };
    let named = sources.file.clone().or_else(variable);
    let path = named.clone().unwrap_or_else(|| DEFAULT_FILE.into());
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ConfigError::File { path, source }),
    }
}

/// Checks settings that require each other.
fn check(config: &Config) -> Result<(), ConfigError> {
    let pairs = [
        (
            ("http.tls_certificate", config.http.tls_certificate.is_some()),
            ("http.tls_key", config.http.tls_key.is_some()),
        ),
        (
            ("assistant.base_url", config.assistant.base_url.is_some()),
            ("assistant.model", config.assistant.model.is_some()),
        ),
        (
            ("files.vision.base_url", config.files.vision.base_url.is_some()),
            ("files.vision.model", config.files.vision.model.is_some()),
        ),
        (
            ("files.transcription.base_url", config.files.transcription.base_url.is_some()),
            ("files.transcription.model", config.files.transcription.model.is_some()),
        ),
    ];
    let s3 = &config.files.s3;
    if s3.bucket.is_some() {
        for (key, is_set) in [
            ("files.s3_access_key_id", s3.access_key_id.is_some()),
            ("files.s3_secret_access_key", s3.secret_access_key.is_some()),
        ] {
            if !is_set {
                return Err(ConfigError::Incomplete { key: "files.s3_bucket", missing: key });
            }
        }
    }
    if matches!(config.search.model, SearchModel::Endpoint(_)) && config.search.endpoint_model.is_none() {
        return Err(ConfigError::Incomplete { key: "search.model", missing: "search.endpoint_model" });
    }
    if config.keys.previous_pepper.is_some() && config.keys.pepper.is_none() {
        return Err(ConfigError::Incomplete { key: "keys.previous_pepper", missing: "keys.pepper" });
    }
    for (one, other) in pairs {
        let (key, missing) = match (one.1, other.1) {
            (true, false) => (one.0, other.0),
            (false, true) => (other.0, one.0),
            _ => continue,
        };
        return Err(ConfigError::Incomplete { key, missing });
    }
    Ok(())
}

struct Loading {
    config: Config,
    origins: BTreeMap<&'static str, Origin>,
}

impl Loading {
    fn set(
        &mut self,
        setting: &'static Setting,
        texts: &[String],
        origin: Origin,
    ) -> Result<(), ConfigError> {
        (setting.read)(&mut self.config, texts).map_err(|problem| {
            // A secret value must not be quoted in the error.
            let problem =
                if setting.secret && problem.contains('`') { "it is not valid".into() } else { problem };
            let advice = match &origin {
                Origin::File { .. } | Origin::Default => format!("write for example {}", setting.example()),
                Origin::Environment(variable) => format!("write for example {variable}={}", setting.value),
                Origin::Flag(flag) => format!("write --{flag} {}", setting.value),
            };
            ConfigError::Value { origin: origin.clone(), key: setting.key, problem, advice }
        })?;
        self.origins.insert(setting.key, origin);
        Ok(())
    }

    fn file(&mut self, path: &PathBuf, text: &str) -> Result<(), ConfigError> {
        let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            path: path.clone(),
            line: line_at(text, error.span().map_or(0, |span| span.start)),
            problem: error.message().to_owned(),
        })?;
        self.table(path, text, "", table.get_ref())
    }

    fn table(
        &mut self,
        path: &PathBuf,
        text: &str,
        prefix: &str,
        table: &DeTable<'_>,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            let line = line_at(text, name.span().start);
            if let Some(setting) = Setting::by_key(&key) {
                let origin = Origin::File { path: path.clone(), line };
                let texts = texts(setting.kind, value.get_ref()).ok_or_else(|| ConfigError::Value {
                    origin: origin.clone(),
                    key: setting.key,
                    problem: format!(
                        "{} was expected, not {}",
                        described(setting.kind),
                        value.get_ref().type_str()
                    ),
                    advice: format!("write for example {}", setting.example()),
                })?;
                self.set(setting, &texts, origin)?;
            } else if let DeValue::Table(inner) = value.get_ref()
                && SETTINGS.iter().any(|setting| setting.key.starts_with(&format!("{key}.")))
            {
                self.table(path, text, &format!("{key}."), inner)?;
            } else {
                let advice = match closest(&key, SETTINGS.iter().map(|setting| setting.key.to_owned())) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "`frontdesk config show` lists all settings".to_owned(),
                };
                return Err(ConfigError::UnknownKey { path: path.clone(), line, key, advice });
            }
        }
        Ok(())
    }

    /// Reads the environment. Unknown variables are not errors, because Kubernetes, for example, sets
    /// `FRONTDESK_PORT` for a service of that name; those that look like misspelled settings cause notices.
    fn environment(&mut self, environment: &[(String, String)]) -> Result<Vec<String>, ConfigError> {
        let known: Vec<(String, &'static Setting)> =
            SETTINGS.iter().map(|setting| (setting.variable(), setting)).collect();
        let mut notices = Vec::new();
        for (name, value) in environment {
            if let Some((_, setting)) = known.iter().find(|(variable, _)| variable == name) {
                let texts: Vec<String> = match setting.kind {
                    Kind::List => value
                        .split(',')
                        .map(str::trim)
                        .filter(|text| !text.is_empty())
                        .map(str::to_owned)
                        .collect(),
                    _ => vec![value.clone()],
                };
                self.set(setting, &texts, Origin::Environment(name.clone()))?;
            } else if name.starts_with(VARIABLE_PREFIX)
                && name != FILE_VARIABLE
                && let Some(known) = closest(name, known.iter().map(|(variable, _)| variable.clone()))
            {
                notices
                    .push(format!("the environment variable {name} is not a setting; did you mean {known}?"));
            }
        }
        Ok(notices)
    }
}

/// Returns the texts of a value in the file, or `None` if it has another type.
fn texts(kind: Kind, value: &DeValue<'_>) -> Option<Vec<String>> {
    match (kind, value) {
        (Kind::Text, DeValue::String(text)) => Some(vec![text.to_string()]),
        (Kind::Number, DeValue::Integer(number)) if number.radix() == 10 => {
            Some(vec![number.as_str().replace('_', "")])
        }
        (Kind::Switch, DeValue::Boolean(on)) => Some(vec![on.to_string()]),
        (Kind::List, DeValue::Array(entries)) => {
            entries.iter().map(|entry| entry.get_ref().as_str().map(str::to_owned)).collect()
        }
        _ => None,
    }
}

fn described(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a string",
        Kind::Number => "a whole number",
        Kind::Switch => "true or false",
        Kind::List => "an array of strings",
    }
}

fn closest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    // The common prefix would make any two names similar.
    let particular = |name: &str| name.strip_prefix(VARIABLE_PREFIX).unwrap_or(name).to_owned();
    let name = particular(name);
    known
        .map(|known| (strsim::normalized_damerau_levenshtein(&name, &particular(&known)), known))
        .filter(|(similarity, _)| *similarity >= SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_text(text: &str) -> Result<Loaded, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.toml");
        std::fs::write(&path, text).unwrap();
        load(&Sources { file: Some(path), ..Sources::default() })
    }

    #[test]
    fn flags_override_the_environment_which_overrides_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.toml");
        std::fs::write(
            &path,
            "[limits]\nrequests_per_key = 1\nfailed_attempts = 1\nreplies_per_client = 1\n",
        )
        .unwrap();
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let loaded = load(&Sources {
            file: None,
            environment: vec![
                variable("FRONTDESK_CONFIG", path.to_str().unwrap()),
                variable("FRONTDESK_LIMITS_FAILED_ATTEMPTS", "2"),
                variable("FRONTDESK_LIMITS_REPLIES_PER_CLIENT", "2"),
                variable("FRONTDESK_HTTP_TRUSTED_PROXIES", "10.0.0.0/8, 192.168.1.1"),
                variable("FRONTDESK_LIMITS_REQUESTS_PER_KEYS", "9"),
                variable("FRONTDESK_PORT", "tcp://10.0.0.1:80"),
            ],
            flags: vec![("limits.replies_per_client", vec!["3".to_owned()])],
        })
        .unwrap();
        let limits = &loaded.config.limits;
        assert_eq!((limits.requests_per_key, limits.failed_attempts, limits.replies_per_client), (1, 2, 3));
        assert_eq!(loaded.config.http.trusted_proxies.len(), 2);
        let origin = |key: &str| loaded.origin(Setting::by_key(key).unwrap()).to_string();
        assert!(origin("limits.requests_per_key").ends_with("test.toml:2"));
        assert_eq!(origin("limits.failed_attempts"), "FRONTDESK_LIMITS_FAILED_ATTEMPTS");
        assert_eq!(origin("limits.replies_per_client"), "--replies-per-client");
        assert_eq!(origin("listen"), "default");
        assert_eq!(loaded.notices.len(), 1, "{:?}", loaded.notices);
        assert!(loaded.notices[0].contains("did you mean FRONTDESK_LIMITS_REQUESTS_PER_KEY?"));
    }

    #[test]
    fn errors_say_where_what_and_what_to_write() {
        for (text, expected) in [
            (
                "listen = 80",
                ":1: `listen` cannot be set: a string was expected, not integer; write for example `listen = \"ADDRESS:PORT\"` at the top",
            ),
            (
                "\n[limits]\nrequests_per_keys = 5",
                ":3: there is no setting `limits.requests_per_keys`; did you mean `limits.requests_per_key`?",
            ),
            ("[zzz]\nq = 1", ":1: there is no setting `zzz`; `frontdesk config show` lists all settings"),
            (
                "[limits]\nrequests_per_key = \"60\"",
                ":2: `limits.requests_per_key` cannot be set: a whole number was expected, not string; write for example `requests_per_key = 10` under `[limits]`",
            ),
            (
                "[http]\ntrusted_proxies = [\"10.0.0.0/99\"]",
                ":2: `http.trusted_proxies` cannot be set: `10.0.0.0/99` is neither an IP address nor a network such as `10.0.0.0/8`; write for example `trusted_proxies = [\"CIDR\"]` under `[http]`",
            ),
            ("a = \n", ":1: the file is not valid TOML"),
            (
                "[http]\ntls_key = \"key.pem\"",
                "`http.tls_key` is set but `http.tls_certificate` is not; set both or neither",
            ),
            (
                "[keys]\nprevious_pepper = \"hunter2hunter2hunter2hunter2hunter2\"",
                "`keys.previous_pepper` is set but `keys.pepper` is not",
            ),
            (
                "[search]\nmodel = \"https://api.example/v1\"",
                "`search.model` is set but `search.endpoint_model` is not",
            ),
            (
                "[assistant]\nmodel = \"small\"",
                "`assistant.model` is set but `assistant.base_url` is not; set both or neither",
            ),
            (
                "[files.vision]\nbase_url = \"https://api.example/v1\"",
                "`files.vision.base_url` is set but `files.vision.model` is not; set both or neither",
            ),
            (
                "[files.transcription]\nmodel = \"whisper-1\"",
                "`files.transcription.model` is set but `files.transcription.base_url` is not",
            ),
            (
                "[files.vision]\nmax_megabyte = 5",
                ":2: there is no setting `files.vision.max_megabyte`; did you mean `files.vision.max_megabytes`?",
            ),
        ] {
            let message = from_text(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}\n  lacks {expected}");
        }
        let missing = load(&Sources { file: Some("no/such/file.toml".into()), ..Sources::default() });
        assert!(missing.unwrap_err().to_string().contains("no/such/file.toml"));
    }

    #[test]
    fn secrets_stay_out_of_errors_and_listings() {
        let error = from_text("[keys]\npepper = \"hunter2\"").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        let loaded = from_text("[keys]\npepper = \"hunter2hunter2hunter2hunter2hunter2\"").unwrap();
        assert!(!format!("{loaded:?}").contains("hunter2"));
        assert_eq!(loaded.shown(Setting::by_key("keys.pepper").unwrap()), ["[redacted]"]);
        for url in ["redis://:hunter2@127.0.0.1:6379/0", "redis://127.0.0.1?password=hunter2"] {
            let loaded = from_text(&format!("[limits]\nredis_url = \"{url}\"")).unwrap();
            let shown = loaded.shown(Setting::by_key("limits.redis_url").unwrap());
            assert!(shown[0].starts_with("redis://") && !shown[0].contains("hunter2"), "{shown:?}");
            assert!(!format!("{loaded:?}").contains("hunter2"));
        }
        for table in ["files.vision", "files.transcription"] {
            let loaded = from_text(&format!("[{table}]\napi_key = \"hunter2\"")).unwrap();
            assert_eq!(loaded.shown(Setting::by_key(&format!("{table}.api_key")).unwrap()), ["[redacted]"]);
            assert!(!format!("{loaded:?}").contains("hunter2"));
            let error = from_text(&format!("[{table}]\napi_key = \"hunter2\\n\"")).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"));
        }
        let error = from_text("[limits]\nredis_url = \"hunter2\"").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}
