//! The stored form of the vectors of a chunk's segments: for each segment its byte range, two 32-bit integers
//! in little-endian order, and its vector.

use std::ops::Range;

use frontdesk_embedding::{QuantizedVector, VectorError};
use frontdesk_knowledge::SegmentVector;

/// Bytes of a range.
const RANGE_BYTES: usize = 8;

/// Returns the stored form.
pub(super) fn encode(segments: &[SegmentVector]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for SegmentVector { range, vector } in segments {
        for bound in [range.start, range.end] {
            bytes.extend(u32::try_from(bound).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend(vector.to_bytes());
    }
    bytes
}

/// Reads the stored form of vectors with so many dimensions.
pub(crate) fn decode(mut bytes: &[u8], dimensions: usize) -> Result<Vec<SegmentVector>, VectorError> {
    let mut segments = Vec::new();
    while !bytes.is_empty() {
        let incomplete = VectorError::Length { dimensions, found: bytes.len() };
        let (range, rest) = bytes.split_at_checked(RANGE_BYTES).ok_or(incomplete)?;
        let (vector, rest) = QuantizedVector::split_from(rest, dimensions)?;
        segments.push(SegmentVector { range: read_range(range), vector });
        bytes = rest;
    }
    Ok(segments)
}

fn read_range(bytes: &[u8]) -> Range<usize> {
    let bound = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
    };
    bound(0)..bound(4)
}

#[cfg(test)]
mod tests {
    use frontdesk_embedding::Vector;

    use super::*;

    #[test]
    fn segments_are_read_as_they_were_written() {
        let vector = |first: f32| Vector::new(vec![first, 1.0, 0.5]).unwrap().quantize();
        let segments = vec![
            SegmentVector { range: 0..7, vector: vector(1.0) },
            SegmentVector { range: 8..300_000, vector: vector(-1.0) },
        ];
        let bytes = encode(&segments);
        assert_eq!(decode(&bytes, 3).unwrap(), segments);
        assert!(decode(&bytes[..bytes.len() - 1], 3).is_err());
        assert!(decode(&[], 3).unwrap().is_empty());
    }
}
