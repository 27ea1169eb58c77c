// Dependencies and exclusions of modules as records (ir.module.module.dependency and .exclusion). The
// installer keeps the first list; no module of this server excludes another.
import {
  boolean,
  char,
  computedFields,
  type Environment,
  implement,
  many2one,
  model,
  type Of,
  selection,
} from '#models'
import { moduleStates } from './module-states.ts'

const dependency = model('ir.module.module.dependency', {
  label: 'Module dependency',
  rules: { name_module_uniq: { unique: ['module_id', 'name'], message: 'A dependency is listed once.' } },
  fields: {
    name: char({ label: 'Name', index: true }),
    module_id: many2one('ir.module.module', { label: 'Module', ondelete: 'cascade', index: true }),
    auto_install_required: boolean({ label: 'Required for automatic installation', default: true }),
    depend_id: many2one('ir.module.module', { label: 'Dependency', computed: true }),
    state: selection({ ...moduleStates, unknown: 'Unknown' }, { label: 'Status', computed: true }),
  },
})

const exclusion = model('ir.module.module.exclusion', {
  label: 'Module exclusion',
  fields: {
    name: char({ label: 'Name', index: true }),
    module_id: many2one('ir.module.module', { label: 'Module', ondelete: 'cascade', index: true }),
    exclusion_id: many2one('ir.module.module', { label: 'Exclusion Module', computed: true }),
    state: selection({ ...moduleStates, unknown: 'Unknown' }, { label: 'Status', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.module.module.dependency': ModuleDependency
    'ir.module.module.exclusion': ModuleExclusion
  }
  interface ModuleDependency extends Of<typeof dependency> {}
  interface ModuleExclusion extends Of<typeof exclusion> {}
}

const unknown = { id: null, state: 'unknown' } as const

/** Rows of modules by name. */
async function modulesByName(env: Environment, names: readonly (string | null)[]) {
  const modules = await env
    .model('ir.module.module')
    .search([['name', 'in', names.filter((name) => name !== null)]])
  return new Map((await modules.load(['name', 'state'])).map((row) => [row.name, row]))
}

interface NamedModule {
  readonly id: number | null
  readonly state: keyof typeof moduleStates | 'unknown' | null
}

/** Values of rows that follow from the module that each of them names. */
async function valuesByModule<V>(
  env: Environment,
  rows: readonly { readonly id: number; readonly name: string | null }[],
  valuesOf: (module: NamedModule) => V,
): Promise<Map<number, V>> {
  const modules = await modulesByName(
    env,
    rows.map(({ name }) => name),
  )
  return new Map(rows.map(({ id, name }) => [id, valuesOf(modules.get(name ?? '') ?? unknown)]))
}

export default [
  implement(dependency, {
    computed: computedFields(dependency, ['depend_id', 'state'], ['name'], (rows, env) =>
      valuesByModule(env, rows, ({ id, state }) => ({ depend_id: id, state })),
    ),
  }),
  implement(exclusion, {
    computed: computedFields(exclusion, ['exclusion_id', 'state'], ['name'], (rows, env) =>
      valuesByModule(env, rows, ({ id, state }) => ({ exclusion_id: id, state })),
    ),
  }),
]
