// The root: methods that every model has, collected from the other files of this folder.

import type { Methods } from '../contract/param.ts'
import type { Behaviour, MethodRun } from '../language/behaviour.ts'
import { accessMethods } from './access.ts'
import { changeMethods } from './change.ts'
import { describeMethods } from './describe.ts'
import type { GenericMethods } from './generic.ts'
import { groupMethods } from './group.ts'
import { hiddenMethods } from './hidden.ts'
import { metadataMethods } from './metadata.ts'
import { onchangeMethods } from './onchange.ts'
import { queryMethods } from './query.ts'
import { searchPanelMethods } from './search-panel.ts'
import { transferMethods } from './transfer.ts'
import { translatedMethods } from './translated.ts'
import { translationMethods } from './translations.ts'
import { viewMethods } from './views.ts'
import { webMethods } from './web.ts'

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
