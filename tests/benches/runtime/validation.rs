//! Checked decoding, as the server does it, against plain decoding of the same type by serde's derive.

use frontdesk_runtime::check::{Validate, check_json};
use serde::de::DeserializeOwned;
use std::{hint::black_box, time::Duration};

use crate::{pair, shapes};

/// How much longer checked decoding may take.
const MOST: f64 = 1.15;

pub(crate) fn measure() {
    println!("| shape | bytes | plain, ns | checked, ns | ratio | quartiles | at most {MOST} |");
    println!("|---|---:|---:|---:|---:|---:|---|");
    shapes::each(&mut Table);
}

struct Table;

impl shapes::Visitor for Table {
    fn shape<Plain: DeserializeOwned, Checked: DeserializeOwned + Validate>(
        &mut self,
        name: &str,
        body: &[u8],
    ) {
        let plain = repeated(|| serde_json::from_slice::<Plain>(body).expect("the body fits the plain type"));
        let checked = repeated(|| check_json::<Checked>(body).expect("the body keeps every rule"));
        let pair = pair::compare(!pair::is_bench(), checked, plain);
        let [middle, low, high] = pair.ratio;
        let verdict = if middle <= MOST { "yes" } else { "no" };
        println!(
            "| {name} | {} | {:.0} | {:.0} | {middle:.3} | {low:.3} to {high:.3} | {verdict} |",
            body.len(),
            pair.second,
            pair.first,
        );
    }
}

fn repeated<T>(run: impl Fn() -> T) -> impl FnMut(usize) -> Duration {
    move |runs| {
        pair::timed(|| {
            for _ in 0..runs {
                black_box(run());
            }
        })
    }
}
