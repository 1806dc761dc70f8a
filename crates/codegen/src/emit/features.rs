//! Conditions under which a part of a crate is compiled, in a document that is so large that each group is a
//! cargo feature.

use crate::ir::{Api, Group};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The feature of the events that the service sends.
pub(crate) const WEBHOOKS: &str = "webhooks";

/// When a part is compiled: if one of these features is on, or always if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Condition(Vec<String>);

impl Condition {
    /// Whether the part is always compiled.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The condition of a part that events use too.
    pub(super) fn or_events(mut self) -> Self {
        if !self.is_empty() {
            self.0.push(WEBHOOKS.to_owned());
        }
        self
    }
}

impl ToTokens for Condition {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0[..] {
            [] => {}
            [feature] => tokens.extend(quote!(#[cfg(feature = #feature)])),
            several => tokens.extend(quote!(#[cfg(any(#(feature = #several),*))])),
        }
    }
}

/// The condition of a part that only one group uses; none if groups are not features.
pub(super) fn of_group(api: &Api, group: &Group) -> Condition {
    if_features(api, || group.feature())
}

/// The condition of a part that only events use; none if groups are not features.
pub(super) fn of_events(api: &Api) -> Condition {
    if_features(api, || WEBHOOKS.to_owned())
}

/// The condition of a part that nothing uses; none if groups are not features.
pub(super) fn of_nothing(api: &Api) -> Condition {
    if_features(api, || "all".to_owned())
}

fn if_features(api: &Api, feature: impl FnOnce() -> String) -> Condition {
    Condition(api.features.then(feature).into_iter().collect())
}

/// The attribute of a crate whose docs link to groups that a feature may leave out.
pub(super) fn lenient_links(api: &Api) -> Option<TokenStream> {
    api.features.then(|| quote!(#![cfg_attr(not(feature = "all"), allow(rustdoc::broken_intra_doc_links))]))
}

#[cfg(test)]
mod tests {
    use super::{Condition, of_events, of_group, of_nothing};
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
        assert_eq!(shown(of_events(&api)), quote!(#[cfg(feature = "webhooks")]).to_string());
        assert_eq!(shown(of_nothing(&api)), quote!(#[cfg(feature = "all")]).to_string());
        let both = quote!(#[cfg(any(feature = "a-b", feature = "webhooks"))]);
        assert_eq!(shown(of_group(&api, &group).or_events()), both.to_string());
        let small = empty_api();
        let always = [of_group(&small, &group), of_events(&small), of_nothing(&small).or_events()];
        assert!(always.iter().all(Condition::is_empty));
    }
}
