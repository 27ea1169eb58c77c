// Composition of one field: declared options, their consequences, and the automatic fields every model has.

import { DeclarationError } from '../../errors.ts'
import { literal, type Sql, sql } from '../../sql/index.ts'
import type { Field, FieldKind } from '../contract/field.ts'
import type { FieldOptions } from '../contract/field-options.ts'
import { fieldTypes } from '../kinds/index.ts'
import type { Computed } from '../language/behaviour.ts'
import type { FieldDef, LinkTable, ModelDef } from '../language/definitions.ts'
import { leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function composeField(
  model: ModelDef,
  name: string,
  field: Field,
  module: string | null,
  compute: Computed | null,
  defaultOf: FieldDef['defaultOf'],
  models: ReadonlyMap<string, ModelDef>,
): FieldDef {
  const { kind, options } = field
  const type = fieldTypes[kind]
  const related = options.related ? options.related.split('.') : null
  const stored = options.stored ?? !(compute || related)
  const comodel = field.target === undefined ? undefined : models.get(field.target)
  if (field.target !== undefined && !comodel)
    throw new DeclarationError(`${model.name}.${name} leads to ${field.target}, which no module declares.`)
  const settable = Boolean(compute?.options.inverse || compute?.options.editable)
  // The builders ensure that a field type has its own options, and the lines above that the comodel exists.
  const def = {
    name,
    model,
    kind,
    type,
    options,
    label: options.label ?? labelFromName(name),
    comodel,
    module,
    required: options.required ?? false,
    readonly: options.readonly ?? ((compute !== null && !settable) || related !== null),
    stored,
    column: false,
    translate: options.translate ?? false,
    copy:
      options.copy ??
      ((!compute || Boolean(compute.options.editable)) &&
        !related &&
        kind !== 'one2many' &&
        !options.companyDependent),
    groups: options.groups ? options.groups.split(',').map((g) => g.trim()) : [],
    related,
    inherited: false,
    compute: compute ?? (related && stored ? relatedCompute(model, related) : null),
    search: (stored ? null : compute?.options.search) ?? null,
    defaultOf: defaultOf ?? (options.default === undefined ? null : () => options.default),
    automatic: false,
    link: null,
    inverse: options.inverse ?? null,
  } as Mutable<FieldDef>
  def.link = kind === 'many2many' && comodel && stored ? linkOf(model, comodel, options) : null
  def.column = stored && model.hasRows && type.columnType(def) !== null
  return def
}

/** A stored related field is computed. */
function relatedCompute(model: ModelDef, path: readonly string[]): Computed {
  return {
    model: model.name,
    depends: [path.join('.')],
    context: [],
    options: {},
    pure: true,
    run: (records) => {
      const values = new Map<number, unknown>()
      for (const record of records) {
        let value: unknown = record
        for (const step of path)
          value = value === null || value === undefined ? null : (value as Record<string, unknown>)[step]
        values.set(record.id, value ?? null)
      }
      return values
    },
  }
}

function linkOf(model: ModelDef, comodel: ModelDef, options: FieldOptions): LinkTable {
  if (options.relation) return options.relation
  const [a, b] = [model.table, comodel.table].sort() as [string, string]
  if (a === b) throw new DeclarationError(`${model.name} has a many2many to itself: name its relation table.`)
  return { table: `${a}_${b}_rel`, column: `${model.table}_id`, other: `${comodel.table}_id` }
}

/** `country_id` → `Country`. */
export function labelFromName(name: string): string {
  const words = name
    .replace(/_ids?$/, '')
    .replaceAll('_', ' ')
    .trim()
  return words.replace(/(^| )\p{Ll}/gu, (c) => c.toUpperCase())
}

interface Automatic {
  readonly id: FieldDef
  readonly log: readonly FieldDef[]
}

/** Fields of every model: `id`, and the log fields if the model has them. */
export function automaticFields(model: ModelDef, models: ReadonlyMap<string, ModelDef>): Automatic {
  const make = (name: string, label: string, kind: FieldKind, target?: string): FieldDef => {
    const field: Field = {
      kind,
      options: { label, readonly: true, copy: false },
      ...(target ? { target } : {}),
    }
    return { ...composeField(model, name, field, null, null, null, models), automatic: true }
  }
  const users = models.has('res.users') ? 'res.users' : undefined
  const by = (name: string, label: string) => (users ? [make(name, label, 'many2one', users)] : [])
  return {
    id: make('id', 'ID', 'integer'),
    log: model.logAccess
      ? [
          ...by('create_uid', 'Created by'),
          make('create_date', 'Created on', 'datetime'),
          ...by('write_uid', 'Last Updated by'),
          make('write_date', 'Last Updated on', 'datetime'),
        ]
      : [],
  }
}

/** The display name: the model's own function, else the value of its naming field. */
export function displayNameField(
  model: ModelDef,
  naming: Computed | null,
  options: FieldOptions = {},
): FieldDef {
  const field: Field = { kind: 'char', options: { label: 'Display Name', computed: true, ...options } }
  return {
    ...composeField(model, 'display_name', field, null, naming ?? ownName(model), null, new Map()),
    readonly: true,
    automatic: true,
  }
}

function ownName(model: ModelDef): Computed {
  const name = model.recName
  const naming = name === null ? undefined : model.fields.get(name)
  if (!name || !naming) {
    return {
      model: model.name,
      depends: [],
      context: [],
      pure: true,
      options: { sql: (scope) => sql`(${literal(`${model.name},`)} || ${scope.id})` },
      run: (records) => new Map(records.map((r) => [r.id, `${model.name},${r.id}`])),
    }
  }
  const relational = leadsToOne(naming)
  return {
    model: model.name,
    depends: [relational ? `${name}.display_name` : name],
    context: [],
    pure: true,
    options: { sql: (scope) => nameExpression(scope, naming) },
    run: (records) =>
      new Map(
        records.map((r) => {
          const value = r[name]
          if (relational) return [r.id, (value as { display_name: string } | null)?.display_name ?? null]
          return [r.id, value === null || value === undefined ? null : String(value)]
        }),
      ),
  }
}

function nameExpression(scope: Scope, naming: FieldDef): Sql | null {
  if (leadsToOne(naming)) return scope.value(naming) && scope.join(naming).displayName()
  const value = scope.value(naming)
  if (!value) return null
  return naming.type.isText ? value : sql`(${value})::text`
}

export function delegatedField(model: ModelDef, via: string, field: FieldDef): FieldDef {
  return {
    ...field,
    model,
    related: [via, field.name],
    inherited: true,
    stored: false,
    column: false,
    compute: null,
    search: null,
    required: false,
    copy: false,
    automatic: field.automatic,
    defaultOf: field.defaultOf,
    link: null,
  }
}
