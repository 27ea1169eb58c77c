// Menus (ir.ui.menu): a tree of entries that open actions. This server does not show them; the table exists
// for clients that list them.
import {
  binary,
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
  type Records,
  reference,
  required,
  returns,
} from '#models'

const actions = {
  'ir.actions.report': 'ir.actions.report',
  'ir.actions.act_window': 'ir.actions.act_window',
  'ir.actions.act_url': 'ir.actions.act_url',
  'ir.actions.server': 'ir.actions.server',
} as const

const loading = {
  doc: 'Menus that the caller sees, by their ids, and `root` with those at the top.',
  level: 'model',
  readonly: true,
  params: { debug: required<unknown>('any', { doc: 'Not needed', annotation: 'bool' }) },
  returns: returns<object>('object', 'dict'),
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
    web_icon_data: binary({ label: 'Web Icon Image' }),
  },
  methods: {
    get_user_roots: {
      doc: 'Menus at the top that the caller sees.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
    load_menus: loading,
    load_menus_root: {
      ...loading,
      doc: 'Menus at the top that the caller sees, as children of a root.',
      params: {},
    },
    load_web_menus: { ...loading },
  },
})

declare module '#models' {
  interface Models {
    'ir.ui.menu': Menu
  }
  interface Menu extends Of<typeof menu> {}
}

/**
 * Active menus of the caller's groups whose parents are visible too, in their order. Throws AccessError for
 * callers who may not read menus.
 */
async function menusOf(menus: Records<'ir.ui.menu'>) {
  const { env } = menus
  const rows = await (await menus.search([])).load(['name', 'parent_id', 'group_ids', 'action', 'web_icon'])
  const seen = new Map(
    rows
      .filter(
        ({ group_ids: groups }) =>
          env.su || groups.length === 0 || groups.some(({ id }) => env.user.groupIds.includes(id)),
      )
      .map((row) => [row.id, row]),
  )
  const isReached = (id: number): boolean => {
    const row = seen.get(id)
    return row !== undefined && (row.parent_id === null || isReached(row.parent_id.id))
  }
  return [...seen.values()].filter(({ id }) => isReached(id))
}

async function treeOf(menus: Records<'ir.ui.menu'>): Promise<Record<string, object>> {
  const rows = await menusOf(menus)
  const below = Map.groupBy(rows, ({ parent_id }) => parent_id?.id ?? null)
  const childrenOf = (parent: number | null) => (below.get(parent) ?? []).map(({ id }) => id)
  const entries = rows.map(({ id, name, action, web_icon }) => {
    const [actionModel = false, actionId] = action?.split(',') ?? []
    const actionID = actionId === undefined ? false : Number(actionId)
    return [id, { id, name, children: childrenOf(id), actionModel, actionID, webIcon: web_icon ?? false }]
  })
  const root = { id: 'root', name: 'root', children: childrenOf(null), actionModel: false, actionID: false }
  return { root, ...Object.fromEntries(entries) }
}

export default implement(menu, {
  methods: {
    get_user_roots: async (menus) =>
      (await menusOf(menus)).filter(({ parent_id }) => parent_id === null).map(({ id }) => id),
    load_menus: treeOf,
    load_web_menus: treeOf,
    load_menus_root: async (menus) => {
      const { root } = await treeOf(menus)
      return root ?? {}
    },
  },
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
