// Computed fields that a statement of a module reads: those whose columns it names, of the models that
// it declares.
import { oncePer } from '../../kit/once-per.ts'
import { Recent } from '../../kit/recent.ts'
import type { FieldDef, Registry } from '../language/definitions.ts'

/** Statements whose fields are kept: texts come from contracts, and are few. */
const MOST = 2000

const readsOf = oncePer((_: Registry) => new Recent<string, ReadonlySet<FieldDef>>(MOST))

/**
 * Whether an undeclared table is an error, as in tests; elsewhere it counts as declared.
 */
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
    if (!model) throw new Error(`A statement reads ${name}, and there is no such model here: ${text}`)
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
