// Groups by a property, `properties.<name>`: what it is stands in its definition, its value in the JSON of
// the record.

import { present } from '../../kit/present.ts'
import { id, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldKind } from '../contract/field.ts'
import { fieldTypes } from '../kinds/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { keysOfOptions, type PropertyDefinition } from '../read/defined-properties.ts'
import { definitionNamed } from '../read/properties.ts'
import { assertModel, fieldNamed } from '../rights/judge.ts'
import { isPeriod } from './periods.ts'
import { fitGranularity, type GroupSpec, parseGroup, refusedGroup } from './specs.ts'

const kinds: Readonly<Record<string, FieldKind>> = {
  boolean: 'boolean',
  integer: 'integer',
  float: 'float',
  monetary: 'float',
  char: 'char',
  text: 'char',
  date: 'date',
  datetime: 'datetime',
  selection: 'selection',
  tags: 'char',
  many2one: 'many2one',
  many2many: 'many2many',
}

/**
 * Specs of groups, properties among them. Throws InvalidValue for what cannot be grouped by, AccessError for
 * fields of groups that the user is not in and for related models that the user may not read.
 */
export async function parseGroups(
  env: Environment,
  model: ModelDef,
  specs: readonly string[],
): Promise<GroupSpec[]> {
  const groups: GroupSpec[] = []
  for (const spec of specs)
    groups.push(
      model.fields.get(present(spec.split('.')[0]))?.kind === 'properties'
        ? await parseProperty(env, model, spec)
        : parseGroup(env, model, spec),
    )
  return groups
}

async function parseProperty(env: Environment, model: ModelDef, spec: string): Promise<GroupSpec> {
  const [, name = '', property = '', granularity] = /^(\w+)\.(\w+)(?::(\w+))?$/.exec(spec) ?? []
  const holder = fieldNamed(env, model, name || spec.split('.')[0])
  const definition = property ? await definitionNamed(env, holder, property) : null
  if (!definition) throw refusedGroup(model, spec, 'unknown property')
  const kind = kinds[definition.type]
  if (!kind) throw refusedGroup(model, spec, `properties of type ${definition.type} cannot be used to group`)
  const comodel =
    kind === 'many2one' || kind === 'many2many'
      ? env.unit.registry.get(String(definition.comodel))
      : undefined
  if ((kind === 'many2one' || kind === 'many2many') && !comodel?.hasRows)
    throw refusedGroup(model, spec, 'its model does not exist')
  if (comodel) assertModel(env, comodel, 'read')
  if (granularity !== undefined && !isPeriod(granularity))
    throw refusedGroup(model, spec, 'properties are grouped by periods')
  // The meaning of a property follows from its definition, which no type describes.
  const field = {
    ...holder,
    name: `${name}.${property}`,
    kind,
    type: fieldTypes[kind],
    comodel,
    column: false,
    stored: false,
    related: null,
  } as FieldDef
  return {
    spec,
    steps: [],
    field,
    granularity: fitGranularity(model, spec, kind, granularity),
    property: { holder, definition },
  }
}

/** The value of a group, with the rows of lists; null when the properties themselves need code. */
export function propertySql(
  scope: Scope,
  { field, property }: GroupSpec,
  index: number,
): { readonly value: Sql; readonly join: Sql | null } | null {
  if (!property) return null
  const all = scope.value(property.holder)
  if (!all) return null
  const { definition } = property
  const propertyJson = sql`(${all} -> ${definition.name}::text)`
  const isA = (type: string) => sql`jsonb_typeof(${propertyJson}) = '${raw(type)}'`
  const text = sql`(${propertyJson} #>> '{}')`
  const single = (one: Sql) => ({ value: one, join: null })
  switch (definition.type) {
    case 'boolean':
      return single(sql`COALESCE(${propertyJson} = 'true'::jsonb, FALSE)`)
    case 'integer':
    case 'float':
    case 'monetary':
      return single(sql`CASE WHEN ${isA('number')} THEN ${text}::float8 END`)
    case 'date':
      return single(
        sql`CASE WHEN ${isA('string')} AND ${text} ~ '^\\d{4}-\\d\\d-\\d\\d$' THEN ${text}::date END`,
      )
    case 'datetime':
      return single(
        sql`CASE WHEN ${isA('string')} AND ${text} ~ '^\\d{4}-\\d\\d-\\d\\d ' THEN ${text}::timestamp END`,
      )
    case 'selection':
      return single(sql`CASE WHEN ${text} = ANY(${keysOf(definition)}::text[]) THEN ${text} END`)
    case 'many2one':
      return single(there(field, idIn(propertyJson)))
    case 'many2many':
    case 'tags': {
      const alias = `prop${index}`
      const item = id(alias, 'item')
      const tag = sql`(${item} #>> '{}')`
      const tags = definition.type === 'tags'
      const exists = tags
        ? sql`${tag} = ANY(${keysOf(definition)}::text[])`
        : sql`${there(field, idIn(item))} IS NOT NULL`
      const items = sql`jsonb_array_elements(CASE WHEN ${isA('array')} THEN ${propertyJson} ELSE '[]' END)`
      return {
        value: tags ? tag : idIn(item),
        join: sql` LEFT JOIN LATERAL ${items} AS ${id(alias)}("item") ON ${exists}`,
      }
    }
    default:
      return single(sql`CASE WHEN ${isA('string')} THEN ${text} END`)
  }
}

/** A number that can be an id; NULL for anything else. */
function idIn(json: Sql): Sql {
  const text = sql`(${json} #>> '{}')`
  return sql`CASE WHEN jsonb_typeof(${json}) = 'number' AND ${text} ~ '^[1-9]\\d{0,8}$' THEN ${text}::int END`
}

/** The id, where there still is such a record. */
function there(field: FieldDef, value: Sql): Sql {
  return sql`(SELECT r."id" FROM ${id(comodelOf(field).table)} AS r WHERE r."id" = ${value})`
}

const keysOf = ({ type, selection, tags }: PropertyDefinition): string[] =>
  [...keysOfOptions(type === 'tags' ? tags : selection)].map(String)

/** The wire form of a property's key: a tag is given with its label and colour. */
export function tagOf({ type, tags }: PropertyDefinition, key: unknown): unknown {
  if (type !== 'tags' || !Array.isArray(tags)) return key
  return tags.find((tag) => Array.isArray(tag) && tag[0] === key) ?? key
}

/** The condition on a property that selects a group which is no period. */
export function propertyCondition(
  name: string,
  definition: PropertyDefinition,
  key: unknown,
): readonly unknown[] {
  const list = definition.type === 'tags' || definition.type === 'many2many'
  if (key !== null) return [list ? [name, 'in', [key]] : [name, '=', key]]
  // A value that is no longer an option counts as unset.
  if (definition.type !== 'selection') return [[name, '=', false]]
  return ['|', [name, '=', false], [name, 'not in', keysOf(definition)]]
}
