//! Comma-separated values, and values separated by semicolons, tabs or bars.

use crate::{
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    table::{self, Header},
    web_text::decode,
};

/// Lines from which the separator is guessed.
const SAMPLE_LINES: usize = 20;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let text = decode(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(&text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut cells_left = limits.cells;
    for record in reader.records() {
        let record = record.map_err(|_| ExtractError::damaged("its rows cannot be read"))?;
        cells_left = cells_left.checked_sub(record.len()).ok_or(ExceededLimit::Cells(limits.cells))?;
        rows.push(record.iter().map(str::to_owned).collect());
    }
    let mut blocks = Blocks::new(limits);
    table::push(&mut blocks, rows, Header::Usual)?;
    Ok(Content::new(blocks))
}

/// Returns the separator that occurs most evenly: in the most lines, then most often.
fn delimiter(text: &str) -> u8 {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE_LINES).collect();
    let score = |candidate: &u8| {
        let counts = lines.iter().map(|line| line.bytes().filter(|byte| byte == candidate).count());
        let (mut with, mut all) = (0, 0);
        for count in counts {
            with += usize::from(count > 0);
            all += count;
        }
        (with, all)
    };
    // The last of equal candidates wins, so the usual one comes last.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(score).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_recognised() {
        for (text, expected) in [
            ("a,b\n1,2", b','),
            ("Gericht;Preis\nSuppe;6,50\nKuchen, klein;4,00", b';'),
            ("a\tb\n1\t2, 3", b'\t'),
            ("one column", b','),
        ] {
            assert_eq!(delimiter(text), expected, "{text}");
        }
    }
}
