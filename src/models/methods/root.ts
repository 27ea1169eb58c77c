// The root: methods that every model has, collected from the other files of this folder; and rights of
// the caller, as clients ask for them (spec/wire.md section 9).
import { AccessError, InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { type Methods, optional, required, returns } from '../contract/param.ts'
import type { Behaviour, MethodRun } from '../language/behaviour.ts'
import type { LooseRecords } from '../language/definitions.ts'
import { type Operation, operations } from '../language/rights.ts'
import { fieldNamed } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { type GenericMethods, generic } from './bind.ts'
import { changeMethods } from './change.ts'
import { describeMethods, metadataMethods } from './describe.ts'
import { groupMethods } from './group.ts'
import { onchangeMethods } from './onchange.ts'
import { queryMethods } from './query.ts'
import { searchPanelMethods } from './search-panel.ts'
import { transferMethods } from './transfer.ts'
import { translatedMethods, translationMethods } from './translated.ts'
import { viewMethods } from './views.ts'
import { webMethods } from './web.ts'

const operation = required<unknown>('any', { doc: 'read, write, create or unlink', annotation: 'str' })
const raises = optional<unknown>('any', true, { annotation: 'bool' })

export const accessMethods: GenericMethods = {
  has_access: generic({
    doc: 'Whether the caller may perform the operation on the model and on the given records.',
    readonly: true,
    params: { operation },
    returns: returns<boolean>('boolean', 'bool'),
    run: async (records, p) => (await refusal(records, asOperation(p.operation))) === null,
  }),
  check_access_rights: generic({
    doc: 'Older form of has_access, for the model only.',
    level: 'model',
    readonly: true,
    params: { operation, raise_exception: raises },
    run: async (records, p) => {
      const refused = await refusal(records.browse([]), asOperation(p.operation))
      if (!p.raise_exception) return refused === null
      if (refused) throw refused
      return null
    },
  }),
  check_access_rule: generic({
    doc: 'Older form of has_access, for records.',
    readonly: true,
    params: { operation },
    run: async (records, p) => {
      const wanted = asOperation(p.operation)
      // Records that are gone are read as nothing, and never changed (spec/wire.md section 9).
      const missing = wanted === 'write' || wanted === 'unlink' ? 'refuse' : 'skip'
      await assertRecords(records.env, records.def, records.ids, wanted, { last: true, missing })
      return null
    },
  }),
  check_field_access_rights: generic({
    doc: 'Older form: returns the fields of a list that the caller may use; all of them when none are named.',
    level: 'model',
    readonly: true,
    params: {
      operation,
      field_names: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
    },
    run: ({ env, def }, p) => {
      asOperation(p.operation)
      const names = Array.isArray(p.field_names) && p.field_names.length ? p.field_names : null
      if (names) return names.map((name) => fieldNamed(env, def, name).name)
      return [...def.fields.values()]
        .filter((f) => !f.options.hidden && (env.su || env.unit.rights.mayField(env.user, f)))
        .map((f) => f.name)
    },
  }),
  is_transient: generic({
    doc: 'Whether records of this model are deleted automatically after a while.',
    level: 'model',
    readonly: true,
    params: {},
    returns: returns<boolean>('boolean', 'bool'),
    run: ({ def }) => def.kind === 'transient',
  }),
}

function asOperation(value: unknown): Operation {
  if (!operations.includes(value as Operation))
    throw new InvalidValue(`Invalid operation ${shown(value)}: read, write, create or unlink`)
  return value as Operation
}

async function refusal(records: LooseRecords, wanted: Operation): Promise<AccessError | null> {
  try {
    await assertRecords(records.env, records.def, records.ids, wanted, { last: true })
    return null
  } catch (error) {
    if (error instanceof AccessError) return error
    throw error
  }
}

// Names that no client may call although they bear no underscore: 403, not 404 (spec/wire.md section 5,
// "Private").

const names = [
  'browse',
  'sudo',
  'with_user',
  'with_context',
  'with_env',
  'with_company',
  'with_prefetch',
  'mapped',
  'filtered',
  'filtered_domain',
  'sorted',
  'grouped',
  'exists',
  'ensure_one',
  'concat',
  'union',
  'new',
  'update',
  'modified',
  'fetch',
  'search_fetch',
  'invalidate_model',
  'invalidate_recordset',
  'flush_model',
  'flush_recordset',
  'init',
  'check_access',
  'lock_for_update',
  'try_lock_for_update',
] as const

export const hiddenMethods: GenericMethods = Object.fromEntries(
  names.map((name) => [
    name,
    generic({
      doc: 'For code only.',
      private: true,
      params: {},
      run: () => {
        throw new AccessError(`Private methods (such as '${name}') cannot be called remotely.`)
      },
    }),
  ]),
)

const groups: readonly GenericMethods[] = [
  queryMethods,
  changeMethods,
  describeMethods,
  metadataMethods,
  accessMethods,
  webMethods,
  groupMethods,
  onchangeMethods,
  translationMethods,
  transferMethods,
  viewMethods,
  searchPanelMethods,
  translatedMethods,
  hiddenMethods,
]

/** The behaviour under every model; the wire's `core`. */
export const root: Behaviour = Object.freeze({
  contract: {
    name: 'base',
    kind: 'abstract',
    options: {},
    fields: {},
    methods: Object.assign(
      {},
      ...groups.map((group) => Object.fromEntries(Object.entries(group).map(([name, m]) => [name, m.spec]))),
    ) as Methods,
  } as const,
  computed: {},
  displayName: null,
  searches: {},
  defaults: {},
  methods: Object.assign(
    {},
    ...groups.map((group) => Object.fromEntries(Object.entries(group).map(([name, m]) => [name, m.run]))),
  ) as Record<string, MethodRun>,
  wraps: {},
  wrapWrite: null,
  concerns: {},
  checks: {},
  prepare: null,
  onchange: [],
  writable: null,
  audited: null,
  init: null,
})
