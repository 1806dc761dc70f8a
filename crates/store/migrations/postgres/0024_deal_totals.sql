-- Numbers and values of the deals in each cell of a board, so that reading a board does not count its deals.

CREATE TABLE deal_totals (
    account_id     TEXT NOT NULL,
    deal_status_id TEXT NOT NULL,
    deal_row_id    TEXT NOT NULL,
    -- Empty for deals without a value.
    currency       TEXT NOT NULL,
    deals          BIGINT NOT NULL CHECK (deals >= 0),
    -- The sum of the values in two parts, because one could exceed 64 bits: whole billions, and the sum of the remainders.
    large          BIGINT NOT NULL,
    small          BIGINT NOT NULL,
    PRIMARY KEY (account_id, deal_status_id, deal_row_id, currency)
);

INSERT INTO deal_totals (account_id, deal_status_id, deal_row_id, currency, deals, large, small)
    SELECT account_id, deal_status_id, deal_row_id, COALESCE(currency, ''), COUNT(*),
        SUM(COALESCE(value_units, 0) / 1000000000), SUM(COALESCE(value_units, 0) % 1000000000)
    FROM deals WHERE deleted_at IS NULL
    GROUP BY account_id, deal_status_id, deal_row_id, COALESCE(currency, '');

-- By triggers, so that no statement that writes deals can forget the totals. Every such statement holds the lock of the board.
CREATE FUNCTION keep_deal_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
        UPDATE deal_totals SET deals = deals - 1, large = large - COALESCE(OLD.value_units, 0) / 1000000000,
                small = small - COALESCE(OLD.value_units, 0) % 1000000000
            WHERE account_id = OLD.account_id AND deal_status_id = OLD.deal_status_id AND deal_row_id = OLD.deal_row_id
                AND currency = COALESCE(OLD.currency, '');
        DELETE FROM deal_totals
            WHERE account_id = OLD.account_id AND deal_status_id = OLD.deal_status_id AND deal_row_id = OLD.deal_row_id
                AND currency = COALESCE(OLD.currency, '') AND deals = 0;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
        INSERT INTO deal_totals (account_id, deal_status_id, deal_row_id, currency, deals, large, small)
            VALUES (NEW.account_id, NEW.deal_status_id, NEW.deal_row_id, COALESCE(NEW.currency, ''), 1,
                COALESCE(NEW.value_units, 0) / 1000000000, COALESCE(NEW.value_units, 0) % 1000000000)
            ON CONFLICT (account_id, deal_status_id, deal_row_id, currency) DO UPDATE
                SET deals = deal_totals.deals + 1, large = deal_totals.large + excluded.large,
                    small = deal_totals.small + excluded.small;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER deals_enter_or_leave_totals AFTER INSERT OR DELETE ON deals
    FOR EACH ROW EXECUTE FUNCTION keep_deal_totals();
CREATE TRIGGER deals_change_totals AFTER UPDATE OF deal_status_id, deal_row_id, currency, value_units, deleted_at ON deals
    FOR EACH ROW WHEN (OLD.deal_status_id <> NEW.deal_status_id OR OLD.deal_row_id <> NEW.deal_row_id
        OR OLD.currency IS DISTINCT FROM NEW.currency OR OLD.value_units IS DISTINCT FROM NEW.value_units
        OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
    EXECUTE FUNCTION keep_deal_totals();

-- The totals were read from it.
DROP INDEX deals_sums;
