-- Position of the message that offers to hand the conversation over to a person. A conversation has at most one.
ALTER TABLE conversations ADD COLUMN offer_position BIGINT;
