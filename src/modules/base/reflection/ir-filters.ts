// Saved searches (ir.filters): of their users, or shared when they have none (spec/models-api.md section 10).
import {
  boolean,
  char,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  optional,
  type Records,
  required,
  returns,
  selection,
  text,
} from '#models'
import { InvalidValue, PayloadTooLarge, ValidationError } from '../../../errors.ts'
import { parseJson } from '../../../kit/json-text.ts'
import { isId } from '../../../kit/present.ts'
import { keepOwner } from '../rights/refusal.ts'

const filter = model('ir.filters', {
  label: 'Filters',
  order: 'model_id, name, id desc',
  fields: {
    name: char({ label: 'Filter Name', required: true }),
    user_ids: many2many('res.users', {
      label: 'Users',
      relation: { table: 'ir_filters_res_users_rel', column: 'filter_id', other: 'user_id' },
      help: 'Whose filter it is; without any it is shared with everybody.',
    }),
    domain: text({ label: 'Domain', required: true, default: '[]' }),
    context: text({ label: 'Context', required: true, default: '{}' }),
    sort: char({ label: 'Sort', required: true, default: '[]' }),
    model_id: selection((models) => Object.fromEntries([...models].map(({ name, label }) => [name, label])), {
      label: 'Model',
      required: true,
    }),
    is_default: boolean({ label: 'Default Filter' }),
    action_id: many2one('ir.actions.actions', { label: 'Action', ondelete: 'cascade' }),
    embedded_parent_res_id: integer({ label: 'Embedded Parent Record' }),
    active: boolean({ label: 'Active', default: true }),
  },
  methods: {
    create_filter: {
      doc: 'Saves a search and returns its id. A search without users is shared.',
      level: 'model',
      params: { vals: required<Record<string, unknown>>('object', { annotation: 'dict' }) },
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
    get_filters: {
      doc: 'Saved searches of the caller, and shared ones, for records of a model in an action.',
      level: 'model',
      readonly: true,
      params: {
        model: required<string>('string', { annotation: 'str' }),
        action_id: optional<unknown>('any', null, { annotation: 'int | None' }),
        embedded_action_id: optional<unknown>('any', null, { annotation: 'int | None' }),
        embedded_parent_res_id: optional<unknown>('any', null, { annotation: 'int | None' }),
      },
      returns: returns<object[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.filters': Filter
  }
  interface Filter extends Of<typeof filter> {}
}

/** Throws InvalidValue for what is not JSON, ValidationError for JSON that is not a list. */
export function assertSort(sort: string): void {
  let parsed: unknown
  try {
    parsed = parseJson(sort)
  } catch (cause) {
    if (cause instanceof PayloadTooLarge) throw cause
    throw new InvalidValue('sort must be a list in JSON.', { cause })
  }
  if (!Array.isArray(parsed)) throw new ValidationError('Invalid sort definition: it must be a list.')
}

/** Searches of the action that is named, or of any where none is. */
async function filtersOf(
  filters: Records<'ir.filters'>,
  {
    model: name,
    action_id,
    embedded_action_id: embedded,
    embedded_parent_res_id: parent,
  }: { model: string; action_id: unknown; embedded_action_id: unknown; embedded_parent_res_id: unknown },
): Promise<object[]> {
  const { env } = filters
  const rows = await (
    await filters.search([
      ['model_id', '=', name],
      ['action_id', 'in', [false, idOf('action_id', action_id)]],
      ['embedded_action_id', '=', idOf('embedded_action_id', embedded)],
      ['embedded_parent_res_id', 'in', [0, false, idOf('embedded_parent_res_id', parent)]],
      '|',
      ['user_ids', '=', false],
      ['user_ids', 'in', [env.uid]],
    ])
  ).load(['name', 'is_default', 'domain', 'context', 'user_ids', 'sort', 'action_id'])
  return rows.map(({ user_ids, action_id: action, ...row }) => ({
    ...row,
    user_ids: user_ids.map(({ id }) => id),
    action_id: action?.id ?? false,
  }))
}

/** An id, or false for an empty value. Throws InvalidValue for others. */
function idOf(name: string, value: unknown): number | false {
  if (value === null || value === undefined || value === false) return false
  if (!isId(value)) throw new InvalidValue(`${name} is an id.`)
  return value
}

export default implement(filter, {
  methods: {
    create_filter: async ({ env }, { vals }) => (await env.model('ir.filters').create([vals as never])).ids,
    get_filters: filtersOf,
  },
  wrapWrite: keepOwner,
  prepare: (vals) => {
    if (typeof vals.sort === 'string') assertSort(vals.sort)
  },
  wrapGeneric: {
    copy_data: (next) => async (records, params) => {
      const rows = (await next(records, params)) as Record<string, unknown>[]
      return 'name' in ((params.default ?? {}) as object)
        ? rows
        : rows.map((row) => ({ ...row, name: `${row.name} (copy)` }))
    },
  },
})
