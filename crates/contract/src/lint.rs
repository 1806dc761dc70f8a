//! Lint: rules for OpenAPI documents, beyond what a document needs to be readable.
//!
//! Every rule has an id, a level and an explanation. Most rules are for any document. Those with the scope
//! *project* are requirements of this repository's own contract: provenance, stability, and constructs to
//! avoid. Problems that the reader or the generator reports are not checked again, but included in the
//! findings ([`EARLIER`]).
//!
//! A document can allow a violation where it occurs, with a reason. The allowance also covers everything
//! inside that object:
//!
//! ```yaml
//! x-lint-allow:
//!   unpaged-list: The given interface has no pages here.
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
//! assert_eq!((found.rule.id, found.location.line), ("example-invalid", 5));
//! assert!(findings.fails(false));
//! ```
//!
//! In reading order: `rules` lists the rules, and `settings` selects some of them. `survey` collects the
//! parts of a document. `names`, `paths`, `operations`, `refusals`, `prose`, `tags`, `schemas`, `bounds`,
//! `examples`, `security`, `lists`, `components`, `lifecycle` and `policy` check them; `earlier` adds the
//! problems of earlier stages; `allowances` removes what is allowed; `report` renders the findings.

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
mod policy;
mod prose;
mod refusals;
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
use crate::compat::Location;

/// A check, which adds its findings to the drafts.
type Check = for<'d> fn(&Survey<'d>, &mut Drafts<'d>);

const CHECKS: &[Check] = &[
    names::check,
    paths::check,
    operations::check,
    refusals::check,
    prose::check,
    tags::check,
    schemas::check,
    bounds::check,
    examples::check,
    security::check,
    lists::check,
    components::check,
    lifecycle::check,
    policy::check,
];

/// Checks a document. Problems found by earlier stages are included if they concern the document.
pub fn lint(document: &Document, earlier: &[&Diagnostics], settings: &Settings) -> Findings {
    let survey = Survey::of(document);
    let mut drafts = Drafts::default();
    let mut allowances = Allowances::of(&survey.objects, &mut drafts);
    for diagnostics in earlier {
        earlier::adopt(&survey, diagnostics, &mut drafts);
    }
    for check in CHECKS {
        check(&survey, &mut drafts);
    }
    let mut found = counted(drafts, settings, &mut allowances);
    let mut drafts = Drafts::default();
    allowances.report_unused(settings, &mut drafts);
    found.extend(counted(drafts, settings, &mut allowances));
    found.sort_by_key(|(node, finding)| (*node, finding.rule.id));
    // An invalid example that several bodies share is reported once.
    found.dedup_by(|(node, finding), (other, earlier)| {
        node == other && finding.rule == earlier.rule && finding.message == earlier.message
    });
    Findings { list: found.into_iter().map(|(_, finding)| finding).collect() }
}

/// Returns the findings of active rules, with the nodes that they are sorted by.
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
            Some((node.id(), Finding { rule, level, message, hint, location: Location::of(node), allowed }))
        })
        .collect()
}
