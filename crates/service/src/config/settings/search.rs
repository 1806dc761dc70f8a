//! Settings of search.

use super::{
    Kind, Setting,
    values::{one, shown},
};
use crate::config::SearchModel;

pub(super) const MODEL: Setting = Setting {
    key: "search.model",
    flag: "search-model",
    value: "bundled",
    meaning: "Embedding model for search by meaning: `bundled`, `none` to compare words only, or a folder with a model",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one::<SearchModel>(texts).map(|model| config.search.model = model),
    show: |config| shown([&config.search.model]),
};
