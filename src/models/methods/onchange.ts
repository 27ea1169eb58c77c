// `onchange`: the values that a form gets after a change, without storing anything (spec/models-api.md
// section 5, "onchange").

import { isInteger, present } from '../../kit/present.ts'
import { required, returns } from '../contract/param.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/field-options.ts'
import { readBySpecification } from '../read/specification.ts'
import type { Specification } from '../read/wanted.ts'
import { assertModel, fieldNamed, mayField, missingRecordsError } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { defaultValues } from '../write/defaults.ts'
import { type GenericMethods, generic } from './bind.ts'
import { changesOf, lasting, type Row, readForm, recordAfterSave } from './forms.ts'

export const onchangeMethods: GenericMethods = {
  onchange: generic({
    doc: 'Returns the values that follow from changed values; without changed fields, the defaults of a new record.',
    params: {
      values: required<Record<string, unknown>>('object', { annotation: 'dict' }),
      field_names: required<unknown[]>('strings', { annotation: 'list[str]' }),
      fields_spec: required<Specification>('specification', { annotation: 'dict' }),
    },
    returns: returns<object>('object', 'dict'),
    run: async ({ env, def, ids }, p) => {
      assertModel(env, def, 'read')
      const fields = Object.keys(p.fields_spec).map((name) => fieldNamed(env, def, name))
      const names = [...new Set((p.field_names as string[]).map((name) => fieldNamed(env, def, name).name))]
      if (names.length === 0 && ids.length === 0) {
        const value = await initial(env, def, fields, p.fields_spec)
        if (def.formsBySaving && def.kind === 'transient')
          Object.assign(value, await firstForm(env, def, fields, p.fields_spec))
        return { value }
      }
      const changed = await followUp(env, def, ids, p.values, names)
      const value: Record<string, unknown> = {}
      for (const field of fields)
        if (Object.hasOwn(changed, field.name))
          value[field.name] = await wireForm(env, field, changed[field.name], p.fields_spec)
      if (def.formsBySaving && names.length) {
        const saved = await savedChanges(
          env,
          def,
          ids,
          { ...p.values, ...changed },
          [...names, ...Object.keys(changed)],
          p.fields_spec,
        )
        for (const field of fields)
          if (Object.hasOwn(saved, field.name))
            value[field.name] =
              field.kind === 'one2many' && Object.hasOwn(changed, field.name)
                ? withSaved(changed[field.name], saved[field.name])
                : saved[field.name]
      }
      return Object.keys(value).length ? { value } : {}
    },
  }),
}

/** Defaults of the requested fields; x2manys are left to the form. */
async function initial(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  spec: Specification,
): Promise<Record<string, unknown>> {
  const names = fields.map((f) => f.name)
  const defaults = await defaultValues(env, model, names)
  const value: Record<string, unknown> = {}
  for (const field of fields) {
    if (leadsToMany(field)) {
      const lines = defaults[field.name]
      if (Array.isArray(lines) && lines.length) value[field.name] = lines
      continue
    }
    const defaultValue = defaults[field.name]
    value[field.name] =
      defaultValue === undefined || defaultValue === null
        ? field.type.unset
        : await wireForm(env, field, defaultValue, spec)
  }
  return value
}

/**
 * Forms of one task begin as they would be saved: most of what they show follows from what the context names.
 * Nothing where that could not be saved.
 */
async function firstForm(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  spec: Specification,
): Promise<Record<string, unknown>> {
  const after = await recordAfterSave(env, model, [], {}, [], spec)
  if (!after) return {}
  const value = await lasting(env, model, changesOf(fields, {}, {}, after))
  for (const { kind, name } of fields) {
    const rows = after[name]
    if (kind === 'one2many' && Array.isArray(rows) && rows.length)
      value[name] = rows.map((row: Row) => {
        const { id: _, ...line } = row
        return [0, 0, line]
      })
  }
  return value
}

/** Values that the form should take over from a save that is undone; none if it could not be saved. */
async function savedChanges(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  values: Record<string, unknown>,
  names: readonly string[],
  spec: Specification,
): Promise<Record<string, unknown>> {
  const before = await readForm(env, model, ids[0], spec)
  const after = await recordAfterSave(env, model, ids, values, names, spec)
  if (!after) return {}
  const follows = following(env, model, names)
  // Of a new record, what the form does not hold yet and what has nothing to do with the change is left to
  // the save.
  const fields = Object.keys(spec)
    .map((name) => fieldNamed(env, model, name))
    .filter((field) => ids.length > 0 || Object.hasOwn(values, field.name) || follows(field))
  return lasting(env, model, changesOf(fields, values, before, after))
}

