-- Contacts as a resource of the interface: what they are to the business, payments, archiving, and identification by phone number.
ALTER TABLE contacts ADD COLUMN kind TEXT NOT NULL DEFAULT 'lead' CHECK (kind IN ('lead', 'subscriber'));
-- The phone number in the format E.164, if it identifies this contact. Another contact with the same number has none.
ALTER TABLE contacts ADD COLUMN phone_key TEXT;
-- Whether the account itself has written the contact. Claims of visitors then fill only what is empty.
ALTER TABLE contacts ADD COLUMN is_managed INTEGER NOT NULL DEFAULT 0 CHECK (is_managed IN (0, 1));
-- Of a paying customer; NULL for all others.
ALTER TABLE contacts ADD COLUMN became_customer_at INTEGER;
ALTER TABLE contacts ADD COLUMN paid_at INTEGER;
ALTER TABLE contacts ADD COLUMN payment_amount TEXT;
ALTER TABLE contacts ADD COLUMN payment_currency TEXT;
ALTER TABLE contacts ADD COLUMN payment_reference TEXT;
ALTER TABLE contacts ADD COLUMN archived_at INTEGER;
ALTER TABLE contacts ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
-- Name, address, number and company in lower case, for filters.
ALTER TABLE contacts ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

-- Until now all contacts came from chats.
UPDATE contacts SET source = 'chatbot', updated_at = last_seen_at, search_text = lower(
    COALESCE(name, '') || ' ' || COALESCE(email, '') || ' ' || COALESCE(phone, '') || ' ' || COALESCE(company, ''));

CREATE UNIQUE INDEX contacts_phone ON contacts (account_id, phone_key, is_verified) WHERE phone_key IS NOT NULL;
CREATE INDEX contacts_newest ON contacts (account_id, first_seen_at, contact_id);
CREATE INDEX conversations_contact_created ON conversations (contact_id, created_at, conversation_id);
