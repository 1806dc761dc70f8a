//! Vectors of length 1, in memory and in their stored form.

use thiserror::Error;

/// Values that are multiplied at once, so that the compiler uses vector instructions.
const LANES: usize = 16;

/// A vector of length 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector(Box<[f32]>);

/// A vector of length 1 with a byte for each dimension, as it is stored. Cosines differ by less than 0.005 from those
/// of the exact vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    /// The value of 1 in `values`.
    scale: f32,
    values: Box<[i8]>,
}

/// Numbers or bytes that are not a vector.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum VectorError {
    /// The stored form has the wrong length.
    #[error("a stored vector of {dimensions} dimensions has {} bytes, not {found}", dimensions + SCALE_BYTES)]
    Length {
        /// The expected dimensions.
        dimensions: usize,
        /// The number of bytes.
        found: usize,
    },
    /// The scale of the stored form is not a positive number.
    #[error("the scale of a stored vector must be a positive number (is {0})")]
    Scale(f32),
    /// The numbers have no direction.
    #[error("a vector needs finite numbers of which at least one is not 0")]
    NoDirection,
}

/// Bytes of the scale, which stands before the values.
const SCALE_BYTES: usize = 4;

impl Vector {
    /// Normalises `values` to length 1. Fails if they are empty, all 0 or not finite.
    pub fn new(mut values: Vec<f32>) -> Result<Self, VectorError> {
        let length = dot_f32(&values, &values).sqrt();
        if !length.is_finite() || length < f32::MIN_POSITIVE {
            return Err(VectorError::NoDirection);
        }
        for value in &mut values {
            *value /= length;
        }
        Ok(Self(values.into()))
    }

    /// Returns the values.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Returns the cosine between the vectors, -1 to 1. Further dimensions of the longer one count as 0.
    pub fn dot(&self, other: &Self) -> f32 {
        dot_f32(&self.0, &other.0)
    }

    /// Returns the stored form.
    pub fn quantize(&self) -> QuantizedVector {
        let largest = self.0.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
        let scale = largest / f32::from(i8::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "the quotient is between -127 and 127")]
        let values = self.0.iter().map(|value| (value / scale).round() as i8).collect();
        QuantizedVector { scale, values }
    }
}

impl QuantizedVector {
    /// Returns the stored form: the scale (f32, little-endian), then a byte for each dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SCALE_BYTES + self.values.len());
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// Reads the stored form of a vector with so many dimensions.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Result<Self, VectorError> {
        let (scale, values) = split_bytes(bytes, dimensions)?;
        Ok(Self { scale, values: values.iter().map(|byte| byte.cast_signed()).collect() })
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }

    /// Returns the cosine with an exact vector, -1 to 1. Further dimensions of the longer one count as 0.
    pub fn dot(&self, other: &Vector) -> f32 {
        let (left, left_rest) = self.values.as_chunks::<LANES>();
        let (right, right_rest) = other.0.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (left, right) in left.iter().zip(right) {
            for lane in 0..LANES {
                sums[lane] += f32::from(left[lane]) * right[lane];
            }
        }
        let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| f32::from(*left) * right).sum();
        (sums.iter().sum::<f32>() + rest) * self.scale
    }

    /// Returns the cosine with another stored vector, -1 to 1. Further dimensions of the longer one count as 0.
    pub fn dot_quantized(&self, other: &Self) -> f32 {
        scaled(dot_i8(&self.values, other.values.iter().copied()), self.scale * other.scale)
    }

    /// Returns the cosine with the stored form of another vector of the same dimensions, without copying it.
    pub fn dot_bytes(&self, stored: &[u8]) -> Result<f32, VectorError> {
        let (scale, values) = split_bytes(stored, self.values.len())?;
        Ok(scaled(dot_i8(&self.values, values.iter().map(|byte| byte.cast_signed())), self.scale * scale))
    }
}

/// Splits the stored form into the scale and one byte for each dimension.
fn split_bytes(bytes: &[u8], dimensions: usize) -> Result<(f32, &[u8]), VectorError> {
    let wrong_length = VectorError::Length { dimensions, found: bytes.len() };
    let (scale, values) = bytes.split_first_chunk::<SCALE_BYTES>().ok_or_else(|| wrong_length.clone())?;
    if values.len() != dimensions {
        return Err(wrong_length);
    }
    let scale = f32::from_le_bytes(*scale);
    if !scale.is_finite() || scale <= 0.0 {
        return Err(VectorError::Scale(scale));
    }
    Ok((scale, values))
}

/// Returns the sum of the products. Floats are only added in lanes: the compiler may not change their order.
fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sums.iter().sum::<f32>() + left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum::<f32>()
}

/// Returns the sum of the products, which is exact.
fn dot_i8(left: &[i8], right: impl Iterator<Item = i8>) -> i32 {
    left.iter().zip(right).map(|(left, right)| i32::from(*left) * i32::from(right)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "24 bits are more than the quantisation keeps")]
fn scaled(sum: i32, scale: f32) -> f32 {
    sum as f32 * scale
}
