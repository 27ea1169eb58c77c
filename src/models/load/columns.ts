// What one query gives of many records: values of columns and of all that has an SQL form, as far as the
// cache does not know them.

import { present } from '../../kit/present.ts'
import type { Sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import type { Scope } from '../language/scope.ts'
import { variantOf } from '../row/held.ts'
import { scopeOver } from '../row/scope.ts'
import { together } from '../unit/together.ts'
import { type Leads, lookBehind, type PathTree } from './ahead.ts'
import { existing } from './existing.ts'
import { codeValue, expressionOf } from './expressions.ts'
import { readInOne } from './in-one.ts'
import { bring, onTheWay } from './on-the-way.ts'

/** Values by field and record: maps of the unit's cache. */
export type Known = ReadonlyMap<FieldDef, Map<number, unknown>>

interface Column {
  readonly field: FieldDef
  readonly expression: Sql
}

/** What is to be asked for. */
interface Gap {
  readonly of: Map<FieldDef, Map<number, unknown>>
  readonly columns: Column[]
  /** Records of which something is not known. */
  readonly missing: Set<number>
  /** Fields that take code. */
  readonly computed: FieldDef[]
  /** Reads of others that bring something, and of which records. */
  readonly late: Map<Promise<unknown>, readonly number[]>
}

/**
 * Loads what needs no code, and what `tree` finds behind relations with it; says which fields do, and which
 * of the records there are.
 */
export async function loadColumns(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  tree: PathTree = {},
  leads?: Leads,
): Promise<{ of: Known; computed: readonly FieldDef[]; there: readonly number[] }> {
  const scope = scopeOver(env, model)
  const gap = gapOf(env, scope, ids, fields)
  let there = await fillGap(env, scope, ids, gap, fields.length === 0, tree, leads)
  const present = presentIn(env, model)
  for (const [done, awaited] of gap.late) {
    await done
    const gone = new Set(awaited.filter((id) => !present.has(id)))
    if (gone.size) there = there.filter((id) => !gone.has(id))
  }
  return { of: gap.of, computed: gap.computed, there }
}

/** Which records are known to be there. */
const presentIn = (env: Environment, model: ModelDef) => env.unit.cache.of(fieldOf(model, 'id'), '')

/** Asks for what is missing; gives those of the records that there are. */
async function fillGap(
  env: Environment,
  scope: Scope,
  ids: readonly number[],
  { of, columns, missing, computed }: Gap,
  idsOnly: boolean,
  tree: PathTree,
  leads?: Leads,
): Promise<readonly number[]> {
  const present = presentIn(env, scope.model)
  if (columns.length || (idsOnly && ids.some((id) => !present.has(id)))) {
    const wanted = columns.length ? missing : new Set(ids)
    const asked = columns.map(({ field }) => field)
    const behind = lookBehind(env, scope.model, wanted, asked, tree, leads)
    const own = read(env, scope, columns, [...wanted], (record) => present.set(record, record), of)
    const places = asked.flatMap((field) => of.get(field) ?? [])
    await bring(places, wanted, together(own, ...behind))
    const found = await own
    return ids.filter((id) => found.has(id) || !wanted.has(id))
  }
  if (computed.length === 0) return ids
  // Without a column among the fields nobody may have looked yet whether the records are there.
  const unseen = ids.filter((id) => !present.has(id))
  for (const id of await existing(env, scope.model, unseen)) present.set(id, id)
  return unseen.length ? ids.filter((id) => present.has(id)) : ids
}

function gapOf(env: Environment, scope: Scope, ids: readonly number[], fields: readonly FieldDef[]): Gap {
  const gap: Gap = { of: new Map(), columns: [], missing: new Set(), computed: [], late: new Map() }
  const look = (field: FieldDef, expressionOf: () => Sql | null, always: boolean) => {
    const known = env.unit.cache.of(field, variantOf(env, field))
    if (always) gap.of.set(field, known)
    const unknown = known.size === 0 ? ids : ids.filter((id) => !known.has(id))
    const done = unknown.length ? onTheWay(known, unknown) : null
    if (done) {
      gap.late.set(done, unknown)
      return
    }
    const expression = unknown.length ? scope.tally.apart(expressionOf) : null
    if (expression) {
      gap.of.set(field, known)
      gap.columns.push({ field, expression })
      if (gap.missing.size < ids.length) for (const id of unknown) gap.missing.add(id)
    } else if (always && unknown.length) gap.computed.push(field)
  }
  for (const field of fields) look(field, () => expressionOf(scope, field), true)
  // What several computed fields declare is loaded in the same go.
  if (gap.computed.length > 1)
    for (const field of ownColumns(scope.model, gap.computed))
      if (!gap.of.has(field)) look(field, () => scope.value(field), false)
  return gap
}

/** Puts the values of the records into the cache; gives the ids of those that there are. */
async function read(
  env: Environment,
  scope: Scope,
  columns: readonly Column[],
  ids: readonly number[],
  see: (record: number) => void,
  of: Known,
): Promise<ReadonlySet<number>> {
  const expressions = columns.map((column) => column.expression)
  const { rows, first } = await readInOne(env, scope, expressions, ids)
  const found = new Set<number>()
  for (const row of rows) {
    const record = row[0] as number
    found.add(record)
    see(record)
    for (const [i, { field }] of columns.entries())
      of.get(field)?.set(record, codeValue(field, row[first + i]))
  }
  return found
}

/**
 * Columns of the same record, and what has an SQL form, that computed fields declare, by way of others too.
 */
function ownColumns(model: ModelDef, fields: readonly FieldDef[]): FieldDef[] {
  const seen = new Set<FieldDef>(fields)
  const columns: FieldDef[] = []
  // A set that grows while it is gone through is gone through to its end.
  for (const field of seen) {
    if (field.column || field.compute?.options.sql) {
      if (field.kind !== 'properties') columns.push(field)
      continue
    }
    for (const path of field.compute?.depends ?? []) {
      const next = model.fields.get(present(path.split('.', 1)[0]))
      if (next) seen.add(next)
    }
  }
  return columns
}
