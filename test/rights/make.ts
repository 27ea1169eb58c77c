// Plans by chance: groups that imply others, users, access lines, rules, records, and what is asked of them.
import type { Random } from '../fuzz/random.ts'
import type {
  AccessLine,
  Ask,
  Condition,
  ModelKey,
  Operation,
  Plan,
  Row,
  Rule,
  Step,
  User,
  Value,
} from './plan.ts'
import { operations } from './plan.ts'
import { type FieldShape, GROUPS, modelKeys, type Shape } from './shape.ts'

export const USERS = 4
export const COMPANIES = 3
const names = ['ann', 'bob', 'cid', 'dan', 'eve']
const parts = ['', 'an', 'b', 'd', 'x']

const below = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

export function makePlan(random: Random, shape: Shape, steps: number): Plan {
  const rows = makeRows(random, shape)
  const maker = new Maker(random, shape, rows)
  return {
    implied: below(GROUPS).flatMap((group) =>
      group && random.chance(0.4) ? [[group, random.below(group)] as const] : [],
    ),
    users: below(USERS).map(() => makeUser(random)),
    access: modelKeys.flatMap((model) => below(1 + random.below(4)).map(() => makeLine(random, model))),
    rules: below(random.below(10)).map(() => maker.rule()),
    rows,
    steps: below(steps).map(() => maker.step()),
  }
}

function makeUser(random: Random): User {
  const companies = random.some(below(COMPANIES), COMPANIES)
  return {
    groups: random.some(below(GROUPS), 3),
    companies: companies.length ? companies : [0],
    exports: random.chance(0.7),
    portal: random.chance(0.3),
  }
}

const someOperations = (random: Random): Operation[] =>
  operations.filter((operation) => random.chance(operation === 'read' ? 0.85 : 0.6))

function makeLine(random: Random, model: ModelKey): AccessLine {
  return {
    model,
    group: random.chance(0.3) ? null : random.below(GROUPS),
    operations: someOperations(random),
  }
}

/** Records refer to any others; parents come before their children. */
function makeRows(random: Random, shape: Shape): Row[] {
  const models = below(10 + random.below(12)).map(() => random.pick(modelKeys))
  return models.map((model, place) => {
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(shape[model])) {
      if (field.kind === 'one2many') continue
      values[name] = makeValue(random, name, field, (target) =>
        below(name === 'parent_id' ? place : models.length).filter((p) => models[p] === target),
      )
    }
    return { model, values }
  })
}

function makeValue(
  random: Random,
  name: string,
  field: FieldShape,
  places: (target: string) => number[],
): unknown {
  if (field.kind === 'char') return random.pick(names)
  if (field.kind === 'integer') return random.below(4)
  if (field.kind === 'many2many') return random.some(places(field.target as string), 3).sort((a, b) => a - b)
  if (random.chance(name === 'company_id' ? 0.2 : 0.3)) return null
  if (field.target === 'company') return random.below(COMPANIES)
  if (field.target === 'user') return random.below(USERS)
  const candidates = places(field.target as string)
  return candidates.length ? random.pick(candidates) : null
}

class Maker {
  readonly random: Random
  readonly shape: Shape
  readonly rows: readonly Row[]

  constructor(random: Random, shape: Shape, rows: readonly Row[]) {
    this.random = random
    this.shape = shape
    this.rows = rows
  }

  places(model: string): number[] {
    return [...this.rows.keys()].filter((place) => this.rows[place]?.model === model)
  }

  rule(): Rule {
    const { random } = this
    const model = random.pick(modelKeys)
    const chosen = someOperations(random)
    return {
      model,
      groups: random.chance(0.45) ? [] : [...new Set([random.below(GROUPS), random.below(GROUPS)])],
      operations: chosen.length ? chosen : ['read'],
      domain: random.chance(0.1) ? null : this.condition(model, 2, true),
    }
  }

  condition(model: ModelKey, depth: number, asRule: boolean): Condition {
    const { random } = this
    if (depth > 0 && random.chance(0.35)) {
      const kind = random.pick(['and', 'or', 'or'] as const)
      return {
        kind,
        of: [this.condition(model, depth - 1, asRule), this.condition(model, depth - 1, asRule)],
      }
    }
    if (depth > 0 && random.chance(0.1)) return { kind: 'not', of: this.condition(model, depth - 1, asRule) }
    const [field, spec] = random.pick(Object.entries(this.shape[model]))
    if (spec.target && spec.target !== 'company' && spec.target !== 'user' && random.chance(0.6)) {
      return {
        kind: 'any',
        field,
        of: this.condition(spec.target, depth - 1, asRule),
        dotted: random.chance(0.6),
      }
    }
    return this.leaf(field, spec, asRule)
  }

