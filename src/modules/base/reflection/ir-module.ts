// Modules as records (ir.module.module): which there are and which this database has; the installer keeps the
// rows.

import { changeModules } from '#engine'
import {
  boolean,
  char,
  type Environment,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  returns,
  selection,
  text,
} from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { moduleStates } from './module-states.ts'

const licenses = {
  'GPL-2': 'GPL Version 2',
  'GPL-2 or any later version': 'GPL-2 or later version',
  'GPL-3': 'GPL Version 3',
  'GPL-3 or any later version': 'GPL-3 or later version',
  'AGPL-3': 'Affero GPL-3',
  'LGPL-3': 'LGPL Version 3',
  'Other OSI approved licence': 'Other OSI Approved License',
  'Other proprietary': 'Other Proprietary',
}

const button = (doc: string) =>
  ({
    doc,
    params: {},
    returns: returns<object>('object', 'dict', 'An action that makes web clients read everything anew'),
  }) as const

const moduleModel = model('ir.module.module', {
  label: 'Module',
  order: 'application desc, sequence, name',
  recName: 'shortdesc',
  recNamesSearch: ['name', 'shortdesc', 'summary'],
  rules: { name_uniq: { unique: ['name'], message: 'The name of the module must be unique!' } },
  fields: {
    name: char({ label: 'Technical Name', required: true, readonly: true }),
    category_id: many2one('ir.module.category', { label: 'Category', readonly: true, index: true }),
    shortdesc: char({ label: 'Module Name', readonly: true, translate: true }),
    summary: char({ label: 'Summary', readonly: true, translate: true }),
    description: text({ label: 'Description', readonly: true, translate: true }),
    author: char({ label: 'Author', readonly: true }),
    website: char({ label: 'Website', readonly: true }),
    installed_version: char({ label: 'Latest Version', asStored: false, readonly: true }),
    latest_version: char({ label: 'Installed Version', readonly: true }),
    sequence: integer({ label: 'Sequence', default: 100 }),
    auto_install: boolean({ label: 'Automatic Installation' }),
    state: selection(moduleStates, { label: 'Status', default: 'uninstalled', readonly: true, index: true }),
    demo: boolean({ label: 'Demo Data', readonly: true }),
    license: selection(licenses, { label: 'License', readonly: true }),
    application: boolean({ label: 'Application', readonly: true }),
    maintainer: char({ label: 'Maintainer', readonly: true }),
    contributors: text({ label: 'Contributors', readonly: true }),
    url: char({ label: 'URL', readonly: true }),
    icon: char({ label: 'Icon URL' }),
    to_buy: boolean({ label: 'Sold Module' }),
    published_version: char({ label: 'Published Version', readonly: true }),
    country_ids: many2many('res.country', {
      label: 'Country',
      relation: { table: 'module_country', column: 'module_id', other: 'country_id' },
    }),
    dependencies_id: one2many('ir.module.module.dependency', 'module_id', {
      label: 'Dependencies',
      readonly: true,
    }),
    exclusion_ids: one2many('ir.module.module.exclusion', 'module_id', {
      label: 'Exclusions',
      readonly: true,
    }),
    menus_by_module: text({ label: 'Menus', computed: true, asStored: true }),
    reports_by_module: text({ label: 'Reports', computed: true, asStored: true }),
    views_by_module: text({ label: 'Views', computed: true, asStored: true }),
  },
  methods: {
    button_immediate_install: button(
      'Installs the modules and what they need at once; those that are installed already stay as they are.',
    ),
    button_immediate_upgrade: button('Brings tables and data of installed modules up to date at once.'),
    button_immediate_uninstall: button(
      'Removes the modules at once, with their tables, columns and data, for good. Refused while another installed module needs one of them.',
    ),
    button_install: button('As button_immediate_install: no step follows that carries the choice out.'),
    button_upgrade: button('As button_immediate_upgrade.'),
    button_uninstall: button('As button_immediate_uninstall.'),
    module_uninstall: {
      doc: 'Removes the modules, as button_immediate_uninstall does.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    button_reset_state: {
      doc: 'Cancels pending installations, upgrades and removals, such as those in a migrated database.',
      level: 'model',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    update_list: {
      doc: 'Updates the list of modules from those of the server.',
      level: 'model',
      params: {},
      returns: returns<readonly [number, number]>(
        'array',
        'tuple[int, int]',
        'Number of updated entries, and number of added ones',
      ),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.module.module': IrModule
  }
  interface IrModule extends Of<typeof moduleModel> {}
}

/** Columns from which the server reads which modules a database has. */
const kept = ['name', 'state', 'installed_version']

export default implement(moduleModel, {
  wrapWrite: (next) => (modules, changes) => {
    if (!modules.env.su && changes.some(({ vals }) => kept.some((name) => name in vals))) {
      throw new UserError(
        'Modules are installed and removed by button_immediate_install and its likes, or with the command "comptoir module".',
      )
    }
    return next(modules, changes)
  },
  wrapGeneric: {
    // A row that is gone, or that says something else, would leave the database without its module.
    unlink: (next) => async (modules, params) => {
      const seen = await modules.load(['state'])
      if (seen.some((one) => one.state !== 'uninstalled' && one.state !== 'uninstallable')) {
        throw new UserError('You are trying to remove a module that is installed or will be installed.')
      }
      return next(modules, params)
    },
  },
  methods: {
    button_immediate_install: (modules) => change(modules, 'install'),
    button_immediate_upgrade: (modules) => change(modules, 'upgrade'),
    button_immediate_uninstall: (modules) => change(modules, 'uninstall'),
    button_install: (modules) => change(modules, 'install'),
    button_upgrade: (modules) => change(modules, 'upgrade'),
    button_uninstall: (modules) => change(modules, 'uninstall'),
    module_uninstall: async (modules) => {
      await change(modules, 'uninstall')
      return true as const
    },
    button_reset_state: resetStates,
    update_list: async ({ env }) => {
      assertAdministrator(env)
      changeModules(env, 'list', [])
      return [0, 0] as const
    },
  },
})

const RELOAD = { type: 'ir.actions.client', tag: 'reload' }

/** Throws AccessError for who may not change modules. */
function assertAdministrator(env: Environment): void {
  const def = env.def('ir.module.module')
  if (!env.su && !env.unit.rights.mayModel(env.user, def, 'write'))
    throw env.unit.rights.refusal(env.user, def, 'write')
}

/** States that wait for another step, and those that modules had before. */
const waiting = { 'to install': 'uninstalled', 'to upgrade': 'installed', 'to remove': 'installed' } as const

async function resetStates({ env }: Records<'ir.module.module'>): Promise<true> {
  assertAdministrator(env)
  const modules = env.sudo().model('ir.module.module')
  for (const [state, earlier] of Object.entries(waiting))
    await (await modules.search([['state', '=', state]])).write({ state: earlier })
  return true
}

async function change(
  modules: Records<'ir.module.module'>,
  act: 'install' | 'upgrade' | 'uninstall',
): Promise<object> {
  assertAdministrator(modules.env)
  const rows = await modules.load(['name', 'state'])
  if (rows.length < new Set(modules.ids).size)
    throw new MissingError('A module is no longer on the list: update the list.')
  const names = rows.filter((row) => act !== 'install' || row.state !== 'installed').map((row) => row.name)
  if (names.length) changeModules(modules.env, act, names)
  return RELOAD
}
