//! Owns the question which of several names keeps the identifier that they all fall together in.

use super::Scope;

/// A wish for an identifier.
#[derive(Debug)]
pub(in crate::lower) struct Claim {
    /// The identifier.
    pub(in crate::lower) wanted: String,
    /// Whether the document itself writes it so.
    pub(in crate::lower) exact: bool,
    /// Whether what it names is to be used no more.
    pub(in crate::lower) deprecated: bool,
    /// What it gets appended where it is taken.
    pub(in crate::lower) suffix: &'static str,
}

impl Scope {
    /// Takes an identifier for each claim: for those that are exact first, and for what is deprecated last.
    pub(in crate::lower) fn take_each(&mut self, claims: &[Claim]) -> Vec<String> {
        let mut order: Vec<usize> = (0..claims.len()).collect();
        order.sort_by_key(|index| (!claims[*index].exact, claims[*index].deprecated));
        let mut names = vec![String::new(); claims.len()];
        for index in order {
            let claim = &claims[index];
            names[index] = self.take(&claim.wanted, claim.suffix);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Scope, Claim};

    #[test]
    fn the_name_goes_to_whom_the_document_gives_it() {
        let taken = |claims: &[(bool, bool)]| {
            let claims: Vec<Claim> = claims
                .iter()
                .map(|(exact, deprecated)| Claim {
                    wanted: "api".to_owned(),
                    exact: *exact,
                    deprecated: *deprecated,
                    suffix: "_query",
                })
                .collect();
            Scope::default().take_each(&claims)
        };
        assert_eq!(taken(&[(false, false), (true, true)]), ["api_query", "api"]);
        assert_eq!(taken(&[(false, true), (false, false)]), ["api_query", "api"]);
        assert_eq!(taken(&[(false, false), (false, false)]), ["api", "api_query"]);
    }
}
