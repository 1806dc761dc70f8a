//! Owns the conditions under which parts of the client are compiled, where each group is a cargo feature.

use crate::ir::{Api, Group};
use proc_macro2::TokenStream;
use quote::quote;

/// The most groups that a condition names; what more of them use is always there.
const MOST: usize = 8;

/// The condition of what belongs to one group.
pub(super) fn of_group(api: &Api, group: &Group) -> TokenStream {
    if api.features {
        let feature = group.feature();
        quote!(#[cfg(feature = #feature)])
    } else {
        TokenStream::new()
    }
}

/// The condition of what these groups use: any of their features; `all` for what no group uses.
pub(super) fn of_groups(api: &Api, groups: &[usize]) -> TokenStream {
    if !api.features || groups.len() > MOST {
        return TokenStream::new();
    }
    let features: Vec<String> = groups.iter().map(|group| api.groups[*group].feature()).collect();
    match &features[..] {
        [] => quote!(#[cfg(feature = "all")]),
        [feature] => quote!(#[cfg(feature = #feature)]),
        features => quote!(#[cfg(any(#(feature = #features),*))]),
    }
}
