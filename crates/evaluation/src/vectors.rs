//! Vectors of chunks, kept in files between runs: training runs often, over content that seldom changes.

use std::path::Path;

use frontdesk_embedding::{Model, QuantizedVector};
use frontdesk_knowledge::{Candidate, segments};
use sha2::{Digest, Sha256};

use crate::corpus_error::CorpusError;

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
    let key: String =
        Sha256::digest(format!("{}\0{:?}\0{lead}\0{}", model.id(), chunk.language, chunk.text).as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
    let file = cache.join(key);
    if let Ok(bytes) = fs_err::read(&file)
        && let Some(vectors) = stored(&bytes, model.dimensions())
    {
        return Ok(vectors);
    }
    let texts: Vec<&str> = segments(&chunk.text).into_iter().map(|range| &chunk.text[range]).collect();
    let (whole, parts) = model.embed_parts(&lead, &texts, chunk.language.as_deref())?;
    let whole = whole.quantize();
    let parts: Vec<_> = parts.into_iter().map(|part| part.map(|part| part.quantize())).collect();
    let mut bytes = whole.to_bytes();
    for part in &parts {
        bytes.push(u8::from(part.is_some()));
        bytes.extend(part.iter().flat_map(QuantizedVector::to_bytes));
    }
    fs_err::create_dir_all(cache)?;
    fs_err::write(&file, bytes)?;
    Ok(ChunkVectors { whole, parts })
}

/// Reads a file of the cache: the vector of the chunk, and for each segment whether it has a vector, and the
/// vector.
fn stored(bytes: &[u8], dimensions: usize) -> Option<ChunkVectors> {
    let (whole, mut rest) = QuantizedVector::split_from(bytes, dimensions).ok()?;
    let mut parts = Vec::new();
    while let Some((has_vector, after)) = rest.split_first() {
        rest = after;
        if *has_vector == 0 {
            parts.push(None);
        } else {
            let (part, after) = QuantizedVector::split_from(rest, dimensions).ok()?;
            parts.push(Some(part));
            rest = after;
        }
    }
    Some(ChunkVectors { whole, parts })
}
