//! The contract and real documents, as the generator and the gate read them.
//!
//! - `corpus`: how generating from each document of a folder ends.
//! - `corpus_round_trip`: instances of real documents, sent through the types that are generated from them.
//! - `addresses`: whether the format `email` accepts what the service takes as an address.
//! - `drift`: whether the committed output is that of the contract.
//! - `examples`: whether the generated crates have the examples of the contract, and read them.
//! - `given_facts`: whether the contract says what the given interface says.
//! - `ids`: whether each id of the contract says what it identifies.
//! - `surface`: its routes, statuses and types in one snapshot.

mod addresses;
mod corpus;
mod corpus_round_trip;
mod drift;
mod examples;
mod given_facts;
mod ids;
mod surface;
