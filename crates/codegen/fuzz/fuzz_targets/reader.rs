//! Reads any bytes as a document, shows what is wrong with it, and bundles what is right. Bytes are changed
//! as bytes, since broken text is what a reader is about.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| frontdesk_codegen_fuzz::read(bytes));
