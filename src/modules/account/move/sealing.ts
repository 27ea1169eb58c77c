// Sealed entries: what of them is in the hash, how they come into the chain of their journal and series, and
// what stays then. The chain itself is the engine's (src/models/chains).

import { PENDING, recordAudit, type SealedRecords } from '#engine'
import { changed, type Environment, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { lockJournals, takeNumberTurns } from './names.ts'

type Moves = Records<'account.move'>

/**
 * Left out of the hash: what is computed again when contacts change, what matching writes, and what says when
 * money is due.
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
 * Statements that mark entries which become posted in a sealed journal, and let nobody write a hash. Entries
 * of statement lines are not marked: matching books them anew.
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
      `${sealed.name} is sealed: it cannot be ${deed}. Make a credit note or an entry that takes it back.`,
    )
}

/** Throws UserError for another reference of a sealed entry: that of a bill is the number of its vendor. */
export async function assertReferencesKept(moves: Moves, changes: readonly WriteChange[]): Promise<void> {
  const ids = changes.flatMap((change) => ('ref' in change.vals ? change.ids : []))
  if (ids.length === 0) return
  const rows = await moves.sudo().browse(ids).load(['name', 'ref', 'inalterable_hash'])
  const entries = new Map(rows.map((entry) => [entry.id, entry]))
  for (const { ids: entryIds, vals } of changes)
    for (const entry of entryIds.flatMap((id) => entries.get(id) ?? []))
      if ('ref' in vals && (vals.ref || null) !== entry.ref)
        assertNoneSealed([entry], 'given another reference')
}

/** Seals posted entries of any journal. Throws UserError for drafts and cancelled entries. */
export async function sealByHand(moves: Moves): Promise<null> {
  const { env } = moves
  await takeNumberTurns(env, moves.ids)
  await assertAllowed(moves, 'write')
  await lockJournals(env, moves.ids)
  const rows = await moves.load(['name', 'state', 'inalterable_hash'])
  const unposted = rows.find((entry) => entry.state !== 'posted')
  if (unposted)
    throw new UserError(`${unposted.name ?? 'The entry'} is not posted: only posted entries can be sealed.`)
  const open = rows.filter((entry) => entry.inalterable_hash === null)
  if (open.length === 0) return null
  const ids = open.map(({ id }) => id)
  noteSeals(env, ids)
  await env.execute(
    sql`UPDATE account_move SET inalterable_hash = ${PENDING} WHERE id = ANY(${idList(ids)})`,
    { reads: ['account.move'] },
  )
  for (const entry of open)
    recordAudit(env, { event: 'entry.seal', model: 'account.move', record: entry.id, name: entry.name })
  return null
}

/** Tells of entries that the database is about to mark: what is known of their hashes will be wrong. */
export function noteSeals(env: Environment, moves: readonly number[]): void {
  if (moves.length === 0) return
  changed(env, 'account.move', moves, ['inalterable_hash', 'secured', 'show_reset_to_draft_button'])
  const field = env.def('account.move').fields.get('inalterable_hash')
  if (field) env.unit.cache.forget(field)
}

/** Says whether entries were reviewed. */
export async function setChecked(moves: Moves, checked: boolean): Promise<null> {
  await assertAllowed(moves, 'write')
  await moves.sudo().write({ checked })
  return null
}
