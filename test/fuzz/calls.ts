// Generated calls: methods that search, read, group and write, over models as they are, in families that
// differ in values and in little else.
import type { FieldDef, ModelDef, Registry } from '../../src/models/language/definitions.ts'
import type { Asked } from './cold.ts'
import type { Random } from './random.ts'
import { anys, likes, order, randomDomain, trees } from './trees.ts'
import {
  type Aspect,
  aspects,
  dateParts,
  days,
  equality,
  patterns,
  periods,
  relative,
  timeParts,
  times,
  wild,
  wilder,
} from './values.ts'

/** Models, records and values of generated calls. */
export interface Ground {
  readonly registry: Registry
  readonly models: readonly string[]
  readonly keys: readonly string[]
  readonly companies: readonly number[]
  /** Ids of records by model. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** Values that records have, as read without names, by `model.field`. */
  readonly held: ReadonlyMap<string, readonly unknown[]>
  readonly properties: readonly string[]
}

export class Caller {
  readonly #random: Random
  readonly #ground: Ground
  /** The part in which calls of a family differ, besides values of the same type. */
  #aspect: Aspect | null = null

  constructor(random: Random, ground: Ground) {
    this.#random = random
    this.#ground = ground
  }

  /** The first call of a family. */
  first(): Asked {
    const random = this.#random
    const model = this.#ground.registry.get(random.pick(this.#ground.models)) as ModelDef
    this.#aspect = null
    return this.#call(model, random.pick(this.#ground.keys), this.#context())
  }

  /**
   * Calls of about the shape of the first one, which is among them. They differ in values, and in one thing
   * more.
   */
  family(first: Asked, size: number): Asked[] {
    const random = this.#random
    const model = this.#ground.registry.get(first.model) as ModelDef
    this.#aspect = random.pick(aspects)
    const calls = [first]
    // Sometimes vary the last call, so that the family drifts.
    while (calls.length < size)
      calls.push(this.#varied(model, random.chance(0.8) ? first : (calls.at(-1) as Asked)))
    return calls
  }

  #context(): Readonly<Record<string, unknown>> | undefined {
    const random = this.#random
    if (random.chance(0.3)) return undefined
    const context: Record<string, unknown> = {}
    if (random.chance(0.3)) context.active_test = random.pick([false, true, null, 0])
    if (random.chance(0.3)) context.lang = random.pick(['fr_FR', 'en_US', 'fr_FR', false, 'de_DE', 'xx'])
    if (random.chance(0.3))
      context.tz = random.pick([
        'Europe/Paris',
        'America/New_York',
        'Asia/Kathmandu',
        'Nowhere/Town',
        'UTC',
        false,
      ])
    if (random.chance(0.3)) {
      const [firstCompany, two] = this.#ground.companies
      context.allowed_company_ids = random.pick([
        [firstCompany],
        [two],
        [firstCompany, two],
        [two, firstCompany],
        [],
        [99],
        false,
      ])
    }
    if (random.chance(0.15)) context.bin_size = random.pick([true, false, 1])
    if (random.chance(0.1)) context.date = random.pick(['2024-02-29', '2999-06-01', false, 'x'])
    if (random.chance(0.1)) context.force_search_count = true
    if (random.chance(0.1)) context.hierarchical_naming = random.pick([false, true])
    if (random.chance(0.1)) context.show_address = random.pick([false, true])
    if (random.chance(0.1)) context.display_default_code = random.pick([false, true])
    if (random.chance(0.1)) context.partner_id = random.pick([1, false, 3])
    if (random.chance(0.1)) context.formatted_display_name = true
    return context
  }

