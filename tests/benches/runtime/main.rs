//! The runtime of generated servers against code written by hand.
//!
//! `cargo bench --package frontdesk-tests --bench runtime -- stub` measures requests per second of a server,
//! `-- validation` the checks of bodies, and without either, both are measured.

#![expect(clippy::print_stdout, reason = "the tables are what the benchmark is for")]

mod pair;
mod shapes;
mod socket;
mod stub;
mod validation;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, measure) in [("stub", stub::measure as fn()), ("validation", validation::measure)] {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            measure();
        }
    }
}
