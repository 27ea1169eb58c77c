// Models for the side channels: papers in folders, with lines and tags; some of each are hidden from
// all users, and some fields are for administrators only.

import { implement } from '../../src/models/behaviour/implement.ts'
import {
  binary,
  boolean,
  char,
  integer,
  many2many,
  many2one,
  one2many,
  properties,
  propertiesDefinition,
  selection,
} from '../../src/models/contract/field.ts'
import { model } from '../../src/models/contract/model.ts'
import { defineModule } from '../../src/models/index.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'

const keepers = { groups: 'base.group_system' } as const

/** Behaviour whose types are not of interest: these models are in no open interface. */
const loose = implement as unknown as (contract: unknown) => Behaviour

const paper = model('vault.paper', {
  label: 'Paper',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: char({ required: true }),
    code: char(),
    kind: selection({ x: 'X', y: 'Y', z: 'Z' }),
    pages: integer(),
    active: boolean({ default: true }),
    hidden: boolean(),
    weight: integer(keepers),
    note: char({ ...keepers, translate: true }),
    seal: many2one('vault.tag' as never, keepers),
    seal_ids: many2many('vault.tag' as never, {
      ...keepers,
      relation: { table: 'vault_seals', column: 'paper_id', other: 'tag_id' },
    }),
    scan: binary(keepers),
    parent_id: many2one('vault.paper' as never),
    parent_path: char({ hidden: true }),
    child_ids: one2many('vault.paper' as never, 'parent_id'),
    folder_id: many2one('vault.folder' as never),
    drawer_id: many2one('vault.drawer' as never),
    tag_ids: many2many('vault.tag' as never),
    line_ids: one2many('vault.line' as never, 'paper_id'),
    attributes: properties({ definition: 'folder_id.definitions' }),
  } as never,
})

const folder = model('vault.folder', {
  label: 'Folder',
  // Papers are ordered by their folder, whose order is hidden with it.
  order: 'rank, weight, name, id',
  fields: {
    name: char(),
    hidden: boolean(),
    memo: char(),
    rank: integer(),
    weight: integer(keepers),
    definitions: propertiesDefinition(),
    paper_ids: one2many('vault.paper' as never, 'folder_id'),
  } as never,
})

const tag = model('vault.tag', {
  label: 'Tag',
  fields: { name: char(), hidden: boolean(), paper_ids: many2many('vault.paper' as never) } as never,
})
const line = model('vault.line', {
  label: 'Line',
  fields: {
    name: char(),
    hidden: boolean(),
    amount: integer(),
    paper_id: many2one('vault.paper' as never),
  } as never,
})
const drawer = model('vault.drawer', { label: 'Drawer', fields: { name: char(), place: char() } as never })

export const vault = defineModule({
  name: 'vault',
  version: '1',
  summary: 'Models with something to hide',
  depends: ['base'],
  models: [paper, folder, tag, line, drawer].map(loose),
})
