use std::collections::BTreeMap;
use std::path::PathBuf;
use frontdesk_evaluation::{judge::{judge,is_expected,fold}, training::*};
use frontdesk_embedding::Model;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let sites: Vec<PathBuf> = args.iter().filter(|a| !a.starts_with("--")).map(PathBuf::from).collect();
    let model = if args.iter().any(|a| a == "--lexical") { None } else { Some(Model::bundled().unwrap()) };
    let cache = PathBuf::from("target/evaluation");
    let samples = runtime.block_on(samples(&sites, model.as_deref(), &cache)).unwrap();
    let part = |sample: &Sample| if sample.site == "eval" {
        // by conversation chain: hash of the id of numeric tail /10
        let n: usize = sample.question.id.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
        format!("eval{}", (n/5) % 5)
    } else { sample.site.clone() };
    // retrieval
    let mut table: BTreeMap<String, [f64; 7]> = BTreeMap::new();
    for s in samples.iter().filter(|s| s.question.answerable) {
        let mut pages: Vec<String> = vec![];
        for p in &s.task.retrieval.passages { if !pages.contains(&p.url) { pages.push(p.url.clone()); } }
        let place = pages.iter().position(|u| is_expected(&s.question, u)).map(|p| p+1);
        let fact = |n: usize| s.task.retrieval.passages.iter().take(n).any(|p| { let t = fold(&p.text); s.question.must_contain_any.iter().chain(&s.question.also_accept).any(|f| t.contains(&fold(f))) });
        for key in [s.site.clone(), if s.site=="eval" {"0-eval".into()} else {"0-smb".into()}] {
            let row = table.entry(key).or_default();
            row[0] += 1.0;
            if place == Some(1) { row[1] += 1.0 }
            if place.is_some_and(|p| p <= 3) { row[2] += 1.0 }
            if place.is_some_and(|p| p <= 5) { row[3] += 1.0 }
            row[4] += place.map_or(0.0, |p| 1.0/p as f64);
            if fact(3) { row[5] += 1.0 }
            if fact(5) { row[6] += 1.0 }
        }
    }
    println!("site n r@1 r@3 r@5 mrr fact3 fact5");
    for (k, r) in &table { println!("{k:28} {:4} {:.2} {:.2} {:.2} {:.3} {:.2} {:.2}", r[0], r[1]/r[0], r[2]/r[0], r[3]/r[0], r[4]/r[0], r[5]/r[0], r[6]/r[0]); }
    let penalties = Penalties::default();
    let answers = cross_validate(&samples, part, penalties);
    let mut by: BTreeMap<String, [f64; 6]> = BTreeMap::new();
    for (s, a) in &answers {
        let v = judge(&s.question, a);
        let unref = judge(&s.question, &frontdesk_evaluation::judge::Answer { refused: false, ..a.clone() });
        let set = if s.site == "eval" { "0-eval" } else { "0-smb" };
        for key in [set.to_owned(), s.site.clone(), format!("{set} {}", s.question.kind)] {
            let row = by.entry(key).or_default();
            if s.question.answerable {
                row[0] += 1.0; if v.has_fact { row[1] += 1.0 } if v.refused { row[2] += 1.0 } if unref.has_fact { row[5] += 1.0 }
            } else { row[3] += 1.0; if v.refused { row[4] += 1.0 } }
        }
    }
    println!("set  answerable acc refused | unanswerable refused | acc without refusal");
    for (k, r) in &by { println!("{k:38} {:4} {:.2} {:.2} | {:3} {:.2} | {:.2}", r[0], r[1]/r[0], r[2]/r[0], r[3], r[4]/r[3], r[5]/r[0]); }
    if args.iter().any(|a| a == "--weights") {
        let all: Vec<&Sample> = samples.iter().collect();
        println!("{}", serde_json::to_string_pretty(&train(&all, penalties)).unwrap());
    }
    if args.iter().any(|a| a == "--details") {
        for (s, a) in &answers {
            let v = judge(&s.question, a);
            if s.question.answerable && !v.has_fact {
                let f = s.task.retrieval.passages.iter().position(|p| { let t = fold(&p.text); s.question.must_contain_any.iter().chain(&s.question.also_accept).any(|f| t.contains(&fold(f))) });
                println!("--- {} {} [{}] refused={} factAt={f:?}\nQ: {}\nwant: {:?} {:?}\nA: {} {:?}", s.site, s.question.id, s.question.kind, a.refused, s.question.text, s.question.must_contain_any, s.question.expected_pages, a.text, a.sources);
            }
            if !s.question.answerable && !a.refused { println!("--- {} {} [{}] ANSWERED\nQ: {}\nA: {}", s.site, s.question.id, s.question.kind, s.question.text, a.text); }
        }
    }
}
