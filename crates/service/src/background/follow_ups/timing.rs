//! Times of follow-ups: send windows, repeats, and the next attempt, in the time zone of the follow-up.
//!
//! Everything is computed from civil times, so "9 o'clock" stays 9 o'clock when the clocks change. A civil
//! time that a change skips is moved forward by the length of the gap, and of a time that occurs twice the
//! earlier one is meant.

use std::str::FromStr;

use jiff::{
    SignedDuration, Span, Timestamp,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};

/// Days that are searched for an open send window. A window opens once a week at least, and a gap of the
/// clock can swallow one of them.
const HORIZON_DAYS: i64 = 15;

/// Why a send window cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum WindowError {
    /// A time is not written as `HH:MM`.
    #[error("must be a time of day between 00:00 and 23:59, such as 09:00")]
    Time {
        /// The member of the window.
        member: &'static str,
    },
    /// The window has no length.
    #[error("must differ from `from`; leave out `send_window` to send at any time")]
    Empty,
    /// A weekday is not known.
    #[error("must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday")]
    Weekday {
        /// Its place in the list.
        position: usize,
    },
}

impl WindowError {
    /// The member of the window with the problem.
    pub(crate) fn field(&self) -> String {
        match self {
            Self::Time { member } => (*member).to_owned(),
            Self::Empty => "to".to_owned(),
            Self::Weekday { position } => format!("weekdays.{position}"),
        }
    }
}

/// The hours in which a follow-up may be sent. A window whose end is before its beginning goes over midnight,
/// and belongs to the day on which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SendWindow {
    from: Time,
    to: Time,
    /// Empty for all days.
    weekdays: Vec<Weekday>,
}

impl SendWindow {
    /// Reads a window. No weekdays means all of them.
    pub(crate) fn parse<'a>(
        from: &str,
        to: &str,
        weekdays: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, WindowError> {
        let time = |member, text| time_of_day(text).ok_or(WindowError::Time { member });
        let (from, to) = (time("from", from)?, time("to", to)?);
        if from == to {
            return Err(WindowError::Empty);
        }
        let weekdays = weekdays
            .into_iter()
            .enumerate()
            .map(|(position, name)| weekday(name).ok_or(WindowError::Weekday { position }));
        Ok(Self { from, to, weekdays: weekdays.collect::<Result<_, _>>()? })
    }

    /// Returns the first moment of the window that is not before `earliest`, or `None` if no window opens
    /// within two weeks.
    pub(crate) fn next(&self, zone: &TimeZone, earliest: Timestamp) -> Option<Timestamp> {
        let today = earliest.to_zoned(zone.clone()).date();
        (-1..=HORIZON_DAYS).find_map(|days| {
            let day = today.checked_add(Span::new().days(days)).ok()?;
            if !self.weekdays.is_empty() && !self.weekdays.contains(&day.weekday()) {
                return None;
            }
            let last = if self.to < self.from { day.tomorrow().ok()? } else { day };
            let (opens, closes) = (moment(zone, day, self.from)?, moment(zone, last, self.to)?);
            let first = opens.max(earliest);
            (first < closes).then_some(first)
        })
    }
}

/// Reads a time of day in the form `HH:MM`.
fn time_of_day(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let is_number = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The moment of a civil time.
fn moment(zone: &TimeZone, day: Date, time: Time) -> Option<Timestamp> {
    Some(day.to_datetime(time.round(jiff::Unit::Microsecond).ok()?).to_zoned(zone.clone()).ok()?.timestamp())
}

/// How often a follow-up is sent again while nobody answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Once only.
    Never,
    /// At the same time of the following days.
    Daily,
    /// At the same time and weekday of the following weeks.
    Weekly,
}

impl FromStr for Repeat {
    type Err = UnknownRepeat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "none" => Ok(Self::Never),
            "daily" => Ok(Self::Daily),
            "weekly" => Ok(Self::Weekly),
            _ => Err(UnknownRepeat),
        }
    }
}

/// A stored repeat interval is none of this version.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the repeat interval is not known")]
pub(crate) struct UnknownRepeat;

/// Reads the name of a time zone of the IANA database, which is part of the program. Returns `None` if there
/// is no such zone.
pub(crate) fn time_zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// The plan of a follow-up.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The zone of all civil times.
    pub(crate) zone: TimeZone,
    /// When the first attempt was planned, before the window was considered. Repeats keep its time of day.
    pub(crate) anchor: Timestamp,
    /// The hours in which it may be sent; `None` for any time.
    pub(crate) window: Option<SendWindow>,
    /// How often it is sent again.
    pub(crate) repeat: Repeat,
}

