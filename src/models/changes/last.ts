// The statements that leave with COMMIT, behind all others: the row of an answer that is kept for retries,
// and what tells changes (docs/decisions/0035, 0043). Every call that changes something sends them.
import { Recent } from '../../kit/recent.ts'
import type { Statement } from '../../sql/index.ts'
import type { Owing } from '../language/owed.ts'
import type { ChangeKind, ChangeRow } from '../language/unit.ts'
import { type Dress, OWED } from './owed.ts'

/** The upper bits of the advisory locks by which positions are announced. */
export const ANNOUNCED = (0x434fn << 48n).toString()

const COLUMNS = 'seq, n, tx, at, uid, model, op, ids, fields'
const INTO = `INSERT INTO comptoir_change (${COLUMNS})`
/**
 * The number of the transaction. As `pg_current_xact_id()`, of which a number is made by way of its text
 * only: that is slower.
 */
export const TX = 'txid_current()'

/**
 * Announces that a number greater than the last one will come, and then takes it: whoever reads knows of
 * numbers that were taken and are not there yet. Nothing is looked at as a table: that costs a third of the
 * whole.
 */
const POSITION = `CASE WHEN pg_advisory_xact_lock_shared(${ANNOUNCED}::bigint | COALESCE(pg_sequence_last_value('comptoir_feed_seq'), 0))
  IS NULL THEN NULL ELSE nextval('comptoir_feed_seq') END`

/** One change: who makes it, to which model, and what is told of its ids and fields. */
const one = (uid: string, model: string, op: ChangeKind, ids: string, fields: string) =>
  `${INTO} VALUES (${POSITION}, 0, ${TX}, clock_timestamp(), ${uid}::int, ${model}::text, '${op}', ${ids}, ${fields})`

/** A text for each kind of change: PostgreSQL takes a microsecond for each parameter. */
const each = (textOf: (op: ChangeKind) => string): Readonly<Record<ChangeKind, string>> => ({
  c: textOf('c'),
  u: textOf('u'),
  d: textOf('d'),
})

/** One change, as most calls make. This and what follows is what writes to the table. */
const ONE = each((op) => one('$1', '$2', op, '$3::int[]', '$4::text[]'))

/** A record that is made, whose id is owed. */
const madeOne = (id: string) => one('$1', '$2', 'c', `ARRAY[(${id})::int]`, "'{}'")

/** Several under one position, and events. */
const MANY = `WITH pos AS MATERIALIZED (SELECT ${POSITION} AS seq)
  INSERT INTO comptoir_change (${COLUMNS}, event)
  SELECT pos.seq, x.n, ${TX}, clock_timestamp(), $1::int, x.model, x.op, x.ids, x.fields, x.event
  FROM pos, jsonb_to_recordset($2::jsonb) AS x(n int, model text, op text, ids int[], fields text[], event text)`

/** Whoever finds its place taken has done nothing: the call was done (`isTwin` of postgres/errors.ts). */
const KEEP = `INSERT INTO comptoir_idempotency (uid, key_hash, fingerprint, created, model, method, answer, kept)
  VALUES ($1::int, $2::bytea, $3::bytea, now(), $4::text, $5::text, $6::text, $6::text IS NOT NULL)`

/** Both in one statement; what stands in front is carried out behind the rest of it: changes are last. */
const KEEP_AND_ONE = each((op) => `WITH told AS (${one('$7', '$8', op, '$9::int[]', '$10::text[]')}) ${KEEP}`)
/** The same where who calls makes the change, and to the model that is called. */
const KEEP_AND_OWN = each((op) => `WITH told AS (${one('$1', '$4', op, '$7::int[]', '$8::text[]')}) ${KEEP}`)

/** Texts that are kept of each for ids that are owed: a model each. */
const MOST_OWED = 500

/** The row of an answer, by who called and the hash of the key; null for an answer that is not kept. */
export function keepAnswer(
  uid: number,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: string },
  { model, method }: { readonly model: string; readonly method: string },
  answer: string | null,
): Statement {
  return { text: KEEP, values: [uid, `\\x${key}`, `\\x${fingerprint}`, model, method, answer] }
}

/** The statements of this file, by what in them tells ids: a parameter, and what it is read as. */
const telling = new Map(
  (
    [
      [ONE.c, /\$3::int\[\]/],
      [MANY, /\$2::jsonb/],
      [KEEP, /\$6::text(?=,)/],
      [KEEP_AND_ONE.c, /\$9::int\[\]|\$6::text(?=,)/g],
      [KEEP_AND_OWN.c, /\$7::int\[\]|\$6::text(?=,)/g],
    ] as const
  ).map(([text, ids]) => [text, { ids, made: new Recent<string, string>(MOST_OWED) }]),
)

/** Texts of `madeOne`, by what gives the id. */
const owedOnes = new Recent<string, string>(MOST_OWED)

/** The same statement with ids that are owed in their places; others stay. */
export function owing(statement: Statement, { key, dressed, id }: Dress): Statement {
  const { text, values } = statement
  if (id !== undefined && text === ONE.c && values[2] === `{${OWED}}`) {
    return { text: remembered(owedOnes, id, () => madeOne(id)), values: values.slice(0, 2) }
  }
  const kept = telling.get(text)
  if (!kept) return statement
  const { ids, made } = kept
  const both = () =>
    text.replace(ids, (whole) => {
      const [parameter = '', type = ''] = whole.split('::')
      return `${dressed(parameter)}::${type}`
    })
  return { text: remembered(made, key, both), values }
}

function remembered(texts: Recent<string, string>, key: string, make: () => string): string {
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = make()
  texts.set(key, text)
  return text
}

/** Lists as PostgreSQL reads them: ids, and names, which have nothing to be quoted. */
const idsText = (ids: readonly (number | string)[]) => `{${ids.join()}}`
const namesText = (names: readonly string[]) => (names.length ? `{"${names.join('","')}"}` : '{}')

/** A change whose ids may be spelt as `format` reads them. */
type Spelt = Omit<ChangeRow, 'ids'> & { readonly ids: readonly (number | string)[] }

/** What tells one change, behind or together with what commits before it. */
function lastWithOne(
  uid: number | null,
  { model, op, ids, fields }: Spelt & { readonly op: ChangeKind },
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

/** The last statements of a transaction: what commits with its effect, and what tells its changes. */
export function lastStatements(
  uid: number | null,
  changes: readonly ChangeRow[],
  ahead: readonly Statement[],
  owes: Owing | null = null,
): readonly Statement[] {
  const rows = owes ? spelt(changes, owes) : changes
  const [only, more] = rows
  if (only && !more && isPlain(only)) return lastWithOne(uid, only, ahead)
  const told = JSON.stringify(rows.map((row, n) => ({ n, ...row })))
  // Ids are numbers, and names have nothing that `format` reads.
  return [...ahead, { text: MANY, values: [uid, owes ? told.replace(/"(%\d+\$s)"/g, '$1') : told] }]
}

/** Changes, with new records that are owed an id by its place. */
function spelt(changes: readonly ChangeRow[], owes: Owing): readonly Spelt[] {
  const spell = owes.spelling()
  // What stands for the first is the greatest.
  return changes.map((row) => (row.op === 'c' ? { ...row, ids: row.ids.toReversed().map(spell) } : row))
}

const isPlain = (row: Spelt): row is Spelt & { readonly op: ChangeKind } => row.op !== 'e'
