//! What a run looks at, and how grave it takes it.

use std::collections::BTreeMap;

use super::rules::{Level, Rule, Scope, rule};

/// Which rules count in a run, and how much.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    house: bool,
    /// Rules whose level is not their own; `None` turns a rule off.
    levels: BTreeMap<&'static str, Option<Level>>,
}

/// A rule was named that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{0}`; `cargo xtask explain` lists all")]
pub struct UnknownRule(pub String);

impl Settings {
    /// The rules for any document.
    pub fn common() -> Self {
        Self::default()
    }

    /// Those, and the rules of this repository.
    pub fn house() -> Self {
        Self { house: true, ..Self::default() }
    }

    /// The settings with another level for a rule; `None` turns it off.
    pub fn with(mut self, id: &str, level: Option<Level>) -> Result<Self, UnknownRule> {
        let rule = rule(id).ok_or_else(|| UnknownRule(id.to_owned()))?;
        self.levels.insert(rule.id, level);
        Ok(self)
    }

    /// How grave it is that a rule is broken; `None` if nobody asks.
    pub(super) fn level(&self, rule: &Rule) -> Option<Level> {
        match self.levels.get(rule.id) {
            Some(level) => *level,
            None if rule.scope == Scope::House && !self.house => None,
            None => Some(rule.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::{ANY_OF, EXAMPLE_INVALID};

    #[test]
    fn a_level_that_was_asked_for_goes_before_the_scope() {
        let common = Settings::common();
        assert_eq!((common.level(EXAMPLE_INVALID), common.level(ANY_OF)), (Some(Level::Error), None));
        assert_eq!(Settings::house().level(ANY_OF), Some(Level::Warning));
        let asked = common.with("any-of", Some(Level::Error)).and_then(|it| it.with("example-invalid", None));
        let asked = asked.expect("the rules exist");
        assert_eq!((asked.level(EXAMPLE_INVALID), asked.level(ANY_OF)), (None, Some(Level::Error)));
        assert!(Settings::house().with("any", None).is_err());
    }
}
