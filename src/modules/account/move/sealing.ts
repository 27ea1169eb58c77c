// Sealed entries: the fields in their hash, and the statements by which they come into the chain of their
// journal and series, and stay. The chain itself is the engine's (src/models/chains).

import { PENDING, type SealedRecords } from '#engine'
import { changed, type Environment } from '#models'
import { UserError } from '../../../errors.ts'

/**
 * The hash leaves out fields that are computed again when contacts change, that matching writes, and that say
 * when money is due.
 */
export const sealedEntries: SealedRecords = {
  model: 'account.move',
  states: ['posted'],
  chain: { model: 'account.journal', by: 'journal_id', title: 'code' },
  series: 'sequence_form',
  marked: { field: 'inalterable_hash', order: 'sequence_number' },
  fields: [
    'name',
    'date',
    'move_type',
    'journal_id',
    'company_id',
    'currency_id',
    'partner_id',
    'invoice_date',
    'ref',
  ],
  parts: [
    {
      model: 'account.move.line',
      parent: 'move_id',
      fields: [
        'display_type',
        'account_id',
        'partner_id',
        'name',
        'currency_id',
        'debit',
        'credit',
        'balance',
        'amount_currency',
        'tax_ids',
        'tax_line_id',
        'tax_repartition_line_id',
        'product_id',
        'quantity',
        'price_unit',
        'discount',
      ],
    },
  ],
}

/**
 * Statements that mark entries which become posted in a sealed journal, and refuse hashes that no chain made.
 * Entries of statement lines are not marked: matching books them anew.
 */
export const markingStatements: readonly string[] = [
  `CREATE OR REPLACE FUNCTION account_move_mark() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE before text;
    BEGIN
      before := CASE WHEN TG_OP = 'UPDATE' THEN OLD.inalterable_hash END;
      IF before IS NULL OR before = '${PENDING}' THEN
        IF NEW.state IS DISTINCT FROM 'posted' THEN NEW.inalterable_hash := NULL;
        ELSIF (TG_OP = 'INSERT' OR OLD.state IS DISTINCT FROM 'posted')
          AND EXISTS (SELECT FROM account_journal j WHERE j.id = NEW.journal_id AND j.restrict_mode_hash_table
            AND (NEW.statement_line_id IS NULL OR j.type NOT IN ('bank', 'cash', 'credit'))) THEN
          NEW.inalterable_hash := '${PENDING}';
        END IF;
      END IF;
      IF NEW.inalterable_hash IS DISTINCT FROM before AND NEW.inalterable_hash <> '${PENDING}'
        AND NOT EXISTS (SELECT FROM comptoir_chain_link k WHERE k.res_model = 'account.move' AND k.res_id = NEW.id AND k.hash = NEW.inalterable_hash)
        OR NEW.inalterable_hash IS DISTINCT FROM before AND before <> '${PENDING}' THEN
        RAISE EXCEPTION 'The hash of an entry is written by its chain' USING ERRCODE = 'check_violation', CONSTRAINT = 'comptoir_chain_link_sealed';
      END IF;
      RETURN NEW;
    END $$`,
  `CREATE OR REPLACE TRIGGER mark_made BEFORE INSERT ON account_move FOR EACH ROW
    WHEN (NEW.state = 'posted' OR NEW.inalterable_hash IS NOT NULL) EXECUTE FUNCTION account_move_mark()`,
  `CREATE OR REPLACE TRIGGER mark BEFORE UPDATE ON account_move FOR EACH ROW
    WHEN ((OLD.state, OLD.inalterable_hash) IS DISTINCT FROM (NEW.state, NEW.inalterable_hash)) EXECUTE FUNCTION account_move_mark()`,
  `CREATE OR REPLACE FUNCTION account_journal_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM comptoir_chain c WHERE c.res_model = 'account.journal' AND c.res_id = OLD.id) THEN
        RAISE EXCEPTION 'The journal % holds sealed entries', OLD.id USING ERRCODE = 'check_violation', CONSTRAINT = 'comptoir_chain_link_sealed';
      END IF;
      IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
      RETURN NEW;
    END $$`,
  `CREATE OR REPLACE TRIGGER sealed BEFORE UPDATE ON account_journal FOR EACH ROW
    WHEN (OLD.restrict_mode_hash_table AND NEW.restrict_mode_hash_table IS NOT TRUE) EXECUTE FUNCTION account_journal_sealed()`,
  'CREATE OR REPLACE TRIGGER sealed_from_removal BEFORE DELETE ON account_journal FOR EACH ROW EXECUTE FUNCTION account_journal_sealed()',
]

/** Throws UserError for sealed entries: `deed` says what cannot be done with them. */
export function assertNoneSealed(
  entries: readonly { readonly name: string | null; readonly inalterable_hash: string | null }[],
  deed: string,
): void {
  const sealed = entries.find((entry) => entry.inalterable_hash !== null)
  if (sealed)
    throw new UserError(
      `${sealed.name} is sealed: it cannot be ${deed}. Create a credit note or a reversing entry.`,
    )
}

/** Notes that the database is about to mark entries: cached hashes are dropped, and the feed gets the change. */
export function noteSeals(env: Environment, moves: readonly number[]): void {
  if (moves.length === 0) return
  changed(env, 'account.move', moves, ['inalterable_hash', 'secured', 'show_reset_to_draft_button'])
  const field = env.def('account.move').fields.get('inalterable_hash')
  if (field) env.unit.cache.forget(field)
}
