//! [`Known`]: what is known of an embedding model after its first use.

use super::calibration::Calibration;

/// What is known of a model after its first use.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Changes with the model. Only vectors with the same id are comparable.
    pub(crate) id: String,
    /// The length of the vectors.
    pub(crate) dimensions: usize,
    /// How its cosines compare with those of the bundled model.
    pub(crate) calibration: Calibration,
}
