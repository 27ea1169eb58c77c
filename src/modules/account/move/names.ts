// Numbers of entries: what a number consists of, and the next ones of a journal and period, without gaps
// (spec/business-models.md section 8).
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { move } from './move.contract.ts'

/** `INV/2025/` and 17 of INV/2025/00017. */
export function partsOf(name: string | null): { readonly prefix: string | null; readonly number: number } {
  const match = name === null ? null : /^(.*?)(\d{1,9})$/s.exec(name)
  return match ? { prefix: match[1] as string, number: Number(match[2]) } : { prefix: name, number: 0 }
}

export const sequenceParts = computedFields(
  move,
  ['sequence_prefix', 'sequence_number'],
  ['name'],
  (moves) =>
    new Map(
      moves.map((one) => {
        const { prefix, number } = partsOf(one.name)
        return [one.id, { sequence_prefix: prefix, sequence_number: number }]
      }),
    ),
)

/** An entry that wants a number. */
export interface Nameless {
  readonly id: number
  readonly date: string
  readonly journal: { readonly id: number; readonly code: string; readonly type: string }
  /** Credit notes, and payments, of journals that number them apart. */
  readonly apart: 'R' | 'P' | ''
}

const YEARLY: readonly string[] = ['sale', 'cash', 'bank', 'credit']

function formOf({ date, journal, apart }: Nameless): { readonly prefix: string; readonly digits: number } {
  const yearly = YEARLY.includes(journal.type)
  const period = yearly ? date.slice(0, 4) : `${date.slice(0, 4)}/${date.slice(5, 7)}`
  return { prefix: `${apart}${journal.code}/${period}/`, digits: yearly ? 5 : 4 }
}

/**
 * Calls that number entries of a journal go one after the other; say so before anything is read. Entries that
 * are to be numbered.
 */
export const takeNumberTurns = (env: Environment, moves: readonly number[]): Promise<void> =>
  env.unit.takeTurns(
    'journals',
    sql`SELECT journal_id FROM account_move WHERE id = ANY(${idList([...moves])})`,
  )

/**
 * Locks the journals of entries that are to be numbered: whoever comes second waits, and starts over. The
 * first thing of a posting.
 */
export async function lockJournals(env: Environment, moves: readonly number[]): Promise<void> {
  await env.query(sql`UPDATE account_journal SET numbering = COALESCE(numbering, 0) + 1
    WHERE id IN (SELECT m.journal_id FROM account_move m WHERE m.id = ANY(${idList([...moves])})) RETURNING id`)
}

/**
 * The next numbers, in the order given, after the highest of each journal and period. The journals are locked
 * (`lockJournals`).
 */
export async function nextNames(env: Environment, moves: readonly Nameless[]): Promise<Map<number, string>> {
  if (moves.length === 0) return new Map()
  const forms = moves.map((one) => ({ one, ...formOf(one) }))
  const key = (journal: number, prefix: string) => `${journal}/${prefix}`
  const asked = [
    ...new Map(
      forms.map(({ one, prefix }) => [key(one.journal.id, prefix), { journal: one.journal.id, prefix }]),
    ).values(),
  ]
  const rows =
    await env.query(sql`SELECT x.journal, x.prefix, COALESCE((SELECT m.sequence_number FROM account_move m
      WHERE m.journal_id = x.journal AND m.sequence_prefix = x.prefix ORDER BY m.sequence_number DESC NULLS LAST LIMIT 1), 0)
    FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS x(journal int, prefix text)`)
  const last = new Map(rows.map((row) => [key(row[0] as number, row[1] as string), row[2] as number]))
  return new Map(
    forms.map(({ one, prefix, digits }) => {
      const at = key(one.journal.id, prefix)
      const next = (last.get(at) ?? 0) + 1
      last.set(at, next)
      return [one.id, `${prefix}${String(next).padStart(digits, '0')}`]
    }),
  )
}
