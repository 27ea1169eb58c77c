// Applies changes of custom models and fields: tables are altered in the call's transaction, and every
// process loads the models again.
import { DeclarationError, UserError, ValidationError } from '../../errors.ts'
import { only } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import { id, quote, raw, type Sql, sql } from '../../sql/index.ts'
import { flush, mark, storedComputed } from '../compute/recompute.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { currencyOf, leadsToOne } from '../language/field-options.ts'
import { MANUAL, type ManualRows, manualRows, parseManualRows } from '../manual/custom.ts'
import { recompose } from '../registry/registry.ts'
import { raiseRightsVersion } from '../rights/tables.ts'
import { applyForeignKeys, applyTables, lockSchema } from '../schema/apply.ts'
import { type Schema, schemaOf } from '../schema/tables.ts'
import { environmentOf } from '../unit/environment.ts'
import { reflectAutomatic } from './reflect.ts'

const waiting = new Slot<true>()
const claimed = new Slot<true>()

/**
 * Call it before the first change: one call at a time changes models. A concurrent call fails at once
 * with an error for which it is repeated: if it waited, it would hold locks on tables that the first
 * call is about to alter.
 */
export async function claimModels({ unit }: Environment): Promise<void> {
  if (claimed.get(unit)) return
  await unit.query(sql`SELECT FROM rights_version FOR UPDATE NOWAIT`)
  claimed.set(unit, true)
}

/**
 * Call it whenever rows of custom models, fields or their options change. Just before COMMIT, the tables
 * are altered to match the rows. After the commit, every process that checks a credential composes its
 * models again. If the rows contradict each other, the commit throws UserError or ValidationError.
 */
export function manualChanged(env: Environment): void {
  const { unit } = env
  raiseRightsVersion(env)
  if (waiting.get(unit)) return
  waiting.set(unit, true)
  unit.ending.beforeCommit.push(() => carryOut(environmentOf(unit, env.user, { active_test: false }, true)))
}

async function carryOut(env: Environment): Promise<void> {
  const { unit } = env
  await lockSchema(unit)
  const row = only(await env.query<[string]>(sql`SELECT ${manualRows}`))
  const before = unit.registry
  const rows = parseManualRows(row[0])
  const after = composed(() => {
    const registry = recompose(before, rows)
    assertSoundRows(registry, rows)
    return registry
  })
  await dropRemoved(env, before, after)
  const schema = ownPart(schemaOf(after), after)
  await applyTables(unit, schema)
  await applyForeignKeys(unit, schema)
  unit.renew(after)
  await reflectAutomatic(
    env,
    [...after.models.values()].filter((model) => model.module === MANUAL && !before.get(model.name)),
  )
  for (const field of freshComputed(before, after)) {
    const ids = await env.query<[number]>(sql`SELECT "id" FROM ${id(field.model.table)}`)
    mark(
      env,
      field,
      ids.map(([record]) => record),
    )
  }
  await flush(env)
}

/** Contradictions are the client's errors: they come from rows, not from modules. */
function composed(compose: () => Registry): Registry {
  try {
    return compose()
  } catch (error) {
    if (error instanceof DeclarationError) throw new UserError(error.message, { cause: error })
    throw error
  }
}

const isMade = (field: FieldDef) => field.module === MANUAL && !field.inherited
const madeFields = (registry: Registry) =>
  [...registry.models.values()].flatMap((model) => [...model.fields.values()].filter(isMade))

/** Drops columns, tables and files of removed models and fields, and unsets values without an option. */
async function dropRemoved(env: Environment, before: Registry, after: Registry): Promise<void> {
  const links = new Set(madeFields(after).flatMap((field) => (field.link ? [field.link.table] : [])))
  const statements: Sql[] = []
  for (const field of madeFields(before)) {
    const { model, name, link } = field
    const now = after.get(model.name)?.fields.get(name)
    if (link && !links.has(link.table)) statements.push(sql`DROP TABLE IF EXISTS ${id(link.table)}`)
    if (after.get(model.name) && field.column && !now?.column)
      statements.push(sql`ALTER TABLE ${id(model.table)} DROP COLUMN IF EXISTS ${id(name)}`)
    if (field.kind === 'binary' && !now)
      statements.push(sql`DELETE FROM ir_attachment WHERE res_model = ${model.name} AND res_field = ${name}`)
    if (field.kind === 'selection' && field.column && now?.column) {
      const keys = Object.keys((now.kind === 'selection' ? now.options.selection : undefined) ?? {})
      statements.push(
        sql`UPDATE ${id(model.table)} SET ${id(name)} = NULL WHERE ${id(name)} IS NOT NULL AND ${id(name)} <> ALL(${keys}::text[])`,
      )
    }
  }
  for (const model of before.models.values()) {
    if (model.module !== MANUAL || after.get(model.name)) continue
    // Columns of other custom models that referred to it are dropped already, or are dropped with their
    // own table.
    statements.push(sql`${raw(`DROP TABLE IF EXISTS ${quote(model.table)} CASCADE`)}`)
    for (const traces of ['ir_attachment', 'ir_model_data']) {
      const column = traces === 'ir_attachment' ? 'res_model' : 'model'
      statements.push(sql`DELETE FROM ${id(traces)} WHERE ${id(column)} = ${model.name}`)
    }
  }
  for (const statement of statements) await env.query(statement)
}

