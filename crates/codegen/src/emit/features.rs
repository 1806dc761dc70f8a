//! Conditions under which a part of a crate is compiled, in a document that is so large that each group is a
//! cargo feature.

use crate::ir::{Api, Group};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// When a part is compiled: if a feature is on, or always.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Condition(Option<String>);

impl Condition {
    /// Whether the part is always compiled.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl ToTokens for Condition {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if let Self(Some(feature)) = self {
            tokens.extend(quote!(#[cfg(feature = #feature)]));
        }
    }
}

/// The condition of a part that only one group uses; none if groups are not features.
pub(super) fn of_group(api: &Api, group: &Group) -> Condition {
    Condition(api.features.then(|| group.feature()))
}

/// The condition of a part that no group uses; none if groups are not features.
pub(super) fn of_no_group(api: &Api) -> Condition {
    Condition(api.features.then(|| "all".to_owned()))
}

/// The attribute of a crate whose docs link to groups that a feature may leave out.
pub(super) fn lenient_links(api: &Api) -> Option<TokenStream> {
    api.features.then(|| quote!(#![cfg_attr(not(feature = "all"), allow(rustdoc::broken_intra_doc_links))]))
}

#[cfg(test)]
mod tests {
    use super::{Condition, of_group, of_no_group};
    use crate::{
        emit::empty_api,
        ir::{Api, Group},
    };
    use quote::{ToTokens, quote};

    #[test]
    fn groups_are_compiled_where_a_feature_asks_for_them() {
        let group = Group {
            tag: String::new(),
            module: "a_b".to_owned(),
            name: String::new(),
            docs: None,
            operations: Vec::new(),
        };
        let api = Api { features: true, ..empty_api() };
        let shown = |condition: Condition| condition.to_token_stream().to_string();
        assert_eq!(shown(of_group(&api, &group)), quote!(#[cfg(feature = "a-b")]).to_string());
        assert_eq!(shown(of_no_group(&api)), quote!(#[cfg(feature = "all")]).to_string());
        assert!(of_group(&empty_api(), &group).is_empty() && of_no_group(&empty_api()).is_empty());
    }
}
