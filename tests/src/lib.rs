//! What several benchmarks measure: the same operations served by generated code and by code written by hand.

pub mod servers;
