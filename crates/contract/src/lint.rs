//! Lint: the rules that a document is written by, beyond what OpenAPI demands of one that can be read.
//!
//! A rule has a name, a level and an explanation. Most are for any document; those of the *house* hold what this
//! repository asks of its own contract: where each part comes from, how stable it is, and which constructs we stay away
//! from. What the reader and the generator find wrong is not judged again, but told with the rest ([`EARLIER`]).
//!
//! A document allows itself a breach where it stands, with a reason, which holds for what is below as well:
//!
//! ```yaml
//! x-lint-allow:
//!   unpaged-list: The interface gives this list without pages.
//! ```
//!
//! ```
//! use frontdesk_contract::lint::{Settings, lint};
//! use frontdesk_document::{Document, MemoryLoader};
//!
//! let text = "
//! openapi: 3.0.3
//! info: {title: Pets, version: '1', description: Keeps pets.}
//! paths: {}
//! components: {schemas: {Pet: {type: string, maxLength: 3, example: Fido}}}
//! ";
//! let (document, diagnostics) = Document::read("pets.yaml", &MemoryLoader::new().with("pets.yaml", text));
//! let findings = lint(&document.expect("the document is valid"), &[&diagnostics], &Settings::common());
//! let found = &findings.list[0];
//! assert_eq!((found.rule.id, found.spot.line), ("example-invalid", 5));
//! assert!(findings.fails(false));
//! ```
//!
//! In reading order: `rules` are the rules, `settings` which of them count; `survey` takes a document apart; `names`,
//! `paths`, `operations`, `prose`, `tags`, `schemas`, `bounds`, `examples`, `security`, `lists`, `components` and
//! `lifecycle` judge it, `earlier` adds what was known before; `allowances` takes away what is allowed; `report` tells it.

mod allowances;
mod bounds;
mod components;
mod directions;
mod earlier;
mod examples;
mod finding;
mod lifecycle;
mod lists;
mod names;
mod operations;
mod paths;
mod prose;
pub mod report;
mod rules;
mod schemas;
mod security;
mod settings;
mod survey;
mod tags;

use frontdesk_document::{Diagnostics, Document, NodeId};

pub use self::finding::{Finding, Findings};
pub use self::rules::{CODES, EARLIER, Level, RULES, Rule, Scope, rule};
pub use self::settings::{Settings, UnknownRule};

use self::allowances::Allowances;
use self::finding::{Draft, Drafts};
use self::survey::Survey;
use crate::compat::Spot;

/// Leaves what it finds with the drafts.
type Judge = for<'d> fn(&Survey<'d>, &mut Drafts<'d>);

const JUDGES: &[Judge] = &[
    names::judge,
    paths::judge,
    operations::judge,
    prose::judge,
    tags::judge,
    schemas::judge,
    bounds::judge,
    examples::judge,
    security::judge,
    lists::judge,
    components::judge,
    lifecycle::judge,
];

/// Judges a document. What earlier stages found wrong with it is told too, as far as it is about the document.
pub fn lint(document: &Document, earlier: &[&Diagnostics], settings: &Settings) -> Findings {
    let survey = Survey::of(document);
    let mut drafts = Drafts::default();
    let mut allowances = Allowances::of(&survey.objects, &mut drafts);
    for diagnostics in earlier {
        earlier::adopt(&survey, diagnostics, &mut drafts);
    }
    for judge in JUDGES {
        judge(&survey, &mut drafts);
    }
    let mut told = counted(drafts, settings, &mut allowances);
    let mut drafts = Drafts::default();
    allowances.tell_unused(settings, &mut drafts);
    told.extend(counted(drafts, settings, &mut allowances));
    told.sort_by_key(|(node, finding)| (*node, finding.rule.id));
    // An example that several bodies share is wrong once.
    told.dedup_by(|(node, finding), (other, earlier)| {
        node == other && finding.rule == earlier.rule && finding.message == earlier.message
    });
    Findings { list: told.into_iter().map(|(_, finding)| finding).collect() }
}

/// The findings that count, with the nodes that they are sorted by.
fn counted<'d>(
    drafts: Drafts<'d>,
    settings: &Settings,
    allowances: &mut Allowances<'d>,
) -> Vec<(NodeId, Finding)> {
    let drafts = drafts.list.into_iter();
    drafts
        .filter_map(|Draft { rule, node, message, hint }| {
            let level = settings.level(rule)?;
            let allowed = allowances.reason(rule.id, node).map(str::to_owned);
            Some((node.id(), Finding { rule, level, message, hint, spot: Spot::of(node), allowed }))
        })
        .collect()
}
