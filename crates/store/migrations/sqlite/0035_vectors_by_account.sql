-- Vectors are made for one account after the other: the next account with chunks to do, and the next of its chunks, are found by one index.
CREATE INDEX chunks_to_embed ON chunks (vector_model, account_id, chunk_no);
DROP INDEX chunks_vector_model;
