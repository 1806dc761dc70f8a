//! Generates from any document. It may be refused; a panic, an endless type, or output that is not Rust is a
//! defect of the generator.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

fuzz_target!(|bytes: &[u8]| frontdesk_codegen_fuzz::generate(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    frontdesk_codegen_fuzz::mutate(data, size, max_size, seed)
});

fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
    frontdesk_codegen_fuzz::cross(first, second, out, seed)
});
