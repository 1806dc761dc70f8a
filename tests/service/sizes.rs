//! What customers really send: files, e-mails, contacts and pages of the sizes that the contract promises.
//!
//! Each test ends with the right answer to a question, or with bytes that are compared, and not with a
//! status.

mod attachments;
mod contacts;
mod files;
mod pages;
mod storage;

/// The size of the largest attachment in bytes.
const ATTACHMENT: usize = 10 * 1024 * 1024;

/// Bytes that no compression makes smaller, as those of photographs; the same for the same seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut generator = fastrand::Rng::with_seed(seed);
    let mut bytes = vec![0; length];
    generator.fill(&mut bytes);
    bytes
}

/// Sentences of a business, none of which occurs twice, as `number` is in each of them.
fn sentences(number: usize) -> String {
    let plants = ["Roses", "Lilacs", "Peonies", "Irises", "Asters", "Dahlias", "Lupins"];
    let places = ["the north bed", "the terrace", "the old orchard", "the pond", "the gate"];
    let plant = plants[number % plants.len()];
    let place = places[number / plants.len() % places.len()];
    format!(
        "{plant} of lot {number} grow beside {place} and are watered twice a week. Lot {number} was planted in spring and needs \
         no shelter before the first frost."
    )
}
