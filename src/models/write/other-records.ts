// Values that other records hold: delegates, whose fields new records inherit, and binary fields, which
// are attachments of their record (hidden rows of `ir.attachment` with the name of the field).
import { InvalidValue } from '../../errors.ts'
import { pixelsOf, shrink } from '../../kit/images.ts'
import { present } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, LooseVals, ModelDef, X2manyDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath, fieldOf, isImageField, maxWidthOf } from '../language/field-options.ts'
import { smallerVersions } from '../load/binaries.ts'
import { loadFields } from '../load/load.ts'
import type { Sorted } from '../row/destinations.ts'
import { recordsOf } from '../unit/environment.ts'
import { applyCommands, leavesNoLines, parseCommands } from './commands/index.ts'
import { createByCaller } from './commands/worker.ts'

/** Delegates that are not given are made, in one call a model; given ones take the values. */
export async function createDelegates(
  env: Environment,
  model: ModelDef,
  sorted: readonly Sorted[],
): Promise<void> {
  for (const [target, via] of model.inherits) {
    const field = fieldOf(model, via)
    const comodel = env.def(target)
    const fresh = sorted.filter((values) => !values.columns.get(field))
    const parents = fresh.length
      ? await makeDelegates(
          env,
          model,
          comodel,
          fresh.map((v) => v.delegated.get(via) ?? {}),
        )
      : []
    for (const [i, values] of fresh.entries()) values.columns.set(field, parents[i])
    const isFresh = new Set(fresh)
    const linked = sorted.filter((values) => values.delegated.has(via) && !isFresh.has(values))
    await env.unit.registry.engine.writeEach(
      env,
      comodel,
      linked.map((values) => ({
        ids: [values.columns.get(field) as number],
        vals: values.delegated.get(via),
      })),
    )
  }
}

/** Lines of a delegate that privileged code creates: for them the caller's own rights count. */
async function makeDelegates(
  env: Environment,
  model: ModelDef,
  comodel: ModelDef,
  list: readonly LooseVals[],
): Promise<Ids> {
  if (env.su || !model.options.makesDelegates || env.unit.rights.mayModel(env.user, comodel, 'create'))
    return createByCaller(env, comodel, list)
  const isRelational = ([name, value]: readonly [string, unknown]) => {
    const field = comodel.fields.get(name)
    return (
      (field?.kind === 'one2many' || field?.kind === 'many2many') &&
      !leavesNoLines(parseCommands(field, value))
    )
  }
  const split = list.map((vals) =>
    Object.groupBy(Object.entries(vals), (entry) => (isRelational(entry) ? 'lines' : 'own')),
  )
  const { ids } = await recordsOf(env.sudo(), comodel, []).create(
    split.map(({ own = [] }) => Object.fromEntries(own)),
  )
  const changes = split.flatMap(({ lines }, i) =>
    lines ? [{ ids: [present(ids[i])], vals: Object.fromEntries(lines) }] : [],
  )
  await env.unit.registry.engine.writeEach(env, comodel, changes)
  return ids
}

/**
 * Writes values that go elsewhere than into the rows of their records: lines first, then files, related and
 * inverse writes. `isNew`: the records were just made, and `afterLines` is called once their lines exist.
 */
export async function writeElsewhere(
  env: Environment,
  records: Iterable<readonly [id: number, values: Sorted]>,
  isNew = false,
  afterLines?: () => void,
): Promise<void> {
  const lines = new Map<X2manyDef, Map<number, unknown>>()
  const files = new Map<FieldDef, Map<number, unknown>>()
  const related = new Map<FieldDef, Map<number, unknown>>()
  const inverses = new Map<FieldDef, Map<number, unknown>>()
  for (const [id, values] of records) {
    put(lines, values.lines, id)
    if (!isNew) put(files, values.files, id)
    else for (const file of values.files) if (file[1] !== null) put(files, [file], id)
    put(related, values.related, id)
    put(inverses, values.inverse, id)
  }
  for (const [field, of] of lines) await applyCommands(env, field, of, isNew)
  afterLines?.()
  for (const [field, of] of files) await storeFiles(env, field, of)
  for (const [field, of] of related) await writeRelated(env, field, of)
  for (const [field, of] of inverses) await field.compute?.options.inverse?.(env, of)
}

function put<F>(
  all: Map<F, Map<number, unknown>>,
  values: Iterable<readonly [F, unknown]>,
  id: number,
): void {
  for (const [field, value] of values) {
    const byRecord = all.get(field)
    if (byRecord) byRecord.set(id, value)
    else all.set(field, new Map([[id, value]]))
  }
}

// Writing of related fields: the value goes to the record at the end of the path.

