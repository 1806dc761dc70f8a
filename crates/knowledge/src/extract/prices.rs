//! Prices that are separated from the name of the item, as in menus and price lists of page builders.

use super::block::{Block, BlockKind};

/// Longest text that is only a price, in characters.
const LONGEST_PRICE: usize = 24;

/// Longest name of a priced item, in characters.
const LONGEST_NAME: usize = 80;

/// Codes and abbreviations of currencies.
const CURRENCIES: [&str; 10] = ["eur", "usd", "gbp", "chf", "pln", "zł", "euro", "fr", "kč", "sek"];

/// Returns whether a character is the sign of a currency.
pub(super) fn is_currency(character: char) -> bool {
    matches!(character, '€' | '$' | '£' | '¥')
}

/// Returns whether a text contains an amount with a currency sign.
pub(super) fn has_price(text: &str) -> bool {
    text.contains(is_currency) && text.contains(|character: char| character.is_ascii_digit())
}

/// Returns whether a text is a price and nothing else: `£4.50`, `4,50`, `ab 12 €`.
fn is_price(text: &str) -> bool {
    if text.chars().count() > LONGEST_PRICE || !text.contains(|character: char| character.is_ascii_digit()) {
        return false;
    }
    let words = || text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty());
    let is_named =
        text.contains(is_currency) || words().any(|word| CURRENCIES.contains(&word.to_lowercase().as_str()));
    let is_amount = text.chars().all(|character| character.is_ascii_digit() || ".,-–".contains(character))
        && text
            .split_once(['.', ','])
            .is_some_and(|(_, cents)| cents.len() == 2 || matches!(cents, "-" | "–"));
    (is_named && words().count() <= 2) || is_amount
}

/// Adds the name to each price that is alone below it, so that the two can be quoted together.
pub(super) fn with_names(blocks: Vec<Block>) -> Vec<Block> {
    let mut named: Vec<Block> = Vec::with_capacity(blocks.len());
    for mut block in blocks {
        // Some templates mark prices as headings.
        let is_price = !matches!(block.kind, BlockKind::Code | BlockKind::TableRow) && is_price(&block.text);
        if !is_price {
            named.push(block);
            continue;
        }
        // The lines above: the name, or the name and a description.
        let mut above = named.iter().rev();
        let (last, before) = (above.next(), above.next());
        let is_name = |block: &&Block| {
            matches!(block.kind, BlockKind::Heading(_)) && block.text.chars().count() <= LONGEST_NAME
        };
        let heading =
            last.filter(is_name).or_else(|| before.filter(is_name).filter(|_| last.is_some_and(is_text)));
        if let Some(heading) = heading {
            block.text = format!("{}: {}", heading.text, block.text);
            block.kind = BlockKind::ListItem;
            named.push(block);
            continue;
        }
        match named.last_mut() {
            Some(last)
                if is_text(last) && last.text.chars().count() <= LONGEST_NAME && !has_price(&last.text) =>
            {
                last.text = format!("{}: {}", last.text.trim_end_matches(':'), block.text);
            }
            _ => {
                block.kind = BlockKind::Paragraph;
                named.push(block);
            }
        }
    }
    named
}

fn is_text(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_recognised() {
        for text in ["£4.50", "4,50", "ab 12 €", "12 EUR", "3,-", "$1,200.00", "32,00 zł"] {
            assert!(is_price(text), "{text}");
        }
        for text in ["12", "Monday", "2024", "room 4.50 and more than that £3", "8:30"] {
            assert!(!is_price(text), "{text}");
        }
    }

    #[test]
    fn prices_join_their_names() {
        let blocks = |list: &[(BlockKind, &str)]| -> Vec<Block> {
            list.iter().map(|(kind, text)| Block::new(*kind, *text)).collect()
        };
        let texts = |list: &[(BlockKind, &str)]| -> Vec<String> {
            with_names(blocks(list)).into_iter().map(|block| block.text).collect()
        };
        let (heading, paragraph) = (BlockKind::Heading(4), BlockKind::Paragraph);
        assert_eq!(texts(&[(paragraph, "Soup"), (paragraph, "£4.50")]), ["Soup: £4.50"]);
        assert_eq!(texts(&[(heading, "Soup"), (paragraph, "£4.50")]), ["Soup", "Soup: £4.50"]);
        assert_eq!(
            texts(&[(heading, "Soup"), (paragraph, "With bread"), (paragraph, "£4.50")]),
            ["Soup", "With bread", "Soup: £4.50"]
        );
        assert_eq!(texts(&[(paragraph, "£4.50")]), ["£4.50"]);
        assert_eq!(texts(&[(heading, "Soup"), (heading, "£4.50")]), ["Soup", "Soup: £4.50"]);
    }
}
