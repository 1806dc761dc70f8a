//! The generated server against axum handlers written by hand: allocations for one request.
//!
//! It is a program of its own because an allocator that counts is slower than one that does not.

#![expect(clippy::print_stdout, reason = "the table is what the benchmark is for")]

use axum::Router;
use frontdesk_tests::servers;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::{alloc::System, hint::black_box};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    println!(
        "| operation | by hand: allocations (and moves), bytes | generated: allocations (and moves), bytes |"
    );
    println!("|---|---:|---:|");
    for mut operation in servers::operations() {
        operation.assert_alike();
        let count = |server: &mut Router| {
            let request = (operation.good)();
            let region = Region::new(ALLOCATOR);
            black_box(servers::read(servers::call(server, request)));
            let found = region.change();
            let bytes = i128::try_from(found.bytes_allocated).unwrap_or_default();
            format!("{} (+{}), {bytes}", found.allocations, found.reallocations)
        };
        let by_hand = count(&mut operation.by_hand);
        let generated = count(&mut operation.generated);
        println!("| {} | {by_hand} | {generated} |", operation.name);
    }
}
