//! Invitations (iCalendar, RFC 5545) as text: what, when and where.

/// Most lines that are read.
const MAX_LINES: usize = 10_000;

/// Longest description in characters.
const MAX_DESCRIPTION: usize = 5_000;

/// What is known of the first appointment.
#[derive(Default)]
struct Event {
    method: String,
    summary: Option<String>,
    location: Option<String>,
    description: Option<String>,
    start: Option<String>,
    end: Option<String>,
    answer: Option<String>,
}

/// Returns the first appointment of a calendar as text. `None` if there is none that says anything.
pub(crate) fn to_text(calendar: &str) -> Option<String> {
    let event = first_event(calendar);
    let kind = match (event.method.as_str(), event.answer.as_deref()) {
        ("REQUEST" | "ADD", _) => "Invitation".to_owned(),
        ("CANCEL", _) => "Cancelled".to_owned(),
        ("REPLY", Some(answer)) => format!("Response ({answer})"),
        ("REPLY" | "COUNTER", _) => "Response".to_owned(),
        _ => "Appointment".to_owned(),
    };
    let times: Vec<String> = [event.start, event.end].into_iter().flatten().collect();
    let time = match times.as_slice() {
        [start, end] => Some(span(start, end)),
        [start] => Some(start.clone()),
        _ => None,
    };
    if event.summary.is_none() && time.is_none() && event.location.is_none() && event.description.is_none() {
        return None;
    }
    let mut lines = vec![match event.summary {
        Some(summary) => format!("{kind}: {summary}"),
        None => kind,
    }];
    lines.extend(time);
    lines.extend(event.location);
    if let Some(description) = event.description {
        lines.push(String::new());
        lines.push(crate::plain::cut(&description, MAX_DESCRIPTION).to_owned());
    }
    Some(lines.join("\n"))
}

fn first_event(calendar: &str) -> Event {
    let mut event = Event::default();
    // The parts that contain the line, the innermost last.
    let mut within: Vec<String> = Vec::new();
    for line in unfolded(calendar) {
        let Some((name, parameters, value)) = property(&line) else { continue };
        match name.as_str() {
            "BEGIN" if within.len() < 20 => within.push(value.trim().to_ascii_uppercase()),
            "END" => {
                let ended = within.pop();
                if ended.is_some_and(|ended| matches!(ended.as_str(), "VEVENT" | "VTODO")) {
                    break;
                }
            }
            "METHOD" => event.method = value.trim().to_ascii_uppercase(),
            _ if !within.last().is_some_and(|part| matches!(part.as_str(), "VEVENT" | "VTODO")) => {}
            "SUMMARY" => event.summary = text(value),
            "LOCATION" => event.location = text(value),
            "DESCRIPTION" => event.description = text(value),
            "DTSTART" => event.start = time(value, &parameters),
            "DTEND" => event.end = time(value, &parameters).map(last_day),
            "DUE" => event.end = time(value, &parameters),
            "ATTENDEE" => {
                let answer = parameter(&parameters, "PARTSTAT").map(str::to_ascii_lowercase);
                event.answer = event.answer.or(answer);
            }
            _ => {}
        }
    }
    event
}

/// Returns the lines, of which long ones are continued after a line feed and a space.
fn unfolded(calendar: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in calendar.lines().take(MAX_LINES) {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Returns the name, the parameters and the value of a line. Parameters can have colons in quotes.
fn property(line: &str) -> Option<(String, String, &str)> {
    let mut is_quoted = false;
    let colon = line.find(|c: char| {
        is_quoted ^= c == '"';
        c == ':' && !is_quoted
    })?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    Some((name.trim().to_ascii_uppercase(), parameters.to_owned(), value))
}

fn parameter<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
    parameters
        .split(';')
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim_matches('"'))
}

fn text(value: &str) -> Option<String> {
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(escaped) => out.push(escaped),
                None => {}
            },
            other => out.push(other),
        }
    }
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

/// Returns a time as `2026-12-03 14:00 (Europe/Berlin)`.
fn time(value: &str, parameters: &str) -> Option<String> {
    let value = value.trim();
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let date = format!("{}-{}-{}", digits.get(..4)?, digits.get(4..6)?, digits.get(6..8)?);
    let Some(time) = digits.get(8..12) else { return Some(date) };
    let zone = match parameter(parameters, "TZID") {
        _ if value.ends_with(['Z', 'z']) => " (UTC)".to_owned(),
        Some(zone) => format!(" ({zone})"),
        None => String::new(),
    };
    Some(format!("{date} {}:{}{zone}", &time[..2], &time[2..]))
}

/// An appointment of whole days ends before the day that it names.
fn last_day(end: String) -> String {
    let day = end.parse::<jiff::civil::Date>().ok().filter(|_| end.len() == 10);
    day.and_then(|day| day.yesterday().ok()).map_or(end, |day| day.to_string())
}

/// Returns two times, of which the first leaves out the time zone and the second the date if they are equal.
fn span(start: &str, end: &str) -> String {
    let zone = |time: &str| time.split_once(" (").map_or(String::new(), |(_, zone)| format!(" ({zone}"));
    let start = match zone(start) {
        shared if !shared.is_empty() && shared == zone(end) => start.trim_end_matches(&shared),
        _ => start,
    };
    match (start.get(..11), end.get(..11)) {
        (Some(date), Some(same)) if date == same => format!("{start} – {}", &end[11..]),
        _ if start == end => start.to_owned(),
        _ => format!("{start} – {end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn appointments_say_what_when_and_where() {
        let event = |method: &str, lines: &str| {
            to_text(&format!(
                "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VTIMEZONE\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\n\
                 END:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n{lines}\r\nBEGIN:VALARM\r\nDESCRIPTION:x\r\nEND:VALARM\r\n\
                 END:VEVENT\r\nEND:VCALENDAR\r\n"
            ))
        };
        let lines = "DTSTART;TZID=Europe/Berlin:20261203T140000\r\nDTEND;TZID=Europe/Berlin:20261203T150000\r\n\
            SUMMARY;LANGUAGE=de:Besichti\r\n gung\\, Küche\r\nLOCATION:Hafenstr. 7\r\nDESCRIPTION:Bitte\\nklingeln";
        assert_eq!(
            event("REQUEST", lines).as_deref(),
            Some(
                "Invitation: Besichtigung, Küche\n2026-12-03 14:00 – 15:00 (Europe/Berlin)\nHafenstr. 7\n\nBitte\nklingeln"
            )
        );
        for (method, lines, text) in [
            ("CANCEL", "SUMMARY:Tea\r\nDTSTART:20261203T140000Z", "Cancelled: Tea\n2026-12-03 14:00 (UTC)"),
            (
                "REPLY",
                "ATTENDEE;CN=\"A: B\";PARTSTAT=ACCEPTED:mailto:a@b.example\r\nSUMMARY:Tea",
                "Response (accepted): Tea",
            ),
            (
                "PUBLISH",
                "SUMMARY:Fair\r\nDTSTART;VALUE=DATE:20261203\r\nDTEND;VALUE=DATE:20261205",
                "Appointment: Fair\n2026-12-03 – 2026-12-04",
            ),
        ] {
            assert_eq!(event(method, lines).as_deref(), Some(text));
        }
        assert_eq!(event("REQUEST", "UID:1"), None);
        assert_eq!(to_text("no calendar"), None);
    }
}
