//! Limits of one run, so that no input can exhaust memory or the stack, and the defects that it tolerates.

/// Bounds on the input. The defaults are far above the largest documents in public use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest file, in bytes. Values above 1 GiB count as 1 GiB.
    pub max_file_bytes: usize,
    /// Most files of one document.
    pub max_files: usize,
    /// Deepest nesting of arrays and objects in a file.
    pub max_depth: usize,
    /// Most nodes that the aliases of a YAML file may add, which stops the "billion laughs" attack.
    pub max_alias_nodes: usize,
    /// Whether a defect of the document with a sensible interpretation is an error all the same.
    pub strict: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 32 << 20,
            max_files: 2_000,
            max_depth: 256,
            max_alias_nodes: 500_000,
            strict: false,
        }
    }
}
