//! [`Calibration`]: how the cosines of a model compare with those of the bundled one.
//!
//! Cosines of the bundled model lie between 0.75 and 0.9, those of others between 0.1 and 0.6: the same
//! number means something else. A few questions and passages that answer them show the band of a model.

use frontdesk_embedding::Vector;

/// Questions that the passages at the same places in [`PASSAGES`] answer.
pub(super) const QUESTIONS: [&str; 8] = [
    "When do you open on Saturdays?",
    "How can I return an item?",
    "What does shipping cost?",
    "How do I reset my password?",
    "Is there a car park nearby?",
    "Do you have vegetarian dishes?",
    "Can I bring my dog?",
    "Which payment methods do you accept?",
];

/// Passages that answer the questions at the same places in [`QUESTIONS`].
pub(super) const PASSAGES: [&str; 8] = [
    "Our shop is open from Monday to Friday from 9 to 18 o'clock and on Saturdays from 10 to 14 o'clock.",
    "You may send goods back within 30 days. Put them into the original box and use the label that came with the parcel.",
    "We deliver for 4.90 euros. Orders above 50 euros are free of charge.",
    "Forgot how to sign in? Choose \u{201c}Forgotten password\u{201d} on the sign-in page, and we send you a link for a new one.",
    "Guests leave their cars in the garage behind the station, three minutes on foot.",
    "The menu has a soup of the day without meat, two vegan bowls and a mushroom risotto.",
    "Pets are welcome in all rooms on the ground floor for a small fee.",
    "You can pay in cash, by debit or credit card, or by invoice.",
];

/// The mean cosine of the bundled model between a question and the passage that answers it.
const RELATED: f32 = 0.853;

/// The mean cosine of the bundled model between a question and the other passages.
const UNRELATED: f32 = 0.785;

/// The least distance of the two that says anything.
const LEAST_DISTANCE: f32 = 0.01;

/// A straight line from the cosines of a model to those of the bundled one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Calibration {
    slope: f32,
    offset: f32,
}

impl Calibration {
    /// That of the bundled model itself.
    pub(super) const IDENTITY: Self = Self { slope: 1.0, offset: 0.0 };

    /// Measures a model by its vectors of [`QUESTIONS`] and of [`PASSAGES`]. One that does not tell the
    /// passages apart is not calibrated.
    pub(super) fn of(questions: &[Vector], passages: &[Vector]) -> Self {
        let (related, unrelated) = band(questions, passages);
        if related - unrelated < LEAST_DISTANCE {
            tracing::warn!(
                related,
                unrelated,
                "the embedding model does not tell related texts from unrelated ones"
            );
            return Self::IDENTITY;
        }
        let slope = (RELATED - UNRELATED) / (related - unrelated);
        Self { slope, offset: UNRELATED - slope * unrelated }
    }

    /// Returns the cosine that the bundled model would have.
    pub(crate) fn apply(self, cosine: f32) -> f32 {
        self.slope.mul_add(cosine, self.offset)
    }
}

/// Returns the mean cosines of related and of unrelated texts.
fn band(questions: &[Vector], passages: &[Vector]) -> (f32, f32) {
    let (mut related, mut unrelated) = (Mean::default(), Mean::default());
    for (place, question) in questions.iter().enumerate() {
        for (other, passage) in passages.iter().enumerate() {
            let mean = if place == other { &mut related } else { &mut unrelated };
            mean.add(question.dot(passage));
        }
    }
    (related.value(), unrelated.value())
}

#[derive(Default)]
struct Mean {
    sum: f32,
    count: f32,
}

impl Mean {
    fn add(&mut self, value: f32) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(&self) -> f32 {
        if self.count > 0.0 { self.sum / self.count } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "bundled-model")]
    #[test]
    fn the_bundled_model_has_the_stated_band() {
        let model = frontdesk_embedding::Model::bundled().unwrap();
        let questions: Vec<Vector> =
            QUESTIONS.iter().map(|text| model.embed_query(text, Some("de")).unwrap()).collect();
        let (related, unrelated) = band(&questions, &model.embed_passages(&PASSAGES).unwrap());
        let near = |value: f32, stated: f32| (value - stated).abs() < 0.005;
        assert!(near(related, RELATED) && near(unrelated, UNRELATED), "{related} {unrelated}");

        let questions: Vec<Vector> =
            QUESTIONS.iter().map(|text| model.embed_query(text, Some("en")).unwrap()).collect();
        let english = |text: &&str| model.embed_parts("", &[*text], Some("en")).unwrap().0;
        let passages: Vec<Vector> = PASSAGES.iter().map(english).collect();
        let (related, unrelated) = band(&questions, &passages);
        assert!(near(related, RELATED) && near(unrelated, UNRELATED), "English: {related} {unrelated}");
    }

    #[test]
    fn another_band_is_mapped_to_that_of_the_bundled_model() {
        let vector = |values: [f32; 3]| Vector::new(values.to_vec()).unwrap();
        // Related texts have the cosine 1, unrelated ones 0.
        let axes = [vector([1.0, 0.0, 0.0]), vector([0.0, 1.0, 0.0]), vector([0.0, 0.0, 1.0])];
        let calibration = Calibration::of(&axes, &axes);
        assert!((calibration.apply(1.0) - RELATED).abs() < 1e-5);
        assert!((calibration.apply(0.0) - UNRELATED).abs() < 1e-5);
        let same = [axes[0].clone(), axes[0].clone()];
        assert_eq!(Calibration::of(&same, &same), Calibration::IDENTITY);
    }
}
