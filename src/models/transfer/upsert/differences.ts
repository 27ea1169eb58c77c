// Which records differ from values that are given for them: what is the same already is not written.

import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { currencyOf } from '../../language/field-options.ts'
import { comodelOf, leadsToMany } from '../../language/relations.ts'
import { loadFields, loadPaths } from '../../load/load.ts'
import { assertRecords } from '../../row/access.ts'
import { isSame } from '../../row/same.ts'
import { assertVals, prepareVals, type Sorted, sortEach } from '../../row/values.ts'
import { parseCommands } from '../../write/commands/index.ts'
import { unquotedVals } from '../../write/unquoted-vals.ts'

/** Values for a record, and which of those that are asked about it belongs to. */
interface Given {
  readonly of: number
  readonly record: number
  readonly vals: unknown
}

/**
 * Which of the records differ from the values given for them, by their places in `given`. Values are judged,
 * and the right to write the records, as a write would: nobody learns here what they could not write.
 */
export async function differing(
  env: Environment,
  model: ModelDef,
  given: readonly Omit<Given, 'of'>[],
): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  await look(
    env,
    model,
    given.map((one, of) => ({ ...one, of })),
    found,
  )
  return found
}

/** Lines and delegates are looked at with a few statements a model and level, like the records themselves. */
async function look(
  env: Environment,
  model: ModelDef,
  given: readonly Given[],
  found: Set<number>,
): Promise<void> {
  if (given.length === 0) return
  const ids = given.map(({ record }) => record)
  await assertRecords(env, model, ids, 'write')
  const prepared = given.map(({ vals, record }) => {
    const values: Record<string, unknown> = { ...unquotedVals(model, assertVals(vals)) }
    prepareVals(env, model, values, [record])
    return values
  })
  const sorted = await sortEach(env, model, prepared)
  const entries = sorted.map(entriesOf)
  const vias = [...new Set(sorted.flatMap(({ delegated }) => [...delegated.keys()]))].flatMap(
    (name) => model.fields.get(name) ?? [],
  )
  const fields = [...new Set([...entries.flatMap((one) => one.map(([field]) => field)), ...vias])]
  // Archived lines are lines too.
  const all = env.sudo().withContext({ active_test: false })
  const { of } = await loadFields(all, model, ids, fields)
  const current = (field: FieldDef, record: number) => of.get(field)?.get(record) ?? null
  const below = new Map<ModelDef, Given[]>()
  const descend = (comodel: ModelDef, one: Given) =>
    void below.set(comodel, [...(below.get(comodel) ?? []), one])
  const amounts: Amount[] = []
  for (const [n, { of: place, record }] of given.entries()) {
    for (const [field, value] of entries[n] ?? []) {
      const now = current(field, record)
      if (leadsToMany(field)) {
        const lines = linesAfter(field, value, now as readonly number[] | null)
        if (lines.differ) found.add(place)
        for (const line of lines.changed)
          descend(comodelOf(field), { of: place, record: line.id, vals: line.vals })
      } else if (!isSame(field, value, now)) {
        if (field.kind === 'monetary') amounts.push({ place, record, field, value, now })
        else found.add(place)
      }
    }
    for (const via of vias) {
      const vals = sorted[n]?.delegated.get(via.name)
      const target = current(via, record)
      if (vals && typeof target === 'number') descend(comodelOf(via), { of: place, record: target, vals })
    }
  }
  for (const place of await beyondRounding(all, model, amounts)) found.add(place)
  for (const [comodel, some] of below) await look(env, comodel, some, found)
}

const entriesOf = ({ columns, related, lines, inverse, files }: Sorted): (readonly [FieldDef, unknown])[] => [
  ...columns,
  ...related,
  ...lines,
  ...inverse,
  ...files,
]

/** Lines that the commands change, and whether there would be others than now. */
function linesAfter(field: FieldDef, value: unknown, now: readonly number[] | null) {
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

/** An amount that is not the one given, maybe for its rounding alone. */
interface Amount {
  readonly place: number
  readonly record: number
  readonly field: FieldDef
  readonly value: unknown
  readonly now: unknown
}

/** Places of amounts that differ by more than what their currency rounds away. One statement a field. */
async function beyondRounding(
  env: Environment,
  model: ModelDef,
  amounts: readonly Amount[],
): Promise<number[]> {
  const places: number[] = []
  for (const [field, some] of Map.groupBy(amounts, (one) => one.field)) {
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
