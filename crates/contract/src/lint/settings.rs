//! The rules that a run checks, with their levels.

use std::collections::BTreeMap;

use super::rules::{Level, Rule, Scope, rule};

/// The active rules of a run, and their levels.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    project: bool,
    /// Overridden levels; `None` turns a rule off.
    levels: BTreeMap<&'static str, Option<Level>>,
}

/// The error for an unknown rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{0}`; `cargo xtask explain` lists all rules")]
pub struct UnknownRule(pub String);

impl Settings {
    /// Returns the settings for any document.
    pub fn common() -> Self {
        Self::default()
    }

    /// Returns the settings for this repository's contract, which include its project rules.
    pub fn project() -> Self {
        Self { project: true, ..Self::default() }
    }

    /// Overrides the level of a rule; `None` turns it off.
    pub fn with(mut self, id: &str, level: Option<Level>) -> Result<Self, UnknownRule> {
        let rule = rule(id).ok_or_else(|| UnknownRule(id.to_owned()))?;
        self.levels.insert(rule.id, level);
        Ok(self)
    }

    /// Returns the level of a rule, or `None` if it is off.
    pub(super) fn level(&self, rule: &Rule) -> Option<Level> {
        match self.levels.get(rule.id) {
            Some(level) => *level,
            None if rule.scope == Scope::Asked || rule.scope == Scope::Project && !self.project => None,
            None => Some(rule.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::{ANY_OF, EXAMPLE_INVALID, ROUTER_STATUS_UNDECLARED};

    #[test]
    fn a_level_that_was_asked_for_goes_before_the_scope() {
        let common = Settings::common();
        assert_eq!((common.level(EXAMPLE_INVALID), common.level(ANY_OF)), (Some(Level::Error), None));
        assert_eq!(Settings::project().level(ANY_OF), Some(Level::Warning));
        let asked = common.with("any-of", Some(Level::Error)).and_then(|it| it.with("example-invalid", None));
        let asked = asked.expect("the rules exist");
        assert_eq!((asked.level(EXAMPLE_INVALID), asked.level(ANY_OF)), (None, Some(Level::Error)));
        assert!(Settings::project().with("any", None).is_err());
        assert_eq!(Settings::project().level(ROUTER_STATUS_UNDECLARED), None);
        let asked = Settings::common().with("router-status-undeclared", Some(Level::Warning));
        assert_eq!(asked.map(|it| it.level(ROUTER_STATUS_UNDECLARED)), Ok(Some(Level::Warning)));
    }
}
