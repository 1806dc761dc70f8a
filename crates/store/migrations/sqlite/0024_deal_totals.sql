-- Numbers and values of the deals in each cell of a board, so that reading a board does not count its deals.

CREATE TABLE deal_totals (
    account_id     TEXT NOT NULL,
    deal_status_id TEXT NOT NULL,
    deal_row_id    TEXT NOT NULL,
    -- Empty for deals without a value.
    currency       TEXT NOT NULL,
    deals          INTEGER NOT NULL CHECK (deals >= 0),
    -- The sum of the values in two parts, because one could exceed 64 bits: whole billions, and the sum of the remainders.
    large          INTEGER NOT NULL,
    small          INTEGER NOT NULL,
    PRIMARY KEY (account_id, deal_status_id, deal_row_id, currency)
) STRICT, WITHOUT ROWID;

INSERT INTO deal_totals (account_id, deal_status_id, deal_row_id, currency, deals, large, small)
    SELECT account_id, deal_status_id, deal_row_id, COALESCE(currency, ''), COUNT(*),
        SUM(COALESCE(value_units, 0) / 1000000000), SUM(COALESCE(value_units, 0) % 1000000000)
    FROM deals WHERE deleted_at IS NULL
    GROUP BY account_id, deal_status_id, deal_row_id, COALESCE(currency, '');

-- By triggers, so that no statement that writes deals can forget the totals. Every such statement holds the lock of the board.
CREATE TRIGGER deals_enter_totals AFTER INSERT ON deals WHEN new.deleted_at IS NULL BEGIN
    INSERT INTO deal_totals (account_id, deal_status_id, deal_row_id, currency, deals, large, small)
        VALUES (new.account_id, new.deal_status_id, new.deal_row_id, COALESCE(new.currency, ''), 1,
            COALESCE(new.value_units, 0) / 1000000000, COALESCE(new.value_units, 0) % 1000000000)
        ON CONFLICT (account_id, deal_status_id, deal_row_id, currency) DO UPDATE
            SET deals = deals + 1, large = large + excluded.large, small = small + excluded.small;
END;
CREATE TRIGGER deals_leave_totals AFTER DELETE ON deals WHEN old.deleted_at IS NULL BEGIN
    UPDATE deal_totals SET deals = deals - 1, large = large - COALESCE(old.value_units, 0) / 1000000000,
            small = small - COALESCE(old.value_units, 0) % 1000000000
        WHERE account_id = old.account_id AND deal_status_id = old.deal_status_id AND deal_row_id = old.deal_row_id
            AND currency = COALESCE(old.currency, '');
    DELETE FROM deal_totals
        WHERE account_id = old.account_id AND deal_status_id = old.deal_status_id AND deal_row_id = old.deal_row_id
            AND currency = COALESCE(old.currency, '') AND deals = 0;
END;
CREATE TRIGGER deals_change_totals AFTER UPDATE OF deal_status_id, deal_row_id, currency, value_units, deleted_at ON deals
    WHEN old.deal_status_id <> new.deal_status_id OR old.deal_row_id <> new.deal_row_id OR old.currency IS NOT new.currency
        OR old.value_units IS NOT new.value_units OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL)
BEGIN
    UPDATE deal_totals SET deals = deals - 1, large = large - COALESCE(old.value_units, 0) / 1000000000,
            small = small - COALESCE(old.value_units, 0) % 1000000000
        WHERE old.deleted_at IS NULL AND account_id = old.account_id AND deal_status_id = old.deal_status_id
            AND deal_row_id = old.deal_row_id AND currency = COALESCE(old.currency, '');
    DELETE FROM deal_totals
        WHERE account_id = old.account_id AND deal_status_id = old.deal_status_id AND deal_row_id = old.deal_row_id
            AND currency = COALESCE(old.currency, '') AND deals = 0;
    INSERT INTO deal_totals (account_id, deal_status_id, deal_row_id, currency, deals, large, small)
        SELECT new.account_id, new.deal_status_id, new.deal_row_id, COALESCE(new.currency, ''), 1,
            COALESCE(new.value_units, 0) / 1000000000, COALESCE(new.value_units, 0) % 1000000000
        WHERE new.deleted_at IS NULL
        ON CONFLICT (account_id, deal_status_id, deal_row_id, currency) DO UPDATE
            SET deals = deals + 1, large = large + excluded.large, small = small + excluded.small;
END;

-- The totals were read from it.
DROP INDEX deals_sums;