  #call(model: ModelDef, key: string, context: Asked['context']): Asked {
    const random = this.#random
    const base = { key, model: model.name, ...(context ? { context } : {}) }
    const windowed = () => ({
      ...(random.chance(0.5) ? { limit: random.pick([1, 2, 3, 7, 80, 0, false, null, 1000, 2000]) } : {}),
      ...(random.chance(0.5) ? { offset: random.pick([0, 1, 2, 5, 80, false, null, 300]) } : {}),
    })
    const ordered = () => (random.chance(0.4) ? { order: this.#order(model) } : {})
    const makers: readonly (readonly [weight: number, make: () => Asked])[] = [
      [
        25,
        () => ({
          ...base,
          method: 'search_read',
          named: {
            domain: this.#domain(model, 2),
            fields: this.#fields(model),
            ...windowed(),
            ...ordered(),
            ...(random.chance(0.3) ? { load: random.pick([null, '_classic_read', false, 'x']) } : {}),
          },
          pieces: random.chance(0.3),
        }),
      ],
      [
        15,
        () => ({
          ...base,
          method: 'search',
          named: { domain: this.#domain(model, 2), ...windowed(), ...ordered() },
        }),
      ],
      [
        8,
        () => ({
          ...base,
          method: 'search_count',
          named: {
            domain: this.#domain(model, 2),
            ...(random.chance(0.4) ? { limit: random.pick([0, 1, 5, false, null]) } : {}),
          },
        }),
      ],
      [
        8,
        () => ({
          ...base,
          method: 'read',
          ids: this.#ids(model),
          named: {
            fields: this.#fields(model),
            ...(random.chance(0.5) ? { load: random.pick([null, '_classic_read']) } : {}),
          },
        }),
      ],
      [
        7,
        () => ({
          ...base,
          method: 'web_read',
          ids: this.#ids(model),
          named: { specification: this.#specification(model, 2) },
        }),
      ],
      [
        15,
        () => ({
          ...base,
          method: 'web_search_read',
          named: {
            domain: this.#domain(model, 2),
            specification: this.#specification(model, 2),
            ...windowed(),
            ...ordered(),
            ...(random.chance(0.4) ? { count_limit: random.pick([0, 1, 3, 10, 10001, false, null]) } : {}),
          },
        }),
      ],
      [
        5,
        () => ({
          ...base,
          method: 'export_data',
          ids: this.#ids(model),
          named: { fields_to_export: this.#paths(model) },
        }),
      ],
      [
        6,
        () => ({
          ...base,
          method: random.pick(['name_search', 'web_name_search']),
          named: {
            name: this.#text(),
            operator: random.pick(['ilike', '=', 'not ilike', '=like', 'in']),
            domain: this.#domain(model, 1),
            limit: random.pick([1, 5, 100]),
          },
        }),
      ],
      [
        6,
        () => ({
          ...base,
          method: 'formatted_read_group',
          named: {
            domain: this.#domain(model, 1),
            groupby: this.#groups(model),
            aggregates: ['__count', ...this.#aggregates(model)],
            ...windowed(),
          },
        }),
      ],
      [
        3,
        () => ({
          ...base,
          method: 'read_group',
          named: {
            domain: this.#domain(model, 1),
            fields: ['__count'],
            groupby: this.#groups(model).slice(0, 1),
            ...windowed(),
          },
        }),
      ],
      [
        2,
        () => ({
          ...base,
          method: 'web_read_group',
          named: {
            domain: this.#domain(model, 1),
            groupby: this.#groups(model).slice(0, 1),
            aggregates: ['__count'],
            auto_unfold: true,
            unfold_read_specification: this.#specification(model, 1),
            ...windowed(),
          },
        }),
      ],
      [1, () => ({ ...base, method: 'fields_get', named: {} })],
      [
        3,
        () => ({
          ...base,
          method: random.pick(['write', 'write', 'copy', 'unlink']),
          ids: this.#ids(model),
          named: {},
          undone: true,
        }),
      ],
    ]
    let roll = random.below(makers.reduce((sum, [weight]) => sum + weight, 0))
    const [, make] = makers.find(([weight]) => {
      roll -= weight
      return roll < 0
    }) as (typeof makers)[number]
    const call = make()
    if (call.method === 'web_name_search')
      return { ...call, named: { ...call.named, specification: this.#specification(model, 1) } }
    if (call.method === 'write') return { ...call, named: { vals: this.#vals(model) } }
    return random.chance(0.2) && !call.undone ? { ...call, typed: this.#typed() } : call
  }

  /** A form of typed values to request; null: the documented form. */
  #typed(): NonNullable<Asked['typed']> | null {
    const zone = () => this.#random.pick([null, 'UTC', 'Europe/Paris', 'Asia/Kathmandu', 'Nowhere/Town'])
    return this.#random.chance(0.8) ? { zone: zone(), decimal: this.#random.chance(0.5) } : null
  }

  /** The call with some of its values replaced, and rarely another part. */
  #varied(model: ModelDef, call: Asked): Asked {
    const random = this.#random
    const named: Record<string, unknown> = { ...call.named }
    if (Array.isArray(named.domain)) named.domain = this.#otherValues(model, named.domain as unknown[])
    if ('vals' in named) named.vals = random.chance(0.5) ? this.#vals(model) : named.vals
    if ('name' in named) named.name = this.#text()
    if ('offset' in named && random.chance(0.6))
      named.offset = this.#strays('window')
        ? random.pick([0, false, null, -1, '2', 1.5, 300, 1000])
        : random.pick([1, 2, 3, 5, 81])
    if ('limit' in named && this.#strays('window'))
      named.limit = random.pick([1, 2, 3, 7, 80, 0, false, null, -1, '2', 1.5, true])
    if ('order' in named && this.#strays('order'))
      named.order = random.chance(0.5) ? this.#order(model) : random.pick([null, false, '', 'id', 'id desc'])
    if ('fields' in named && this.#strays('fields') && call.method !== 'read_group')
      named.fields = this.#fields(model)
    if ('fields_to_export' in named && this.#strays('fields')) named.fields_to_export = this.#paths(model)
    if ('load' in named && this.#strays('form')) named.load = random.pick([null, '_classic_read', ''])
    if ('specification' in named && this.#strays('fields'))
      named.specification = this.#specification(model, 2)
    else if ('specification' in named && this.#strays('form'))
      named.specification = this.#otherBelow(model, named.specification as object)
    if ('count_limit' in named && this.#strays('form'))
      named.count_limit = random.pick([0, 1, 2, 3, 10, false, null])
    const context = this.#strays('context') ? this.#context() : call.context
    const typed = !call.undone && this.#strays('form') ? this.#typed() : call.typed
    const key = this.#strays('caller') ? random.pick(this.#ground.keys) : call.key
    const { context: _gone, ...rest } = call
    return {
      ...rest,
      key,
      named,
      ...(typed === undefined ? {} : { typed }),
      ...(call.ids === undefined ? {} : { ids: this.#ids(model) }),
      ...(context ? { context } : {}),
    }
  }

  #strays(aspect: Aspect): boolean {
    return this.#random.chance(this.#aspect === aspect ? 0.4 : 0.02)
  }

  #otherValues(model: ModelDef, domain: readonly unknown[]): unknown[] {
    const random = this.#random
    return domain.map((item) => {
      if (!Array.isArray(item) || item.length !== 3 || typeof item[0] !== 'string') return item
      const [path, operator, value] = item as [string, string, unknown]
      const field = this.#end(model, path)
      if (anys.includes(operator) && Array.isArray(value))
        return [path, operator, this.#otherValues(field?.comodel ?? model, value)]
      if (random.chance(0.25)) return item
      const other = this.#strays('operator') ? this.#operator(field) : operator
      if (anys.includes(other)) return item
      // Mostly another value of the same sort.
      if (Array.isArray(value) && !this.#strays('sort'))
        return [
          path,
          other,
          Array.from({ length: this.#strays('length') ? random.pick([0, 1, 2, 3, 300]) : value.length }, () =>
            this.#value(field, path),
          ),
        ]
      return [path, other, !this.#strays('sort') ? this.#value(field, path) : this.#right(field, path, other)]
    })
  }

  #end(model: ModelDef, path: string): FieldDef | undefined {
    let current: ModelDef | undefined = model
    let field: FieldDef | undefined
    for (const step of path.split('.')) {
      const next: FieldDef | undefined = current?.fields.get(step)
      if (!next) return field
      field = next
      current = field.comodel
    }
    return field
  }

  #domain(model: ModelDef, depth: number): unknown[] {
    return randomDomain(this.#random, model, depth, (of, deep) => this.#condition(of, deep))
  }

  #condition(model: ModelDef, depth: number): unknown[] {
    const random = this.#random
    // Columns and relations first: computed fields have no plans.
    const all = [...model.fields.values()]
    const plain = all.filter((field) => field.column || (field.stored && field.comodel))
    const some = random.chance(0.85) && plain.length ? plain : all
    // Kinds are as likely as each other, however many fields they have.
    const kind = random.pick([...new Set(some.map((candidate) => candidate.kind))])
    const field = random.pick(some.filter((candidate) => candidate.kind === kind))
    if (field.kind === 'properties') {
      const path = `${field.name}.${random.pick(this.#ground.properties)}`
      return [path, random.pick([...equality, ...order, ...likes]), this.#value(field, path)]
    }
    if (field.comodel && depth > 0 && random.chance(0.3)) {
      const [path, operator, value] = this.#condition(field.comodel, depth - 1)
      return [`${field.name}.${path}`, operator, value]
    }
    if ((field.kind === 'date' || field.kind === 'datetime') && random.chance(0.15)) {
      return [
        `${field.name}.${random.pick([...dateParts, ...timeParts])}`,
        random.pick([...equality, ...order]),
        random.pick<unknown>([1, 2, 12, 2024, 2026, 0, '5', false, [1, 2]]),
      ]
    }
    const operator = this.#operator(field)
    if (anys.includes(operator))
      return [field.name, operator, this.#domain(field.comodel ?? model, depth - 1)]
    return [field.name, operator, this.#right(field, field.name, operator)]
  }

  #operator(field: FieldDef | undefined): string {
    const random = this.#random
    if (!field || random.chance(0.04))
      return random.pick([...equality, ...order, ...likes, ...trees, ...anys])
    if (field.comodel)
      return random.pick([
        ...equality,
        ...equality,
        'ilike',
        'not ilike',
        '<',
        ...trees,
        ...trees,
        ...anys,
        ...anys,
        ...anys,
      ])
    if (field.name === 'id') return random.pick([...equality, ...order, ...trees, 'any', 'ilike'])
    if (field.kind === 'boolean' || field.kind === 'binary') return random.pick(equality)
    return random.pick([...equality, ...order, ...likes])
  }

  #right(field: FieldDef | undefined, path: string, operator: string): unknown {
    const random = this.#random
    const lists = operator.endsWith('in')
      ? 0.95
      : equality.includes(operator)
        ? 0.15
        : trees.includes(operator)
          ? 0.4
          : 0
    if (!random.chance(lists)) return this.#value(field, path)
    const operand = this.#value(field, path)
    return Array.from({ length: random.pick([0, 1, 1, 2, 2, 3, 5, 300]) }, () =>
      random.chance(0.1) ? operand : this.#value(field, path),
    )
  }

  #text(): string {
    const random = this.#random
    const held = this.#ground.held.get(`${random.pick(this.#ground.models)}.name`) ?? []
    const texts = held.filter((operand) => typeof operand === 'string') as string[]
    if (texts.length && random.chance(0.4)) {
      const word = random.pick(texts)
      return word.slice(random.below(3), 3 + random.below(8))
    }
    return random.pick(patterns)
  }

  #value(field: FieldDef | undefined, path: string): unknown {
    const random = this.#random
    if (this.#strays('sort'))
      return random.chance(0.3) ? random.pick([false, null]) : random.pick([...wild, ...wilder])
    if (!field) return random.pick(wild)
    if (path.endsWith('_number') || path.includes('.day_of_')) return random.below(32)
    const held = this.#ground.held.get(`${field.model.name}.${field.name}`) ?? []
    if (field.comodel || field.name === 'id') {
      if (random.chance(0.1)) return this.#text()
      return random.pick([...(this.#ground.ids.get(field.comodel?.name ?? field.model.name) ?? [1]), 99999])
    }
    if (held.length && random.chance(0.6)) return random.pick(held)
    switch (field.kind) {
      case 'integer':
      case 'many2one_reference':
        return random.pick([1, 2, 3, 5, 10, -3, 0, 1000])
      case 'float':
      case 'monetary':
        return random.pick([1, 2.5, 0.1, -2.25, 0.004, 100, 1e6, 0])
      case 'boolean':
        return random.chance(0.5)
      case 'date':
        return random.chance(0.2) ? random.pick(relative) : random.pick(days)
      case 'datetime':
        return random.chance(0.2)
          ? random.pick(relative)
          : random.chance(0.4)
            ? random.pick(days)
            : `${random.pick(days)}${random.pick([' ', 'T'])}${random.pick(times)}`
      case 'properties':
        return random.pick(['A', 1, 2.5, true, 'x', '2024-02-29'])
      default:
        return this.#text()
    }
  }

  #ids(model: ModelDef): unknown {
    const random = this.#random
    const knownIds = this.#ground.ids.get(model.name) ?? []
    const ids = random.some(knownIds, random.pick([1, 2, 5, 20]))
    if (random.chance(0.2)) ids.push(random.pick([99999, 0, -1, 3_000_000_000, ...ids]))
    return ids
  }

  /** Paths of an export: columns and names mostly. External ids are made up where there are none. */
  #paths(model: ModelDef): string[] {
    const random = this.#random
    return random.some([...model.fields.values()], random.pick([1, 3, 6])).map(({ name, comodel }) => {
      if (random.chance(0.1)) return random.pick(['.id', 'id', `${name}/id`, `${name}/.id`])
      if (!comodel || random.chance(0.7)) return name
      return `${name}/${random.pick([...comodel.fields.keys()])}`
    })
  }

  #fields(model: ModelDef): string[] | null {
    const random = this.#random
    if (random.chance(0.06)) return null
    const fields = [...model.fields.values()].map(({ name }) => name)
    return random.some(fields, random.pick([1, 3, 6, 12]))
  }

  #order(model: ModelDef): string {
    const random = this.#random
    const terms = Array.from({ length: 1 + random.below(3) }, () => {
      const columns = [...model.fields.values()].filter((field) => field.column)
      const field = random.pick(columns)
      const path =
        field.kind === 'many2one' && random.chance(0.2)
          ? `${field.name}.id`
          : field.kind === 'properties'
            ? `${field.name}.${random.pick(this.#ground.properties)}`
            : field.name
      return `${path}${random.pick(['', ' desc', ' ASC'])}${random.pick(['', '', ' nulls first', ' NULLS LAST'])}`
    })
    return terms.join(', ')
  }

  #specification(model: ModelDef, depth: number): Record<string, unknown> {
    const random = this.#random
    const fields = random.some([...model.fields.values()], random.pick([2, 5, 8]))
    return Object.fromEntries(
      fields.map((field) => {
        if (!field.comodel || depth === 0 || random.chance(0.3)) return [field.name, {}]
        const names = field.kind === 'many2one' && random.chance(0.5)
        return [
          field.name,
          {
            fields: names ? { display_name: {} } : this.#specification(field.comodel, depth - 1),
            ...(random.chance(0.1) ? { limit: random.below(4) } : {}),
            ...(random.chance(0.1) ? { order: this.#order(field.comodel) } : {}),
            ...(random.chance(0.1)
              ? { context: random.pick([{ active_test: false }, { lang: 'fr_FR' }, { bin_size: true }]) }
              : {}),
          },
        ]
      }),
    )
  }

  /** The same fields, with other fields of the related records. */
  #otherBelow(model: ModelDef, specification: object): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(specification).map(([name, below]) => {
        const comodel = model.fields.get(name)?.comodel
        if (!comodel || this.#random.chance(0.3)) return [name, below]
        return [
          name,
          this.#random.chance(0.2)
            ? {}
            : { fields: this.#random.chance(0.3) ? { display_name: {} } : this.#specification(comodel, 1) },
        ]
      }),
    )
  }

  #groups(model: ModelDef): string[] {
    const random = this.#random
    const fields = [...model.fields.values()].filter(
      (field) => (field.column || field.link) && !['binary', 'json', 'html', 'text'].includes(field.kind),
    )
    return random.some(fields, 2).map((field) => {
      if (field.kind === 'date' || field.kind === 'datetime')
        return `${field.name}:${random.pick([...periods, ...dateParts])}`
      return field.kind === 'properties'
        ? `${field.name}.${random.pick(this.#ground.properties)}`
        : field.name
    })
  }

  #aggregates(model: ModelDef): string[] {
    const fields = [...model.fields.values()].filter(
      (field) => field.column && ['integer', 'float', 'monetary', 'char'].includes(field.kind),
    )
    return this.#random
      .some(fields, 2)
      .map(({ name }) => `${name}:${this.#random.pick(['count', 'count_distinct', 'max'])}`)
  }

  #vals(model: ModelDef): Record<string, unknown> {
    const fields = [...model.fields.values()].filter(
      (field) => field.column && !field.options.readonly && field.name !== 'id',
    )
    return Object.fromEntries(
      this.#random.some(fields, 3).map((field) => [field.name, this.#value(field, field.name)]),
    )
  }
}