/** The part of a schema for custom models and fields: the tables of their models and their link tables. */
function ownPart(schema: Schema, registry: Registry): Schema {
  const fields = madeFields(registry)
  const tables = new Set<string>()
  for (const model of registry.models.values()) if (model.module === MANUAL) tables.add(model.table)
  for (const { model, link } of fields) tables.add(model.table).add(link?.table ?? model.table)
  return {
    tables: schema.tables.filter((table) => tables.has(table.name)),
    things: schema.things.filter((thing) => tables.has(thing.table)),
    foreignKeys: schema.foreignKeys.filter((thing) => tables.has(thing.table)),
  }
}

/** Computed fields (mostly related ones) that became stored: existing records need their values. */
function freshComputed(before: Registry, after: Registry): FieldDef[] {
  const wasStored = (model: ModelDef, name: string) =>
    before.get(model.name)?.fields.get(name)?.column === true
  return [...after.models.values()].flatMap((model) =>
    storedComputed(model).filter((field) => isMade(field) && field.column && !wasStored(model, field.name)),
  )
}

/** Throws UserError and ValidationError as the recordings show (manual-models/refused). */
export function assertSoundRows(registry: Registry, { models, fields }: ManualRows): void {
  assertTables(registry, models.length > 0 || fields.some((field) => field.kind === 'many2many'))
  for (const { model, name } of fields) {
    const field = registry.get(model)?.fields.get(name)
    if (!field) continue
    if (field.related) assertRelated(field)
    else if (field.kind === 'one2many') assertWayBack(field)
    if (field.kind === 'monetary') assertCurrency(field)
    if (leadsToOne(field) && field.options.ondelete === 'cascade' && field.model.authority)
      throw new ValidationError(
        `The m2o field ${name} cannot have on_delete 'cascade': records of ${field.model.label} would be deleted in every state. Use 'restrict' or 'set null'.`,
      )
    if (leadsToOne(field) && field.required && field.options.ondelete === 'set null') {
      throw new ValidationError(
        `The m2o field ${name} is required but declares its on_delete policy as being 'set null'. Only 'restrict' and 'cascade' make sense.`,
      )
    }
  }
}

/** Two models never share a table, and a link table only with its other side. */
function assertTables(registry: Registry, any: boolean): void {
  if (!any) return
  const owners = new Map<string, ModelDef>()
  for (const model of registry.models.values()) {
    if (!model.hasTable) continue
    const other = owners.get(model.table)
    if (other)
      throw new ValidationError(
        `The models ${other.name} and ${model.name} would share the table ${model.table}.`,
      )
    owners.set(model.table, model)
  }
  const links = new Map<string, FieldDef>()
  for (const model of owners.values()) {
    for (const field of model.fields.values()) {
      if (!field.link || field.inherited) continue
      if (owners.has(field.link.table))
        throw new ValidationError(
          `${model.name}.${field.name} cannot link through the table ${field.link.table}.`,
        )
      const other = links.get(field.link.table)
      if (other && !isTwin(field, other)) {
        throw new ValidationError(
          `${model.name}.${field.name} and ${other.model.name}.${other.name} cannot share the table ${field.link.table}.`,
        )
      }
      links.set(field.link.table, field)
    }
  }
}

function isTwin(a: FieldDef, b: FieldDef): boolean {
  const turned =
    a.link?.column === b.link?.other &&
    a.link?.other === b.link?.column &&
    a.model === b.comodel &&
    a.comodel === b.model
  return (
    turned ||
    (a.link?.column === b.link?.column &&
      a.link?.other === b.link?.other &&
      a.comodel === b.comodel &&
      a.model === b.model)
  )
}

function assertRelated(field: FieldDef): void {
  let model: ModelDef | undefined = field.model
  let last: FieldDef | undefined
  const path = field.related ?? []
  for (const [i, name] of path.entries()) {
    last = model?.fields.get(name)
    if (!last || last.options.hidden || last === field)
      throw new UserError(`Unknown field name "${name}" in related field "${path.join('.')}"`)
    if (i < path.length - 1 && last.kind !== 'many2one')
      throw new UserError(`Non-relational field name "${name}" in related field "${path.join('.')}"`)
    model = last.comodel
  }
  if (last?.kind !== field.kind || last.comodel !== field.comodel)
    throw new UserError(`Related field "${path.join('.')}" does not have type "${field.kind}"`)
}

function assertWayBack(field: FieldDef): void {
  const back = field.comodel?.fields.get(field.inverse ?? '')
  if (back?.kind !== 'many2one' || back.comodel !== field.model) {
    throw new UserError(`No inverse field "${field.inverse}" found for "${field.comodel?.name}"`)
  }
}

function assertCurrency(field: FieldDef): void {
  const name = currencyOf(field)
  const currency = field.model.fields.get(name)
  if (currency?.kind !== 'many2one' || currency.comodel?.name !== 'res.currency') {
    throw new ValidationError(
      `The amount ${field.name} needs a field with its currency: ${name} is not a many2one to res.currency.`,
    )
  }
}
