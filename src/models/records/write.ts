// Writing: one UPDATE for all records, around it what old and new relations make stale, after it lines, files, inverses, checks.
import { id, join, raw, sql } from '../../sql/index.ts'
import { modified, settle } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { assertModel } from '../rights/judge.ts'
import { assertRecords } from './access.ts'
import { runChecks } from './checks.ts'
import { columnTypeIn, expressionIn } from './columns.ts'
import { applyCommands } from './commands.ts'
import { missing, writeRelated } from './create.ts'
import { storeFiles } from './files.ts'
import { assertNoLoop, assertParents, moveInTree, parentOf } from './hierarchy.ts'
import { loadFields } from './load.ts'
import { roundMonetary } from './monetary.ts'
import { settleProperties } from './properties.ts'
import { recordsOf } from './records.ts'
import { assertVals, type Sorted, sortValues, stored } from './values.ts'

/**
 * Writes the same values on all records. Throws MissingError for records that are gone where rules are in force, AccessError for hidden ones
 * (spec/wire.md section 9), InvalidValue and ValidationError for values that do not fit.
 */
export async function writeRecords(env: Environment, model: ModelDef, given: readonly number[], input: unknown): Promise<void> {
  const vals = { ...assertVals(input) }
  const ids = [...new Set(given)]
  if (ids.length === 0) {
    sortValues(env, model, vals)
    return
  }
  assertModel(env, model, 'write')
  await assertRecords(env, model, ids, 'write', { missing: 'refuse' })
  for (const prepare of model.prepares) prepare(vals, env, ids)
  const sorted = sortValues(env, model, vals)
  for (const [field, value] of sorted.columns) if (value === null && field.required && mustHold(field)) throw missing(field)
  const changed = [...sorted.columns.keys(), ...sorted.lines.keys(), ...sorted.files.keys()]
  const links = changed.filter((field) => field.comodel)
  if (links.length) await modified(env, links, ids)
  const moves = model.parent !== null && [...sorted.columns.keys()].some((field) => field.name === model.parent)
  if (moves) {
    const parent = parentOf(model, sorted)
    if (model.parentStore) await assertParents(env, model, [parent])
    await assertNoLoop(env, model, ids, parent)
  }
  await update(env, model, ids, sorted)
  // A new currency rounds the amounts beside it, written or not.
  const amounts = amountsOf(model, sorted)
  await roundMonetary(env, model, amounts, ids)
  changed.push(...amounts.filter((field) => field.column && !changed.includes(field)))
  await settleProperties(
    env,
    [...sorted.columns.keys()].filter((field) => field.kind === 'properties'),
    ids,
    false,
  )
  env.unit.rejudge()
  for (const field of changed) env.unit.cache.forget(field, ids)
  if (moves && model.parentStore) await moveInTree(env, model, ids)
  await modified(env, changed, ids)
  for (const field of sorted.columns.keys()) if (field.compute && field.stored) settle(env, field, ids)
  await beyond(env, model, ids, sorted)
  await runChecks(env, model, ids, new Set(Object.keys(vals)))
}

/** Amounts that were written, and all of them when a currency was. */
function amountsOf(model: ModelDef, { columns }: Sorted): FieldDef[] {
  const written = new Set([...columns.keys()].map((field) => field.name))
  return [...model.fields.values()].filter(
    (f) => f.kind === 'monetary' && (written.has(f.name) || written.has(f.options.currency ?? 'currency_id')),
  )
}

const mustHold = (field: FieldDef) => !['integer', 'float', 'monetary', 'boolean', 'many2one_reference'].includes(field.kind)

async function update(env: Environment, model: ModelDef, ids: readonly number[], sorted: Sorted): Promise<void> {
  const sets = [...sorted.columns].map(([field, value]) => {
    const column = id(field.name)
    if ((field.translate || field.options.companyDependent) && value !== null) {
      // Merged into what other languages or companies hold; the base language keeps its own value unless it has none.
      const fresh = sql`${JSON.stringify(field.translate ? { [env.lang]: value } : { [env.companyId]: value })}::jsonb`
      const base = field.translate ? sql`${JSON.stringify(stored(env, field, value))}::jsonb || ` : sql``
      return sql`${column} = ${base}COALESCE(${column}, '{}') || ${fresh}`
    }
    if (field.options.companyDependent) return sql`${column} = ${column} - ${String(env.companyId)}::text`
    return sql`${column} = ${expressionIn(field, sql`${value}::${raw(columnTypeIn(field))}`)}`
  })
  if (model.logAccess) sets.push(sql`"write_uid" = ${env.uid}::int`, raw(`"write_date" = now() AT TIME ZONE 'UTC'`))
  if (sets.length) await env.query(sql`UPDATE ${id(model.table)} SET ${join(sets)} WHERE "id" = ANY(${ids}::int[])`)
}

/** What lies beyond the row: delegates, related fields, lines, files, inverses. */
async function beyond(env: Environment, model: ModelDef, ids: readonly number[], sorted: Sorted): Promise<void> {
  for (const [via, below] of sorted.delegated) {
    const field = model.fields.get(via) as FieldDef
    const { of } = await loadFields(env, model, ids, [field])
    const targets = [
      ...new Set([...(of.get(field) as Map<number, unknown>)].filter(([record]) => ids.includes(record)).map(([, t]) => t as number)),
    ]
    await recordsOf(env, field.comodel as ModelDef, targets).write(below)
  }
  for (const [field, value] of sorted.lines) await applyCommands(env, field, new Map(ids.map((record) => [record, value])))
  for (const [field, value] of sorted.files) await storeFiles(env, field, new Map(ids.map((record) => [record, value])))
  for (const [field, value] of sorted.related) await writeRelated(env, field, ids, value)
  for (const [field, value] of sorted.inverse) await field.compute?.options.inverse?.(env, new Map(ids.map((record) => [record, value])))
}
