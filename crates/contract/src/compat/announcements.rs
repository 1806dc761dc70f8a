//! What the releases of a contract have announced to go, and since when.

use std::collections::HashMap;

use frontdesk_document::Document;
use jiff::civil::Date;

use super::lifecycle::{self, Sunset};

/// Everything that is `deprecated` with an `x-sunset` in the newest of several releases, by its pointer in the bundle.
#[derive(Clone, Debug, Default)]
pub struct Announcements(HashMap<String, Vec<Announcement>>);

/// One release that announced an end.
#[derive(Clone, Copy, Debug)]
struct Announcement {
    released: Date,
    sunset: Date,
}

impl Announcements {
    /// Reads released bundles, the oldest first, each with the day of its release.
    ///
    /// An announcement holds as long as every later release repeats it; what was in use again in between starts anew.
    pub fn of<'d>(releases: impl IntoIterator<Item = (Date, &'d Document)>) -> Self {
        let mut standing: HashMap<String, Vec<Announcement>> = HashMap::new();
        for (released, document) in releases {
            let mut repeated = HashMap::new();
            let mut waiting = vec![document.root()];
            while let Some(node) = waiting.pop() {
                if lifecycle::is_deprecated(node)
                    && let Sunset::On(sunset, _) = Sunset::of(node)
                {
                    let pointer = node.pointer();
                    let mut said = standing.remove(&pointer).unwrap_or_default();
                    said.push(Announcement { released, sunset });
                    repeated.insert(pointer, said);
                }
                waiting.extend(node.members().map(|(_, member)| member));
                waiting.extend(node.items());
            }
            standing = repeated;
        }
        Self(standing)
    }

    /// The day of the first release since which users know that the object at this pointer may go on that day.
    pub(super) fn since(&self, pointer: &str, sunset: Date) -> Option<Date> {
        let said = self.0.get(pointer)?;
        // Who was told of a later day has relied on it.
        let known = said.iter().rev().take_while(|announcement| announcement.sunset <= sunset);
        known.last().map(|announcement| announcement.released)
    }
}
