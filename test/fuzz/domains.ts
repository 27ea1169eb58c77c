// Generated domains: mostly sensible, sometimes wild, over every field and operator.
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import { amounts, days, moments, numbers, texts } from './data.ts'
import type { Random } from './random.ts'
import { anys, likes, order, randomDomain, trees } from './trees.ts'

const equality = ['=', '!=', 'in', 'not in', '==', '<>', '=?']
const relative = [
  'today',
  'today -1d',
  'today +2d',
  '=monday',
  '-1w',
  'today =1d',
  '+sunday -1m',
  'now',
  '-3d +2H',
  'today +1y =week_start',
]
const patterns = [
  '%',
  '_',
  'a%',
  '%a',
  'a_',
  '\\%',
  'a\\',
  'a\\\\b',
  '\\_',
  '_\\',
  'É',
  'ä',
  'Σ',
  'ς',
  'I',
  '',
  ' ',
  '1',
  '-',
  '.',
  '2024-0_',
  '%-31%',
  '🦊',
  '\n',
]
const parts =
  'year_number quarter_number month_number iso_week_number day_of_year day_of_month day_of_week hour_number minute_number second_number'.split(
    ' ',
  )
const wild: readonly unknown[] = [
  false,
  null,
  true,
  0,
  1,
  1.5,
  -1,
  '',
  'x',
  '7',
  '2024-02-30',
  'today',
  1e20,
  2147483648,
  '1e3',
  ' 2 ',
  99999,
  'yes',
]

export interface Case {
  readonly domain: unknown[]
  readonly context: Readonly<Record<string, unknown>>
}

/** A domain over `model`, whose records have the given ids, and the context it is asked in. */
export function makeCase(random: Random, model: ModelDef, ids: readonly number[]): Case {
  const context: Record<string, unknown> = {}
  if (random.chance(0.25)) context.active_test = false
  if (random.chance(0.3))
    context.tz = random.pick(['Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Nowhere/Town', 'UTC'])
  return { domain: new Maker(random, ids).domain(model, 3), context }
}

class Maker {
  readonly #random: Random
  readonly #ids: readonly number[]

  constructor(random: Random, ids: readonly number[]) {
    this.#random = random
    this.#ids = ids
  }

  domain(model: ModelDef, depth: number): unknown[] {
    if (this.#random.chance(0.06)) return this.#chain(model, depth)
    return randomDomain(this.#random, model, depth, (of, deep) => this.#condition(of, deep))
  }

  /**
   * Many conditions on one or two fields, joined alike, as programs write them: those of a kind become one
   * (domain/merge.ts).
   */
  #chain(model: ModelDef, depth: number): unknown[] {
    const random = this.#random
    const fields = [this.#field(model), this.#field(model)]
    const operators = [random.chance(0.5) ? random.pick(this.#operators(fields[0] as FieldDef)) : null, null]
    const conditions = Array.from({ length: 17 }, () => {
      const at = random.chance(0.9) ? 0 : 1
      const condition = this.#conditionOn(fields[at] as FieldDef, model, Math.min(depth, 1), operators[at])
      return random.chance(0.1) ? ['!', condition] : [condition]
    })
    return [
      ...Array.from({ length: conditions.length - 1 }, () => (random.chance(0.02) ? '&' : '|')),
      ...conditions.flat(1),
    ].slice(random.chance(0.5) ? 0 : conditions.length - 1)
  }

  #field(model: ModelDef): FieldDef {
    return this.#random.pick(
      [...model.fields.values()].filter(
        (f) => isAskable(f, model) && (f.module !== null || this.#random.chance(0.3)),
      ),
    )
  }

  #condition(model: ModelDef, depth: number): unknown[] {
    return this.#conditionOn(this.#field(model), model, depth)
  }

  #conditionOn(field: FieldDef, model: ModelDef, depth: number, chosen: string | null = null): unknown[] {
    const random = this.#random
    if (field.comodel && depth > 0 && random.chance(0.3)) {
      const [path, operator, value] = this.#condition(field.comodel, depth - 1)
      return [`${field.name}.${path}`, operator, value]
    }
    if ((field.kind === 'date' || field.kind === 'datetime') && random.chance(0.25)) {
      return [
        `${field.name}.${random.pick(parts)}`,
        random.pick([...equality, ...order]),
        this.#list(() => random.pick([0, 1, 2, 3, 12, 23, 31, 53, 366, 2024, '5', false])),
      ]
    }
    const operator = chosen ?? random.pick(this.#operators(field))
    if (anys.includes(operator)) return [field.name, operator, this.domain(field.comodel ?? model, depth - 1)]
    return [
      field.name,
      operator,
      this.#list(() => (random.chance(0.06) ? random.pick(wild) : this.#value(field, operator)), operator),
    ]
  }

  /** Operators that suit the field, now and then any. */
  #operators(field: FieldDef): readonly string[] {
    if (this.#random.chance(0.04)) return [...equality, ...order, ...likes, ...trees, ...anys]
    if (field.comodel) return [...equality, ...likes.slice(0, 4), ...trees, ...anys, ...anys]
    if (field.name === 'id') return [...equality, ...order, ...trees, 'any', 'not any', 'ilike']
    if (field.kind === 'boolean' || field.kind === 'binary') return equality
    return [...equality, ...order, ...likes]
  }

  /** One value, or a list of a few where the operator may have one. */
  #list(value: () => unknown, operator = '='): unknown {
    const lists = operator.endsWith('in')
      ? 0.9
      : equality.includes(operator) || trees.includes(operator)
        ? 0.15
        : 0
    if (!this.#random.chance(lists)) return value()
    return Array.from({ length: this.#random.below(4) }, () => (this.#random.chance(0.15) ? false : value()))
  }

  #value(field: FieldDef, operator: string): unknown {
    const random = this.#random
    if (random.chance(0.08)) return random.pick([false, null])
    if (field.comodel || field.name === 'id') {
      const named = operator.endsWith('like') || (field.comodel && random.chance(0.2))
      return named ? random.pick([...texts, ...patterns]) : random.pick([...this.#ids, 99999])
    }
    if (operator.endsWith('like')) return random.pick(random.chance(0.5) ? patterns : texts)
    switch (field.kind) {
      case 'integer':
      case 'many2one_reference':
        return random.pick<unknown>([...numbers, ...this.#ids.slice(0, 4), '7', 2.5])
      case 'float':
        return random.pick<unknown>([...amounts, '2.25', 0.005, 12.345])
      case 'boolean':
        return random.pick<unknown>([true, false, 'yes', 'No', 1, 0])
      case 'date':
        return random.pick([...days, ...relative, moments[0]])
      case 'datetime':
        return random.pick([...moments, ...days, ...relative, '2024-02-29T23:30'])
      case 'selection':
        return random.pick(['x', 'y', 'a b', 'z', 'First'])
      case 'reference':
        return random.pick(['res.partner,1', 'res.partner,2'])
      case 'binary':
        return false
      default:
        return random.pick<unknown>([...texts, 12])
    }
  }
}

/** Not hidden, and not about users: the facts end with the generated models. */
const isAskable = (field: FieldDef, { module }: ModelDef): boolean =>
  !field.options.hidden && (field.comodel?.module ?? module) === module
