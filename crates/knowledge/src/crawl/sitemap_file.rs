//! Sitemap files (sitemaps.org protocol 0.9): XML, gzip-compressed XML, indexes of sitemaps, and plain lists.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Most addresses read from one file, the protocol's own limit.
const MAX_ADDRESSES: usize = 50_000;

/// Largest file read, compressed or not; the rest is ignored.
pub(super) const MAX_BYTES: u64 = 20_000_000;

/// The addresses in one sitemap file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) pages: Vec<String>,
    pub(super) sitemaps: Vec<String>,
}

/// Reads a file. A file that is broken or cut gives the addresses that can be read.
pub(super) fn read(body: &[u8]) -> Listing {
    if body.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        // A truncated file counts as far as it can be read.
        let _ = MultiGzDecoder::new(body).take(MAX_BYTES).read_to_end(&mut text);
        return parse(&String::from_utf8_lossy(&text));
    }
    parse(&String::from_utf8_lossy(body))
}

fn parse(text: &str) -> Listing {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return parse_xml(text);
    }
    let is_address = |line: &&str| line.starts_with("http://") || line.starts_with("https://");
    Listing {
        pages: text
            .lines()
            .map(str::trim)
            .filter(is_address)
            .take(MAX_ADDRESSES)
            .map(str::to_owned)
            .collect(),
        sitemaps: Vec::new(),
    }
}

fn parse_xml(text: &str) -> Listing {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut listing = Listing::default();
    let mut in_sitemap = false;
    let mut location: Option<String> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => match tag.local_name().as_ref() {
                "sitemap" => in_sitemap = true,
                "url" => in_sitemap = false,
                // Image and video extensions have a `loc` of their own, in another namespace.
                "loc" if !is_media(tag.name().as_ref()) => {
                    location = Some(String::new());
                }
                _ => {}
            },
            Ok(Event::Text(content)) => {
                if let Some(location) = &mut location {
                    location.push_str(&content.xml10_content());
                }
            }
            Ok(Event::CData(content)) => {
                if let Some(location) = &mut location {
                    location.push_str(&content.xml10_content());
                }
            }
            Ok(Event::GeneralRef(reference)) => {
                if let Some(location) = &mut location {
                    match (reference.resolve_char_ref(), &*reference.xml10_content()) {
                        (Ok(Some(character)), _) => location.push(character),
                        (_, "amp") => location.push('&'),
                        (_, "quot") => location.push('"'),
                        (_, "apos") => location.push('\''),
                        // `<` and `>` do not occur in addresses, and other entities are not expanded.
                        _ => {}
                    }
                }
            }
            Ok(Event::End(_)) => {
                if let Some(address) = location.take().filter(|address| !address.trim().is_empty()) {
                    let list = if in_sitemap { &mut listing.sitemaps } else { &mut listing.pages };
                    if list.len() < MAX_ADDRESSES {
                        list.push(address.trim().to_owned());
                    }
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    listing
}

fn is_media(name: &str) -> bool {
    name.split_once(':').is_some_and(|(namespace, _)| matches!(namespace, "image" | "video"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn listings_of_every_form() {
        let set = "<?xml version='1.0'?><urlset><url><loc> https://a.example/1?a=1&amp;b=2 </loc></url>\
                   <url><loc><![CDATA[https://a.example/2]]></loc><image:image><image:loc>https://a.example/i.png</image:loc></image:image></url></urlset>";
        let pages = ["https://a.example/1?a=1&b=2", "https://a.example/2"];
        assert_eq!(read(set.as_bytes()).pages, pages);
        assert_eq!(read(&gzip(set.as_bytes())).pages, pages);
        let index = "<sitemapindex><sitemap><loc>https://a.example/s1.xml</loc></sitemap></sitemapindex>";
        assert_eq!(
            read(index.as_bytes()),
            Listing { pages: vec![], sitemaps: vec!["https://a.example/s1.xml".to_owned()] }
        );
        assert_eq!(read(b"\xef\xbb\xbfhttps://a.example/1\nrubbish\nhttps://a.example/2\n").pages.len(), 2);
    }

    #[test]
    fn broken_and_hostile_files_give_what_can_be_read() {
        assert_eq!(
            read(b"<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a").pages,
            ["https://a.example/1"]
        );
        assert_eq!(
            read(b"<urlset></wrong><url><loc>https://a.example/1</loc></url>").pages,
            ["https://a.example/1"]
        );
        assert_eq!(read(b""), Listing::default());
        assert_eq!(read(b"<html><body>404</body></html>"), Listing::default());
        let entities =
            "<!DOCTYPE x [<!ENTITY a 'https://evil.example/'>]><urlset><url><loc>&a;</loc></url></urlset>";
        assert_eq!(read(entities.as_bytes()), Listing::default());
        let mut cut = gzip(&b"<urlset><url><loc>https://a.example/1</loc></url>".repeat(1_000));
        cut.truncate(cut.len() / 2);
        read(&cut);
    }

    #[test]
    fn a_gzip_bomb_is_cut() {
        let bomb = gzip(&vec![b' '; 100_000_000]);
        assert!(bomb.len() < 200_000);
        assert_eq!(read(&bomb), Listing::default());
    }
}
