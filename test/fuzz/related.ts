// Domains judged in memory with all that the database knows: conditions on related records, trees and parts
// of dates, which the server leaves to PostgreSQL, said a second time for comparison.
import { DateTime } from 'luxon'
import { isInteger } from '../../src/kit/present.ts'
import { datePartOf } from '../../src/models/domain/dates.ts'
import { parentField, seedTree, textsIn } from '../../src/models/domain/hierarchy.ts'
import { isTree, lower, matches, senseOf } from '../../src/models/domain/index.ts'
import { type Facts, type Lowered, targets } from '../../src/models/domain/lower.ts'
import { readInteger } from '../../src/models/domain/number.ts'
import {
  type Definite,
  definite,
  type Hierarchy,
  invalidCondition,
  isEquality,
  isHierarchy,
  isLimit,
  isPattern,
  operandsOf,
  operators,
} from '../../src/models/domain/operators.ts'
import { activeLines } from '../../src/models/domain/search-rule.ts'
import type { Environment } from '../../src/models/index.ts'
import type { FieldDef, ModelDef, RelationDef } from '../../src/models/language/definitions.ts'
import { fieldOf, leadsToOne } from '../../src/models/language/field-options.ts'
import { leaf as condition, type Leaf, type Tree } from '../../src/models/language/tree.ts'
import { fieldNamed } from '../../src/models/rights/judge.ts'

/** Values of records, and all records of a model. */
export interface Knowledge {
  value(field: FieldDef, id: number): unknown
  all(model: ModelDef): Iterable<number>
}

/** Whether a record satisfies a condition. */
type Judge = (id: number) => boolean

/** A prepared domain as a test of the records of a model. Throws InvalidValue as compiling to SQL does. */
export function judgeOf(env: Environment, model: ModelDef, tree: Tree, world: Knowledge): Judge {
  const facts: Facts = (field, id) => world.value(field, id)
  const judge = (domain: Lowered): Judge => {
    if (domain.type === 'opaque') return new Related(env, model, world, domain.leaf).judge()
    if (domain.type === 'not') {
      const child = judge(domain.child)
      return (id) => !child(id)
    }
    if (!('children' in domain)) return (id) => matches(domain, facts, id)
    const children = domain.children.map(judge)
    return domain.type === 'all'
      ? (id) => children.every((child) => child(id))
      : (id) => children.some((child) => child(id))
  }
  return judge(lower(env, model, tree))
}

/** A condition that the server leaves to the database. */
class Related {
  readonly #env: Environment
  readonly #model: ModelDef
  readonly #world: Knowledge
  readonly #leaf: Leaf
  readonly #field: FieldDef

  constructor(env: Environment, model: ModelDef, world: Knowledge, leaf: Leaf) {
    this.#env = env
    this.#model = model
    this.#world = world
    this.#leaf = leaf
    this.#field = fieldNamed(env, model, leaf.path[0])
  }

