// External ids (ir.model.data): names of records that outlive databases, `module.name` (spec/models-api.md
// section 10).

import type { ModelDef } from '#engine'
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  implement,
  type ModelName,
  many2oneReference,
  model,
  type Of,
  optional,
  required,
  returns,
} from '#models'
import { AccessError, MissingError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { permittedRecord } from '../rights/record-rights.ts'

const externalId = model('ir.model.data', {
  label: 'Model Data',
  order: 'module, model, name',
  rules: {
    name_nospaces: { check: "name NOT LIKE '% %'", message: 'External IDs cannot contain spaces' },
    module_name_uniq: {
      unique: ['module', 'name'],
      message: 'An external ID with this module and name exists already.',
    },
    model_res_id_index: { index: ['model', 'res_id'] },
  },
  fields: {
    name: char({ label: 'External Identifier', required: true }),
    complete_name: char({ label: 'Complete ID', computed: true }),
    model: char({ label: 'Model Name', required: true }),
    module: char({ label: 'Module', default: '', required: true }),
    res_id: many2oneReference({ label: 'Record ID', modelField: 'model' }),
    noupdate: boolean({ label: 'Non Updatable', help: 'Upgrades of the module leave the record alone.' }),
    reference: char({ label: 'Reference', computed: true, readonly: true }),
    // For the rule that hides the names of hidden records: rules apply in addition to rights, and this
    // group has no members.
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
  methods: {
    check_object_reference: {
      doc: 'Model and id of the record that an external id names.',
      level: 'model',
      readonly: true,
      params: {
        module: required<string>('string', { annotation: 'str' }),
        xml_id: required<string>('string', { annotation: 'str' }),
        raise_on_access_error: optional<boolean>('boolean', false, { annotation: 'bool' }),
      },
      returns: returns<[string, number | false]>(
        'array',
        'tuple[str, int | False]',
        'The id is false for a record that the caller may not read',
      ),
    },
    toggle_noupdate: {
      doc: 'Toggles whether upgrades skip a record, for all its external ids.',
      level: 'model',
      params: {
        model: required<string>('string', { annotation: 'str' }),
        res_id: required<number>('integer', { annotation: 'int' }),
      },
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.model.data': IrModelData
  }
  interface IrModelData extends Of<typeof externalId> {}
}

type Named = { readonly module: string; readonly name: string }
const completeName = ({ module, name }: Named) => (module ? `${module}.${name}` : name)

/**
 * Display names of the records that external ids name, one query per model; the complete name where a
 * record has none.
 */
async function displayNames(
  rows: readonly (Named & { readonly id: number; readonly model: string; readonly res_id: number })[],
  env: Environment,
): Promise<Map<number, string>> {
  const names = new Map(rows.map((row) => [row.id, completeName(row)]))
  for (const name of new Set(rows.map((row) => row.model))) {
    const def = env.unit.registry.get(name)
    if (!def?.hasTable) continue
    const ofModel = rows.filter((row) => row.model === name && row.res_id)
    const records = env.sudo().model(name as ModelName)
    const namedRecords = (await records
      .browse(ofModel.map((row) => row.res_id))
      .load(['display_name'])) as readonly {
      id: number
      display_name: string
    }[]
    const byId = new Map(namedRecords.map((record) => [record.id, record.display_name]))
    for (const row of ofModel) names.set(row.id, byId.get(row.res_id) || completeName(row))
  }
  return names
}

/** Entries name records of any model but wizards, which have no external ids. */
const isPlace = (def: ModelDef): boolean => def.hasTable && def.kind === 'model'

const pair = (name: string, id: number | false): [string, number | false] => [name, id]

export default implement(externalId, {
  displayName: computedTogether(externalId, ['module', 'name', 'model', 'res_id'], displayNames, {
    search: (operator, value) => [['name', operator, value]],
  }),
  computed: {
    complete_name: computed(externalId, ['module', 'name'], completeName, {
      searchable: false,
      sql: (scope) => {
        const [module, name] = [scope.column('module'), scope.column('name')]
        return sql`CASE WHEN ${module} = '' THEN ${name} ELSE ${module} || '.' || ${name} END`
      },
    }),
    readable: computed(externalId, [], () => false, {
      sql: (scope) =>
        permittedRecord(scope, {
          model: scope.column('model'),
          record: scope.column('res_id'),
          operation: 'read',
          isPlace,
        }),
    }),
    reference: computed(externalId, ['model', 'res_id'], ({ model, res_id }) => `${model},${res_id}`, {
      searchable: false,
      sql: (scope) => sql`(${scope.column('model')} || ',' || COALESCE(${scope.column('res_id')}, 0))`,
    }),
  },
  methods: {
    check_object_reference: async ({ env }, { module, xml_id, raise_on_access_error }) => {
      const rows = await env.rows(
        sql`SELECT model, res_id FROM ir_model_data WHERE module = ${module} AND name = ${xml_id}`,
        { reads: ['ir.model.data'], row: ['text', 'int?'] },
      )
      const [name, id] = [rows[0]?.[0], rows[0]?.[1]]
      if (!name || !id || !env.unit.registry.get(name))
        throw new MissingError(`External ID not found in the system: ${module}.${xml_id}`)
      const record = await env
        .model(name as ModelName)
        .withContext({ active_test: false })
        .search([['id', '=', id]] as never)
      if (record.length) return pair(name, id)
      if (raise_on_access_error)
        throw new AccessError(`Not enough access rights on the external ID "${module}.${xml_id}"`)
      return pair(name, false)
    },
    toggle_noupdate: async ({ env }, { model: name, res_id }) => {
      const all = await env.model('ir.model.data').search([
        ['model', '=', name],
        ['res_id', '=', res_id],
      ])
      const rows = await all.load(['noupdate'])
      for (const noupdate of [true, false]) {
        const changed = rows.filter((row) => row.noupdate !== noupdate).map((row) => row.id)
        if (changed.length) await all.browse(changed).write({ noupdate })
      }
      return null
    },
  },
})
