//! Number formats of Office Open XML: a cell as the program shows it.
//!
//! A format has up to four sections: for positive numbers, negative numbers, zero and text. A section that is
//! not understood shows the plain value. Separators are those of English, and dates of the system's own
//! format are ISO 8601, because a file does not say how its owner's computer shows them.

mod date;
mod decimal;
mod digits;
mod fraction;
mod names;
mod number;
mod number_part;
mod section;
mod sign;

use self::section::{Kind, Section};

/// Numbers of the built-in formats that mean the date format of the computer.
const SYSTEM_DATE_IDS: [u32; 2] = [14, 22];

/// Longest format that is interpreted.
const MAX_CODE_BYTES: usize = 1_000;

/// A number format.
#[derive(Debug, Clone)]
pub(super) struct Format {
    sections: Vec<Section>,
    is_system_date: bool,
}

impl Format {
    /// Reads a format; `id` is its number, which names the built-in ones.
    pub(super) fn new(code: &str, id: Option<u32>) -> Self {
        Self {
            sections: match code.trim() {
                "" => Vec::new(),
                // Programs write up to 255 characters.
                code if code.len() > MAX_CODE_BYTES => Vec::new(),
                code => section::split(code).iter().map(|section| Section::parse(section)).collect(),
            },
            is_system_date: id.is_some_and(|id| SYSTEM_DATE_IDS.contains(&id)),
        }
    }

    /// Returns a number as the program shows it. `is_1904` says from which day dates are counted.
    pub(super) fn number(&self, value: f64, is_1904: bool) -> String {
        if !value.is_finite() {
            return String::new();
        }
        let (index, section) = self.section_of(value);
        let shown = match &section.kind {
            Kind::Date(parts) => {
                let style = date::Style { is_system: self.is_system_date || section.is_system_date };
                date::shown(parts, value, is_1904, section.language, style)
            }
            Kind::Number(parts) => {
                // The section for negative numbers says itself how they are marked.
                let is_for_negative = index == 1
                    && section.condition.is_none()
                    && self.sections[0].condition.is_none_or(|it| it.leaves_negatives());
                let value = if is_for_negative { value.abs() } else { value };
                let shown = number::shown(parts, value);
                // Red alone is lost in a text.
                if is_for_negative && section.has_color && !section.marks_negative() {
                    shown.map(|shown| format!("-{shown}"))
                } else {
                    shown
                }
            }
            Kind::Unknown => None,
        };
        shown.unwrap_or_else(|| decimal::plain(value)).trim().to_owned()
    }

    /// Returns a text as the program shows it.
    pub(super) fn text(&self, text: &str) -> String {
        let section = match self.sections.as_slice() {
            [.., last] if self.sections.len() == 4 => Some(last),
            sections => sections.iter().find(|section| section.has_text_place()),
        };
        match section {
            Some(Section { kind: Kind::Number(parts), .. }) => {
                number::with_value(parts, text).trim().to_owned()
            }
            _ => text.to_owned(),
        }
    }

