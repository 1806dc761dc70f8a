//! What a chunk is about, in front of its text.

use frontdesk_store::UnembeddedChunk;

/// Returns the title and the headings of a chunk, which count for its vector.
pub(super) fn lead(chunk: &UnembeddedChunk) -> String {
    [chunk.title.as_str(), &chunk.headings].join(" > ").trim_end_matches(" > ").to_owned()
}