async function writeRelated(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const path = present(field.related)
  let model = field.model
  let ends = new Map([...values.keys()].map((record) => [record, record]))
  for (const name of path.slice(0, -1)) {
    const step = model.fields.get(name)
    if (!step?.comodel) throw new InvalidValue(`${field.model.name}.${field.name} cannot be written.`)
    const rows = await recordsOf(env, model, [...new Set(ends.values())]).load([name])
    const next = new Map(rows.map((row) => [row.id as number, (row[name] as { id: number } | null)?.id]))
    ends = new Map(
      [...ends].flatMap(([record, at]) => (next.get(at) ? [[record, present(next.get(at))]] : [])),
    )
    model = step.comodel
  }
  const name = present(path.at(-1))
  const alike = Map.groupBy(ends, ([record]) => JSON.stringify(values.get(record) ?? null))
  await env.unit.registry.engine.writeEach(
    env,
    model,
    [...alike.values()].map((pairs) => ({
      ids: [...new Set(pairs.map(([, end]) => end))],
      vals: { [name]: values.get(present(pairs[0])[0]) },
    })),
  )
}

// Definitions of properties, changed by way of a record that has values: forms send both together, marked.

/** The definitions that a value brings along, when one of them is marked as changed or deleted; else null. */
export function definitionsIn(value: unknown): LooseVals[] | null {
  if (!Array.isArray(value)) return null
  const items = value.filter((item): item is LooseVals => typeof item === 'object' && item !== null)
  if (!items.some((item) => item.definition_changed || item.definition_deleted)) return null
  return items
    .filter((item) => !item.definition_deleted)
    .map(
      ({ definition_changed: _changed, definition_deleted: _deleted, value: _value, ...definition }) =>
        definition,
    )
}

/** Writes definitions on the records that define properties for `ids`, with the caller's rights. */
export async function redefine(
  env: Environment,
  field: FieldDef,
  ids: Ids,
  definitions: readonly LooseVals[],
): Promise<void> {
  const [via, holder] = definitionPath(field)
  const step = field.model.fields.get(via)
  if (!step?.comodel) return
  const { of } = await loadFields(env.sudo(), field.model, ids, [step])
  const holders = [
    ...new Set(ids.flatMap((record) => (of.get(step)?.get(record) as number | null | undefined) ?? [])),
  ]
  if (holders.length) await recordsOf(env, step.comodel, holders).write({ [holder]: definitions })
}

/** Replaces the content of a binary field; `values` holds base64 text or null by record. */
async function storeFiles(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const ids = [...values.keys()]
  const smaller = isImageField(field) ? smallerVersions(field) : []
  for (const version of [field, ...smaller]) env.unit.cache.forget(version, ids)
  const names = [field, ...smaller].map(({ name }) => name)
  env.unit.send(
    sql`DELETE FROM ir_attachment WHERE res_model = ${field.model.name} AND res_field = ANY(${names}::text[]) AND res_id = ANY(${idList(ids)})`,
  )
  if (isShrunk(field, smaller)) foreseePixels(env, values)
  const rows: object[] = []
  for (const [record, value] of values) {
    if (typeof value !== 'string') continue
    for (const [version, datas] of await sizesOf(env, field, smaller, value))
      rows.push({
        name: version.name,
        res_model: field.model.name,
        res_field: version.name,
        res_id: record,
        type: 'binary',
        datas,
      })
  }
  if (rows.length === 0) return
  await env
    .sudo()
    .model('ir.attachment' as never)
    .create(rows as never)
}

const isShrunk = (field: FieldDef, smaller: readonly FieldDef[]): boolean =>
  isImageField(field) && (maxWidthOf(field) !== undefined || smaller.length > 0)

/** Throws PayloadTooLarge before the first of too many images is worked on: each takes a second. */
function foreseePixels({ unit }: Environment, values: ReadonlyMap<number, unknown>): void {
  let pixels = 0
  for (const value of values.values()) if (typeof value === 'string') pixels += pixelsOf(value)
  unit.quota.reserve('pixels-call', pixels)
}

/** An image no larger than its field allows, and its smaller versions where they differ. */
async function sizesOf(
  { unit }: Environment,
  field: FieldDef,
  smaller: readonly FieldDef[],
  value: string,
): Promise<readonly (readonly [FieldDef, string])[]> {
  const most = maxWidthOf(field)
  if (!isShrunk(field, smaller)) return [[field, value]]
  const versions = await shrink(
    value,
    [field, ...smaller].flatMap((one) => maxWidthOf(one) ?? []),
    (pixels) => unit.quota.charge('pixels-call', pixels),
  )
  const largest = most === undefined ? undefined : versions.get(most)
  const others = smaller.flatMap((version) => {
    const width = maxWidthOf(version)
    const content = width === undefined ? undefined : versions.get(width)
    return content ? [[version, content.toString('base64')] as const] : []
  })
  return [[field, largest?.toString('base64') ?? value], ...others]
}
