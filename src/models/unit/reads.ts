// Computed fields that a statement of a module reads: those whose columns it names, of the models that
// it declares.
import { oncePer } from '../../kit/once-per.ts'
import { Recent } from '../../kit/recent.ts'
import { Slot } from '../../kit/slot.ts'
import type { Statement } from '../../sql/index.ts'
import { touchesOf } from '../changes/log.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Row, Unit } from '../language/unit.ts'

/** Statements whose fields are kept: texts come from contracts, and are few. */
const MOST = 2000

const readsOf = oncePer((_: Registry) => new Recent<string, ReadonlySet<FieldDef>>(MOST))

/** Whether an undeclared table is an error, as in tests; elsewhere it counts as declared. */
export const undeclaredReads = { areErrors: false }

/**
 * Stored computed fields that a statement reads: those whose columns and tables its text names, and
 * lists whose link table it names. Throws Error for a model in `reads` that this database lacks.
 */
export function computedFieldsRead(
  registry: Registry,
  text: string,
  reads: readonly string[],
): ReadonlySet<FieldDef> {
  const readsByText = readsOf(registry)
  const before = readsByText.get(text)
  if (before) return before
  const fields = find(registry, text, reads)
  readsByText.set(text, fields)
  return fields
}

/** Where a statement names a table that it reads or changes rows of. */
const NAMED = /\b(?:FROM|JOIN|UPDATE|USING)\s+(?:ONLY\s+)?"?(\w+)"?/g

function find(registry: Registry, text: string, reads: readonly string[]): ReadonlySet<FieldDef> {
  const models = reads.map((name) => {
    const model = registry.get(name)
    if (!model)
      throw new Error(
        `A statement declares that it reads ${name}, but this database has no such model: ${text}`,
      )
    return model
  })
  const said = new Set(models.map(({ table }) => table))
  const tables = new Map([...registry.models.values()].filter((m) => m.hasRows).map((m) => [m.table, m]))
  for (const [, table = ''] of text.matchAll(NAMED)) {
    const model = tables.get(table)
    if (!model || said.has(table)) continue
    if (undeclaredReads.areErrors)
      throw new Error(`A statement reads ${table}: say so by \`reads: ['${model.name}']\`: ${text}`)
    said.add(table)
    models.push(model)
  }
  const words = new Set(text.match(/\w+/g))
  const columns = models.flatMap((model) =>
    [...model.fields.values()].filter((field) => field.column && words.has(field.name)),
  )
  const lists = [...registry.models.values()].flatMap((model) =>
    [...model.fields.values()].filter((field) => field.link && words.has(field.link.table)),
  )
  return new Set([...columns, ...lists].filter((field) => field.stored && field.compute !== null))
}

// Results of statements that a session sends again. They are valid until the session changes a model
// that they were read from: its snapshot excludes all other changes.

interface Kept {
  readonly touches: number
  readonly rows: Promise<readonly Row[]>
}

/** Results kept for a session, and characters of a key: imports ask for something new each time. */
const LIMITS = { answers: 50, asked: 16 * 1024 }

const answers = new Slot<Recent<string, Kept>>()

/** The rows of a statement, which is sent (`ask`) unless its result is valid, or under way. */
export function keptRows(
  unit: Unit,
  { text, values }: Statement,
  reads: readonly ModelDef[],
  ask: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const key = `${text} ${JSON.stringify(values)}`
  if (key.length > LIMITS.asked) return ask()
  const answersOfUnit = answers.obtain(unit, () => new Recent(LIMITS.answers))
  let touches = 0
  for (const model of reads) touches += touchesOf(unit, model)
  const before = answersOfUnit.get(key)
  if (before?.touches === touches) return before.rows
  const rows = ask()
  answersOfUnit.set(key, { touches, rows })
  return rows
}

/** Forgets all of them: rows of unknown models may have changed, or a savepoint was undone. */
export function forgetAnswers(unit: Unit): void {
  if (answers.get(unit)) answers.set(unit, new Recent(LIMITS.answers))
}

// Independent reads: their statements leave in one flush.

/** Waits for all of them, and then throws the first failure in their order. */
export function together<T extends readonly unknown[]>(
  ...work: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const results: unknown[] = new Array(work.length)
  if (work.length === 0) return Promise.resolve(results as unknown as T)
  return new Promise((resolve, reject) => {
    let open = work.length
    // The first that failed by its place.
    let failed = -1
    let failure: unknown
    const settled = () => {
      if (--open > 0) return
      if (failed < 0) resolve(results as unknown as T)
      else reject(failure)
    }
    for (const [place, promise] of work.entries())
      promise.then(
        (value: unknown) => {
          results[place] = value
          settled()
        },
        (reason: unknown) => {
          if (failed < 0 || place < failed) [failed, failure] = [place, reason]
          settled()
        },
      )
  })
}

/**
 * Runs reads of records concurrently, and throws the first failure in their order. If computed values
 * are pending, the reads run one after the other, because a read may have to compute them first.
 */
export async function atOnce<T extends readonly unknown[]>(
  { unit }: Environment,
  ...reads: { readonly [K in keyof T]: () => Promise<T[K]> }
): Promise<T> {
  if (unit.recomputation.pending.size === 0)
    return together<T>(...(reads.map((read) => read()) as { [K in keyof T]: Promise<T[K]> }))
  const results: unknown[] = []
  for (const read of reads) results.push(await read())
  return results as unknown as T
}
