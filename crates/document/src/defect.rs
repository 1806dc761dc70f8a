//! Defects of a document, as its users see them: each with its node.

use crate::broken::Broken;
use crate::document::Document;
use crate::node::NodeRef;
use crate::source::Span;

/// A place of a document that could not be read as written.
#[derive(Clone, Copy, Debug)]
pub struct Defect<'d> {
    /// The innermost node that still exists: the place itself, or the node from which it was left out.
    pub holder: NodeRef<'d>,
    /// The pointer of the place in its file.
    pub place: &'d str,
    /// The problem.
    pub problem: &'d str,
    /// How it is read.
    pub reading: &'d str,
    /// Where it is written.
    pub span: Span,
    /// Whether operations are left out with it.
    pub leaves_out_operations: bool,
}

impl<'d> Defect<'d> {
    fn new(broken: &'d Broken, holder: NodeRef<'d>) -> Self {
        Self {
            holder,
            place: &broken.place,
            problem: &broken.problem,
            reading: broken.reading,
            span: broken.span,
            leaves_out_operations: broken.leaves_out_operations(),
        }
    }
}

impl Document {
    /// Returns the places where the document could not be read as written, in the order in which they were
    /// found.
    pub fn defects(&self) -> impl Iterator<Item = Defect<'_>> {
        self.defects.iter().map(|broken| Defect::new(broken, self.node(broken.holder)))
    }
}
