// Database triggers that protect the books: every posted entry balances when a transaction ends, amounts
// of posted entries stay, and, if a parameter is set, a vendor's bill is posted once, whatever writes
// it.

import { sealRecords } from '#engine'
import type { Environment } from '#models'
import { ValidationError } from '../../../errors.ts'
import { raw, sql } from '../../../sql/index.ts'
import { createIssuedTable } from '../print/issued.ts'
import { markingStatements, sealedEntries } from './sealing.ts'

/** Statements that may run again; on databases that are there already they change the functions alone. */
const statements: readonly string[] = [
  `CREATE OR REPLACE FUNCTION account_move_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE total numeric; booked text;
    BEGIN
      SELECT m.name INTO booked FROM account_move m WHERE m.id = NEW.id AND m.state = 'posted';
      IF NOT FOUND THEN RETURN NULL; END IF;
      SELECT sum(l.balance) INTO total FROM account_move_line l WHERE l.move_id = NEW.id;
      IF round(COALESCE(total, 0), 6) <> 0 THEN
        RAISE EXCEPTION 'The posted entry % does not balance: %', booked, total USING ERRCODE = 'check_violation', CONSTRAINT = 'account_move_balanced';
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE OR REPLACE FUNCTION account_move_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        IF OLD.state = 'posted' THEN
          RAISE EXCEPTION 'The posted entry % stays', OLD.name USING ERRCODE = 'check_violation', CONSTRAINT = 'account_move_kept';
        END IF;
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'The posted entry % stays as it is', OLD.name USING ERRCODE = 'check_violation', CONSTRAINT = 'account_move_kept';
    END $$`,
  `CREATE OR REPLACE FUNCTION account_move_line_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' AND EXISTS (SELECT FROM account_move m WHERE m.id = OLD.move_id AND m.state = 'posted')
        OR TG_OP <> 'DELETE' AND EXISTS (SELECT FROM account_move m WHERE m.id = NEW.move_id AND m.state = 'posted') THEN
        RAISE EXCEPTION 'Items of posted entries stay as they are' USING ERRCODE = 'check_violation', CONSTRAINT = 'account_move_line_kept';
      END IF;
      IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
      RETURN NEW;
    END $$`,
  'DROP TRIGGER IF EXISTS balanced ON account_move',
  // Items are closed while their entry is posted: what is left to look at is the moment it becomes posted.
  `CREATE CONSTRAINT TRIGGER balanced AFTER INSERT OR UPDATE OF state ON account_move DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.state = 'posted') EXECUTE FUNCTION account_move_balanced()`,
  `CREATE OR REPLACE TRIGGER kept_row BEFORE UPDATE ON account_move FOR EACH ROW WHEN (OLD.state = 'posted' AND NEW.state = 'posted'
      AND (OLD.name, OLD.date, OLD.journal_id, OLD.company_id, OLD.currency_id, OLD.move_type, OLD.partner_id)
        IS DISTINCT FROM (NEW.name, NEW.date, NEW.journal_id, NEW.company_id, NEW.currency_id, NEW.move_type, NEW.partner_id))
    EXECUTE FUNCTION account_move_kept()`,
  `CREATE OR REPLACE TRIGGER kept_from_removal BEFORE DELETE ON account_move FOR EACH ROW WHEN (OLD.state = 'posted') EXECUTE FUNCTION account_move_kept()`,
  `CREATE OR REPLACE TRIGGER kept_amounts BEFORE UPDATE ON account_move_line FOR EACH ROW
    WHEN ((OLD.move_id, OLD.account_id, OLD.balance, OLD.debit, OLD.credit, OLD.amount_currency, OLD.currency_id, OLD.tax_line_id, OLD.tax_repartition_line_id)
      IS DISTINCT FROM (NEW.move_id, NEW.account_id, NEW.balance, NEW.debit, NEW.credit, NEW.amount_currency, NEW.currency_id, NEW.tax_line_id, NEW.tax_repartition_line_id))
    EXECUTE FUNCTION account_move_line_kept()`,
  // An item that said of itself that it is no posted one, or of another day, would be missing in reports.
  `CREATE OR REPLACE FUNCTION account_move_line_agrees() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM account_move m WHERE m.id = NEW.move_id AND m.state = 'posted'
          AND (m.state, m.date, m.journal_id, m.company_id) IS DISTINCT FROM (NEW.parent_state, NEW.date, NEW.journal_id, NEW.company_id)) THEN
        RAISE EXCEPTION 'Items of posted entries say what their entry says' USING ERRCODE = 'check_violation', CONSTRAINT = 'account_move_line_kept';
      END IF;
      RETURN NEW;
    END $$`,
  `CREATE OR REPLACE TRIGGER agreeing BEFORE UPDATE ON account_move_line FOR EACH ROW
    WHEN ((OLD.parent_state, OLD.date, OLD.journal_id, OLD.company_id) IS DISTINCT FROM (NEW.parent_state, NEW.date, NEW.journal_id, NEW.company_id))
    EXECUTE FUNCTION account_move_line_agrees()`,
  // If the parameter is set, a vendor's reference is unique per year. A bill that was credited in full
  // may be entered again, and credit notes made from bills have no reference of the vendor. Entries from
  // before the rule have no key.
  `CREATE OR REPLACE FUNCTION account_move_vendor_reference() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.vendor_reference := CASE WHEN NEW.state = 'posted' AND NEW.move_type IN ('in_invoice', 'in_refund', 'in_receipt')
          AND NEW.reversed_entry_id IS NULL AND NEW.payment_state IS DISTINCT FROM 'reversed' AND btrim(NEW.ref) <> ''
          AND EXISTS (SELECT FROM ir_config_parameter WHERE key = 'account.vendor_reference_once' AND lower(value) IN ('1', 'true'))
        THEN concat_ws('/', NEW.move_type, NEW.commercial_partner_id, extract(year FROM NEW.invoice_date), md5(lower(btrim(NEW.ref)))) END;
      RETURN NEW;
    END $$`,
  `CREATE OR REPLACE TRIGGER bill_once_made BEFORE INSERT ON account_move FOR EACH ROW
    WHEN (NEW.state = 'posted') EXECUTE FUNCTION account_move_vendor_reference()`,
  `CREATE OR REPLACE TRIGGER bill_once BEFORE UPDATE ON account_move FOR EACH ROW
    WHEN ((OLD.state, OLD.move_type, OLD.ref, OLD.partner_id, OLD.company_id, OLD.invoice_date, OLD.reversed_entry_id, OLD.payment_state = 'reversed')
      IS DISTINCT FROM (NEW.state, NEW.move_type, NEW.ref, NEW.partner_id, NEW.company_id, NEW.invoice_date, NEW.reversed_entry_id, NEW.payment_state = 'reversed'))
    EXECUTE FUNCTION account_move_vendor_reference()`,
  `CREATE OR REPLACE TRIGGER kept_items BEFORE INSERT OR DELETE ON account_move_line FOR EACH ROW EXECUTE FUNCTION account_move_line_kept()`,
]

