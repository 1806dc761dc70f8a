-- Vectors are made for one account after the other, and of each for its newest chatbot first: all three steps are found by one index.
CREATE INDEX chunks_without_vectors ON chunks (vector_model, account_id, chatbot_id, chunk_no);
DROP INDEX chunks_to_embed;

-- How many chunks of a chatbot have vectors, and whether any has none.
CREATE INDEX chunks_vector_progress ON chunks (chatbot_id, vector_model);
