//! When something is asked for: a day, a date or a time in a question belongs to what the question is about.
//!
//! "Do you deliver on Sundays?" is not answered by the opening hours of Sundays, and "Are you open on 25
//! December?" not by those of a weekday. If the content says when what is asked for takes place, only that
//! may be quoted first, and texts that say when something else does are not quoted at all.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Attribute, Attributes, Days, Period, names_holidays, names_opening, periods};

use super::facts::Facts;
use super::windows::{Segment, Shape, Source, Window};

/// Least share of the words of what is asked about that a text must have to say when that is.
const LEAST_SHARE: f64 = 0.25;

/// Least nearness in meaning of a text about the same thing, where the content has none of the words, as in
/// another language.
const LEAST_NEARNESS: f64 = 0.5;

/// How much a word counts that only the headings above a text have.
const OF_HEADINGS: f64 = 0.5;

/// Windows that are at most this much worse than the best one may be quoted first.
const MARGIN: f64 = 0.26;

/// Most days of a period that is an exception, which comes before a rule such as the hours of a season.
const EXCEPTION: u16 = 62;

/// What a question says of when.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Timing {
    days: Days,
    periods: Vec<Period>,
    is_holiday: bool,
    has_time: bool,
    /// Whether the question asks when something is open, by its words or because it asks for nothing else.
    asks_hours: bool,
    /// A bit for each word that names what the question is about and the content has.
    subject: u64,
    /// Whether the question asks for nothing but when something is open.
    is_bare: bool,
}

/// What a segment says of parts of the year.
#[derive(Debug, Clone, Default)]
struct Dates {
    periods: Vec<Period>,
    holidays: bool,
}

impl Dates {
    /// Returns what each segment says.
    fn of(source: &Source<'_>, segments: &[Segment]) -> Vec<Self> {
        let dates = |segment: &Segment| {
            let text = &source.passage.text[segment.range.clone()];
            Self { periods: periods(text), holidays: names_holidays(text) }
        };
        segments.iter().map(dates).collect()
    }
}

/// What the segments of all sources say of parts of the year, by source and segment. Empty if the question
/// names none.
type Calendar = Vec<Vec<Dates>>;

impl Timing {
    /// Returns what a question says of when, or `None` if it says nothing. `subject` has a bit for each word
    /// that names what it is about and the content has; `has_subject` tells whether it has any such word.
    pub(super) fn of(question: &str, asked: Attributes, subject: u64, has_subject: bool) -> Option<Self> {
        let periods = periods(question);
        let is_holiday = names_holidays(question) || periods.iter().any(|period| period.is_public_holiday());
        let has_time = frontdesk_knowledge::given(question).contains(Attribute::Hours);
        let says_when = !asked.days.is_empty() || !periods.is_empty() || is_holiday || has_time;
        says_when.then(|| Self {
            days: asked.days,
            periods,
            is_holiday,
            has_time,
            asks_hours: asked.contains(Attribute::Hours) || !has_subject,
            subject,
            is_bare: !has_subject,
        })
    }

