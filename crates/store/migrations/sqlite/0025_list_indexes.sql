-- Lists by the source of conversations, of which few may be in one.
CREATE INDEX conversations_source ON conversations (chatbot_id, source, last_message_at, conversation_id);
