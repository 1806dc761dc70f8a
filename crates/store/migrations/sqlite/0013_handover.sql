-- Conversations that people read, take over and hand back; ratings of messages.

-- Whether a person should look at the conversation.
ALTER TABLE conversations ADD COLUMN needs_escalation INTEGER NOT NULL DEFAULT 0 CHECK (needs_escalation IN (0, 1));
-- The last request for a person.
ALTER TABLE conversations ADD COLUMN escalated_at INTEGER;
ALTER TABLE conversations ADD COLUMN escalation_reason TEXT
    CHECK (escalation_reason IN ('user_request', 'frustration', 'no_answer', 'policy', 'other'));
ALTER TABLE conversations ADD COLUMN escalation_note TEXT;
-- When the visitor is told that nobody is available. NULL if nobody is waited for, or if the visitor was told.
ALTER TABLE conversations ADD COLUMN handover_due_at INTEGER;
-- The worst rating of its messages.
ALTER TABLE conversations ADD COLUMN feedback TEXT CHECK (feedback IN ('up', 'down'));
UPDATE conversations SET needs_escalation = 1, escalated_at = last_message_at, escalation_reason = 'user_request'
    WHERE mode = 'human_requested';
UPDATE conversations SET needs_escalation = 1 WHERE mode = 'ai' AND 1 = (
    SELECT answer.needs_escalation FROM messages AS answer
    WHERE answer.conversation_id = conversations.conversation_id AND answer.role = 'assistant'
    ORDER BY answer.position DESC LIMIT 1
);

-- Who wrote a message of a team member; kept when that person is deleted.
ALTER TABLE messages ADD COLUMN team_member_id TEXT;
ALTER TABLE messages ADD COLUMN feedback_rating TEXT CHECK (feedback_rating IN ('up', 'down'));
ALTER TABLE messages ADD COLUMN feedback_comment TEXT;
ALTER TABLE messages ADD COLUMN feedback_at INTEGER;

-- A list has an index for each filter that can leave few of many conversations, so that a page is read in its order.
DROP INDEX IF EXISTS conversations_chatbot;
DROP INDEX IF EXISTS conversations_contact;
CREATE INDEX conversations_list ON conversations (chatbot_id, last_message_at, conversation_id);
CREATE INDEX conversations_mode ON conversations (chatbot_id, mode, last_message_at, conversation_id);
CREATE INDEX conversations_open ON conversations (chatbot_id, last_message_at, conversation_id) WHERE mode <> 'closed';
CREATE INDEX conversations_escalation ON conversations (chatbot_id, last_message_at, conversation_id)
    WHERE needs_escalation = 1;
CREATE INDEX conversations_feedback ON conversations (chatbot_id, feedback, last_message_at, conversation_id)
    WHERE feedback IS NOT NULL;
CREATE INDEX conversations_of_contact ON conversations (contact_id, last_message_at, conversation_id);
CREATE INDEX conversations_handover_due ON conversations (handover_due_at) WHERE handover_due_at IS NOT NULL;
