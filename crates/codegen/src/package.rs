//! Metadata of the generated packages: what the options say, otherwise what the document says.

use crate::package_options::{cargo_version, is_spdx};
use crate::{Options, PackageOptions};
use frontdesk_document::{Document, NodeRef};

/// The oldest compiler that generated code is written for.
const RUST_VERSION: &str = "1.95";

/// The maximum length of a keyword on crates.io.
const LONGEST_KEYWORD: usize = 20;

/// What the manifests say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) repository: Option<String>,
    pub(crate) homepage: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) categories: Option<Vec<String>>,
    pub(crate) rust_version: String,
    pub(crate) publish: bool,
}

impl PackageOptions {
    /// Returns the version of the packages: the one that is set, or else that of the document, made one that
    /// cargo accepts.
    pub fn version_for(&self, document: &Document) -> String {
        let info = document.root().get("info");
        let documented = info
            .and_then(|info| info.get("version"))
            .map_or("", |version| version.as_str().or_else(|| version.as_number()).unwrap_or_default());
        self.version.clone().unwrap_or_else(|| cargo_version(documented))
    }
}

impl Package {
    pub(crate) fn of(document: &Document, options: &Options) -> Self {
        let PackageOptions {
            version: _,
            title,
            license,
            authors,
            repository,
            homepage,
            keywords,
            categories,
            rust_version,
            publish,
        } = options.package.clone();
        let root = document.root();
        let info = root.get("info");
        let text = |node: Option<NodeRef<'_>>, key: &str| {
            node.and_then(|node| node.get(key)).and_then(NodeRef::as_str).map(str::to_owned)
        };
        let address = |holder: Option<NodeRef<'_>>, key: &str| {
            let url = text(holder.and_then(|holder| holder.get(key)), "url");
            url.filter(|url| url.starts_with("https://") || url.starts_with("http://"))
        };
        Self {
            version: options.package.version_for(document),
            title,
            license: license.or_else(|| info.and_then(|info| info.get("license")).and_then(licence)),
            authors,
            repository,
            homepage: homepage
                .or_else(|| address(Some(root), "externalDocs"))
                .or_else(|| address(info, "contact")),
            keywords: keywords.unwrap_or_else(|| own_keywords(&options.name)),
            categories,
            rust_version: rust_version.unwrap_or_else(|| RUST_VERSION.to_owned()),
            publish: publish != Some(false),
        }
    }
}

/// The document's name is what people search for, if crates.io takes it as a keyword.
fn own_keywords(name: &str) -> Vec<String> {
    let fits = name.len() <= LONGEST_KEYWORD;
    let own = fits.then(|| name.to_owned());
    own.into_iter().chain(["api".to_owned(), "openapi".to_owned()]).collect()
}

/// The SPDX identifier of a licence object; `None` if its name is not that of a well-known licence.
fn licence(node: NodeRef<'_>) -> Option<String> {
    let text = |key: &str| node.get(key).and_then(NodeRef::as_str).map(str::trim);
    if let Some(identifier) = text("identifier").filter(|text| is_spdx(text)) {
        return Some(identifier.to_owned());
    }
    let name: String = text("name")?
        .to_lowercase()
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() || character == '.' { character } else { ' ' })
        .collect();
    let words: Vec<&str> = name
        .split(' ')
        .filter(|word| !matches!(*word, "" | "the" | "license" | "licence" | "version"))
        .collect();
    let identifier = match &words.join(" ")[..] {
        "mit" | "expat" => "MIT",
        "apache 2.0"
        | "apache 2"
        | "apache2"
        | "apache2.0"
        | "apache v2"
        | "apache v2.0"
        | "apache software 2.0" => "Apache-2.0",
        "mit or apache 2.0" => "MIT OR Apache-2.0",
        "bsd 2 clause" => "BSD-2-Clause",
        "bsd 3 clause" | "new bsd" => "BSD-3-Clause",
        "isc" => "ISC",
        "mpl 2.0" | "mozilla public 2.0" => "MPL-2.0",
        "unlicense" => "Unlicense",
        "cc0 1.0" | "cc0 1.0 universal" => "CC0-1.0",
        _ => return None,
    };
    Some(identifier.to_owned())
}

#[cfg(test)]
mod tests {
    use super::licence;
    use frontdesk_document::{Document, MemoryLoader};

    #[test]
    fn only_well_known_licences_are_taken() {
        for (given, identifier) in [
            (r#"{"name": "Apache 2.0"}"#, Some("Apache-2.0")),
            (r#"{"name": "Apache License, Version 2.0"}"#, Some("Apache-2.0")),
            (r#"{"name": "The MIT License"}"#, Some("MIT")),
            (r#"{"name": "Some", "identifier": "MPL-2.0"}"#, Some("MPL-2.0")),
            (r#"{"name": "Proprietary"}"#, None),
            (r#"{"url": "https://example.com"}"#, None),
        ] {
            let text = format!(
                r#"{{"openapi": "3.0.3", "info": {{"title": "A", "version": "1", "license": {given}}}, "paths": {{}}}}"#
            );
            let loader = MemoryLoader::new().with("openapi.json", text.as_str());
            let (document, problems) = Document::read("openapi.json", &loader);
            let document =
                document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
            let info = document.root().get("info").expect("it is there");
            assert_eq!(info.get("license").and_then(licence).as_deref(), identifier, "{given}");
        }
    }
}
