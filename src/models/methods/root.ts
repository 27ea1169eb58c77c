// The root: methods that every model has, collected from the other files of this folder.
import { AccessError } from '../../errors.ts'
import type { Methods } from '../contract/param.ts'
import type { Behaviour, MethodRun } from '../language/behaviour.ts'
import { accessMethods } from './access.ts'
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
    generic({ doc: 'For code only.', private: true, params: {} }, () => {
      throw new AccessError(`Private methods (such as '${name}') cannot be called remotely.`)
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
