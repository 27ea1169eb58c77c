// For tests only: a few small models, and environments over them without a database.

import { computed, implement } from '../../src/models/behaviour/implement.ts'
import * as field from '../../src/models/contract/field.ts'
import { model } from '../../src/models/contract/model.ts'
import { compileDomain } from '../../src/models/domain/compile.ts'
import { parseDomain } from '../../src/models/domain/parse.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'
import type { ModelDef, Registry } from '../../src/models/language/definitions.ts'
import type { Environment } from '../../src/models/language/environment.ts'
import type { Rights, UserProfile } from '../../src/models/language/rights.ts'
import type { Tree } from '../../src/models/language/tree.ts'
import type { Row, Unit } from '../../src/models/language/unit.ts'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { scopeOver } from '../../src/models/row/scope.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { LargePlace, ShownSoFar } from '../../src/models/unit/large.ts'
import type { Statement } from '../../src/sql/index.ts'

const attachment = model('ir.attachment', {
  fields: { name: field.char(), res_model: field.char(), res_field: field.char(), res_id: field.integer() },
})
const tag = model('tag', {
  order: 'name',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: field.char({ required: true, translate: true }),
    color: field.integer(),
    active: field.boolean(),
    parent_id: field.many2one('tag'),
    parent_path: field.char({ hidden: true }),
    child_ids: field.one2many('tag', 'parent_id'),
  },
})
const country = model('country', {
  recNamesSearch: ['name', 'code'],
  order: 'name',
  fields: { name: field.char(), code: field.char() },
})
const club = model('club', {
  fields: { name: field.char(), member_ids: field.many2many('person', { computed: true }) },
})
const person = model('person', {
  order: 'name, id desc',
  fields: {
    name: field.char(),
    secret: field.char({ groups: 'base.group_system' }),
    token: field.char({ hidden: true }),
    color: field.integer(),
    height: field.float({ digits: [6, 2] }),
    employee: field.boolean(),
    active: field.boolean(),
    kind: field.selection({ a: 'First', b: 'Second' }),
    born: field.date(),
    seen_at: field.datetime(),
    photo: field.binary(),
    small: field.binary({ computed: true }),
    age: field.integer({ computed: true }),
    initials: field.char({ computed: true }),
    slow: field.char({ computed: true }),
    parent_id: field.many2one('person'),
    child_ids: field.one2many('person', 'parent_id', { domain: [['active', '=', true]] }),
    all_child_ids: field.one2many('person', 'parent_id'),
    tag_ids: field.many2many('tag'),
    club_ids: field.many2many('club', { computed: true }),
    country_id: field.many2one('country'),
    country_code: field.char({ related: 'country_id.code' }),
    log_ids: field.one2many('log', 'res_id'),
    parent_tag_ids: field.many2many('tag', { related: 'parent_id.tag_ids' }),
  },
})
const job = model('job', {
  order: 'person_id, id',
  fields: {
    person_id: field.many2one('person', { required: true }),
    color: field.integer({ related: 'person_id.color', stored: true }),
  },
})
const log = model('log', {
  fields: {
    model: field.char(),
    res_id: field.many2oneReference({ modelField: 'model' }),
    text: field.char(),
  },
})

/** Behaviour whose types are not of interest here: these models are in no open interface. */
const loose = implement as unknown as (contract: unknown, body?: unknown) => Behaviour
const compute = computed as unknown as (
  on: unknown,
  depends: string[],
  run: () => unknown,
  options?: unknown,
) => unknown

const registry: Registry = composeRegistry([
  {
    name: 'test',
    version: '1',
    summary: 'Models of the tests of domains',
    depends: [],
    models: [
      loose(attachment),
      loose(tag),
      loose(country),
      loose(club, { computed: { member_ids: compute(club, [], () => []) } }),
      loose(log),
      loose(job),
      loose(person, {
        computed: {
          small: compute(person, ['photo'], () => null),
          age: compute(person, [], () => 0),
          initials: compute(person, [], () => '', {
            search: (operator: string, value: unknown) => [['name', operator, value]],
          }),
          slow: compute(person, [], () => '', {
            search: async (operator: string, value: unknown) => [['kind', operator, value]],
          }),
          club_ids: compute(person, [], () => [], {
            search: async (_: string, value: unknown) => [['id', 'in', value]],
          }),
        },
      }),
    ],
  },
])

const user: UserProfile = {
  id: 7,
  login: 'ann',
  name: 'Ann',
  partnerId: 3,
  active: true,
  lang: null,
  tz: null,
  companyId: 1,
  companyIds: [1],
  groupIds: [],
  groups: new Set(),
}

export interface TestOptions {
  readonly context?: Record<string, unknown>
  readonly su?: boolean
  /** Record rules by model, as domains. */
  readonly rules?: Readonly<Record<string, unknown[]>>
  /** Models that the user may not read. */
  readonly closed?: readonly string[]
  /** Many2ones that every row has a target of, as `table.column`. */
  readonly filled?: readonly string[]
  /** Answers statements; what is asked is given to it. */
  readonly query?: (statement: Statement) => readonly Row[]
}

/** The environment of an ordinary user; `groups` and `hidden` fields are not for them. */
export function testEnvironment(options: TestOptions = {}): Environment {
  const rights: Rights = {
    version: '1',
    languages: new Set(['en_US', 'fr_FR']),
    mayModel: (_, { name }) => !options.closed?.includes(name),
    refusal: (_, { name }) => new Error(`no access to ${name}`),
    rules: (_, { name }) => (options.rules?.[name] ? parseDomain(options.rules[name]) : null),
    mayField: () => false,
  } as Partial<Rights> as Rights
  const unit = {
    shown: new ShownSoFar(
      new LargePlace(
        { database: {}, usage: { statements: 0, waited: 0, connectedAt: null, isHeavy: false } },
        undefined,
      ),
    ),
    registry: options.filled ? { ...registry, filled: new Set(options.filled) } : registry,
    rights,
    recomputation: { pending: new Map() },
    now: () => new Date('2026-03-01T12:00:00Z'),
    query: async (statement: { compile(): Statement }) => options.query?.(statement.compile()) ?? [],
    run: async (statement: Statement) => options.query?.(statement) ?? [],
  }
  return environmentOf(unit as unknown as Unit, user, options.context ?? {}, options.su ?? false)
}

export function testModel(name: string): ModelDef {
  const registered = registry.get(name)
  if (!registered) throw new Error(`No test model ${name}`)
  return registered
}

/**
 * A domain over `person` as text and values, quotes left out to be readable; `FROM` only where there are
 * joins.
 */
export function compiled(
  domain: unknown[] | Tree,
  options: TestOptions = {},
  name = 'person',
): { text: string; values: unknown[] } {
  const scope = scopeOver(testEnvironment(options), testModel(name))
  const { text, values } = compileDomain(
    scope,
    Array.isArray(domain) ? parseDomain(domain) : domain,
  ).compile()
  return { text: text.replaceAll('"', ''), values }
}
