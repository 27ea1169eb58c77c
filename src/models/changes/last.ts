// The last statements of a transaction, which leave with COMMIT: the row of an answer that is kept for
// retries, and the rows of the change feed (docs/decisions/0035, 0043). Every call that changes
// something sends them.
import type { Statement } from '../../sql/index.ts'
import type { NewId } from '../language/deferred.ts'
import type { ChangeKind, ChangeRow } from '../language/unit.ts'

// Deferred ids in SQL: the INSERT that draws an id adds it to a setting of the transaction, from which later
// statements of the same flush take it.

const SETTING = 'comptoir.ids'

/** Columns of RETURNING: the id, which joins those of the transaction. */
export const RETURNED_ID = `"id", set_config('${SETTING}', concat_ws(',', NULLIF(current_setting('${SETTING}', true), ''), "id"), true)`

/** All of them, in their places: what `format` puts into a text that spells them (`DeferredId`). */
export const DEFERRED_IDS = `string_to_array(current_setting('${SETTING}'), ',')`

/** The upper bits of the advisory locks by which positions are announced. */
export const ANNOUNCED = (0x434fn << 48n).toString()

const COLUMNS = 'seq, n, tx, at, uid, model, op, ids, fields'
const INTO = `INSERT INTO comptoir_change (${COLUMNS})`
/** The number of the transaction; slower by way of `pg_current_xact_id()`, which gives a text. */
export const TX = 'txid_current()'

/**
 * Announces that a number greater than the last one will come, and then takes it: readers know of numbers
 * that were taken and are not committed yet. No table is read: that would cost a third of the whole.
 */
const POSITION = `CASE WHEN pg_advisory_xact_lock_shared(${ANNOUNCED}::bigint | COALESCE(pg_sequence_last_value('comptoir_feed_seq'), 0))
  IS NULL THEN NULL ELSE nextval('comptoir_feed_seq') END`

/** One change: its user, its model, and the expressions of its ids and fields. */
const insertOf = (uid: string, model: string, op: ChangeKind, ids: string, fields: string) =>
  `${INTO} VALUES (${POSITION}, 0, ${TX}, clock_timestamp(), ${uid}::int, ${model}::text, '${op}', ${ids}, ${fields})`

/** A text for each kind of change: PostgreSQL takes a microsecond for each parameter. */
const each = (textOf: (op: ChangeKind) => string): Readonly<Record<ChangeKind, string>> => ({
  c: textOf('c'),
  u: textOf('u'),
  d: textOf('d'),
})

export type NotedRow = Omit<ChangeRow, 'ids'> & { readonly ids: readonly NewId[] }

/** One change, as most calls make. This and what follows is what writes to the table. */
const ONE = each((op) => insertOf('$1', '$2', op, '$3::int[]', '$4::text[]'))

/** Several under one position, and events. */
const MANY = `WITH pos AS MATERIALIZED (SELECT ${POSITION} AS seq)
  INSERT INTO comptoir_change (${COLUMNS}, event)
  SELECT pos.seq, x.n, ${TX}, clock_timestamp(), $1::int, x.model, x.op, x.ids, x.fields, x.event
  FROM pos, jsonb_to_recordset($2::jsonb) AS x(n int, model text, op text, ids int[], fields text[], event text)`

/** A conflict means that the call was done before: this one does nothing (`isTwin` of postgres/errors.ts). */
const KEEP = `INSERT INTO comptoir_idempotency (uid, key_hash, fingerprint, created, model, method, answer, kept)
  VALUES ($1::int, $2::bytea, $3::bytea, now(), $4::text, $5::text, $6::text, $6::text IS NOT NULL)`

/** Both in one statement: PostgreSQL runs the WITH query after the main one, so changes are last. */
const KEEP_AND_ONE = each(
  (op) => `WITH changed AS (${insertOf('$7', '$8', op, '$9::int[]', '$10::text[]')}) ${KEEP}`,
)
/** The same where who calls makes the change, and to the model that is called. */
const KEEP_AND_OWN = each(
  (op) => `WITH changed AS (${insertOf('$1', '$4', op, '$7::int[]', '$8::text[]')}) ${KEEP}`,
)

/** The row of an answer, by who called and the hash of the key; null for an answer that is not kept. */
export function keepAnswer(
  uid: number,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: string },
  { model, method }: { readonly model: string; readonly method: string },
  answer: string | null,
): Statement {
  return { text: KEEP, values: [uid, `\\x${key}`, `\\x${fingerprint}`, model, method, answer] }
}

/** The statements of this file with deferred ids in their places, by their texts without. */
const deferring = new Map(
  (
    [
      [ONE.c, /\$3(?=::int\[\])/],
      [MANY, /\$2(?=::jsonb)/],
      [KEEP, /\$6(?=::text,)/],
      // An answer may have deferred ids though the change has none.
      ...Object.values(KEEP_AND_ONE).map((text) => [text, /\$9(?=::int\[\])|\$6(?=::text,)/g] as const),
      ...Object.values(KEEP_AND_OWN).map((text) => [text, /\$7(?=::int\[\])|\$6(?=::text,)/g] as const),
    ] as const
  ).map(([text, ids]) => [text, text.replace(ids, `format($&::text, VARIADIC ${DEFERRED_IDS})`)]),
)

/** The same statement, whose values may spell deferred ids (`DeferredId`); others stay. */
export const withDeferred = ({ text, values }: Statement): Statement => ({
  text: deferring.get(text) ?? text,
  values,
})

/** Lists as PostgreSQL reads them: ids, and names, which have nothing to be quoted. */
const idsText = (ids: readonly NewId[]) => `{${ids.join()}}`
const namesText = (names: readonly string[]) => (names.length ? `{"${names.join('","')}"}` : '{}')

/** The statement of one change, after or together with the row that commits before it. */
function lastWithOne(
  uid: number | null,
  { model, op, ids, fields }: NotedRow & { readonly op: ChangeKind },
  ahead: readonly Statement[],
): readonly Statement[] {
  const change = [idsText(ids), namesText(fields)]
  const [row] = ahead
  if (row?.text !== KEEP || ahead.length > 1)
    return [...ahead, { text: ONE[op], values: [uid, model, ...change] }]
  const { values } = row
  return values[0] === uid && values[3] === model
    ? [{ text: KEEP_AND_OWN[op], values: [...values, ...change] }]
    : [{ text: KEEP_AND_ONE[op], values: [...values, uid, model, ...change] }]
}

/** The last statements of a transaction: the row that commits with its effect, and its changes. */
export function lastStatements(
  uid: number | null,
  rows: readonly NotedRow[],
  ahead: readonly Statement[],
): readonly Statement[] {
  const [only, more] = rows
  if (only && !more && isPlain(only)) return lastWithOne(uid, only, ahead)
  return [...ahead, { text: MANY, values: [uid, JSON.stringify(rows.map((row, n) => ({ n, ...row })))] }]
}

const isPlain = (row: NotedRow): row is NotedRow & { readonly op: ChangeKind } => row.op !== 'e'
