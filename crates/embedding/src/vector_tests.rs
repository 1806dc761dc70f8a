//! Error of the quantization, and stored forms that are not valid.

use crate::vector::{QuantizedVector, Vector, VectorError};

/// Dimensions of the bundled model and of large ones, and lengths that are not a multiple of the products
/// that are computed at once.
const LENGTHS: [usize; 5] = [384, 3072, 385, 17, 3];

/// Returns numbers between -0.5 and 0.5 that differ for each seed.
fn arbitrary(length: usize, seed: u32) -> Vector {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let values = (0..length).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0 - 0.5
    });
    Vector::new(values.collect()).unwrap()
}

fn assert_near(left: f32, right: f32, tolerance: f32) {
    assert!((left - right).abs() < tolerance, "{left} instead of {right}");
}

#[test]
fn stored_vectors_keep_cosines() {
    for length in LENGTHS {
        for seed in 0..200 {
            let (left, other) = (arbitrary(length, seed), arbitrary(length, seed + 1000));
            // Vectors of related texts are near, so cosines near 1 count as well.
            let near = left.as_slice().iter().zip(other.as_slice()).map(|(left, other)| left + 0.2 * other);
            for right in [&other, &Vector::new(near.collect()).unwrap(), &left] {
                let exact = left.dot(right);
                let tolerance = if length > 100 { 0.005 } else { 0.02 };
                assert_near(left.quantize().dot(right), exact, tolerance);
            }
        }
    }
}

#[test]
fn the_largest_products_have_a_sum() {
    for dimensions in [384, 8192] {
        let vector = Vector::new(vec![-1.0; dimensions]).unwrap();
        let mut bytes = vector.quantize().to_bytes();
        // -128 occurs only in what another program has written.
        bytes[4..].fill(i8::MIN.cast_unsigned());
        let stored = QuantizedVector::from_bytes(&bytes, dimensions).unwrap();
        assert_near(stored.dot(&vector), 128.0 / 127.0, 0.001);
    }
}

#[test]
fn the_stored_form_reads_back() {
    let stored = arbitrary(384, 7).quantize();
    let bytes = stored.to_bytes();
    assert_eq!(bytes.len(), 388);
    assert_eq!(QuantizedVector::from_bytes(&bytes, 384), Ok(stored.clone()));
    assert_eq!(stored.size(), 388);
    for wrong in [&bytes[..387], &bytes[..3], &[], &[&bytes[..], &[0]].concat()] {
        let error = VectorError::Length { dimensions: 384, found: wrong.len() };
        assert_eq!(QuantizedVector::from_bytes(wrong, 384), Err(error));
    }
    let message = QuantizedVector::from_bytes(&bytes[..387], 384).unwrap_err().to_string();
    assert_eq!(
        message,
        "a stored vector of 384 dimensions has 388 bytes, or 776 with an English one, not 387"
    );
    for scale in [0.0, f32::NAN, f32::INFINITY] {
        let bytes = [&scale.to_le_bytes()[..], &bytes[4..]].concat();
        assert!(matches!(QuantizedVector::from_bytes(&bytes, 384), Err(VectorError::Scale(_))), "{scale}");
    }
}

#[test]
fn an_english_vector_counts_where_both_texts_have_one() {
    let of_both = |seed| {
        let [own, english] =
            [arbitrary(384, seed), arbitrary(384, seed + 50)].map(|vector| vector.as_slice().to_vec());
        Vector::of_networks(own, Some(english)).unwrap()
    };
    let (question, near, own) = (of_both(1), of_both(1), arbitrary(384, 1));
    assert_near(question.dot(&own), 1.0, 1e-5);
    assert_near(own.quantize().dot(&question), 1.0, 0.005);
    let together = question.dot(&near);
    assert_near(near.quantize().dot(&question), together, 0.005);
    assert!(together < 1.0 && together > question.dot(&of_both(2)), "{together}");
    let bytes = near.quantize().to_bytes();
    assert_eq!(bytes.len(), 776);
    assert_eq!(QuantizedVector::from_bytes(&bytes, 384), Ok(near.quantize()));
    let two = [bytes.as_slice(), &own.quantize().to_bytes()].concat();
    let (first, rest) = QuantizedVector::split_from(&two, 384).unwrap();
    assert_eq!((first, QuantizedVector::from_bytes(rest, 384)), (near.quantize(), Ok(own.quantize())));
    assert!(QuantizedVector::from_bytes(&bytes[..388], 384).is_err());
}

#[test]
fn numbers_without_direction_are_refused() {
    for values in [vec![], vec![0.0; 4], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0], vec![f32::MAX; 4]] {
        assert_eq!(Vector::new(values), Err(VectorError::NoDirection));
    }
    assert_near(Vector::new(vec![3.0, 4.0]).unwrap().as_slice()[1], 0.8, 1e-6);
}
