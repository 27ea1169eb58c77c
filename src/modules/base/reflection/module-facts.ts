// Facts about modules (ir.module.module): what they need, what needs them, and the menus, reports and views
// that they brought.
import {
  computedFields,
  type Environment,
  extend,
  implement,
  type ModelName,
  type Of,
  optional,
  type Records,
  required,
  returns,
} from '#models'
import { UserError } from '../../../errors.ts'

const ids = returns<readonly number[]>('ids', 'list[int]')
const seen = optional<readonly number[]>('ids', [], {
  doc: 'Ids of modules to include in the result',
  annotation: 'list[int] | None',
})
const left = (states: readonly string[]) =>
  optional<readonly string[]>('strings', states, {
    doc: 'States of modules to exclude',
    annotation: 'list[str]',
  })

const facts = extend('ir.module.module', {
  fields: {},
  methods: {
    upstream_dependencies: {
      doc: 'Modules that these need, directly or through others.',
      readonly: true,
      params: { known_deps: seen, exclude_states: left(['installed', 'uninstallable', 'to remove']) },
      returns: ids,
    },
    downstream_dependencies: {
      doc: 'Modules that need these, directly or through others.',
      readonly: true,
      params: { known_deps: seen, exclude_states: left(['uninstalled', 'uninstallable', 'to remove']) },
      returns: ids,
    },
    check_external_dependencies: {
      doc: 'Raises an error for a module that is not available, or depends on one that is not.',
      level: 'model',
      readonly: true,
      params: {
        module_name: required<string>('string', { annotation: 'str' }),
        newstate: optional<unknown>('any', 'to install', { doc: 'Not needed', annotation: 'str' }),
      },
      returns: returns<null>('nothing', 'None'),
    },
    check_module_update: {
      doc: 'Whether a module is waiting to be installed, upgraded or removed.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    get_module_info: {
      doc: 'Returns the values that a module declares; empty for a module that is not available.',
      level: 'model',
      readonly: true,
      params: { name: required<string>('string', { annotation: 'str' }) },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface IrModule extends Of<typeof facts> {}
}

type Modules = Records<'ir.module.module'>

interface Wanted {
  readonly known_deps: readonly number[]
  readonly exclude_states: readonly string[]
}

/** Ids of modules by what leads to them: of what they need, or of what needs them. */
async function dependencyIds(modules: Modules, side: 'up' | 'down'): Promise<Map<number, number[]>> {
  const rows = await (await modules.env.model('ir.module.module.dependency').search([])).load([
    'module_id',
    'depend_id',
  ])
  const pairs = rows.flatMap(({ module_id, depend_id }): [number, number][] => {
    if (!module_id || !depend_id) return []
    return [side === 'up' ? [module_id.id, depend_id.id] : [depend_id.id, module_id.id]]
  })
  return new Map(
    [...Map.groupBy(pairs, ([from]) => from)].map(([from, edges]) => [from, edges.map(([, to]) => to)]),
  )
}

/** Modules that are reached from these, in the order in which they are reached. */
async function reached(
  modules: Modules,
  side: 'up' | 'down',
  { known_deps, exclude_states }: Wanted,
): Promise<number[]> {
  const edges = await dependencyIds(modules, side)
  const rows = await (await modules.search([])).load(['state'])
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const isLeftOut = (id: number) => exclude_states.includes(states.get(id) ?? 'uninstallable')
  const dependencies = new Set(known_deps)
  const start = new Set(modules.ids)
  const queue = [...modules.ids]
  for (let id = queue.shift(); id !== undefined; id = queue.shift())
    for (const next of edges.get(id) ?? []) {
      if (dependencies.has(next) || start.has(next) || isLeftOut(next)) continue
      dependencies.add(next)
      queue.push(next)
    }
  return [...dependencies]
}

/** Throws UserError for a module that the server does not have, or that needs one. */
async function assertComplete(modules: Modules, name: string): Promise<null> {
  const listed = await modules.search([['name', '=', name]])
  if (listed.length === 0) throw new UserError(`Unknown module ${name}: choose a module from the list.`)
  const needed = await modules.env
    .model('ir.module.module.dependency')
    .search([['module_id', 'in', [...listed.ids, ...(await reached(listed, 'up', everything))]]])
  const missing = (await needed.load(['name', 'state'])).filter(({ state }) => state === 'unknown')
  if (missing.length)
    throw new UserError(
      `The module ${name} needs ${missing.map((row) => row.name).join(', ')}: the server does not have it.`,
    )
  return null
}

const everything = { known_deps: [], exclude_states: [] } as const

/** Values that a module declares, from its row. */
async function infoOf(modules: Modules, name: string): Promise<object> {
  const listed = await modules.search([['name', '=', name]])
  const [row] = await listed.load([
    'name',
    'shortdesc',
    'summary',
    'description',
    'author',
    'website',
    'license',
    'application',
    'auto_install',
    'sequence',
    'installed_version',
    'category_id.name',
    'dependencies_id.name',
  ])
  if (!row) return {}
  return {
    name: row.shortdesc,
    summary: row.summary,
    description: row.description,
    author: row.author,
    website: row.website,
    license: row.license,
    application: row.application,
    auto_install: row.auto_install,
    installable: true,
    sequence: row.sequence,
    version: row.installed_version,
    category: row.category_id?.name ?? null,
    depends: row.dependencies_id.map((dependency) => dependency.name),
  }
}

/** Records of modules that clients list, by the field that lists them. */
const brought = {
  menus_by_module: ['ir.ui.menu', 'complete_name'],
  reports_by_module: ['ir.actions.report', 'name'],
  views_by_module: ['ir.ui.view', 'name'],
} as const

/** Names of the records of a model that modules brought, by module, each on a line. */
async function namesBrought(
  env: Environment,
  modules: readonly (string | null)[],
  [model, field]: readonly [ModelName, string],
): Promise<Map<string, string>> {
  const su = env.sudo()
  const registered = await su.model('ir.model.data').search([
    ['model', '=', model],
    ['module', 'in', modules.filter((name) => name !== null)],
  ])
  const entries = await registered.load(['module', 'res_id'])
  const rows = await su
    .model(model)
    .browse([...new Set(entries.map(({ res_id }) => res_id))])
    .read([field], null)
  const names = new Map(rows.map((row) => [row.id, String(row[field])]))
  const lines = entries.flatMap(({ module, res_id }) => {
    const name = names.get(res_id)
    return name === undefined ? [] : [{ module, name }]
  })
  return new Map(
    [...Map.groupBy(lines, ({ module }) => module)].map(([module, list]) => [
      module,
      list
        .map(({ name }) => name)
        .toSorted()
        .join('\n'),
    ]),
  )
}

const lists = computedFields(
  facts,
  ['menus_by_module', 'reports_by_module', 'views_by_module'],
  ['name', 'state'],
  async (modules, env) => {
    const installed = modules.filter(({ state }) => state !== 'uninstalled').map(({ name }) => name)
    const menus = await namesBrought(env, installed, brought.menus_by_module)
    const reports = await namesBrought(env, installed, brought.reports_by_module)
    const views = await namesBrought(env, installed, brought.views_by_module)
    return new Map(
      modules.map(({ id, name }) => [
        id,
        {
          menus_by_module: menus.get(name) ?? null,
          reports_by_module: reports.get(name) ?? null,
          views_by_module: views.get(name) ?? null,
        },
      ]),
    )
  },
)

export default implement(facts, {
  computed: lists,
  methods: {
    upstream_dependencies: (modules, wanted) => reached(modules, 'up', wanted),
    downstream_dependencies: (modules, wanted) => reached(modules, 'down', wanted),
    check_external_dependencies: (modules, { module_name }) => assertComplete(modules, module_name),
    check_module_update: async (modules) =>
      (await modules.search([['state', 'in', ['to install', 'to upgrade', 'to remove']]])).length > 0,
    get_module_info: (modules, { name }) => infoOf(modules, name),
  },
})