/** Whether a field follows from changed ones, directly or through others. */
function following(
  env: Environment,
  model: ModelDef,
  names: readonly string[],
): (field: FieldDef) => boolean {
  const changed = names.flatMap((name) => sameLines(model, fieldNamed(env, model, name)))
  const stale = new Set(changed.flatMap((field) => [field, ...env.unit.registry.followers(field)]))
  const staleNames = new Set([...stale].flatMap((field) => (field.model === model ? [field.name] : [])))
  // Values that are not stored may follow by way of others that are not.
  const followsByField = new Map<FieldDef, boolean>()
  const follows = (field: FieldDef): boolean => {
    if (stale.has(field) || staleNames.has(field.related?.[0] ?? '')) return true
    if (field.stored) return false
    const before = followsByField.get(field)
    if (before !== undefined) return before
    followsByField.set(field, false)
    const dependsOnChange = Boolean(
      field.compute?.depends.some((path) => {
        const first = model.fields.get(present(path.split('.', 1)[0]))
        return first && follows(first)
      }),
    )
    followsByField.set(field, dependsOnChange)
    return dependsOnChange
  }
  return follows
}

/** A field, with those that hold the same lines: of an invoice, what is sold and all items. */
function sameLines(model: ModelDef, field: FieldDef): readonly FieldDef[] {
  if (field.kind !== 'one2many' || !field.inverse) return [field]
  const { comodel, inverse } = field
  return [...model.fields.values()].filter(
    (other) => other.kind === 'one2many' && other.comodel === comodel && other.inverse === inverse,
  )
}

/** Runs the functions of changed fields, and of those that they change, until nothing new comes. */
async function followUp(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  formValues: Record<string, unknown>,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  await assertReadable(env, model, formValues)
  const values: Record<string, unknown> = ids.length
    ? { ...(await stored(env, model, ids, formValues)), ...formValues }
    : { ...formValues }
  const changed: Record<string, unknown> = {}
  const queue = [...names]
  const seen = new Set(names)
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    for (const { fields, run } of model.hooks.onchanges) {
      if (!fields.includes(name)) continue
      for (const [field, value] of Object.entries(await run(values, env))) {
        if (same(values[field], value)) continue
        values[field] = value
        changed[field] = value
        if (!seen.has(field)) queue.push(field)
        seen.add(field)
      }
    }
  }
  return changed
}

/** Throws AccessError for values that name records the caller may not read: functions look into them. */
async function assertReadable(
  env: Environment,
  model: ModelDef,
  formValues: Record<string, unknown>,
): Promise<void> {
  for (const [name, value] of Object.entries(formValues)) {
    const { comodel, kind } = fieldNamed(env, model, name)
    if (kind === 'many2one' && comodel && isInteger(value)) await assertRecords(env, comodel, [value], 'read')
  }
}

/** Commands of a function that make lines, each with what a save would make of its line besides. */
function withSaved(commands: unknown, saved: unknown): unknown[] {
  const changes = new Map<unknown, object>(
    (Array.isArray(saved) ? saved : []).map(([, id, values]) => [id, values]),
  )
  return (Array.isArray(commands) ? commands : []).map(([code, id, values]) =>
    code === 0 ? [code, id, { ...values, ...changes.get(id) }] : [code, id, values],
  )
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? false) === JSON.stringify(b ?? false)

/** Values that the form did not send. Throws MissingError or AccessError for the record. */
async function stored(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  formValues: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const plain = [...model.fields.values()].filter(
    (f) => f.column && !f.options.hidden && mayField(env, f) && !Object.hasOwn(formValues, f.name),
  )
  const specification = Object.fromEntries(plain.map((f) => [f.name, {}]))
  const [row] = await readBySpecification(env, model, ids.slice(0, 1), specification)
  if (!row) throw missingRecordsError(model, ids.slice(0, 1))
  return row
}

async function wireForm(
  env: Environment,
  field: FieldDef,
  value: unknown,
  spec: Specification,
): Promise<unknown> {
  if (value === null || value === undefined || value === false) return field.type.unset
  const { fields } = spec[field.name] as { fields?: Specification }
  if (!leadsToOne(field) || !field.comodel || !fields) return value
  // The caller may have invented the id: the answer contains only what they may read.
  const [row] = await readBySpecification(env, field.comodel, [value as number], fields)
  return row ?? false
}
