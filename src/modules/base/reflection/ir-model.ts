// Models as records (ir.model): filled from the registry when a database is installed; built-in ones
// cannot be changed.

import { MANUAL } from '#engine'
import {
  alike,
  boolean,
  char,
  computedTogether,
  type Environment,
  implement,
  integer,
  model,
  type Of,
  one2many,
  required,
  returns,
  selection,
  text,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { modelWraps } from './ir-model-custom.ts'

const named = { annotation: 'list[dict]' }
type Named = { model: string; display_name: string }

const irModel = model('ir.model', {
  label: 'Models',
  order: 'model',
  recName: 'name',
  recNamesSearch: ['name', 'model'],
  rules: { obj_name_uniq: { unique: ['model'], message: 'Each model must have a unique name.' } },
  fields: {
    name: char({ label: 'Model Description', required: true, translate: true }),
    model: char({ label: 'Model', required: true, default: 'x_' }),
    order: char({ label: 'Order', required: true, default: 'id' }),
    info: text({ label: 'Information' }),
    field_id: one2many('ir.model.fields', 'model_id', { label: 'Fields' }),
    state: selection(
      { manual: 'Custom Object', base: 'Base Object' },
      { label: 'Type', readonly: true, default: 'manual' },
    ),
    access_ids: one2many('ir.model.access', 'model_id', { label: 'Access' }),
    rule_ids: one2many('ir.rule', 'model_id', { label: 'Record Rules' }),
    transient: boolean({ label: 'Transient Model' }),
    fold_name: char({
      label: 'Fold Field',
      default: 'fold',
      help: 'The boolean that says which columns clients fold, of records that are columns.',
    }),
    abstract: boolean({ label: 'Abstract Model' }),
    modules: char({ label: 'In Apps', computed: true, help: 'Modules that declare the model.' }),
    count: integer({ label: 'Count (Incl. Archived)', computed: true }),
  },
  methods: {
    display_name_for: {
      doc: 'Names of models; models that the caller may not read have their technical name.',
      level: 'model',
      readonly: true,
      params: { models: required<string[]>('strings', { doc: 'Technical names', annotation: 'list[str]' }) },
      returns: returns<Named[]>('array', named.annotation),
    },
    get_available_models: {
      doc: 'The models that the caller may read.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<Named[]>('array', named.annotation),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.model': IrModel
  }
  interface IrModel extends Of<typeof irModel> {}
}

/** Whether the caller may read the model's records, and a person would want to. */
function isReadable(env: Environment, name: string): boolean {
  const def = env.unit.registry.get(name)
  return (
    def !== undefined && def.kind === 'model' && (env.su || env.unit.rights.mayModel(env.user, def, 'read'))
  )
}

/** Names of models in the language of the caller; for those that may not be read, the technical name. */
async function nameModels(env: Environment, names: readonly string[]): Promise<Named[]> {
  const readable = names.filter((name) => isReadable(env, name))
  const models = await env
    .sudo()
    .model('ir.model')
    .search([['model', 'in', readable]])
  const labels = new Map((await models.load(['model', 'name'])).map((row) => [row.model, row.name]))
  return names.map((name) => ({ model: name, display_name: labels.get(name) ?? name }))
}

/** The module that declares a model; none for one that was made over the API. */
function declaredIn(env: Environment, name: string): string | null {
  const module = env.unit.registry.get(name)?.module
  return module === undefined || module === MANUAL ? null : module
}

export default implement(irModel, {
  computed: {
    modules: computedTogether(irModel, ['model'], (models, env) => {
      return new Map(models.map((m) => [m.id, declaredIn(env, m.model)]))
    }),
    count: computedTogether(irModel, ['model'], async (models, env) => {
      const tables = models.flatMap((m) => {
        const def = env.unit.registry.get(m.model)
        return def?.hasTable ? [{ id: m.id, table: def.table }] : []
      })
      if (tables.length === 0) return new Map()
      // One statement for all: counts of tables cannot be set-based otherwise.
      const rows = await env.rows(
        sql`SELECT x.id, (xpath('/row/n/text()',
          query_to_xml(format('SELECT count(*) AS n FROM %I', x.name), false, true, '')))[1]::text::int
        FROM jsonb_to_recordset(${JSON.stringify(tables.map(({ id, table }) => ({ id, name: table })))}::jsonb) AS x(id int, name text)`,
        { reads: [], row: ['int', 'int'] },
      )
      return new Map(rows.map((row) => [row[0], row[1]]))
    }),
  },
  methods: {
    display_name_for: ({ env }, { models }) => nameModels(env, models.map(String)),
    get_available_models: ({ env }) =>
      nameModels(
        env,
        [...env.unit.registry.models.keys()].filter((name) => isReadable(env, name)),
      ),
  },
  wrapWrite: alike(modelWraps.write),
  wrapGeneric: { create: modelWraps.create, unlink: modelWraps.unlink },
})
