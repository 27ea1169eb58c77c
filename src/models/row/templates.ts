// Statements about some records: their text follows from the caller and from what is asked, so it is composed
// once and the ids are put in.
import { idList, type Sql, type Statement } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { clockReadings } from './clock-readings.ts'
import { callerKey, LONGEST_TEXT } from './plans.ts'

/** Templates that are kept; those not used for the longest time go. */
const CAPACITY = 1000

interface Template {
  readonly text: string
  readonly values: readonly unknown[]
  /** Where the ids stand among them. */
  readonly places: readonly number[]
}

const templates = new Map<string, Template | null>()

/** Stands for the ids while a statement is composed. */
const IDS: readonly number[] = Object.freeze([])

/**
 * The statement that `make` composes, about `ids`; null where it gives null. `shape` must say everything that
 * the text follows from besides the caller and their context. `make` gets the ids as a fragment, which may
 * stand in the statement several times.
 */
export function aboutRecords(
  env: Environment,
  shape: string,
  ids: readonly number[],
  make: (ids: Sql) => Sql | null,
): Statement | null {
  const key = callerKey(env, shape)
  const known = key === null ? undefined : templates.get(key)
  const readings = clockReadings()
  const template = known === undefined ? compose(make) : known
  // A rule with a date such as `today` stands in the statement as it is now.
  if (key !== null && clockReadings() === readings && (template?.text.length ?? 0) <= LONGEST_TEXT)
    keep(key, template)
  if (!template) return null
  const values = [...template.values]
  for (const place of template.places) values[place] = ids
  return { text: template.text, values }
}

function compose(make: (ids: Sql) => Sql | null): Template | null {
  const made = make(idList(IDS))?.compile()
  if (!made) return null
  return { ...made, places: [...made.values.keys()].filter((place) => made.values[place] === IDS) }
}

/**
 * Put at the end: a Map keeps the order of insertion, so the first key is the one not used for the longest
 * time.
 */
function keep(key: string, template: Template | null): void {
  templates.delete(key)
  const oldest = templates.size >= CAPACITY ? templates.keys().next() : undefined
  if (oldest && !oldest.done) templates.delete(oldest.value)
  templates.set(key, template)
}