/**
 * Makes the guards, at installation, at every upgrade, and when a backup is restored: no file says what the
 * database runs.
 */
export async function protectBooks(env: Environment): Promise<void> {
  for (const statement of [...statements, ...markingStatements]) await env.execute(raw(statement))
  await sealRecords(env, sealedEntries)
  await createIssuedTable(env)
  await assertAllBalance(env)
}

/** Number of entries that a refusal names. */
const NAMED = 5

/**
 * Books that come from elsewhere, as a backup, hold no posted entry that does not balance. Throws
 * ValidationError with the first of them.
 */
async function assertAllBalance(env: Environment): Promise<void> {
  const rows = await env.rows(
    sql`SELECT m.name, sum(l.balance)::text FROM account_move_line l JOIN account_move m ON m.id = l.move_id
    WHERE m.state = 'posted' GROUP BY m.id HAVING round(sum(l.balance), 6) <> 0 ORDER BY m.id LIMIT ${NAMED}::int`,
    { reads: ['account.move.line', 'account.move'], row: ['text?', 'text?'] },
  )
  if (rows.length === 0) return
  const named = rows.map(([name, off]) => `${name} (${off})`).join(', ')
  throw new ValidationError(
    `The books hold posted entries that do not balance: ${named}. Correct them in their source.`,
  )
}
