//! Flags of the settings: [`SettingFlags`] has one for every setting of the table.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::platform::config::{Kind, SETTINGS, Setting};

/// The setting that every command has; it is a global flag.
const GLOBAL: &str = "database";

/// The settings that were given as flags.
#[derive(Debug, Default)]
pub(super) struct SettingFlags {
    values: Vec<(&'static str, Vec<String>)>,
}

impl SettingFlags {
    /// Returns the keys of the settings with their values.
    pub(super) fn into_values(self) -> Vec<(&'static str, Vec<String>)> {
        self.values
    }
}

fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| setting.key != GLOBAL)
}

fn flag(setting: &'static Setting) -> Arg {
    let section = setting.key.split_once('.').map_or("Settings", |(section, _)| section);
    let arg = Arg::new(setting.key)
        .long(setting.flag)
        .value_name(setting.value)
        .help(format!("{} [env: {}]", setting.meaning, setting.variable()))
        .help_heading(section);
    match setting.kind {
        Kind::Text | Kind::Number => arg.action(ArgAction::Set),
        Kind::List => arg.action(ArgAction::Append),
        Kind::Switch => {
            arg.action(ArgAction::Set).num_args(0..=1).require_equals(true).default_missing_value("true")
        }
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        settings().fold(command, |command, setting| command.arg(flag(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |setting: &'static Setting| {
            let values: Vec<String> = matches.get_many(setting.key)?.cloned().collect();
            Some((setting.key, values))
        };
        Ok(Self { values: settings().filter_map(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
