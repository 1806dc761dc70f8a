//! Removals announced by the releases of a contract, with the dates of the announcements.

use std::collections::HashMap;

use frontdesk_document::Document;
use jiff::civil::Date;

use super::lifecycle_keys::{Sunset, is_deprecated};

/// All parts that are `deprecated` with an `x-sunset` in the newest release, by their pointer in the bundle.
#[derive(Clone, Debug, Default)]
pub struct Announcements(HashMap<String, Vec<Announcement>>);

/// A release that announced a removal.
#[derive(Clone, Copy, Debug)]
struct Announcement {
    released: Date,
    sunset: Date,
}

impl Announcements {
    /// Reads the released bundles, the oldest first, each with its release date.
    ///
    /// An announcement is valid only while every later release repeats it; otherwise it starts again.
    pub fn of<'d>(releases: impl IntoIterator<Item = (Date, &'d Document)>) -> Self {
        let mut standing: HashMap<String, Vec<Announcement>> = HashMap::new();
        for (released, document) in releases {
            let mut repeated = HashMap::new();
            let mut waiting = vec![document.root()];
            while let Some(node) = waiting.pop() {
                if is_deprecated(node)
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

    /// Returns the date of the first release that announced the removal of this object on or before the
    /// sunset.
    pub(super) fn since(&self, pointer: &str, sunset: Date) -> Option<Date> {
        let said = self.0.get(pointer)?;
        // Users could rely on a later sunset that was announced in the meantime.
        let known = said.iter().rev().take_while(|announcement| announcement.sunset <= sunset);
        known.last().map(|announcement| announcement.released)
    }
}
