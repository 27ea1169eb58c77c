// Modules as records (ir.module.module): which there are and which this database has; the installer keeps the rows.
import { boolean, char, implement, integer, many2one, model, type Of, returns, selection, text } from '#models'
import { UserError } from '../../errors.ts'

const states = {
  uninstallable: 'Uninstallable',
  uninstalled: 'Not Installed',
  installed: 'Installed',
  'to upgrade': 'To be upgraded',
  'to remove': 'To be removed',
  'to install': 'To be installed',
} as const

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
    installed_version: char({ label: 'Latest Version', readonly: true }),
    latest_version: char({ label: 'Installed Version', readonly: true }),
    sequence: integer({ label: 'Sequence', default: 100 }),
    auto_install: boolean({ label: 'Automatic Installation' }),
    state: selection(states, { label: 'Status', default: 'uninstalled', readonly: true, index: true }),
    demo: boolean({ label: 'Demo Data', readonly: true }),
    license: char({ label: 'License', readonly: true }),
    application: boolean({ label: 'Application', readonly: true }),
  },
  methods: {
    button_immediate_install: {
      doc: 'Installs the modules at once. Those that are installed already stay as they are; others are installed by the administrator of the server.',
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.module.module': IrModule
  }
  interface IrModule extends Of<typeof moduleModel> {}
}

/** What the server reads to know which modules a database has. */
const kept = ['name', 'state', 'installed_version']

export default implement(moduleModel, {
  wrapWrite: (next) => (modules, changes) => {
    if (!modules.env.su && changes.some(({ vals }) => kept.some((name) => name in vals))) {
      throw new UserError('Modules are installed and removed with the command "comptoir module".')
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
    button_immediate_install: async (modules) => {
      const { env } = modules
      const def = env.def('ir.module.module')
      if (!env.su && !env.unit.rights.mayModel(env.user, def, 'write')) throw env.unit.rights.refusal(env.user, def, 'write')
      const missing = (await modules.load(['name', 'state'])).filter((one) => one.state !== 'installed')
      // A running registry is frozen: adding a module to it is the server's business, not that of one call.
      if (missing.length) {
        throw new UserError(`Install ${missing.map((one) => one.name).join(', ')} with the command "comptoir module install".`)
      }
      return true
    },
  },
})
