// Shapes: generated models as plain data, so that a regression can be kept as JSON, and the modules made of
// them.

import { computed, implement } from '../../src/models/behaviour/implement.ts'
import {
  binary,
  boolean,
  char,
  date,
  datetime,
  float,
  html,
  integer,
  many2many,
  many2one,
  many2oneReference,
  one2many,
  reference,
  selection,
  text,
} from '../../src/models/contract/field.ts'
import { model } from '../../src/models/contract/model.ts'
import { defineModule, type Module } from '../../src/models/index.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'
import type { Random } from './random.ts'

const builders = {
  binary,
  boolean,
  char,
  date,
  datetime,
  float,
  html,
  integer,
  many2many,
  many2one,
  many2oneReference,
  one2many,
  reference,
  selection,
  text,
}

/** A field; `target` is the key of a model of the same shape. */
export interface FieldShape {
  readonly kind: keyof typeof builders
  readonly target?: string
  readonly inverse?: string
  readonly options?: Readonly<Record<string, unknown>>
  /** Computed, and searched by a rule: as the field of this name. */
  readonly mirrors?: string
}
export interface ModelShape {
  readonly options?: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<string, FieldShape>>
}
/** Models by key; the model's name is the module's name and the key. */
export type Shape = Readonly<Record<string, ModelShape>>

const keys = { x: 'First', y: 'Second', 'a b': 'Third' }

/** The field that a shape declares, in a module of the given name. */
function fieldOf(
  module: string,
  { kind, target, inverse, options: explicitOptions = {}, mirrors }: FieldShape,
): unknown {
  const options = mirrors ? { ...explicitOptions, computed: true } : explicitOptions
  const build = builders[kind] as unknown as (...args: unknown[]) => unknown
  if (kind === 'selection') return build(keys, options)
  if (kind === 'reference') return build({ [`${module}.a`]: 'A', 'res.partner': 'Contact' }, options)
  if (kind === 'one2many') return build(`${module}.${target}`, inverse, options)
  return target ? build(`${module}.${target}`, options) : build(options)
}

/** Behaviour whose types are not of interest: these models are in no open interface. */
const loose = implement as unknown as (contract: unknown, body: unknown) => Behaviour
const mirror = computed as unknown as (
  on: unknown,
  depends: string[],
  run: (record: Record<string, unknown>) => unknown,
  options: unknown,
) => unknown

export function moduleOf(name: string, shape: Shape): Module {
  const models = Object.entries(shape).map(([key, { options, fields }]) => {
    const models = Object.fromEntries(
      Object.entries(fields).map(([field, spec]) => [field, fieldOf(name, spec)]),
    )
    const contract = model(`${name}.${key}`, { ...options, fields: models as never })
    const rules = Object.entries(fields).flatMap(([field, { mirrors: of }]) => {
      if (!of) return []
      const search = (operator: string, value: unknown) => [[of, operator, value]]
      return [[field, mirror(contract, [of], (record) => record[of], { search })]]
    })
    return loose(contract, { computed: Object.fromEntries(rules) })
  })
  return defineModule({ name, version: '1', summary: 'Generated models', depends: ['base'], models })
}

/** Three models: `a` may be a tree with lines in `b` and tags in `c`; fields and options vary. */
export function makeShape(random: Random): Shape {
  const maybe = <T extends object>(share: number, value: T): T | object => (random.chance(share) ? value : {})
  const scalars = () => ({
    name: { kind: 'char', options: maybe(0.3, { translate: true }) },
    number: { kind: 'integer' },
    amount: { kind: 'float', options: maybe(0.6, { digits: [10, 2] }) },
    flag: { kind: 'boolean' },
    day: { kind: 'date' },
    moment: { kind: 'datetime' },
    kind: { kind: 'selection' },
    ...maybe(0.6, { active: { kind: 'boolean' } }),
    ...maybe(0.5, { note: { kind: 'text' } }),
    ...maybe(0.3, { page: { kind: 'html', options: { sanitize: false } } }),
    ...maybe(0.4, { own: { kind: 'char', options: { companyDependent: true } } }),
    ...maybe(0.3, { file: { kind: 'binary', options: { attachment: false } } }),
    ...maybe(0.4, { any_ref: { kind: 'reference' } }),
    ...maybe(0.5, {
      called: { kind: 'char', mirrors: 'name' },
      count: { kind: 'integer', mirrors: 'number' },
    }),
  })
  const tree = random.chance(0.7)
  const stored = tree && random.chance(0.6)
  return {
    a: {
      options: {
        ...maybe(0.6, {
          order: random.pick([
            'b_id, name desc',
            'flag desc, other_id desc, number nulls first',
            'day, id desc',
          ]),
        }),
        ...maybe(0.5, { recNamesSearch: ['name', 'number', 'b_id.name'] }),
        ...(stored ? { parent: 'parent_id', parentStore: true } : {}),
      },
      fields: {
        ...scalars(),
        ...(tree
          ? {
              parent_id: { kind: 'many2one', target: 'a' },
              child_ids: { kind: 'one2many', target: 'a', inverse: 'parent_id' },
            }
          : {}),
        ...(stored ? { parent_path: { kind: 'char', options: { hidden: true } } } : {}),
        other_id: { kind: 'many2one', target: 'a' },
        b_id: { kind: 'many2one', target: 'b' },
        b_name: { kind: 'char', options: { related: 'b_id.name' } },
        ...maybe(0.4, { also_id: { kind: 'many2one', target: 'b', mirrors: 'b_id' } }),
        ...maybe(0.5, { b_tag_ids: { kind: 'many2many', target: 'c', options: { related: 'b_id.c_ids' } } }),
        line_ids: { kind: 'one2many', target: 'b', inverse: 'a_id' },
        ...maybe(0.6, {
          few_ids: {
            kind: 'one2many',
            target: 'b',
            inverse: 'a_id',
            options: { domain: [['flag', '=', true]], ...maybe(0.5, { context: { active_test: false } }) },
          },
        }),
        log_ids: { kind: 'one2many', target: 'c', inverse: 'res_id' },
        c_ids: { kind: 'many2many', target: 'c' },
      },
    },
    b: {
      options: maybe(0.6, {
        order: random.pick(['name', 'a_id desc, moment', 'c_id, flag, amount desc nulls last']),
      }),
      fields: {
        ...scalars(),
        a_id: { kind: 'many2one', target: 'a' },
        c_id: { kind: 'many2one', target: 'c' },
        c_ids: { kind: 'many2many', target: 'c' },
      },
    },
    c: {
      options: {
        ...maybe(0.5, { parent: 'parent_id', parentStore: true }),
        ...maybe(0.5, { order: random.pick(['parent_id desc nulls first, kind', 'number desc, name']) }),
      },
      fields: {
        ...scalars(),
        parent_id: { kind: 'many2one', target: 'c' },
        parent_path: { kind: 'char', options: { hidden: true } },
        b_ids: { kind: 'many2many', target: 'b' },
        res_model: { kind: 'char' },
        res_id: { kind: 'many2oneReference', options: { modelField: 'res_model' } },
      },
    },
  } as Shape
}
