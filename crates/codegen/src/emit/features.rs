//! Owns the conditions under which a part of a crate is compiled, where the document is so large that each group is a
//! cargo feature.

use crate::ir::{Api, Group};
use proc_macro2::TokenStream;
use quote::quote;

/// The most groups that a condition names: a longer one costs more than what it leaves out, so the part is always there.
const MOST: usize = 8;

/// The condition of what belongs to one group; nothing where groups are no features.
pub(super) fn of_group(api: &Api, group: &Group) -> TokenStream {
    if !api.features {
        return TokenStream::new();
    }
    let feature = group.feature();
    quote!(#[cfg(feature = #feature)])
}

/// The condition of what these groups use: any of their features; `all` for what no group uses.
pub(super) fn of_groups(api: &Api, groups: &[usize]) -> TokenStream {
    if !api.features || groups.len() > MOST {
        return TokenStream::new();
    }
    match groups {
        [] => quote!(#[cfg(feature = "all")]),
        [group] => of_group(api, &api.groups[*group]),
        groups => {
            let features = groups.iter().map(|group| api.groups[*group].feature());
            quote!(#[cfg(any(#(feature = #features),*))])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_groups;
    use crate::{
        emit::empty_api,
        ir::{Api, Group},
    };
    use quote::quote;

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
            assert_eq!(of_groups(&api, groups).to_string(), condition.to_string());
        }
        assert!(of_groups(&api, &[0; 9]).is_empty());
    }
}
