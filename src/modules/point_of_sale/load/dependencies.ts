// Which rows of other tables change what a till sees of a model: lines, links, and what is computed from
// further away, as contracts declare it.
import type { Environment, ModelName } from '#models'
import { id, join, type Sql, sql } from '../../../sql/index.ts'
import type { Domain } from './load-types.ts'

type Model = ReturnType<Environment['def']>
type Field = NonNullable<ReturnType<Model['fields']['get']>>

/**
 * Fields that lead from a model to watched rows: the rows of the last field's model, or its join rows
 * only.
 */
interface Way {
  readonly steps: readonly Field[]
  readonly linksOnly: boolean
}

/** No way is longer: contracts allow no circles, and ways through them end. */
const DEPTH = 12

/** True if the rows of a relational field can be joined by columns. */
const leads = (field: Field): boolean =>
  field.comodel !== undefined &&
  (field.column || field.link !== null || field.comodel.fields.get(field.inverse ?? '')?.column === true)

/** Paths from a model to everything that its fields depend on. */
export function dependencyPaths(model: Model, names: readonly string[]): readonly Way[] {
  const ways = new Map<string, Way>()
  const add = (steps: readonly Field[], linksOnly: boolean) =>
    ways.set(`${steps.map(({ name }) => name).join('.')} ${linksOnly}`, { steps, linksOnly })
  const walk = (model: Model, path: readonly string[], before: readonly Field[], depth: number): void => {
    const [name, ...rest] = path
    const field = name === undefined ? undefined : model.fields.get(name)
    if (!field || depth > DEPTH) return
    if (field.related && !field.stored) {
      walk(model, [...field.related, ...rest], before, depth + 1)
      return
    }
    if (field.compute && !field.stored) {
      for (const dependency of field.compute.depends) walk(model, dependency.split('.'), before, depth + 1)
      return
    }
    if (!field.comodel || !leads(field) || (field.column && rest.length === 0)) return
    const steps = [...before, field]
    if (field.link) add(steps, true)
    // Linked records too: those that are archived are shown no more.
    add(steps, false)
    walk(field.comodel, rest, steps, depth + 1)
  }
  for (const name of names) walk(model, name.split('.'), [], 0)
  return [...ways.values()]
}

/** Names of fields, and paths, that a domain judges by. */
export const pathsIn = (domain: Domain): string[] =>
  domain.flatMap((leaf) => (Array.isArray(leaf) && typeof leaf[0] === 'string' ? [leaf[0]] : []))

/**
 * True if fields of a model depend on something that cannot be tracked: the clock, or rows that their
 * contracts do not name.
 */
export function followsUntracked(model: Model, names: readonly string[]): boolean {
  const follows = (model: Model | undefined, path: readonly string[], depth: number): boolean => {
    const [name, ...rest] = path
    const field = name === undefined ? undefined : model?.fields.get(name)
    if (!field || depth > DEPTH) return false
    if (field.related && !field.stored) return follows(model, [...field.related, ...rest], depth + 1)
    if (field.compute && !field.stored) {
      const { depends } = field.compute
      return (
        depends.length === 0 || depends.some((dependency) => follows(model, dependency.split('.'), depth + 1))
      )
    }
    return follows(field.comodel, rest, depth + 1)
  }
  return names.some((name) => follows(model, [name], 0))
}

/** Models whose removed rows leave no trace in the rows that showed them. */
export const linesOf = (ways: readonly Way[]): readonly ModelName[] => [
  ...new Set(
    ways.flatMap(({ steps }) =>
      steps.flatMap(({ inverse, comodel }) => (inverse && comodel ? [comodel.name as ModelName] : [])),
    ),
  ),
]

/** All models that ways go by. */
export const modelsOn = (ways: readonly Way[]): readonly ModelName[] => [
  ...new Set(
    ways.flatMap(({ steps }) => steps.flatMap(({ comodel }) => (comodel ? [comodel.name as ModelName] : []))),
  ),
]

const alias = (n: number) => id(`t${n}`)

/** Joins one step: the table of a field's model, or its join table only. */
function joined(field: Field, n: number, linksOnly: boolean): Sql {
  const [from, to] = [alias(n), alias(n + 1)]
  const { table = '' } = field.comodel ?? {}
  if (field.link) {
    const { table: links, column, other } = field.link
    const by = id(`l${n + 1}`)
    const linked = sql` JOIN ${id(links)} ${by} ON ${by}.${id(column)} = ${from}.id`
    return linksOnly ? linked : sql`${linked} JOIN ${id(table)} ${to} ON ${to}.id = ${by}.${id(other)}`
  }
  return field.column
    ? sql` JOIN ${id(table)} ${to} ON ${to}.id = ${from}.${id(field.name)}`
    : sql` JOIN ${id(table)} ${to} ON ${to}.${id(field.inverse ?? '')} = ${from}.id`
}

/** Ids of a model's rows that changed themselves, or by what they follow; `isNew` judges a row by its alias. */
export function touchedIds(model: Model, ways: readonly Way[], isNew: (alias: Sql) => Sql): Sql {
  const ownRows = sql`SELECT t0.id FROM ${id(model.table)} t0 WHERE ${isNew(alias(0))}`
  const others = ways.map(({ steps, linksOnly }) => {
    const last = steps.length - 1
    const joins = steps.map((field, n) => joined(field, n, linksOnly && n === last))
    return sql`SELECT t0.id FROM ${id(model.table)} t0${join(joins, '')} WHERE ${isNew(linksOnly ? id(`l${last + 1}`) : alias(last + 1))}`
  })
  return join([ownRows, ...others], ' UNION ')
}
