-- Deals: the sales board of an account, with its columns (statuses), rows and cards.

CREATE TABLE deal_statuses (
    deal_status_id TEXT NOT NULL PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    -- The name in lower case, which is unique in the account.
    name_key       TEXT NOT NULL,
    color          TEXT,
    kind           TEXT NOT NULL CHECK (kind IN ('open', 'won', 'lost')),
    probability    INTEGER CHECK (probability BETWEEN 0 AND 100),
    rot_after_days INTEGER CHECK (rot_after_days > 0),
    position       INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (account_id, name_key),
    UNIQUE (deal_status_id, account_id)
) STRICT;
CREATE INDEX deal_statuses_order ON deal_statuses (account_id, position, deal_status_id);

CREATE TABLE deal_rows (
    deal_row_id  TEXT NOT NULL PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    name_key     TEXT NOT NULL,
    color        TEXT,
    is_collapsed INTEGER NOT NULL CHECK (is_collapsed IN (0, 1)),
    is_default   INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    position     INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    UNIQUE (account_id, name_key),
    UNIQUE (deal_row_id, account_id)
) STRICT;
CREATE INDEX deal_rows_order ON deal_rows (account_id, position, deal_row_id);
-- Every account has exactly one. Its row is also the lock of the board.
CREATE UNIQUE INDEX deal_rows_default ON deal_rows (account_id) WHERE is_default = 1;

CREATE TABLE deals (
    deal_id             TEXT NOT NULL PRIMARY KEY,
    account_id          TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    title               TEXT NOT NULL,
    -- The title in lower case, for filters.
    search_text         TEXT NOT NULL,
    deal_status_id      TEXT NOT NULL,
    deal_row_id         TEXT NOT NULL,
    -- The rank in the cell, compared byte by byte.
    position            TEXT NOT NULL,
    outcome             TEXT NOT NULL CHECK (outcome IN ('open', 'won', 'lost')),
    lost_reason         TEXT,
    -- The value in ten-thousandths of the currency, so that it is compared and added up without rounding.
    value_units         INTEGER CHECK (value_units >= 0),
    currency            TEXT,
    probability         INTEGER CHECK (probability BETWEEN 0 AND 100),
    expected_close_date TEXT,
    owner_id            TEXT REFERENCES users (user_id) ON DELETE SET NULL,
    source              TEXT NOT NULL,
    status_changed_at   INTEGER NOT NULL,
    -- When it was last changed otherwise than by a move within its column.
    active_at           INTEGER NOT NULL,
    closed_at           INTEGER,
    deleted_at          INTEGER,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    UNIQUE (deal_id, account_id),
    CHECK ((value_units IS NULL) = (currency IS NULL)),
    -- Deferred, because the rows of an account are deleted in no certain order.
    FOREIGN KEY (deal_status_id, account_id) REFERENCES deal_statuses (deal_status_id, account_id)
        DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (deal_row_id, account_id) REFERENCES deal_rows (deal_row_id, account_id)
        DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE UNIQUE INDEX deals_cell ON deals (account_id, deal_status_id, deal_row_id, position)
    WHERE deleted_at IS NULL;
-- Counts and sums of a board are read from this index alone.
CREATE INDEX deals_sums ON deals (account_id, deal_status_id, deal_row_id, currency, value_units)
    WHERE deleted_at IS NULL;
CREATE INDEX deals_created ON deals (account_id, created_at, deal_id) WHERE deleted_at IS NULL;
CREATE INDEX deals_updated ON deals (account_id, updated_at, deal_id) WHERE deleted_at IS NULL;
CREATE INDEX deals_value ON deals (account_id, COALESCE(value_units, -1), deal_id) WHERE deleted_at IS NULL;
CREATE INDEX deals_expected ON deals (account_id, COALESCE(expected_close_date, '9999-99-99'), deal_id)
    WHERE deleted_at IS NULL;
CREATE INDEX deals_deleted ON deals (deleted_at, deal_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX deals_status ON deals (deal_status_id, account_id);
CREATE INDEX deals_row ON deals (deal_row_id, account_id);
CREATE INDEX deals_owner ON deals (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE deal_contacts (
    deal_id    TEXT NOT NULL,
    contact_id TEXT NOT NULL REFERENCES contacts (contact_id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    PRIMARY KEY (deal_id, contact_id),
    FOREIGN KEY (deal_id, account_id) REFERENCES deals (deal_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX deal_contacts_contact ON deal_contacts (contact_id, deal_id);

-- How a deal came into its columns and to its outcomes. Columns may be deleted later, so they are no foreign keys, and their names are kept.
CREATE TABLE deal_changes (
    deal_change_id      TEXT NOT NULL PRIMARY KEY,
    deal_id             TEXT NOT NULL,
    account_id          TEXT NOT NULL,
    type                TEXT NOT NULL
        CHECK (type IN ('created', 'moved', 'won', 'lost', 'reopened', 'deleted', 'restored')),
    from_deal_status_id TEXT,
    from_status_name    TEXT,
    to_deal_status_id   TEXT NOT NULL,
    to_status_name      TEXT NOT NULL,
    outcome             TEXT NOT NULL CHECK (outcome IN ('open', 'won', 'lost')),
    -- Who did it.
    user_id             TEXT REFERENCES users (user_id) ON DELETE SET NULL,
    created_at          INTEGER NOT NULL,
    FOREIGN KEY (deal_id, account_id) REFERENCES deals (deal_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX deal_changes_deal ON deal_changes (deal_id, created_at, deal_change_id);
CREATE INDEX deal_changes_user ON deal_changes (user_id) WHERE user_id IS NOT NULL;

-- The board that new accounts get when they are created.
INSERT INTO deal_statuses (deal_status_id, account_id, name, name_key, kind, probability, position, created_at, updated_at)
    SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
            || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
        account_id, column1, lower(column1), column2, column3, column4, created_at, created_at
    FROM accounts, (VALUES ('New', 'open', 10, 1), ('Contacted', 'open', 25, 2), ('Proposal', 'open', 50, 3),
        ('Negotiation', 'open', 75, 4), ('Won', 'won', 100, 5), ('Lost', 'lost', 0, 6));
INSERT INTO deal_rows (deal_row_id, account_id, name, name_key, is_collapsed, is_default, position, created_at, updated_at)
    SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
            || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
        account_id, 'Deals', 'deals', 0, 1, 1, created_at, created_at
    FROM accounts;
