//! The generated server against axum handlers written by hand: requests per second of a processor, side by side.

#![expect(clippy::print_stdout, reason = "the table is what the benchmark is for")]

#[path = "rounds/pair.rs"]
mod pair;
#[path = "stub/servers.rs"]
mod servers;

use axum::{Router, body::Body, http::Request};
use std::{hint::black_box, time::Duration};

/// The generated server's part of the throughput of the one written by hand that it must reach.
const LEAST: f64 = 0.97;

fn main() {
    println!(
        "| operation | by hand, requests/s | generated, requests/s | ratio | quartiles | at least {LEAST} |"
    );
    println!("|---|---:|---:|---:|---:|---|");
    for mut operation in servers::operations() {
        operation.assert_alike();
        let good = operation.good;
        let by_hand = served(operation.by_hand, good);
        let generated = served(operation.generated, good);
        // Time by hand over time generated is throughput generated over throughput by hand.
        let pair = pair::compare(!pair::is_bench(), by_hand, generated);
        let [middle, low, high] = pair.ratio;
        let verdict = if middle >= LEAST { "yes" } else { "no" };
        println!(
            "| {} | {:.0} | {:.0} | {middle:.3} | {low:.3} to {high:.3} | {verdict} |",
            operation.name,
            1e9 / pair.first,
            1e9 / pair.second,
        );
    }
}

/// Times a server from the request to the last byte of the answer; requests are made before.
fn served(mut server: Router, good: fn() -> Request<Body>) -> impl FnMut(usize) -> Duration {
    move |runs| {
        let requests: Vec<Request<Body>> = (0..runs).map(|_| good()).collect();
        pair::timed(|| {
            for request in requests {
                black_box(servers::read(servers::call(&mut server, request)));
            }
        })
    }
}