  judge(): Judge {
    const { path, operator, value } = this.#leaf
    const field = this.#field
    if (path.length > 1 && field.comodel) return this.#line(field, condition(path.slice(1), operator, value))
    const positive = definite(senseOf(operator).positive, value)
    if (path.length > 1) return this.#part(positive)
    if (isHierarchy(positive)) return this.#within(positive)
    if (!field.comodel) throw invalidCondition(this.#leaf, 'the field is not a relational field')
    return this.#relation(field, positive)
  }

  #targets(field: FieldDef, id: number): readonly number[] {
    return targets((of, record) => this.#world.value(of, record), field, id)
  }

  #line(field: RelationDef, tree: Tree): Judge {
    const model = field.comodel
    const inside = leadsToOne(field) ? this.#env : this.#env.withContext(field.options.context ?? {})
    const lines = leadsToOne(field) ? tree : activeLines(inside, model, tree)
    const child = judgeOf(inside, model, lines, this.#world)
    return (id) => this.#targets(field, id).some(child)
  }

  #relation(field: RelationDef, operator: Definite): Judge {
    const leaf = this.#leaf
    const named = (by: string, value: unknown) => this.#line(field, condition(['display_name'], by, value))
    if (operator === 'any') return this.#line(field, leaf.value as Tree)
    if (isPattern(operator)) return named(operator, leaf.value)
    if (isLimit(operator)) return this.#limit(operator)
    const values = operandsOf(operator as never, leaf.value)
    if (values.includes(true)) throw invalidCondition(leaf, 'ids, names or false are expected on the right')
    const ids = values.filter((value) => typeof value === 'number')
    const names = values.filter((value) => typeof value === 'string')
    const judges: Judge[] = []
    // Archived lines of a one2many are left out.
    if (field.kind === 'one2many' && field.comodel.active)
      judges.push(this.#line(field, condition(['id'], 'in', ids)))
    else judges.push((id) => this.#targets(field, id).some((target) => ids.includes(target)))
    if (names.length) judges.push(names.length > 1 ? named('in', names) : named('=', names[0]))
    if (values.includes(false)) judges.push((id) => this.#targets(field, id).length === 0)
    return (id) => judges.some((judge) => judge(id))
  }

  #limit(operator: '<' | '<=' | '>' | '>='): Judge {
    const leaf = this.#leaf
    if (!leadsToOne(this.#field) || typeof leaf.value === 'string')
      throw invalidCondition(leaf, 'relational fields cannot be compared by order')
    if (leaf.value === false) return () => false
    const number = readInteger(leaf.value, leaf)
    const { test } = operators[operator]
    return (id) => this.#targets(this.#field, id).some((target) => test(target, number))
  }

  #within(direction: Hierarchy): Judge {
    const [field, model, leaf] = [this.#field, this.#model, this.#leaf]
    const { comodel } = field
    if (field.name !== 'id' && !comodel) throw invalidCondition(leaf, 'the field is not a relational field')
    const itself = field.name === 'id' || (leadsToOne(field) && comodel === model)
    const tree = itself ? model : (comodel as ModelDef)
    const isDown = field.kind === 'one2many' && comodel === model
    const parent = itself && field.name !== 'id' ? field : isDown ? null : parentField(tree)
    const values = isTree(leaf.value) ? [] : [leaf.value].flat()
    if (values.includes(true)) throw invalidCondition(leaf, 'ids or names are expected on the right')
    const names = textsIn(values)
    const seeds = isTree(leaf.value) ? leaf.value : names.length ? seedTree([], names) : null
    const ids = new Set(values.filter((value): value is number => isInteger(value)))
    const isNamed = seeds && judgeOf(this.#env, tree, seeds, this.#world)
    const isSeed = (id: number) => ids.has(id) || isNamed?.(id) === true
    const start = itself ? fieldOf(model, 'id') : field
    if (direction === 'child_of')
      return (id) => this.#targets(start, id).some((target) => this.#chain(parent, target).some(isSeed))
    const all = isNamed ? [...this.#world.all(tree)].filter(isNamed) : []
    const above = new Set([...ids, ...all].flatMap((seed) => this.#chain(parent, seed)))
    return (id) => this.#targets(start, id).some((target) => above.has(target))
  }

  /** The record and all above it. */
  #chain(parent: FieldDef | null, from: number): number[] {
    const seen = new Set<number>()
    let current: unknown = from
    while (typeof current === 'number' && !seen.has(current)) {
      seen.add(current)
      current = parent ? this.#world.value(parent, current) : null
    }
    return [...seen]
  }

  #part(operator: Definite): Judge {
    const [field, leaf] = [this.#field, this.#leaf]
    const { name, zone } = datePartOf(this.#env, field, leaf)
    const part = parts[name] as (at: DateTime) => number
    if (!isEquality(operator) && !isLimit(operator))
      throw invalidCondition(leaf, 'a part of a date can only be compared with a number')
    const operands = isEquality(operator) ? operandsOf(operator, leaf.value) : [leaf.value]
    const numbers = operands.map((value) => (value === false ? false : readInteger(value, leaf)))
    return (id) => {
      const value = this.#world.value(field, id)
      const isUnset = value === null || value === undefined
      const at = isUnset ? null : part(DateTime.fromSQL(String(value), { zone: 'utc' }).setZone(zone))
      if (isEquality(operator)) return numbers.some((number) => number === (at ?? false))
      return at !== null && typeof numbers[0] === 'number' && operators[operator].test(at, numbers[0])
    }
  }
}

const parts: Readonly<Record<string, (at: DateTime) => number>> = {
  year_number: (at) => at.year,
  quarter_number: (at) => at.quarter,
  month_number: (at) => at.month,
  iso_week_number: (at) => at.weekNumber,
  day_of_year: (at) => at.ordinal,
  day_of_month: (at) => at.day,
  day_of_week: (at) => at.weekday % 7,
  hour_number: (at) => at.hour,
  minute_number: (at) => at.minute,
  second_number: (at) => at.second,
}
