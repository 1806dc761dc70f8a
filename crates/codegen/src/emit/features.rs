//! Conditions under which a part of a crate is compiled, in a document that is so large that each group is a cargo feature.

use crate::ir::{Api, Group};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The most groups that a condition names: a longer one costs more than what it leaves out, so the part is always there.
const MOST: usize = 8;

/// When a part is compiled: if any of these features is on, or always where there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    features: Vec<String>,
}

impl Condition {
    /// Whether the part is always compiled.
    pub(super) fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// How many lines it takes; for long ones, a few more than that.
    pub(super) fn lines(&self) -> usize {
        match self.features.len() {
            0 => 0,
            1 | 2 => 1,
            several => several + 4,
        }
    }
}

impl ToTokens for Condition {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match &self.features[..] {
            [] => TokenStream::new(),
            [feature] => quote!(#[cfg(feature = #feature)]),
            features => quote!(#[cfg(any(#(feature = #features),*))]),
        });
    }
}

/// The condition of what belongs to one group; nothing where groups are no features.
pub(super) fn of_group(api: &Api, group: &Group) -> Condition {
    let features = if api.features { vec![group.feature()] } else { Vec::new() };
    Condition { features }
}

/// The condition of what these groups use: any of their features; `all` for what no group uses.
pub(super) fn of_groups(api: &Api, groups: &[usize]) -> Condition {
    if !api.features || groups.len() > MOST {
        return Condition::default();
    }
    let features = match groups {
        [] => vec!["all".to_owned()],
        groups => groups.iter().map(|group| api.groups[*group].feature()).collect(),
    };
    Condition { features }
}

#[cfg(test)]
mod tests {
    use super::of_groups;
    use crate::{
        emit::empty_api,
        ir::{Api, Group},
    };
    use quote::{ToTokens, quote};

    #[test]
    fn groups_are_compiled_where_a_feature_asks_for_them() {
        let group = |module: &str| Group {
            tag: String::new(),
            module: module.to_owned(),
            name: String::new(),
            docs: None,
            operations: Vec::new(),
        };
        let api = Api { features: true, groups: vec![group("a_b"), group("type_")], ..empty_api() };
        for (groups, condition) in [
            (&[][..], quote!(#[cfg(feature = "all")])),
            (&[0], quote!(#[cfg(feature = "a-b")])),
            (&[0, 1], quote!(#[cfg(any(feature = "a-b", feature = "type"))])),
        ] {
            let found = of_groups(&api, groups);
            assert_eq!(found.to_token_stream().to_string(), condition.to_string());
        }
        assert!(of_groups(&api, &[0; 9]).is_empty());
    }
}