  leaf(field: string, { kind, target }: FieldShape, asRule: boolean): Condition {
    const { random } = this
    const leaf = (by: Extract<Condition, { kind: 'leaf' }>['by'], value: Value): Condition => ({
      kind: 'leaf',
      field,
      by,
      value,
    })
    const sense = random.chance(0.75)
    if (kind === 'char')
      return random.chance(0.3)
        ? leaf('ilike', random.pick(parts.slice(1)))
        : leaf(sense ? '=' : '!=', random.pick(names))
    if (kind === 'integer')
      return random.chance(0.5) ? leaf('>', random.below(3)) : leaf(sense ? '=' : '!=', 1 + random.below(3))
    if (asRule && target === 'company' && random.chance(0.8)) {
      const which = random.pick<Value>([
        { var: 'company_ids' },
        { var: 'company_ids' },
        { var: 'company_id' },
        { var: 'user.company_id.id' },
      ])
      return leaf('in', random.chance(0.5) ? [which, null] : [which])
    }
    if (asRule && target === 'user' && random.chance(0.8)) return leaf(sense ? '=' : '!=', { var: 'user.id' })
    if (random.chance(0.25)) return leaf(sense ? '=' : '!=', null)
    const operand = (): Value => {
      if (target === 'company') return { company: random.below(COMPANIES) }
      if (target === 'user') return { user: random.below(USERS) }
      const places = this.places(target as string)
      return places.length ? { row: random.pick(places) } : null
    }
    return leaf(sense ? 'in' : 'not in', random.chance(0.5) ? [operand()] : [operand(), operand()])
  }

  step(): Step {
    const { random } = this
    const model = random.pick(modelKeys)
    const user = random.below(USERS)
    return { ...this.ask(model), user, model, companies: null }
  }

  /** Companies are chosen where the users are known. */
  ask(model: ModelKey): Ask {
    const { random } = this
    const fields = Object.keys(this.shape[model])
    const domain = random.chance(0.3) ? null : this.condition(model, 2, false)
    const rows = random.some(this.places(model), random.chance(0.6) ? 1 : 3)
    const some = () =>
      random.chance(0.25)
        ? null
        : [...new Set([random.pick(fields), random.pick(fields), random.pick(fields)])]
    const kind = random.pick(kinds)
    switch (kind) {
      case 'search':
        return { do: kind, domain, order: random.pick([null, 'number', 'secret']) }
      case 'search_count':
        return { do: kind, domain }
      case 'search_read':
        return { do: kind, domain, fields: some() }
      case 'name_search':
        return { do: kind, domain, name: random.pick(parts) }
      case 'formatted_read_group':
      case 'read_group': {
        const sum = random.pick(['number', 'number', 'secret'])
        return { do: kind, domain, by: random.pick(this.groupings(model).filter((by) => by !== sum)), sum }
      }
      case 'read':
        return { do: kind, rows, fields: some() }
      case 'web_read': {
        const relations = fields.filter((name) =>
          modelKeys.includes(this.shape[model][name]?.target as ModelKey),
        )
        return {
          do: kind,
          rows,
          field: random.pick(relations),
          below: random.some(['display_name', 'name', 'number', 'secret'], 2),
        }
      }
      case 'export_data': {
        const paths = fields.flatMap((name) => this.paths(model, name))
        return { do: kind, rows, paths: [...new Set([random.pick(paths), random.pick(paths)])] }
      }
      case 'has_access':
        return { do: kind, rows, operation: random.pick(operations) }
      case 'unlink':
        return { do: kind, rows: rows.slice(0, 1) }
      case 'copy':
        return { do: kind, rows: rows.slice(0, 1) }
      case 'write':
        return { do: kind, rows, values: this.values(model, 0.3, ['one2many', 'char']) }
      case 'create':
        return {
          do: kind,
          values: {
            name: random.pick(names),
            number: random.below(4),
            ...this.values(model, 0.6, ['one2many', 'char']),
          },
        }
    }
  }

  groupings(model: ModelKey): string[] {
    return Object.entries(this.shape[model]).flatMap(([name, { kind, target }]) => {
      if (kind === 'one2many') return []
      return kind === 'many2one' && modelKeys.includes(target as ModelKey)
        ? [name, `${name}.name`, `${name}.secret`]
        : [name]
    })
  }

  paths(model: ModelKey, name: string): string[] {
    const { kind, target } = this.shape[model][name] as FieldShape
    if (kind === 'one2many' || target === 'company' || target === 'user') return []
    if (kind === 'many2one') return [name, `${name}/number`, `${name}/secret`]
    return kind === 'many2many' ? [name, `${name}/name`] : [name]
  }

  values(model: ModelKey, share: number, without: readonly FieldShape['kind'][]): Record<string, unknown> {
    const chosen = Object.entries(this.shape[model]).filter(
      ([name, { kind }]) => !without.includes(kind) && name !== 'parent_id' && this.random.chance(share),
    )
    return Object.fromEntries(
      chosen.map(([name, field]) => [
        name,
        makeValue(this.random, name, field, (target) => this.places(target)),
      ]),
    )
  }
}

const kinds = [
  ...([
    'search',
    'search_count',
    'search_read',
    'search_read',
    'name_search',
    'formatted_read_group',
    'formatted_read_group',
  ] as const),
  ...(['read_group', 'read', 'read', 'web_read', 'web_read', 'export_data', 'has_access'] as const),
  ...(['write', 'create', 'copy', 'unlink'] as const),
] as const
