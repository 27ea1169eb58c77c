// Actions that are offered for a model (get_bindings), and those that begin and cease to be (create_action).
import { type Environment, extend, implement, type ModelName, type Of, required, returns } from '#models'
import { UserError } from '../../../errors.ts'
import { givenIds } from '../caller-arguments.ts'
import { assertAllowedAndExisting } from '../rights/refusal.ts'

const kinds = {
  'ir.actions.act_window': ['group_ids', 'domain', 'res_model', 'view_mode'],
  'ir.actions.act_url': ['url'],
  'ir.actions.server': ['group_ids', 'sequence'],
  'ir.actions.report': ['group_ids', 'domain', 'report_name', 'report_type'],
} as const

const offering = {
  get_bindings: {
    doc: 'Returns the actions and reports that the caller can use on records of a model, by binding type.',
    level: 'model',
    readonly: true,
    params: { model_name: required<string>('string', { annotation: 'str' }) },
    returns: returns<object>('object', 'dict'),
  },
} as const

const yes = returns<true>('boolean', 'bool')
const binding = {
  create_action: { doc: 'Adds the actions to the menu of their model.', params: {}, returns: yes },
  unlink_action: {
    doc: 'Removes the actions from the menu of their model; the actions stay.',
    params: {},
    returns: yes,
  },
} as const

const action = extend('ir.actions.actions', { fields: {}, methods: offering })
const url = extend('ir.actions.act_url', { fields: {}, methods: offering })
const view = extend('ir.actions.act_window', { fields: {}, methods: offering })
const server = extend('ir.actions.server', { fields: {}, methods: { ...offering, ...binding } })
const report = extend('ir.actions.report', { fields: {}, methods: { ...offering, ...binding } })

declare module '#models' {
  interface Action extends Of<typeof action> {}
  interface UrlAction extends Of<typeof url> {}
  interface WindowAction extends Of<typeof view> {}
  interface ServerAction extends Of<typeof server> {}
  interface Report extends Of<typeof report> {}
}

/** Actions of a model that the caller may read, without those for groups that they are not in. */
async function bindingsOf(env: Environment, name: string): Promise<object> {
  const def = env.unit.registry.get(name)
  if (!def) throw new UserError(`Unknown model ${name}.`)
  if (!(await env.model(def.name as ModelName).invoke('has_access', { operation: 'read' }))) return {}
  const offered: Readonly<Record<string, unknown>>[] = []
  for (const [type, more] of Object.entries(kinds)) {
    const actions = env.sudo().model(type as ModelName)
    const ids = givenIds(
      await actions.invoke('search', { domain: [['binding_model_id.model', '=', name]], order: 'id' }),
    )
    const fields = ['name', 'binding_type', 'binding_view_types', ...more]
    const rows: readonly Readonly<Record<string, unknown>>[] = await actions.browse(ids).read(fields, null)
    for (const { binding_type, group_ids, ...row } of rows)
      if (isFor(env, group_ids)) offered.push({ ...row, type, binding_type })
  }
  return Object.fromEntries(
    Map.groupBy(offered, ({ binding_type }) => String(binding_type))
      .entries()
      .map(([type, list]) => [type, list.map(({ binding_type: _, ...row }) => row)]),
  )
}

const isFor = ({ user, su }: Environment, groups: unknown): boolean =>
  su || !Array.isArray(groups) || groups.length === 0 || groups.some((group) => user.groupIds.includes(group))

const methods = {
  get_bindings: ({ env }: { readonly env: Environment }, { model_name }: { readonly model_name: string }) =>
    bindingsOf(env, model_name),
} as const

export const bindings = [
  implement(action, { methods }),
  implement(url, { methods }),
  implement(view, { methods }),
  implement(server, {
    methods: {
      ...methods,
      async create_action(actions) {
        await assertAllowedAndExisting(actions, 'write')
        const rows = await actions.load(['model_id'])
        await actions.writeEach(
          new Map(
            rows.map(({ id, model_id }) => [id, { binding_model_id: model_id.id, binding_type: 'action' }]),
          ),
        )
        return true as const
      },
      async unlink_action(actions) {
        await assertAllowedAndExisting(actions, 'write')
        await actions.write({ binding_model_id: null })
        return true as const
      },
    },
  }),
  implement(report, {
    methods: {
      ...methods,
      async create_action(reports) {
        await assertAllowedAndExisting(reports, 'write')
        const { env } = reports
        const rows = await reports.load(['model'])
        const models = await env.model('ir.model').search([['model', 'in', rows.map(({ model }) => model)]])
        const ids = new Map((await models.load(['model'])).map(({ id, model }) => [model, id]))
        await reports.writeEach(
          new Map(
            rows.map(({ id, model }) => [
              id,
              { binding_model_id: ids.get(model) ?? null, binding_type: 'report' },
            ]),
          ),
        )
        return true as const
      },
      async unlink_action(reports) {
        await assertAllowedAndExisting(reports, 'write')
        await reports.write({ binding_model_id: null })
        return true as const
      },
    },
  }),
] as const
