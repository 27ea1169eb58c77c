// Finds records that differ from the values for them, so that unchanged records are not written.

import type { FieldDef, Ids, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { comodelOf, currencyOf, leadsToMany } from '../../language/field-options.ts'
import { loadFields, loadPaths } from '../../load/load.ts'
import { assertRecords } from '../../row/access.ts'
import type { Sorted } from '../../row/destinations.ts'
import { assertVals, matchesStored, prepareVals, sortEach } from '../../row/values.ts'
import { parseCommands } from '../../write/commands/index.ts'
import { unquotedVals } from '../../write/entry.ts'

/** Values for a record, and the entry of the caller's list that they belong to. */
interface RecordValues {
  readonly of: number
  readonly record: number
  readonly vals: unknown
}

/**
 * The positions in `changes` whose records differ from their values. It checks the values and the right
 * to write the records as a write does: users do not learn values that they could not write.
 */
export async function differing(
  env: Environment,
  model: ModelDef,
  changes: readonly Omit<RecordValues, 'of'>[],
): Promise<ReadonlySet<number>> {
  const different = new Set<number>()
  const placed = changes.map((change, of) => ({ ...change, of }))
  await look(env, model, placed, different)
  return different
}

async function look(
  env: Environment,
  model: ModelDef,
  changes: readonly RecordValues[],
  different: Set<number>,
): Promise<void> {
  if (changes.length === 0) return
  const ids = changes.map(({ record }) => record)
  await assertRecords(env, model, ids, 'write')
  const prepared = changes.map(({ vals, record }) => {
    const values: Record<string, unknown> = { ...unquotedVals(model, assertVals(vals)) }
    prepareVals(env, model, values, [record])
    return values
  })
  const sorted = await sortEach(env, model, prepared)
  const entries = sorted.map(entriesOf)
  const vias = [...new Set(sorted.flatMap(({ delegated }) => [...delegated.keys()]))].flatMap(
    (name) => model.fields.get(name) ?? [],
  )
  const fields = [...new Set([...entries.flatMap((values) => values.map(([field]) => field)), ...vias])]
  // Archived child records count too.
  const all = env.sudo().withContext({ active_test: false })
  const { of } = await loadFields(all, model, ids, fields)
  const current = (field: FieldDef, record: number) => of.get(field)?.get(record) ?? null
  const below = new Map<ModelDef, RecordValues[]>()
  const descend = (comodel: ModelDef, change: RecordValues) =>
    void below.set(comodel, [...(below.get(comodel) ?? []), change])
  const amounts: Amount[] = []
  for (const [n, { of: place, record }] of changes.entries()) {
    for (const [field, value] of entries[n] ?? []) {
      const now = current(field, record)
      if (leadsToMany(field)) {
        const lines = linesAfter(field, value, now as Ids | null)
        if (lines.differ) different.add(place)
        for (const line of lines.changed)
          descend(comodelOf(field), { of: place, record: line.id, vals: line.vals })
      } else if (!matchesStored(field, uncoded(field, value), now)) {
        if (field.kind === 'monetary') amounts.push({ place, record, field, value, now })
        else different.add(place)
      }
    }
    for (const via of vias) {
      const vals = sorted[n]?.delegated.get(via.name)
      const target = current(via, record)
      if (vals && typeof target === 'number') descend(comodelOf(via), { of: place, record: target, vals })
    }
  }
  for (const place of await beyondRounding(all, model, amounts)) different.add(place)
  for (const [comodel, some] of below) await look(env, comodel, some, different)
}

/** Documents are JSON text in columns, which their types do not take as a value. */
const uncoded = (field: FieldDef, value: unknown): unknown =>
  field.column && field.type.comparison === 'json' && typeof value === 'string'
    ? field.type.fromColumn(field, value)
    : value

const entriesOf = ({ columns, related, lines, inverse, files }: Sorted): (readonly [FieldDef, unknown])[] => [
  ...columns,
  ...related,
  ...lines,
  ...inverse,
  ...files,
]

/** Child records that the commands change, and whether the list would have other records. */
function linesAfter(field: FieldDef, value: unknown, now: Ids | null) {
  const changed: { readonly id: number; readonly vals: unknown }[] = []
  let after = new Set(now ?? [])
  let isMade = false
  for (const command of parseCommands(field, value)) {
    if (command.code === 0) isMade = true
    else if (command.code === 1) changed.push(command)
    else if (command.code === 4) after.add(command.id)
    else if (command.code === 5) after = new Set()
    else if (command.code === 6) after = new Set(command.ids)
    else after.delete(command.id)
  }
  return { changed, differ: isMade || after.symmetricDifference(new Set(now ?? [])).size > 0 }
}

/** An amount that differs from the new one, maybe only by rounding. */
interface Amount {
  readonly place: number
  readonly record: number
  readonly field: FieldDef
  readonly value: unknown
  readonly now: unknown
}

/** Positions of amounts that differ by more than their currency's rounding. One statement per field. */
async function beyondRounding(
  env: Environment,
  model: ModelDef,
  amounts: readonly Amount[],
): Promise<number[]> {
  const places: number[] = []
  for (const [field, some] of Map.groupBy(amounts, ({ field }) => field)) {
    const by = currencyOf(field)
    const isRounded = model.fields.get(by)?.kind === 'many2one'
    const rows = isRounded
      ? await loadPaths(
          env,
          model,
          some.map(({ record }) => record),
          [`${by}.rounding`],
        )
      : []
    const roundings = new Map(
      rows.map((row) => [row.id, Number((row[by] as { rounding?: unknown } | null)?.rounding ?? 0)]),
    )
    for (const { place, record, value, now } of some) {
      const rounding = roundings.get(record) ?? 0
      if (!rounding || Math.round(Number(value) / rounding) !== Math.round(Number(now) / rounding))
        places.push(place)
    }
  }
  return places
}