    /// Returns the section for a number and its place.
    fn section_of(&self, value: f64) -> (usize, &Section) {
        let sections = match self.sections.as_slice() {
            // The last section is that of texts even if others are left out.
            [numbers @ .., last] if !numbers.is_empty() && last.has_text_place() => numbers,
            sections => sections,
        };
        let sections = &sections[..sections.len().min(3)];
        let has_conditions = sections.iter().any(|section| section.condition.is_some());
        let index = if has_conditions {
            sections
                .iter()
                .position(|section| section.condition.as_ref().is_some_and(|it| it.admits(value)))
                .or_else(|| sections.iter().position(|section| section.condition.is_none()))
                .unwrap_or_else(|| sections.len().saturating_sub(1))
        } else {
            match sections.len() {
                3 if value == 0.0 => 2,
                2.. if value < 0.0 => 1,
                _ => 0,
            }
        };
        (index, sections.get(index).unwrap_or(&section::GENERAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, code: &str) -> String {
        Format::new(code, None).number(value, false)
    }

    #[test]
    fn numbers_are_shown_in_their_format() {
        for (value, format, expected) in [
            (3.5, "General", "3.5"),
            (0.1 + 0.2, "General", "0.3"),
            (12.0, "General", "12"),
            (3.5, "0.00", "3.50"),
            (2.675, "0.00", "2.68"),
            (0.15, "0%", "15%"),
            (0.155, "0.0%", "15.5%"),
            (1234.5, "#,##0.00", "1,234.50"),
            (1_234_567.0, "#,##0", "1,234,567"),
            (12_345_678.0, "#,##0.0,,\"M\"", "12.3M"),
            (12_345.0, "#,##0,", "12"),
            (3.5, "#,##0.00\\ \"€\"", "3.50 €"),
            (3.5, "[$€-407]#,##0.00", "€3.50"),
            (3.5, "#,##0.00\\ [$€-407];[Red]\\-#,##0.00", "3.50 €"),
            (1067.0, "00000", "01067"),
            (42.0, "0000", "0042"),
            (491_701_234_567.0, "+00 000 0000000", "+49 170 1234567"),
            (5_551_234.0, "###\\-####", "555-1234"),
            (0.5, "#.##", ".5"),
            (0.25, "0.###", "0.25"),
            (1.5, "# ?/?", "1 1/2"),
            (0.25, "# ?/?", "1/4"),
            (2.0, "# ?/?", "2"),
            (0.333_333, "# ??/??", "1/3"),
            (2.375, "# ?/8", "2 3/8"),
            (1.5e10, "0.00E+00", "1.50E+10"),
            (0.000_123, "0.0E+00", "1.2E-04"),
            (7.0, "@", "7"),
            (4.0, "0 \"pieces\"", "4 pieces"),
            (4.0, "\"from \"0\" €\"", "from 4 €"),
            (-0.001, "0.00", "0.00"),
            (f64::from(i32::MAX), "General", "2147483647"),
        ] {
            assert_eq!(shown(value, format), expected, "{format}");
        }
    }

    #[test]
    fn negative_numbers_and_zero_have_sections_of_their_own() {
        for (value, format, expected) in [
            (-3.5, "0.00", "-3.50"),
            (-3.5, "\"$\"#,##0.00_);(\"$\"#,##0.00)", "($3.50)"),
            (-1234.5, "#,##0.00;[Red]#,##0.00", "-1,234.50"),
            (-1234.5, "#,##0.00 €;[Red]-#,##0.00 €", "-1,234.50 €"),
            (5.0, "0\" credit\";0\" debit\"", "5 credit"),
            (-5.0, "0\" credit\";0\" debit\"", "5 debit"),
            (0.0, "_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", "$-"),
            (0.0, "0;-0;\"free\"", "free"),
            (0.0, "0;-0;", ""),
            (1.0, ";;;", ""),
            (150.0, "[>=100]\"many\";[<0]\"none\";0", "many"),
            (50.0, "[>=100]\"many\";[<0]\"none\";0", "50"),
            (1.0, "[=1]0 \"day\";0 \"days\"", "1 day"),
            (3.0, "[=1]0 \"day\";0 \"days\"", "3 days"),
            (-3.0, "[=1]0 \"day\";0 \"days\"", "-3 days"),
            (-3.0, "[>=0]0;(0)", "(3)"),
            (-3.0, "0;@", "-3"),
            (0.0, "0.00;-0.00;@", "0.00"),
        ] {
            assert_eq!(shown(value, format), expected, "{value} {format}");
        }
    }

    #[test]
    fn dates_and_times_are_shown_in_their_format() {
        for (value, format, expected) in [
            (45_943.0, "dd\\.mm\\.yyyy", "13.10.2025"),
            (45_943.0, "d/m/yy", "13/10/25"),
            (45_943.0, "yyyy-mm-dd", "2025-10-13"),
            (45_943.0, "dddd, d mmmm yyyy", "Monday, 13 October 2025"),
            (45_943.0, "[$-407]dddd, d. mmmm yyyy", "Montag, 13. Oktober 2025"),
            (45_943.0, "[$-40C]mmm yy", "oct. 25"),
            (45_943.0, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "2025-10-13"),
            (45_943.541, "d.m.yyyy h:mm", "13.10.2025 12:59"),
            (0.75, "h:mm AM/PM", "6:00 PM"),
            (0.0, "hh:mm AM/PM", "12:00 AM"),
            (0.333_333_333, "hh:mm", "08:00"),
            (0.5, "h\" o'clock\"", "12 o'clock"),
            (1.5, "[h]:mm", "36:00"),
            (1.5, "[hh]:mm:ss", "36:00:00"),
            (-0.0625, "[h]:mm", "-1:30"),
            (0.0625, "[mm]", "90"),
            (0.0625, "[m]\" minutes\"", "90 minutes"),
            (0.001_041_7, "mm:ss", "01:30"),
            (0.000_017_36, "ss.0", "01.5"),
            (60.0, "d/m/yyyy", "29/2/1900"),
        ] {
            assert_eq!(shown(value, format), expected, "{value} {format}");
        }
        assert_eq!(Format::new("mm-dd-yy", Some(14)).number(45_943.0, false), "2025-10-13");
        assert_eq!(Format::new("m/d/yy h:mm", Some(22)).number(45_943.5, false), "2025-10-13 12:00");
        assert_eq!(Format::new("d.m.yyyy", None).number(0.0, true), "1.1.1904");
        // There is no such day.
        assert_eq!(shown(-5.0, "d.m.yyyy"), "-5");
        assert_eq!(shown(1e9, "d.m.yyyy"), "1000000000");
    }

    #[test]
    fn texts_have_a_section_too() {
        for (format, expected) in [
            ("General", "A1"),
            ("@", "A1"),
            ("\"No. \"@", "No. A1"),
            ("0;-0;0;@\" (old)\"", "A1 (old)"),
            (";;;", ""),
            ("0.00", "A1"),
            ("0;-0;0;General", "A1"),
        ] {
            assert_eq!(Format::new(format, None).text("A1"), expected, "{format}");
        }
    }

    #[test]
    fn strange_formats_show_something() {
        for format in [
            "",
            ";",
            "[",
            "\"",
            "\\",
            "[$",
            "0.0.0",
            "E+",
            "/",
            "0E",
            "[h",
            "####/####",
            "#,,,,",
            "yyyyyyyy",
            "[>]0",
        ] {
            for value in [0.0, -1.5, 1e300, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY] {
                let _ = shown(value, format);
            }
        }
    }
}
