-- Vectors of chunks, for search by meaning.

CREATE TABLE chunk_vectors (
    -- Grows with every write, so that a process can ask for what is new.
    vector_no  INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk_id   TEXT NOT NULL UNIQUE REFERENCES chunks (chunk_id) ON DELETE CASCADE,
    chatbot_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    -- The model that made the vectors; those of different models are not comparable.
    model      TEXT NOT NULL,
    vector     BLOB NOT NULL,
    -- The vectors of the segments of the chunk, each with its range.
    segments   BLOB NOT NULL,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX chunk_vectors_chatbot ON chunk_vectors (chatbot_id, model, vector_no);

-- The model for which the chunk has been processed; empty if none has. A chunk can be processed without having vectors, if the
-- model refused it.
ALTER TABLE chunks ADD COLUMN vector_model TEXT NOT NULL DEFAULT '';
CREATE INDEX chunks_vector_model ON chunks (vector_model, chunk_no);

-- For the language that most of a chatbot's content is in.
CREATE INDEX chunks_language ON chunks (chatbot_id, account_id, language);
