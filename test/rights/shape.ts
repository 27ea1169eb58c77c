// The models of the property test: three, related in every way; which fields are of a group is drawn by
// chance.

import { implement } from '../../src/models/behaviour/implement.ts'
import { char, integer, many2many, many2one, one2many } from '../../src/models/contract/field.ts'
import { model } from '../../src/models/contract/model.ts'
import { defineModule, type Module } from '../../src/models/index.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'
import type { Random } from '../fuzz/random.ts'
import type { ModelKey } from './plan.ts'

export const GROUPS = 5
export const modelKeys: readonly ModelKey[] = ['a', 'b', 'c']

export interface FieldShape {
  readonly kind: 'char' | 'integer' | 'many2one' | 'one2many' | 'many2many'
  /** A model of the shape, or companies and users, which are known by their place alone. */
  readonly target?: ModelKey | 'company' | 'user'
  readonly inverse?: string
  /** Groups by place; members of any may use the field. None: everybody. */
  readonly groups: readonly number[]
}
export type Shape = Readonly<Record<ModelKey, Readonly<Record<string, FieldShape>>>>

/** External id of a group in the module of a shape. */
export const groupName = (module: string, group: number): string => `${module}.g${group}`

export function makeShape(random: Random): Shape {
  const groups = (share: number) =>
    random.chance(share) ? [...new Set([random.below(GROUPS), random.below(GROUPS)])] : []
  const common = (): Record<string, FieldShape> => ({
    name: { kind: 'char', groups: [] },
    number: { kind: 'integer', groups: groups(0.1) },
    secret: { kind: 'integer', groups: groups(0.9) },
    company_id: { kind: 'many2one', target: 'company', groups: [] },
    owner_id: { kind: 'many2one', target: 'user', groups: groups(0.15) },
  })
  return {
    a: {
      ...common(),
      b_id: { kind: 'many2one', target: 'b', groups: groups(0.2) },
      c_ids: { kind: 'many2many', target: 'c', groups: groups(0.2) },
      line_ids: { kind: 'one2many', target: 'b', inverse: 'a_id', groups: groups(0.2) },
    },
    b: {
      ...common(),
      a_id: { kind: 'many2one', target: 'a', groups: groups(0.1) },
      c_id: { kind: 'many2one', target: 'c', groups: groups(0.2) },
    },
    c: {
      ...common(),
      parent_id: { kind: 'many2one', target: 'c', groups: [] },
      child_ids: { kind: 'one2many', target: 'c', inverse: 'parent_id', groups: [] },
    },
  }
}

/** Behaviour whose types are not of interest: these models are in no open interface. */
const loose = implement as unknown as (contract: unknown) => Behaviour

export function moduleOf(name: string, shape: Shape): Module {
  const field = ({ kind, target, inverse, groups }: FieldShape): unknown => {
    const options = groups.length ? { groups: groups.map((group) => groupName(name, group)).join() } : {}
    const other = target === 'company' ? 'res.company' : target === 'user' ? 'res.users' : `${name}.${target}`
    if (kind === 'char') return char(options as never)
    if (kind === 'integer') return integer(options as never)
    if (kind === 'many2one') return many2one(other as never, options as never)
    if (kind === 'many2many') return many2many(other as never, options as never)
    return one2many(other as never, inverse as never, options as never)
  }
  const models = modelKeys.map((key) => {
    const fields = Object.fromEntries(Object.entries(shape[key]).map(([of, spec]) => [of, field(spec)]))
    return loose(model(`${name}.${key}`, { label: `Kind ${key}`, fields: fields as never }))
  })
  return defineModule({ name, version: '1', summary: 'Models for rights', depends: ['base'], models })
}
