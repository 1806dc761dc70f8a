//! Vectors of chunks, kept in files between runs: training runs often, over content that seldom changes.

use std::path::Path;

use frontdesk_embedding::{Model, QuantizedVector};
use frontdesk_knowledge::{Candidate, segments};
use sha2::{Digest, Sha256};

use crate::corpus::CorpusError;

/// The vectors of a chunk and of its segments.
#[derive(Debug, Clone)]
pub(crate) struct ChunkVectors {
    pub(crate) whole: QuantizedVector,
    pub(crate) parts: Vec<Option<QuantizedVector>>,
}

pub(crate) fn of_chunk(model: &Model, chunk: &Candidate, cache: &Path) -> Result<ChunkVectors, CorpusError> {
    let lead = if chunk.headings.is_empty() {
        chunk.title.clone()
    } else {
        format!("{} > {}", chunk.title, chunk.headings)
    };
    let key: String = Sha256::digest(format!("{}\0{lead}\0{}", model.id(), chunk.text).as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let file = cache.join(key);
    let size = model.dimensions() + 4;
    if let Ok(bytes) = fs_err::read(&file) {
        let mut vectors =
            bytes.chunks_exact(size).map(|bytes| QuantizedVector::from_bytes(bytes, size - 4).ok());
        if let Some(Some(whole)) = vectors.next() {
            return Ok(ChunkVectors { whole, parts: vectors.collect() });
        }
    }
    let texts: Vec<&str> = segments(&chunk.text).into_iter().map(|range| &chunk.text[range]).collect();
    let (whole, parts) = model.embed_parts(&lead, &texts)?;
    let whole = whole.quantize();
    let parts: Vec<_> = parts.into_iter().map(|part| part.map(|part| part.quantize())).collect();
    let mut bytes = whole.to_bytes();
    for part in &parts {
        bytes.extend(part.as_ref().map_or_else(|| vec![0; size], QuantizedVector::to_bytes));
    }
    fs_err::create_dir_all(cache)?;
    fs_err::write(&file, bytes)?;
    Ok(ChunkVectors { whole, parts })
}
