// Settings (res.config.settings): a form that shows the values in force and, when executed, applies the
// edited ones. Modules add fields with a `setting`: a feature, a parameter or a default. `module_<name>`
// is true when the module is installed; setting it installs the module. Related fields are written to
// their records by the engine.

import type { FieldDef } from '#engine'
import { type Environment, implement, many2one, type Of, type Records, transient } from '#models'
import { AccessError, UserError } from '../../../errors.ts'
import { givenVals } from '../caller-arguments.ts'
import { featuresOn, switchFeature } from '../reflection/features.ts'
import { actionMethod } from '../shown.ts'

const settings = transient('res.config.settings', {
  label: 'Config Settings',
  fields: {
    company_id: many2one('res.company', { label: 'Company', required: true }),
  },
  methods: {
    execute: actionMethod(
      'Applies the settings. For administrators. Returns the action that reloads the client.',
    ),
    set_values: {
      doc: 'Applies the values of the form. `execute` calls it; modules wrap it to apply their settings.',
      private: true,
      params: {},
    },
  },
})

declare module '#models' {
  interface Models {
    'res.config.settings': ConfigSettings
  }
  interface ConfigSettings extends Of<typeof settings> {}
}

type Settings = Records<'res.config.settings'>
const ADMINISTRATORS = 'base.group_system'

const kept = (env: Environment): FieldDef[] =>
  [...env.def('res.config.settings').fields.values()].filter(
    (field) => field.options.setting || moduleOf(field) !== null,
  )

/** The module that a field such as `module_delivery` stands for. */
const moduleOf = ({ name, kind }: FieldDef): string | null =>
  kind === 'boolean' && name.startsWith('module_') ? name.slice('module_'.length) : null

/** Values in force, by field. */
async function current(env: Environment, names: ReadonlySet<string>): Promise<Record<string, unknown>> {
  const fields = kept(env).filter((field) => names.has(field.name))
  const on = await featuresOn(
    env,
    fields.flatMap(({ options: { setting } }) => (setting && 'group' in setting ? setting.group : [])),
  )
  const values: Record<string, unknown> = {}
  const wanted = fields.flatMap((field) => moduleOf(field) ?? [])
  const installed = wanted.length ? await installedOf(env, wanted) : new Set()
  for (const field of fields) {
    const module = moduleOf(field)
    if (module !== null) values[field.name] = installed.has(module)
  }
  for (const field of fields) {
    const { name } = field
    const { setting } = field.options
    if (!setting) continue
    if ('group' in setting) values[name] = on.has(setting.group)
    else if ('parameter' in setting) {
      const text = await env
        .sudo()
        .model('ir.config_parameter')
        .get_param({ key: setting.parameter, default: false })
      const value = text === false ? undefined : fromText(field, String(text))
      if (value !== undefined) values[name] = value
    } else {
      const target = setting.field ?? name.replace(/^default_/, '')
      const value = await env
        .sudo()
        .model('ir.default')
        .invoke('get', { model_name: setting.defaultOf, field_name: target })
      // A default that was never set is the field's own default.
      const fieldDefault = env.sudo().def(setting.defaultOf).fields.get(target)?.defaultOf
      const now = value ?? (fieldDefault ? await fieldDefault(env.sudo()) : undefined)
      if (now !== null && now !== undefined) values[name] = now
    }
  }
  return values
}

async function installedOf(env: Environment, modules: readonly string[]): Promise<Set<string>> {
  const installed = await env
    .sudo()
    .model('ir.module.module')
    .search([
      ['name', 'in', modules],
      ['state', '=', 'installed'],
    ])
  return new Set((await installed.load(['name'])).map((moduleRow) => moduleRow.name))
}

/** Throws UserError for a module that is to go, or that the installer has to bring. */
async function switchModule(env: Environment, module: string, on: boolean): Promise<void> {
  if (!on) throw new UserError(`Remove the module ${module} with the command "comptoir module uninstall".`)
  const moduleRecord = await env.model('ir.module.module').search([['name', '=', module]])
  if (moduleRecord.length === 0) throw new UserError(`This server has no module ${module}.`)
  await moduleRecord.button_immediate_install({})
}

/** A parameter's text as a value of the field; undefined if it is no choice of a selection. */
function fromText(field: FieldDef, text: string): unknown {
  const { kind } = field
  if (kind === 'boolean') return !['', '0', 'false', 'False'].includes(text)
  if (kind === 'integer' || kind === 'float' || kind === 'many2one') return Number(text) || false
  if (field.kind === 'selection') {
    const { selection } = field.options
    if (typeof selection === 'object' && !Object.hasOwn(selection, text)) return undefined
  }
  return text
}

/** Values of a setting as a parameter keeps them; what is unset is no parameter. */
function toText(value: unknown): string | false {
  if (value === null || value === undefined || value === false || value === '' || value === 0) return false
  if (value === true) return 'True'
  return String(typeof value === 'object' && 'id' in value ? value.id : value)
}

/** Puts features, parameters and defaults into force; features that change nothing are left alone. */
async function putIntoForce(form: Settings): Promise<void> {
  const { env } = form
  const fields = kept(env)
  const names = new Set(fields.map((field) => field.name))
  const before = await current(env, names)
  const [now] = (await form.load([...names] as never)) as unknown as Record<string, unknown>[]
  const su = env.sudo()
  for (const field of fields) {
    const { name, options } = field
    const { setting } = options
    const value = now?.[name]
    const module = moduleOf(field)
    if (module !== null && Boolean(value) !== before[name]) await switchModule(env, module, Boolean(value))
    if (!setting) continue
    if ('group' in setting) {
      if (Boolean(value) !== before[name]) await switchFeature(env, setting.group, Boolean(value))
    } else if ('parameter' in setting)
      await su.model('ir.config_parameter').set_param({ key: setting.parameter, value: toText(value) })
    else if (plain(value) !== plain(before[name])) {
      // A default that the form leaves alone stays whatever it follows from.
      const field_name = setting.field ?? name.replace(/^default_/, '')
      await su
        .model('ir.default')
        .invoke('set', { model_name: setting.defaultOf, field_name, value: plain(value) })
    }
  }
}

const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : (value ?? false)

export default implement(settings, {
  defaults: { company_id: (env) => env.companyId },
  methods: {
    /** Throws AccessError for anybody but administrators. */
    execute: async (form) => {
      if (!form.env.su && !form.env.hasGroup(ADMINISTRATORS))
        throw new AccessError('Only administrators can change the settings.')
      form.ensureOne()
      await form.set_values({})
      return { type: 'ir.actions.client', tag: 'reload' }
    },
    set_values: async (form) => {
      await putIntoForce(form)
      return null
    },
  },
  wrapGeneric: {
    create: (next) => async (forms, params) => {
      const list = givenVals(params.vals_list)
      const names = kept(forms.env).map((field) => field.name)
      const missing = new Set(names.filter((name) => list.some((vals) => vals[name] === undefined)))
      const values = missing.size ? await current(forms.env, missing) : {}
      return next(forms, { ...params, vals_list: list.map((vals) => ({ ...values, ...vals })) })
    },
    default_get: (next) => async (forms, params) => {
      const values = (await next(forms, params)) as Record<string, unknown>
      return { ...values, ...(await current(forms.env, new Set(params.fields as string[]))) }
    },
  },
})
