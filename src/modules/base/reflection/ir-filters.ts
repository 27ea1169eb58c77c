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
  selection,
  text,
} from '#models'
import { InvalidValue, PayloadTooLarge, ValidationError } from '../../../errors.ts'
import { parseJson } from '../../../kit/json-text.ts'
import { keptAsMade } from '../rights/refusal.ts'

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
})

declare module '#models' {
  interface Models {
    'ir.filters': Filter
  }
  interface Filter extends Of<typeof filter> {}
}

/** Throws InvalidValue for what is no JSON, ValidationError for JSON that is no list. */
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

export default implement(filter, {
  wrapWrite: keptAsMade,
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
