//! The file in the URL of a SQLite database.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

/// Returns the path in a `sqlite:` URL that names a file.
pub(crate) fn sqlite_file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    let path = rest.split('?').next().unwrap_or_default();
    let path = path.strip_prefix("//").unwrap_or(path);
    // As the driver reads it.
    let path = percent_decode_str(path).decode_utf8_lossy();
    (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path.as_ref()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn files_are_distinguished_from_other_databases() {
        for (url, expected) in [
            ("sqlite:frontdesk-data/frontdesk.db", Some("frontdesk-data/frontdesk.db")),
            ("sqlite:///var/lib/frontdesk.db?mode=rwc", Some("/var/lib/frontdesk.db")),
            ("sqlite://frontdesk.db", Some("frontdesk.db")),
            ("sqlite:front%20desk%3f.db?mode=rwc", Some("front desk?.db")),
            ("sqlite::memory:", None),
            ("sqlite:", None),
            ("postgres://db/frontdesk", None),
        ] {
            assert_eq!(sqlite_file(url).as_deref(), expected.map(Path::new), "{url}");
        }
    }
}
