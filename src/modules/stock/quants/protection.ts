// Database triggers that protect the ledger: reserved quantities are never negative, and goods neither
// appear nor vanish, whatever writes them.
import type { Environment } from '#models'
import { raw } from '../../../sql/index.ts'

/** Statements that may run again; on databases that are there already they change the functions alone. */
const statements: readonly string[] = [
  // Not a check of the table: PostgreSQL would judge what is added to a row as if it were a row.
  `CREATE OR REPLACE FUNCTION stock_quant_reserved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'Less than nothing would be reserved of product % in place %', NEW.product_id, NEW.location_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'stock_quant_reserved';
    END $$`,
  `CREATE OR REPLACE TRIGGER reserved_sign AFTER INSERT OR UPDATE OF reserved_quantity ON stock_quant
    FOR EACH ROW WHEN (NEW.reserved_quantity < 0) EXECUTE FUNCTION stock_quant_reserved()`,
  // Every move takes from one place what it brings to another; vendors, customers and losses are places too.
  // So all places together hold nothing.
  `CREATE OR REPLACE FUNCTION stock_quant_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE goods int; total numeric;
    BEGIN
      goods := COALESCE(NEW.product_id, OLD.product_id);
      SELECT sum(q.quantity) INTO total FROM stock_quant q WHERE q.product_id = goods;
      IF COALESCE(total, 0) <> 0 THEN
        RAISE EXCEPTION 'Goods of product % appear or vanish: %', goods, total USING ERRCODE = 'check_violation', CONSTRAINT = 'stock_quant_balanced';
      END IF;
      RETURN NULL;
    END $$`,
  'DROP TRIGGER IF EXISTS balanced ON stock_quant',
  `CREATE CONSTRAINT TRIGGER balanced AFTER INSERT OR UPDATE OF quantity OR DELETE ON stock_quant DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION stock_quant_balanced()`,
]

/** Makes the guards, at installation, at every upgrade, and when a backup is restored. */
export async function protectGoods(env: Environment): Promise<void> {
  for (const statement of statements) await env.execute(raw(statement))
}
