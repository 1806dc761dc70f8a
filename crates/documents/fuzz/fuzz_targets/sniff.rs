//! Recognition of formats, which runs in the process of the service.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = frontdesk_documents::sniff(bytes, "a.pdf");
    let _ = frontdesk_documents::sniff(bytes, "");
});
