//! Vectors of length 1, in memory and in their stored form.

use thiserror::Error;

/// Values that are multiplied at once, so that the compiler uses vector instructions.
const LANES: usize = 16;

/// Whole numbers that are multiplied at once. With more or fewer, the compiler makes slower code of it.
const WHOLE_LANES: usize = 32;

/// The weights of the cosines of the multilingual and of the English network, and the offset of their sum.
///
/// With these numbers, the mean cosines of related and of unrelated texts are as they are for the
/// multilingual network alone, so that passages with and without an English vector are comparable. The test
/// `the_bundled_model_has_the_stated_band` of the service checks that. The share of the English network is
/// the best of a few on labeled questions; the README of the model has the figures.
const OWN: f32 = 0.3234;
const ENGLISH: f32 = 0.0970;
const OFFSET: f32 = 0.5238;

/// The meaning of a text, as a direction.
///
/// It consists of a vector of length 1, and for English texts, with a model that has a network for them, of a
/// second one.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    own: Exact,
    english: Option<Exact>,
}

/// A vector of length 1.
#[derive(Clone, Debug, PartialEq)]
struct Exact {
    values: Box<[f32]>,
    /// Whole numbers in proportion to the values. The product of these and a stored vector takes a third of
    /// the time that the product of the values takes.
    whole: Box<[i16]>,
    /// The value of 1 in `whole`.
    scale: f32,
}

/// A [`Vector`] with a byte for each dimension, as it is stored. Cosines differ by less than 0.005 from those
/// of the exact vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    own: Bytes,
    english: Option<Bytes>,
}

/// A vector of length 1 with a byte for each dimension.
#[derive(Clone, Debug, PartialEq)]
struct Bytes {
    /// The value of 1 in `values`.
    scale: f32,
    values: Box<[i8]>,
}

/// Numbers or bytes that are not a vector.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum VectorError {
    /// The stored form has the wrong length.
    #[error(
        "a stored vector of {dimensions} dimensions has {} bytes, or {} with an English one, not {found}",
        dimensions + SCALE_BYTES,
        2 * (dimensions + SCALE_BYTES)
    )]
    Length {
        /// The expected dimensions.
        dimensions: usize,
        /// The number of bytes.
        found: usize,
    },
    /// The scale of the stored form is not a number other than 0.
    #[error("the scale of a stored vector must be a number other than 0 (is {0})")]
    Scale(f32),
    /// The numbers have no direction.
    #[error("a vector needs finite numbers of which at least one is not 0")]
    NoDirection,
}

/// Bytes of the scale, which precedes the values.
const SCALE_BYTES: usize = 4;

impl Vector {
    /// Normalises `values` to length 1. Fails if they are empty, all 0 or not finite.
    pub fn new(values: Vec<f32>) -> Result<Self, VectorError> {
        Self::of_networks(values, None)
    }

    /// Creates the vector of a text from the outputs of a model's networks, which have the same dimensions.
    pub(crate) fn of_networks(own: Vec<f32>, english: Option<Vec<f32>>) -> Result<Self, VectorError> {
        Ok(Self { own: Exact::new(own)?, english: english.map(Exact::new).transpose()? })
    }

    /// Returns the values of the vector that every text has.
    pub fn as_slice(&self) -> &[f32] {
        &self.own.values
    }

    /// Returns the cosine between the vectors, -1 to 1. If both have an English vector, it is that of both
    /// vectors together, in the range of the first one. Further dimensions of the longer vector count as 0.
    pub fn dot(&self, other: &Self) -> f32 {
        blend(self.own.dot(&other.own), both(self.english.as_ref(), other.english.as_ref(), Exact::dot))
    }

    /// Returns the stored form.
    pub fn quantize(&self) -> QuantizedVector {
        QuantizedVector { own: Bytes::of(&self.own), english: self.english.as_ref().map(Bytes::of) }
    }
}

