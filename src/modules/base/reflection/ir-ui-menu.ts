// Menus (ir.ui.menu): a tree of entries that lead to actions. This server draws none; the table is there for
// clients that list them.
import {
  boolean,
  char,
  computedTogether,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  reference,
} from '#models'

const actions = {
  'ir.actions.report': 'ir.actions.report',
  'ir.actions.act_window': 'ir.actions.act_window',
  'ir.actions.act_url': 'ir.actions.act_url',
  'ir.actions.server': 'ir.actions.server',
} as const

const menu = model('ir.ui.menu', {
  label: 'Menu',
  order: 'sequence, id',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: char({ label: 'Menu', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    parent_id: many2one('ir.ui.menu', { label: 'Parent Menu', index: true, ondelete: 'restrict' }),
    child_id: one2many('ir.ui.menu', 'parent_id', { label: 'Child IDs' }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'ir_ui_menu_group_rel', column: 'menu_id', other: 'gid' },
    }),
    complete_name: char({ label: 'Full Path', computed: true }),
    web_icon: char({ label: 'Web Icon File' }),
    action: reference(actions, { label: 'Action' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.ui.menu': Menu
  }
  interface Menu extends Of<typeof menu> {}
}

export default implement(menu, {
  computed: {
    complete_name: computedTogether(menu, ['name', 'parent_path'], async (menus, env) => {
      const pathOf = (path: string | null) => (path ?? '').split('/').filter(Boolean).map(Number)
      const all = env
        .sudo()
        .model('ir.ui.menu')
        .browse([...new Set(menus.flatMap((m) => pathOf(m.parent_path)))])
      const names = new Map((await all.load(['name'])).map((m) => [m.id, m.name]))
      return new Map(
        menus.map((m) => [
          m.id,
          pathOf(m.parent_path)
            .map((id) => names.get(id))
            .join('/') || m.name,
        ]),
      )
    }),
  },
})
