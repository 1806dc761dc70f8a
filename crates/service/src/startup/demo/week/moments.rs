//! Moments of the script, which are relative to the start of the demonstration, in the time of the shop.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};

/// Where the shop is.
const TIME_ZONE: &str = "Europe/London";
/// When something that is due today is due at the earliest.
const END_OF_WORK: Time = Time::constant(17, 0, 0, 0);
/// In seconds.
const HALF_HOUR: i64 = 30 * 60;

/// Converts the moments of the script.
#[derive(Debug)]
pub(super) struct Moments {
    now: Timestamp,
    today: Date,
    zone: TimeZone,
}

/// Returns the moment some days earlier.
pub(super) fn days_before(now: Timestamp, days: i64) -> Timestamp {
    now.saturating_sub(SignedDuration::from_hours(24 * days)).unwrap_or(now)
}

impl Moments {
    pub(super) fn at(now: Timestamp) -> Self {
        let zone = TimeZone::get(TIME_ZONE).unwrap_or(TimeZone::UTC);
        Self { now, today: now.to_zoned(zone.clone()).date(), zone }
    }

    /// Returns the moment that a text of the script names: `25 minutes ago`, `3 days ago 10:15`,
    /// `3 open days ago 10:15`, `in 2 days 10:00`, `in 2 open days 10:00` or `today`. The shop is open from
    /// Tuesday to Saturday. `None` if the text has another form.
    pub(super) fn moment(&self, text: &str) -> Option<Timestamp> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["today"] => self.later_today(),
            [minutes, "minutes", "ago"] => {
                self.now.checked_sub(SignedDuration::from_mins(minutes.parse().ok()?)).ok()
            }
            [days, "days", "ago", time] => self.on(self.days(-days.parse::<i64>().ok()?)?, time),
            [days, "open", "days", "ago", time] => self.on(self.open_days(-days.parse::<i64>().ok()?)?, time),
            ["in", days, "days", time] => self.on(self.days(days.parse().ok()?)?, time),
            ["in", days, "open", "days", time] => self.on(self.open_days(days.parse().ok()?)?, time),
            _ => None,
        }
    }

    /// Returns the day that a text names, such as `date in 10 days`.
    pub(super) fn date(&self, text: &str) -> Option<Date> {
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["date", "in", days, "days"] => self.days(days.parse().ok()?),
            _ => None,
        }
    }

    fn days(&self, count: i64) -> Option<Date> {
        self.today.checked_add(SignedDuration::from_hours(24 * count)).ok()
    }

    /// Returns the day after some days on which the shop is open, or before them.
    fn open_days(&self, count: i64) -> Option<Date> {
        let step = SignedDuration::from_hours(24 * count.signum());
        let (mut day, mut left) = (self.today, count.abs());
        while left > 0 {
            day = day.checked_add(step).ok()?;
            if !matches!(day.weekday(), Weekday::Sunday | Weekday::Monday) {
                left -= 1;
            }
        }
        Some(day)
    }

    fn on(&self, day: Date, time: &str) -> Option<Timestamp> {
        let moment = day.to_datetime(time.parse().ok()?).to_zoned(self.zone.clone()).ok()?;
        Some(moment.timestamp())
    }

    /// Returns a half hour of today that is still to come.
    fn later_today(&self) -> Option<Timestamp> {
        let end = self.today.to_datetime(END_OF_WORK).to_zoned(self.zone.clone()).ok()?.timestamp();
        let half_hours = self.now.as_second().div_euclid(HALF_HOUR) + 2;
        let soon = Timestamp::from_second(half_hours * HALF_HOUR).ok()?;
        let midnight = self.today.tomorrow().ok()?.to_zoned(self.zone.clone()).ok()?.timestamp();
        let last = midnight.checked_sub(SignedDuration::from_secs(1)).ok()?;
        Some(end.max(soon).min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(now: &str, text: &str) -> String {
        Moments::at(now.parse().unwrap()).moment(text).map_or_else(String::new, |moment| moment.to_string())
    }

    #[test]
    fn moments_are_in_the_time_of_the_shop() {
        // A Tuesday.
        let winter = "2026-12-01T12:00:00Z";
        assert_eq!(moment(winter, "25 minutes ago"), "2026-12-01T11:35:00Z");
        assert_eq!(moment(winter, "3 days ago 10:15"), "2026-11-28T10:15:00Z");
        assert_eq!(moment(winter, "1 open days ago 10:15"), "2026-11-28T10:15:00Z");
        assert_eq!(moment(winter, "5 open days ago 10:15"), "2026-11-24T10:15:00Z");
        assert_eq!(moment(winter, "in 2 days 10:00"), "2026-12-03T10:00:00Z");
        assert_eq!(moment(winter, "in 5 open days 10:00"), "2026-12-08T10:00:00Z");
        assert_eq!(moment(winter, "yesterday"), "");
        assert_eq!(moment("2026-07-01T12:00:00Z", "1 days ago 10:15"), "2026-06-30T09:15:00Z");
        let date = Moments::at(winter.parse().unwrap()).date("date in 10 days");
        assert_eq!(date.unwrap().to_string(), "2026-12-11");
    }

    #[test]
    fn today_is_still_to_come() {
        assert_eq!(moment("2026-12-01T12:00:00Z", "today"), "2026-12-01T17:00:00Z");
        assert_eq!(moment("2026-12-01T18:10:00Z", "today"), "2026-12-01T19:00:00Z");
        assert_eq!(moment("2026-12-01T23:50:00Z", "today"), "2026-12-01T23:59:59Z");
    }
}
