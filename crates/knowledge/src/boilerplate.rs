//! Boilerplate: text that a site repeats on most of its pages.

use std::collections::{BTreeMap, BTreeSet};

use crate::page::BlockHash;

/// Fewest pages for a decision: with fewer, a text on all of them may be content.
const MIN_PAGES: usize = 5;

/// Returns the blocks that occur on more than half of a site's pages: cookie notices, newsletter prompts, menus without
/// navigation markup.
///
/// Takes the [`block_hashes`](crate::Page::block_hashes) of every page. Pass the result to
/// [`Page::without_blocks`](crate::Page::without_blocks).
pub fn repeated_blocks<'a>(pages: impl IntoIterator<Item = &'a BTreeSet<BlockHash>>) -> BTreeSet<BlockHash> {
    let mut count = 0;
    let mut occurrences: BTreeMap<BlockHash, usize> = BTreeMap::new();
    for page in pages {
        count += 1;
        for block in page {
            *occurrences.entry(*block).or_default() += 1;
        }
    }
    if count < MIN_PAGES {
        return BTreeSet::new();
    }
    occurrences.into_iter().filter(|(_, pages)| pages * 2 > count).map(|(block, _)| block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Block, BlockKind};

    fn page(texts: &[&str]) -> BTreeSet<BlockHash> {
        texts.iter().map(|text| BlockHash::of(&Block::new(BlockKind::Paragraph, *text))).collect()
    }

    #[test]
    fn text_on_most_pages_is_boilerplate() {
        let pages: Vec<_> =
            ["a", "b", "c", "d", "e", "f"].iter().map(|own| page(&["We use cookies", own])).collect();
        assert_eq!(repeated_blocks(&pages), page(&["We use cookies"]));
    }

    #[test]
    fn text_on_half_of_the_pages_is_content() {
        let pages: Vec<_> =
            (0..6).map(|index| if index % 2 == 0 { page(&["shared"]) } else { page(&["other"]) }).collect();
        assert!(repeated_blocks(&pages).is_empty());
    }

    #[test]
    fn a_few_pages_prove_nothing() {
        let pages = vec![page(&["same"]); MIN_PAGES - 1];
        assert!(repeated_blocks(&pages).is_empty());
    }
}
