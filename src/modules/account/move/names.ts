// Numbers of entries: the next ones of a journal and period, without gaps, in the pattern that its last ones
// have (spec/business-models.md section 8).

import { computedFields, type Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { idList, type RowOf, type Sql, sql } from '../../../sql/index.ts'
import { isRefund } from './kinds.ts'
import { move } from './move.contract.ts'
import { type NumberPattern, patternOf } from './number-pattern.ts'

export const sequenceParts = computedFields(
  move,
  ['sequence_prefix', 'sequence_number', 'sequence_form'],
  ['name', 'date'],
  (moves) =>
    new Map(
      moves.map((row) => {
        const pattern = row.name === null ? null : patternOf(row.name, row.date)
        return [
          row.id,
          {
            sequence_prefix: pattern?.prefix ?? row.name ?? '',
            sequence_number: pattern?.number ?? 0,
            sequence_form: pattern?.form ?? null,
          },
        ]
      }),
    ),
)

/** Kinds of entries that journals number separately: credit notes (R), payments (P). */
type Apart = 'R' | 'P' | ''

interface Journal {
  readonly id: number
  readonly code: string
  readonly type: string
  readonly refund_sequence: boolean
  readonly payment_sequence: boolean
}

/** An entry that wants a number. */
export interface Nameless {
  readonly id: number
  readonly date: string
  readonly journal: Journal
  readonly move_type: string
  /** Whether a payment made it. */
  readonly ofPayment: boolean
}

const YEARLY: readonly string[] = ['sale', 'cash', 'bank', 'credit']

function apartOf(journal: Journal, move_type: string, ofPayment: boolean): Apart {
  if (ofPayment && journal.payment_sequence) return 'P'
  return isRefund(move_type) && journal.refund_sequence ? 'R' : ''
}

/** Numbers of a journal that has none yet. */
function firstPattern({ date, journal }: Nameless, apart: Apart): NumberPattern {
  const yearly = YEARLY.includes(journal.type)
  const period = yearly ? date.slice(0, 4) : `${date.slice(0, 4)}/${date.slice(5, 7)}`
  return present(patternOf(`${apart}${journal.code}/${period}/${yearly ? '00000' : '0000'}`, date))
}

/**
 * Calls that number entries of a journal go one after the other; say so before anything is read. Entries that
 * are to be numbered.
 */
export const takeNumberTurns = (env: Environment, moves: readonly number[]): Promise<void> =>
  env.unit.turns.take(
    'journals',
    sql`SELECT journal_id FROM account_move WHERE id = ANY(${idList([...moves])})`,
  )

/**
 * Locks the journals of entries that are about to be numbered: a concurrent call waits, and is repeated.
 * The first step of a posting.
 */
export async function lockJournals(env: Environment, moves: readonly number[]): Promise<void> {
  await env.execute(
    sql`UPDATE account_journal SET numbering = COALESCE(numbering, 0) + 1
    WHERE id IN (SELECT m.journal_id FROM account_move m WHERE m.id = ANY(${idList([...moves])})) RETURNING id`,
    { reads: ['account.journal', 'account.move'] },
  )
}

/** A form of numbers that a journal has used: the highest of them, its entry and its day. */
interface Used {
  readonly apart: Apart
  readonly pattern: NumberPattern
  readonly id: number
  readonly date: string
}

/**
 * The next numbers, in the order given: they go on from the highest of their journal and period, in the
 * pattern that was used last. The journals are locked (`lockJournals`).
 */
export async function nextNames(env: Environment, moves: readonly Nameless[]): Promise<Map<number, string>> {
  if (moves.length === 0) return new Map()
  const journals = new Map(moves.map((entry) => [entry.journal.id, entry.journal]))
  const used = await usedForms(env, journals)
  const last = new Map<string, number>()
  return new Map(
    moves.map((entry) => {
      const journalForms = used.get(entry.journal.id) ?? []
      const { form, name } = patternFor(entry, journalForms).at(entry.date)
      const key = `${entry.journal.id}/${form}`
      const numbers = journalForms.flatMap((other) =>
        other.pattern.form === form ? other.pattern.number : [],
      )
      const next = 1 + (last.get(key) ?? Math.max(0, ...numbers))
      last.set(key, next)
      return [entry.id, name(next)]
    }),
  )
}

/**
 * The pattern that an entry continues: of the numbers whose period holds its day those that came last, unless
 * another pattern took over since; where none holds it, that of the entry before.
 */
function patternFor(entry: Nameless, journalForms: readonly Used[]): NumberPattern {
  const apart = apartOf(entry.journal, entry.move_type, entry.ofPayment)
  const alike = journalForms.filter((other) => other.apart === apart)
  const holding = alike.findLast(({ pattern }) => pattern.holds(entry.date))
  const earlier = alike.filter(({ date }) => date <= entry.date)
  const byDate = (list: readonly Used[]) => list.toSorted((a, b) => a.date.localeCompare(b.date))
  const continued = holding
    ? (earlier.findLast(({ id, date }) => id > holding.id && date >= holding.date) ?? holding)
    : (byDate(earlier).at(-1) ?? byDate(alike)[0])
  return continued?.pattern ?? firstPattern(entry, apart)
}

/**
 * Journals with more patterns than this, as after an import, report those of as many of their last
 * entries.
 */
const FORMS = 1000

/** The forms that numbers of journals have. One probe of the index for each form, however many entries. */
async function usedForms(
  env: Environment,
  journals: ReadonlyMap<number, Journal>,
): Promise<Map<number, Used[]>> {
  const ids = idList([...journals.keys()])
  const next = (after: Sql) => sql`(SELECT m.sequence_form FROM account_move m
    WHERE m.journal_id = f.journal AND m.sequence_form > ${after} ORDER BY m.sequence_form LIMIT 1)`
  const rows = await highest(
    env,
    ids,
    sql`WITH RECURSIVE walk(journal, form, n) AS (
      SELECT f.journal, ${next(sql`''`)}, 1 FROM unnest(${ids}) AS f(journal)
      UNION ALL SELECT f.journal, ${next(sql`f.form`)}, f.n + 1 FROM walk f WHERE f.form IS NOT NULL AND f.n < ${FORMS}::int)
    SELECT journal, form FROM walk WHERE form IS NOT NULL`,
  )
  const crowded = [...Map.groupBy(rows, (row) => row[0])].flatMap(([journal, forms]) =>
    forms.length < FORMS ? [] : journal,
  )
  const recent = crowded.length ? await highest(env, idList(crowded), recentForms(crowded)) : []
  const all = [...rows.filter((row) => !crowded.includes(row[0])), ...recent]
  return new Map(
    [...Map.groupBy(all, (row) => row[0])].map(([journal, forms]) => [
      journal,
      forms.flatMap((row) => usedOf(present(journals.get(journal)), row)).sort((a, b) => a.id - b.id),
    ]),
  )
}

const recentForms = (journals: readonly number[]): Sql =>
  sql`SELECT DISTINCT j.journal, m.sequence_form AS form FROM unnest(${idList([...journals])}) AS j(journal), LATERAL (
    SELECT sequence_form FROM account_move WHERE journal_id = j.journal AND sequence_form IS NOT NULL ORDER BY id DESC LIMIT ${FORMS}::int) m`

const numberColumns = sql`m.journal_id, m.id, m.name, m.date::text, m.move_type, m.origin_payment_id IS NOT NULL`

const numbered = ['int', 'int', 'text', 'text?', 'text', 'bool'] as const

/**
 * The entry with the highest number of each form. While an upgrade goes on, entries that a node of the build
 * before numbered have no form yet.
 */
const highest = (env: Environment, journals: Sql, forms: Sql) =>
  env.rows(
    sql`SELECT ${numberColumns} FROM (${forms}) x, LATERAL (SELECT * FROM account_move
      WHERE journal_id = x.journal AND sequence_form = x.form ORDER BY sequence_number DESC LIMIT 1) m
    UNION ALL (SELECT ${numberColumns} FROM account_move m WHERE m.journal_id = ANY(${journals}) AND m.sequence_form IS NULL
      AND m.sequence_number > 0 ORDER BY m.id DESC LIMIT ${FORMS}::int)`,
    { reads: ['account.move'], row: numbered },
  )

function usedOf(journal: Journal, row: RowOf<typeof numbered>): Used[] {
  const [, id, name, date, move_type, ofPayment] = row
  const pattern = patternOf(name, date)
  if (!pattern) return []
  return [{ id, date: date ?? '', pattern, apart: apartOf(journal, move_type, ofPayment) }]
}