impl Plan {
    /// Returns when an attempt that is planned for `planned` may be sent, not before `now`. `None` if its
    /// window never opens.
    pub(crate) fn permitted(&self, planned: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let earliest = planned.max(now);
        match &self.window {
            Some(window) => window.next(&self.zone, earliest),
            None => Some(earliest),
        }
    }

    /// Returns when the attempt after one that was sent at `sent` may be sent; `None` if there is none.
    ///
    /// At least half an interval lies between two attempts, so that one that was late is not followed by the
    /// next one at once.
    pub(crate) fn after(&self, sent: Timestamp) -> Option<Timestamp> {
        let days = match self.repeat {
            Repeat::Never => return None,
            Repeat::Daily => 1,
            Repeat::Weekly => 7,
        };
        let half = SignedDuration::from_hours(12 * days);
        let earliest = sent.checked_add(half).ok()?;
        let anchor = self.anchor.to_zoned(self.zone.clone());
        let elapsed = self.anchor.duration_until(earliest).as_hours() / (24 * days);
        // One more than have elapsed, or two if a change of the clock made them shorter.
        let planned = (elapsed.max(1)..).take(3).find_map(|count| {
            let planned = anchor.checked_add(Span::new().days(count * days)).ok()?.timestamp();
            (planned >= earliest).then_some(planned)
        })?;
        self.permitted(planned, planned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        time_zone(name).unwrap()
    }

    fn window(from: &str, to: &str, weekdays: &[&str]) -> SendWindow {
        SendWindow::parse(from, to, weekdays.iter().copied()).unwrap()
    }

    const WORKDAYS: [&str; 5] = ["monday", "tuesday", "wednesday", "thursday", "friday"];

    #[test]
    fn time_zones_need_no_files() {
        // The bundled database, not that of the system.
        assert!(jiff::tz::TimeZoneDatabase::bundled().get("Europe/Berlin").is_ok());
        assert!(time_zone("Europe/Berlin").is_some() && time_zone("UTC").is_some());
        assert!(time_zone("Europe/Atlantis").is_none() && time_zone("").is_none());
    }

    #[test]
    fn a_window_waits_for_its_hours_and_days() {
        let (berlin, window) = (zone("Europe/Berlin"), window("09:00", "17:00", &WORKDAYS));
        // Friday in winter: 09:00 in Berlin is 08:00 UTC.
        for (earliest, expected) in [
            ("2026-11-20T07:59:59Z", "2026-11-20T08:00:00Z"),
            ("2026-11-20T12:34:56Z", "2026-11-20T12:34:56Z"),
            ("2026-11-20T15:59:59Z", "2026-11-20T15:59:59Z"),
            // Closed from the end on; the next day is Monday.
            ("2026-11-20T16:00:00Z", "2026-11-23T08:00:00Z"),
            ("2026-11-22T10:00:00Z", "2026-11-23T08:00:00Z"),
        ] {
            assert_eq!(window.next(&berlin, at(earliest)), Some(at(expected)), "{earliest}");
        }
    }

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_on_which_it_begins() {
        let utc = zone("UTC");
        let friday_night = window("22:00", "02:00", &["friday"]);
        for (earliest, expected) in [
            ("2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z"),
            ("2026-11-20T23:00:00Z", "2026-11-20T23:00:00Z"),
            ("2026-11-21T01:59:00Z", "2026-11-21T01:59:00Z"),
            ("2026-11-21T02:00:00Z", "2026-11-27T22:00:00Z"),
            // Thursday night is none of Friday's.
            ("2026-11-20T01:00:00Z", "2026-11-20T22:00:00Z"),
        ] {
            assert_eq!(friday_night.next(&utc, at(earliest)), Some(at(expected)), "{earliest}");
        }
    }

    #[test]
    fn windows_survive_changes_of_the_clock() {
        let berlin = zone("Europe/Berlin");
        // On 2026-03-29 the hour from 02:00 to 03:00 does not exist: the window has no length that day.
        let night = window("02:15", "02:45", &[]);
        assert_eq!(night.next(&berlin, at("2026-03-28T12:00:00Z")), Some(at("2026-03-29T01:15:00Z")));
        let swallowed = window("02:30", "03:00", &[]);
        assert_eq!(swallowed.next(&berlin, at("2026-03-28T12:00:00Z")), Some(at("2026-03-30T00:30:00Z")));
        // On 2026-10-25 that hour occurs twice; the first one is meant.
        assert_eq!(night.next(&berlin, at("2026-10-24T12:00:00Z")), Some(at("2026-10-25T00:15:00Z")));
        assert_eq!(night.next(&berlin, at("2026-10-25T01:20:00Z")), Some(at("2026-10-26T01:15:00Z")));
        // 09:00 stays 09:00.
        let morning = window("09:00", "10:00", &[]);
        assert_eq!(morning.next(&berlin, at("2026-03-28T12:00:00Z")), Some(at("2026-03-29T07:00:00Z")));
        assert_eq!(morning.next(&berlin, at("2026-03-27T12:00:00Z")), Some(at("2026-03-28T08:00:00Z")));
    }

    #[test]
    fn windows_that_cannot_be_used_say_which_member_is_wrong() {
        let error = |from, to, days: &[&str]| SendWindow::parse(from, to, days.iter().copied()).unwrap_err();
        for from in ["9:00", "24:00", "09:60", "0900", "+9:00", "09:00:00", "", "ab:cd"] {
            assert_eq!(error(from, "17:00", &[]).field(), "from", "{from}");
        }
        assert_eq!(error("09:00", "7", &[]).field(), "to");
        assert_eq!(error("09:00", "09:00", &[]), WindowError::Empty);
        assert_eq!(error("09:00", "10:00", &["monday", "Friday"]).field(), "weekdays.1");
    }

    fn plan(repeat: Repeat, zone_name: &str, anchor: &str) -> Plan {
        Plan { zone: zone(zone_name), anchor: at(anchor), window: None, repeat }
    }

    #[test]
    fn repeats_keep_the_time_of_day_over_changes_of_the_clock() {
        // 09:00 in New York, a day before summer time begins.
        let daily = plan(Repeat::Daily, "America/New_York", "2026-03-07T14:00:00Z");
        assert_eq!(daily.after(at("2026-03-07T14:00:03Z")), Some(at("2026-03-08T13:00:00Z")));
        // 02:30 does not exist on March 8, and is 02:30 again the day after.
        let gap = plan(Repeat::Daily, "America/New_York", "2026-03-07T07:30:00Z");
        assert_eq!(gap.after(at("2026-03-07T07:30:00Z")), Some(at("2026-03-08T07:30:00Z")));
        assert_eq!(gap.after(at("2026-03-08T07:30:00Z")), Some(at("2026-03-09T06:30:00Z")));
        let weekly = plan(Repeat::Weekly, "Europe/Berlin", "2026-10-20T08:00:00Z");
        assert_eq!(weekly.after(at("2026-10-20T08:00:00Z")), Some(at("2026-10-27T09:00:00Z")));
        assert_eq!(
            plan(Repeat::Never, "UTC", "2026-10-20T08:00:00Z").after(at("2026-10-20T08:00:00Z")),
            None
        );
    }

    #[test]
    fn a_late_attempt_is_not_followed_by_the_next_at_once() {
        let daily = plan(Repeat::Daily, "UTC", "2026-11-02T09:00:00Z");
        assert_eq!(daily.after(at("2026-11-05T08:50:00Z")), Some(at("2026-11-06T09:00:00Z")));
        assert_eq!(daily.after(at("2026-11-05T20:00:00Z")), Some(at("2026-11-06T09:00:00Z")));
        assert_eq!(daily.after(at("2026-11-05T21:00:01Z")), Some(at("2026-11-07T09:00:00Z")));
    }

    #[test]
    fn repeats_never_come_closer_than_half_an_interval() {
        for (repeat, days) in [(Repeat::Daily, 1_i64), (Repeat::Weekly, 7)] {
            let plan = plan(repeat, "Europe/Berlin", "2026-10-01T00:30:00Z");
            let mut sent = plan.anchor;
            for minutes in 0..400_i64 {
                let late = SignedDuration::from_mins(minutes * 37 % 4000);
                sent += late;
                let next = plan.after(sent).unwrap();
                let wait = sent.duration_until(next).as_hours();
                assert!((12 * days..=36 * days + 1).contains(&wait), "{repeat:?} {sent} {next}");
                sent = next;
            }
        }
    }

    #[test]
    fn a_repeat_waits_for_the_window() {
        let plan = Plan {
            window: Some(window("09:00", "17:00", &WORKDAYS)),
            ..plan(Repeat::Daily, "UTC", "2026-11-20T10:00:00Z")
        };
        assert_eq!(plan.after(at("2026-11-20T10:00:00Z")), Some(at("2026-11-23T09:00:00Z")));
        let now = at("2026-11-20T18:00:00Z");
        assert_eq!(plan.permitted(plan.anchor, now), Some(at("2026-11-23T09:00:00Z")));
    }
}
