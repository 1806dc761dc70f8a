//! The script of the demonstration is consistent, whenever it is performed.

use std::collections::BTreeSet;

use super::*;

/// How long before the beginning the last of what has happened did: performing it takes a moment, too.
const LATEST: SignedDuration = SignedDuration::from_mins(2);

/// The beginnings of demonstrations: at every hour of two weeks, of which one has a change of the clock.
fn beginnings() -> impl Iterator<Item = Timestamp> {
    let weeks = ["2026-11-26T00:20:00Z", "2027-03-27T00:20:00Z"];
    weeks.into_iter().flat_map(|first| {
        let first: Timestamp = first.parse().unwrap();
        (0..7 * 24).map(move |hours| first + SignedDuration::from_hours(hours))
    })
}

#[test]
fn it_has_happened_in_order_whenever_it_begins() {
    let script = Script::read();
    for now in beginnings() {
        let moments = Moments::at(now);
        let steps = script.schedule(&moments).unwrap();
        let mut known: BTreeSet<String> = ["chatbot", "nora"]
            .into_iter()
            .chain(script.members.iter().map(|member| member.key.as_str()))
            .map(str::to_owned)
            .collect();
        let mut last = vec![0; script.stories.len()];
        for (moment, index, story, step) in steps {
            assert!(moment + LATEST <= now, "{now}: `{}` ends at {moment}", story.name);
            let number = story.steps.iter().position(|other| std::ptr::eq(other, step)).unwrap();
            assert_eq!(number, last[index], "{now}: the steps of `{}` change places", story.name);
            last[index] = number + 1;
            for name in step.names() {
                let is_known =
                    known.contains(name) || moments.moment(name).is_some() || moments.date(name).is_some();
                assert!(is_known, "{now}: `{}` names {name} too early", story.name);
            }
            known.extend(step.keep.keys().cloned());
            known.extend(contacts(step));
            if let Act::Says(_) = step.act {
                known.insert(format!("conversation {}", story.name));
            }
            if let Act::OpensQuestion(_) = step.act {
                known.insert("question".to_owned());
            }
            if let Act::Mails(thread) = &step.act {
                assert!(known.contains(thread), "{now}: `{}` replies to {thread} too early", story.name);
            }
        }
    }
}

/// The contacts that are known from a step on, as others name them.
fn contacts(step: &Step) -> Vec<String> {
    let claims = match &step.act {
        Act::Introduces(claims) => claims,
        Act::Post(_) => match &step.body {
            Some(body) => body.get("contact").unwrap_or(body),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    claims["email"].as_str().map(|email| format!("contact {email}")).into_iter().collect()
}

#[test]
fn its_people_are_invented() {
    let script = Script::read();
    let people: BTreeSet<&str> =
        script.members.iter().map(|member| member.key.as_str()).chain(["nora"]).collect();
    let names: BTreeSet<&str> = script.stories.iter().map(|story| story.name.as_str()).collect();
    assert_eq!(names.len(), script.stories.len(), "two stories have the same name");
    for story in &script.stories {
        for step in &story.steps {
            let text = format!("{:?} {:?}", step.act, step.body);
            let by = step.by.as_deref();
            assert!(by.is_none_or(|by| people.contains(by)), "`{}`: {by:?} is nobody", story.name);
            for (at, _) in text.match_indices('@') {
                let host: String = text[at + 1..]
                    .chars()
                    .take_while(|character| character.is_ascii_alphanumeric() || ".-".contains(*character))
                    .collect();
                let host = host.trim_end_matches('.');
                let is_reserved = host.ends_with(".example") || host.starts_with("example.");
                assert!(is_reserved, "`{}`: {host} may exist", story.name);
            }
            // The numbers that are kept for fiction in the United Kingdom and in Berlin.
            for (at, _) in text.match_indices("+4") {
                let number = &text[at..];
                let is_reserved = ["+44 1632 960 ", "+44 7700 900 ", "+49 30 23125 "];
                assert!(
                    is_reserved.iter().any(|prefix| number.starts_with(prefix)),
                    "`{}`: {number}",
                    story.name
                );
            }
        }
    }
}
