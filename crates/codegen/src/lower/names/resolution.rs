//! Name resolution: which of several candidates keeps the identifier that all of them would get.

use super::Scope;

/// A wish for an identifier.
#[derive(Debug)]
pub(in crate::lower) struct Candidate {
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
    /// Takes an identifier for each candidate: exact candidates first, deprecated ones last.
    pub(in crate::lower) fn take_each(&mut self, candidates: &[Candidate]) -> Vec<String> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|index| (!candidates[*index].exact, candidates[*index].deprecated));
        let mut names = vec![String::new(); candidates.len()];
        for index in order {
            let candidate = &candidates[index];
            names[index] = self.take(&candidate.wanted, candidate.suffix);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Scope, Candidate};

    #[test]
    fn the_name_goes_to_whom_the_document_gives_it() {
        let taken = |candidates: &[(bool, bool)]| {
            let candidates: Vec<Candidate> = candidates
                .iter()
                .map(|(exact, deprecated)| Candidate {
                    wanted: "api".to_owned(),
                    exact: *exact,
                    deprecated: *deprecated,
                    suffix: "_query",
                })
                .collect();
            Scope::default().take_each(&candidates)
        };
        assert_eq!(taken(&[(false, false), (true, true)]), ["api_query", "api"]);
        assert_eq!(taken(&[(false, true), (false, false)]), ["api_query", "api"]);
        assert_eq!(taken(&[(false, false), (false, false)]), ["api", "api_query"]);
    }
}
