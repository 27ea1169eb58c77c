// Statements whose text follows from the caller and from what is asked: composed once, and the values of a
// call are put in.
import { idList, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { clockReadings } from './clock-readings.ts'
import { callerKey, LONGEST_TEXT, planCache, statementOf, type Template } from './plans.ts'

/** Stand for the call's values while a statement is composed. */
const marks: (readonly number[])[] = []

const marksFor = (count: number): readonly (readonly number[])[] => {
  while (marks.length < count) marks.push(Object.freeze([]))
  return marks.slice(0, count)
}

/**
 * The statement that `make` composes, about `ids`; null where it gives null. `shape` must say everything that
 * the text follows from besides the caller and their context. `make` gets the ids as a fragment, which may
 * stand in the statement several times.
 */
export const aboutRecords = <M extends Sql | null>(
  env: Environment,
  shape: string,
  ids: readonly number[],
  make: (ids: Sql) => M,
): Made<M> => filledIn(env, shape, [ids], ([mark]) => make(idList(mark ?? [])))

/** As `aboutRecords`, about values of any kind, in their order. */
export const aboutValues = <M extends Sql | null>(
  env: Environment,
  shape: string,
  values: readonly unknown[],
  make: (values: readonly Sql[]) => M,
): Made<M> => filledIn(env, shape, values, (all) => make(all.map((mark) => sql`${mark}`)))

type Made<M> = M extends null ? null : Statement

function filledIn<M extends Sql | null>(
  env: Environment,
  shape: string,
  values: readonly unknown[],
  make: (marks: readonly (readonly number[])[]) => M,
): Made<M> {
  const key = callerKey(env, `template ${shape}`)
  const cachedTemplate = key === null ? undefined : planCache.get(key)
  const template = cachedTemplate === undefined ? compose(key, values.length, make) : cachedTemplate
  if (!template) return null as Made<M>
  return statementOf(template, values) as Made<M>
}

function compose(
  key: string | null,
  count: number,
  make: (marks: readonly (readonly number[])[]) => Sql | null,
): Template | null {
  const readings = clockReadings()
  const stand = marksFor(count)
  const made = make(stand)?.compile()
  const template = made
    ? {
        text: made.text,
        values: made.values,
        each: made.each,
        places: made.values.flatMap((one, place) => {
          const value = stand.indexOf(one as readonly number[])
          return value < 0 ? [] : [[place, value] as const]
        }),
      }
    : null
  // A rule with a date such as `today` stands in the statement as it is now.
  if (key !== null && clockReadings() === readings && (template?.text.length ?? 0) <= LONGEST_TEXT)
    planCache.set(key, template)
  return template
}