impl QuantizedVector {
    /// Returns the stored form: the scale (f32, little-endian), then a byte for each dimension. If the scale
    /// is negative, its amount is the scale, and an English vector follows in the same form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * (SCALE_BYTES + self.own.values.len()));
        self.own.append_to(&mut bytes, self.english.is_some());
        if let Some(english) = &self.english {
            english.append_to(&mut bytes, false);
        }
        bytes
    }

    /// Reads the stored form of a vector with so many dimensions.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Result<Self, VectorError> {
        match Self::split_from(bytes, dimensions)? {
            (vector, []) => Ok(vector),
            _ => Err(VectorError::Length { dimensions, found: bytes.len() }),
        }
    }

    /// Reads the stored form of a vector with so many dimensions from the beginning of `bytes`, and returns
    /// the rest as well.
    pub fn split_from(bytes: &[u8], dimensions: usize) -> Result<(Self, &[u8]), VectorError> {
        let wrong_length = || VectorError::Length { dimensions, found: bytes.len() };
        let (own, is_followed, rest) = Bytes::split_from(bytes, dimensions).ok_or_else(wrong_length)?;
        let (english, rest) = if is_followed {
            let (english, _, rest) = Bytes::split_from(rest, dimensions).ok_or_else(wrong_length)?;
            (Some(english), rest)
        } else {
            (None, rest)
        };
        let scales = std::iter::once(&own).chain(&english).map(|part| part.scale);
        match scales.into_iter().find(|scale| !scale.is_finite() || *scale == 0.0) {
            Some(scale) => Err(VectorError::Scale(scale)),
            None => Ok((Self { own, english }, rest)),
        }
    }

    /// Returns the size of the vector in memory, in bytes.
    pub fn size(&self) -> usize {
        let english = self.english.as_ref().map_or(0, |english| english.values.len() + SCALE_BYTES);
        self.own.values.len() + SCALE_BYTES + english
    }

    /// Returns the cosine with an exact vector, as [`Vector::dot`] does.
    pub fn dot(&self, other: &Vector) -> f32 {
        blend(self.own.dot(&other.own), both(self.english.as_ref(), other.english.as_ref(), Bytes::dot))
    }
}

impl Bytes {
    fn of(exact: &Exact) -> Self {
        let scale = largest(&exact.values) / f32::from(i8::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "the quotient is between -127 and 127")]
        let values = exact.values.iter().map(|value| (value / scale).round() as i8).collect();
        Self { scale, values }
    }

    fn append_to(&self, bytes: &mut Vec<u8>, is_followed: bool) {
        let scale = if is_followed { -self.scale } else { self.scale };
        bytes.extend(scale.to_le_bytes());
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
    }

    /// Returns the vector, whether another one follows, and the rest.
    fn split_from(bytes: &[u8], dimensions: usize) -> Option<(Self, bool, &[u8])> {
        let (scale, rest) = bytes.split_first_chunk::<SCALE_BYTES>()?;
        let (values, rest) = rest.split_at_checked(dimensions)?;
        let scale = f32::from_le_bytes(*scale);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        Some((Self { scale: scale.abs(), values }, scale < 0.0, rest))
    }

    fn dot(&self, other: &Exact) -> f32 {
        let (left, left_rest) = self.values.as_chunks::<WHOLE_LANES>();
        let (right, right_rest) = other.whole.as_chunks::<WHOLE_LANES>();
        let product = |(left, right): (&i8, &i16)| i32::from(*left) * i32::from(*right);
        let sum: i32 = left
            .iter()
            .zip(right)
            .map(|(left, right)| left.iter().zip(right).map(product).sum::<i32>())
            .chain([left_rest.iter().zip(right_rest).map(product).sum()])
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "the numbers are rounded already")]
        let sum = sum as f32;
        sum * self.scale * other.scale
    }
}

impl Exact {
    fn new(mut values: Vec<f32>) -> Result<Self, VectorError> {
        let length = dot_f32(&values, &values).sqrt();
        if !length.is_finite() || length < f32::MIN_POSITIVE {
            return Err(VectorError::NoDirection);
        }
        for value in &mut values {
            *value /= length;
        }
        let scale = largest(&values) / f32::from(largest_whole(values.len()));
        #[expect(clippy::cast_possible_truncation, reason = "the quotient is between -32767 and 32767")]
        let whole = values.iter().map(|value| (value / scale).round() as i16).collect();
        Ok(Self { values: values.into(), whole, scale })
    }

    fn dot(&self, other: &Self) -> f32 {
        dot_f32(&self.values, &other.values)
    }
}

/// Returns the largest whole number that a vector of so many dimensions may have, so that the sum of its
/// products with a stored one is an `i32`.
fn largest_whole(dimensions: usize) -> i16 {
    let dimensions = i32::try_from(dimensions).unwrap_or(i32::MAX);
    let limit = i32::MAX / dimensions.saturating_mul(-i32::from(i8::MIN)).max(1);
    i16::try_from(limit).unwrap_or(i16::MAX).max(1)
}

/// Returns the largest amount of the values, which is not 0.
fn largest(values: &[f32]) -> f32 {
    values.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()))
}

/// Returns the cosine of the English vectors, if both texts have one.
fn both<L>(left: Option<&L>, right: Option<&Exact>, dot: impl FnOnce(&L, &Exact) -> f32) -> Option<f32> {
    left.zip(right).map(|(left, right)| dot(left, right))
}

fn blend(own: f32, english: Option<f32>) -> f32 {
    match english {
        Some(english) => OWN.mul_add(own, ENGLISH.mul_add(english, OFFSET)),
        None => own,
    }
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
