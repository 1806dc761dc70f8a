//! Years that texts speak of.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::words::Words;

/// Words before a year in which something was so.
const IN: &str = "in|during|im|en|au|nel|nell|em|no|w|jahr|jahre|annee|ano|anno|jaar|roku|de|van";

/// Words before a year since which something is so.
const SINCE: &str = "since|from|seit|ab|depuis|desde|dal|sinds|vanaf|od|founded|established|gegrundet";

/// Returns whether a text says how something was in an earlier year, such as a price in news that are kept.
pub fn speaks_of_past_year(text: &str) -> bool {
    if !text.contains(|character: char| character.is_ascii_digit()) {
        return false;
    }
    let words = Words::of(text);
    (1..words.len()).any(|place| {
        let year = words.get(place).filter(|word| word.len() == 4).and_then(|word| word.parse::<u64>().ok());
        let is = |place: usize, pattern: &str| words.match_length(place, pattern).is_some();
        year.is_some_and(|year| (1900..this_year()).contains(&year))
            && is(place - 1, IN)
            && !(place > 1 && is(place - 2, SINCE))
    })
}

/// Returns the present year of the calendar, give or take a day.
fn this_year() -> u64 {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    1970 + days * 400 / DAYS_OF_400_YEARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_of_earlier_years_are_past() {
        for text in [
            "In 2019 a city bike cost 11 £ per day.",
            "Im Jahr 2018 war sonntags offen.",
            "En 2015 c'était gratuit.",
        ] {
            assert!(speaks_of_past_year(text), "{text}");
        }
        let next = format!("In {} it costs £5.", this_year() + 1);
        for text in ["Peat-free since 2011.", "Room 2019", "It costs 2019 euros.", "", "2019", &next] {
            assert!(!speaks_of_past_year(text), "{text}");
        }
    }
}
