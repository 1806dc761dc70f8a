//! The generated server against axum handlers written by hand: requests per second of a processor, side by
//! side. First as servers, behind a socket; then without one, where nothing else hides what the way to the
//! handler costs.

use axum::{Router, body::Body, http::Request};
use frontdesk_tests::servers;
use std::{hint::black_box, time::Duration};

use crate::{pair, socket::Served};

/// The generated server's part of the throughput of the one written by hand that it must reach.
const LEAST: f64 = 0.97;

pub(crate) fn measure() {
    println!(
        "| operation | by hand, requests/s | generated, requests/s | ratio | quartiles | at least {LEAST} |"
    );
    println!("|---|---:|---:|---:|---:|---|");
    for mut operation in servers::operations() {
        operation.assert_alike();
        let servers::Operation { name, by_hand, generated, good, .. } = operation;
        let behind_socket = |server: &Router| {
            let mut served = Served::start(server.clone(), good());
            move |runs| served.timed(runs)
        };
        row(&format!("{name}, behind a socket"), behind_socket(&by_hand), behind_socket(&generated));
        row(&format!("{name}, in process"), served(by_hand, good), served(generated, good));
    }
}

/// Measures both servers and tells what came of it.
fn row(name: &str, by_hand: impl FnMut(usize) -> Duration, generated: impl FnMut(usize) -> Duration) {
    // Time by hand over time generated is throughput generated over throughput by hand.
    let pair = pair::compare(!pair::is_bench(), by_hand, generated);
    let [middle, low, high] = pair.ratio;
    let verdict = if middle >= LEAST { "yes" } else { "no" };
    println!(
        "| {name} | {:.0} | {:.0} | {middle:.3} | {low:.3} to {high:.3} | {verdict} |",
        1e9 / pair.first,
        1e9 / pair.second,
    );
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