    /// Returns the windows that may be quoted, with whether each may be quoted first.
    pub(super) fn restrict(&self, found: Vec<Window>, sources: &[Source<'_>]) -> Vec<(Window, bool)> {
        let calendar = self.calendar(sources);
        let fits: Vec<Option<f64>> =
            found.iter().map(|window| self.fit(window, sources, &calendar)).collect();
        let best = fits.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_known = best > f64::NEG_INFINITY;
        let is_first = |fit: Option<f64>| fit.is_some_and(|fit| fit >= best - MARGIN);
        let firsts = found.iter().zip(&fits).filter(|(_, fit)| is_first(**fit));
        let origins: BTreeSet<usize> = firsts.map(|(window, _)| window.source).collect();
        let rated = found.into_iter().zip(fits);
        rated
            .filter_map(|(window, fit)| {
                let is_first = is_first(fit);
                let may_stay = is_first
                    || (!self.is_about_another_time(&window, sources, &calendar, is_known)
                        && (!is_known || origins.contains(&window.source)));
                let leads = !is_known || is_first;
                (may_stay && !(is_first && self.has_another_day(&window, sources))).then_some((window, leads))
            })
            .collect()
    }

    /// Returns whether the question is about a feast of which no source says anything. The hours of its
    /// weekday would be taken for those of the feast.
    pub(super) fn is_about_unknown_feast(&self, sources: &[Source<'_>]) -> bool {
        let is_feast = |period: &&Period| period.is_public_holiday() || period.is_movable();
        let feasts: Vec<Period> = self.periods.iter().filter(is_feast).copied().collect();
        let is_mentioned = |dates: &Dates| {
            dates.holidays
                || dates.periods.iter().any(|stated| feasts.iter().any(|feast| feast.overlaps(*stated)))
        };
        !feasts.is_empty() && !self.calendar(sources).iter().flatten().any(is_mentioned)
    }

    /// Returns whether the question names parts of the year, so that those of the sources matter.
    fn names_dates(&self) -> bool {
        !self.periods.is_empty() || self.is_holiday
    }

    fn calendar(&self, sources: &[Source<'_>]) -> Calendar {
        if !self.names_dates() {
            return Calendar::new();
        }
        sources.iter().map(|source| Dates::of(source, &source.segments)).collect()
    }

    /// Returns how well a window says when that is what the question is about, or `None` if it does not.
    fn fit(&self, window: &Window, sources: &[Source<'_>], calendar: &Calendar) -> Option<f64> {
        let source = &sources[window.source];
        let facts = Facts::of(window, sources);
        let dates = calendar.get(window.source).map_or(&[][..], |dates| &dates[window.segments.clone()]);
        let covered = self.covered(facts.given, dates);
        let has_hours = facts.given.contains(Attribute::Hours);
        // The days of something are an answer even if the one that is asked for is none of them. Dates are
        // too different for that.
        let has_days = !self.days.is_empty() && (!facts.given.days.is_empty() || has_hours);
        if covered == 0.0 && !has_days && !(self.has_time && has_hours) {
            return None;
        }
        let headings = headings_above(window, source);
        let (about, is_about) = if self.subject == 0 && !self.asks_hours {
            let nearness = facts.nearness_best.unwrap_or_default().clamp(0.0, 1.0);
            (nearness, nearness >= LEAST_NEARNESS)
        } else {
            let words =
                words_of_times(&source.segments[window.segments.clone()], dates).unwrap_or(facts.words);
            let about = self.share(words) + OF_HEADINGS * self.share(headings & !words);
            (about, about >= LEAST_SHARE)
        };
        let opening = self.asks_hours && {
            let text = window.text(sources);
            facts.given.contains(Attribute::Opening) || names_opening(text)
        };
        let is_answer = is_about || (opening && covered > 0.0);
        is_answer.then_some(about + covered + if opening { 0.5 } else { 0.0 })
    }

    /// Returns how well a text covers the time that is asked for.
    fn covered(&self, given: Attributes, dates: &[Dates]) -> f64 {
        let stated = dates.iter().flat_map(|dates| &dates.periods);
        let date = stated
            .filter(|stated| {
                self.periods
                    .iter()
                    .any(|asked| asked.overlaps(**stated) && !self.is_break_of(*asked, **stated))
            })
            .map(|stated| if stated.days() <= EXCEPTION { 1.5 } else { 1.0 })
            .fold(0.0, f64::max);
        let holiday = if self.is_holiday && dates.iter().any(|dates| dates.holidays) { 0.7 } else { 0.0 };
        let day = if self.days.is_empty() || given.days.intersection(self.days).is_empty() {
            0.0
        } else if given.days.covers(self.days) {
            0.5
        } else {
            0.3
        };
        date.max(holiday) + day
    }

    /// Returns whether a period is a break in a season, of which a day of the week is asked for.
    fn is_break_of(&self, season: Period, stated: Period) -> bool {
        !self.days.is_empty() && season.days() > EXCEPTION && stated.days() <= EXCEPTION
    }

    /// Returns whether a window says of the time that is asked for whether something is open, and the
    /// question asks for nothing else.
    pub(super) fn is_answered_by(&self, window: &Window, sources: &[Source<'_>]) -> bool {
        if !self.is_bare {
            return false;
        }
        let given = Facts::of(window, sources).given;
        let source = &sources[window.source];
        let dates = if self.names_dates() {
            Dates::of(source, &source.segments[window.segments.clone()])
        } else {
            Vec::new()
        };
        let opening = || given.contains(Attribute::Opening) || names_opening(window.text(sources));
        self.covered(given, &dates) >= 0.5 && opening()
    }

    /// Returns how many of the words of what is asked about a text has. All count alike: on the page of a
    /// shop for bicycles, that word is common, and says no less what is asked about.
    fn share(&self, words: u64) -> f64 {
        let all = self.subject.count_ones();
        if all > 0 { f64::from((words & self.subject).count_ones()) / f64::from(all) } else { 0.0 }
    }

    /// Returns whether a window says when something else is. Without a text that says when what is asked for
    /// takes place, opening hours may only be quoted if they are asked for: otherwise they would imply a yes.
    fn is_about_another_time(
        &self,
        window: &Window,
        sources: &[Source<'_>],
        calendar: &Calendar,
        is_known: bool,
    ) -> bool {
        let source = &sources[window.source];
        let dates = calendar.get(window.source).map_or(&[][..], |dates| &dates[window.segments.clone()]);
        let run = &source.segments[window.segments.clone()];
        let says_when = |given: Attributes| !given.days.is_empty() || given.contains(Attribute::Hours);
        if is_known {
            return run.iter().any(|segment| says_when(segment.given))
                || dates.iter().any(|dates| !dates.periods.is_empty());
        }
        let facts = Facts::of(window, sources);
        let about = self.share(facts.words | headings_above(window, source));
        let is_timed = !self.days.is_empty() || self.has_time;
        is_timed
            && !self.asks_hours
            && about < LEAST_SHARE
            && run.iter().any(|segment| says_when(segment.given))
    }

    /// Returns whether a row of a window states the hours of another day than the one that is asked for,
    /// beside those of that.
    fn has_another_day(&self, window: &Window, sources: &[Source<'_>]) -> bool {
        let run = &sources[window.source].segments[window.segments.clone()];
        let is_of_day = |segment: &Segment| !segment.given.days.intersection(self.days).is_empty();
        let is_of_another = |segment: &Segment| {
            segment.shape == Shape::Item
                && segment.given.contains(Attribute::Hours)
                && !segment.given.days.is_empty()
                && !is_of_day(segment)
        };
        !self.days.is_empty() && run.iter().any(is_of_day) && run.iter().any(is_of_another)
    }
}

/// Returns the words of the rows that say when something is, or `None` if sentences do. A row speaks for
/// itself: "One class a week" does not say that "Gym floor: at weekends", the row above it, is about classes.
fn words_of_times(run: &[Segment], dates: &[Dates]) -> Option<u64> {
    let has_dates =
        |at: usize| dates.get(at).is_some_and(|dates| dates.holidays || !dates.periods.is_empty());
    let says_when = |(at, segment): &(usize, &Segment)| {
        !segment.given.days.is_empty() || segment.given.contains(Attribute::Hours) || has_dates(*at)
    };
    let mut timed = run.iter().enumerate().filter(says_when).map(|(_, segment)| segment).peekable();
    timed.peek()?;
    timed.try_fold(0, |words, segment| (segment.shape == Shape::Item).then_some(words | segment.words))
}

/// Returns the words of the headings above a window: those of the passage, and those that follow each other
/// directly above it, of which the first often has the subject ("Classes", "Week plan").
fn headings_above(window: &Window, source: &Source<'_>) -> u64 {
    let is_heading = |segment: &&Segment| matches!(segment.shape, Shape::Heading | Shape::Question);
    let above = source.segments[..window.segments.start].iter().rev();
    let nearest = above.skip_while(|segment| !is_heading(segment)).take_while(is_heading);
    nearest.fold(source.heading_words, |words, segment| words | segment.words)
}
