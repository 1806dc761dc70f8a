//! Measuring how many labeled facts of real websites survive extraction, boilerplate handling and chunking.
//!
//! Set `FRONTDESK_EVAL_SMB` to a folder of sites and `FRONTDESK_EVAL` to a single one, each site with `site/`
//! and `questions.jsonl`, and run `cargo test -p frontdesk-knowledge coverage -- --nocapture` for the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use frontdesk_knowledge::{Chunk, Page, RepeatedText, extract_html, extract_text};
use serde_json::Value;
use url::Url;

/// The chunks of a site by the path of their page.
struct SiteText {
    pages: BTreeMap<String, Vec<Chunk>>,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn read_site(folder: &Path) -> SiteText {
    let root = folder.join("site");
    let mut found = Vec::new();
    files(&root, &mut found);
    let base = Url::parse("https://site.example/").unwrap();
    let mut pages = Vec::new();
    for file in found {
        let path = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let ending = path.rsplit('.').next().unwrap_or_default();
        // Forbidden by the robots.txt of the site.
        if path.starts_with("internal/") || !matches!(ending, "html" | "txt") || path == "robots.txt" {
            continue;
        }
        let url = base.join(path.strip_suffix("index.html").unwrap_or(&path)).unwrap();
        let body = std::fs::read(&file).unwrap();
        let extracted = if ending == "html" {
            extract_html(&body, Some("text/html; charset=utf-8"), &url, "frontdesk")
        } else {
            extract_text(&body, Some("text/plain"), &url)
        };
        if extracted.refresh.is_some() || extracted.obstacle.is_some() || extracted.directives.noindex {
            continue;
        }
        let page = Page::new(url, extracted);
        if page.has_text() {
            pages.push(page);
        }
    }
    let chunks: Vec<Vec<Chunk>> = pages.iter().map(Page::chunks).collect();
    let mut repeated = RepeatedText::default();
    for (page, chunks) in pages.iter().zip(&chunks) {
        repeated.add_page(page.url.as_str(), &page.title, chunks.iter().map(Chunk::content));
    }
    let placement = repeated.place();
    let mut kept = BTreeMap::new();
    for (index, (page, chunks)) in pages.iter().zip(chunks).enumerate() {
        let remaining = chunks.into_iter().filter_map(|mut chunk| {
            chunk.text = placement.remaining(index, &chunk.headings, &chunk.text)?;
            Some(chunk)
        });
        kept.insert(page.url.path().to_owned(), remaining.collect());
    }
    SiteText { pages: kept }
}

/// Folds what the comparison rules of the data ignore: case, white space, the form of quotes.
fn folded(text: &str) -> String {
    let straight =
        text.replace(['\u{2018}', '\u{2019}', '\u{201b}'], "'").replace(['\u{201c}', '\u{201d}'], "\"");
    straight.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

struct Coverage {
    /// Answerable questions about web pages.
    questions: usize,
    /// Those whose fact is on an expected page.
    on_page: usize,
    /// Those whose fact is on any page.
    on_site: usize,
    /// Characters of chunk text.
    size: usize,
}

impl Coverage {
    /// Repeated text is kept on one page, which need not be one of the expected pages.
    fn is_complete(&self) -> bool {
        self.questions > 0 && self.on_site == self.questions
    }
}

#[expect(clippy::print_stdout, reason = "a measurement prints its result")]
fn measure(folder: &Path) -> Coverage {
    let site = read_site(folder);
    if std::env::var_os("FRONTDESK_EVAL_DETAILS").is_some() {
        for (path, chunk) in
            site.pages.iter().flat_map(|(path, chunks)| chunks.iter().map(move |chunk| (path, chunk)))
        {
            println!("{path} [{:?}] {} | {}\n{}\n", chunk.place, chunk.title, chunk.headings, chunk.text);
        }
    }
    let texts: BTreeMap<&str, String> = site
        .pages
        .iter()
        .map(|(path, chunks)| {
            let lines: Vec<_> =
                chunks.iter().map(|chunk| format!("{} {}", chunk.headings, chunk.text)).collect();
            (path.as_str(), folded(&lines.join(" ")))
        })
        .collect();
    let mut coverage =
        Coverage { questions: 0, on_page: 0, on_site: 0, size: texts.values().map(String::len).sum() };
    for line in std::fs::read_to_string(folder.join("questions.jsonl")).unwrap().lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        for forbidden in strings(&question["must_not_contain"]) {
            let forbidden = folded(&forbidden);
            if forbidden.starts_with("pwned-") {
                assert!(!texts.values().any(|text| text.contains(&forbidden)), "{forbidden} was extracted");
            }
        }
        if question["answerable"] != Value::Bool(true) {
            continue;
        }
        let expected = strings(&question["expected_pages"]);
        if expected.iter().all(|path| Path::new(path).extension().is_some_and(|ending| ending == "pdf")) {
            continue;
        }
        coverage.questions += 1;
        let facts: Vec<String> =
            strings(&question["must_contain_any"]).iter().map(|fact| folded(fact)).collect();
        let has_fact = |text: &String| facts.iter().any(|fact| text.contains(fact.as_str()));
        let expected = expected.iter().map(|path| path.strip_suffix("index.html").unwrap_or(path));
        if expected.filter_map(|path| texts.get(path)).any(&has_fact) {
            coverage.on_page += 1;
            coverage.on_site += 1;
        } else if texts.values().any(&has_fact) {
            coverage.on_site += 1;
            println!("  elsewhere: {} {}", question["id"], question["must_contain_any"]);
        } else {
            println!(
                "  lost: {} {} {} {}",
                question["id"],
                question["question"],
                question["must_contain_any"],
                question["expected_pages"]
            );
        }
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name}: {} pages, {} characters, {} of {} facts on an expected page, {} on the site",
        site.pages.len(),
        coverage.size,
        coverage.on_page,
        coverage.questions,
        coverage.on_site
    );
    coverage
}

#[test]
fn coverage_of_small_business_sites() {
    let Some(folder) = std::env::var_os("FRONTDESK_EVAL_SMB").map(PathBuf::from) else {
        println!(
            "SKIPPED: set FRONTDESK_EVAL_SMB to the folder of small-business sites to measure extraction"
        );
        return;
    };
    let mut sites: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sites.retain(|site| site.join("questions.jsonl").is_file());
    sites.sort();
    let lost: Vec<_> = sites.iter().filter(|site| !measure(site).is_complete()).collect();
    assert!(lost.is_empty(), "facts of {lost:?} were lost");
}

#[test]
fn coverage_of_a_help_centre() {
    let Some(folder) = std::env::var_os("FRONTDESK_EVAL").map(PathBuf::from) else {
        println!("SKIPPED: set FRONTDESK_EVAL to the folder of the evaluation site to measure extraction");
        return;
    };
    assert!(measure(&folder).is_complete(), "facts were lost");
}
