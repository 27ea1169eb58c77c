// Default values that people set (ir.default): for one user, or for everybody (spec/models-api.md section 6).

import type { FieldDef } from '#engine'
import {
  char,
  type Environment,
  implement,
  many2one,
  model,
  type Of,
  optional,
  required,
  returns,
} from '#models'
import { PayloadTooLarge, ServiceError, ValidationError } from '../../../errors.ts'
import { parseJson } from '../../../kit/json-text.ts'
import { assertWithin, beyond } from '../../../limits.ts'
import { sql } from '../../../sql/index.ts'
import { keepOwner } from '../rights/refusal.ts'
import { changingRights, writingRights } from '../rights/rights-changes.ts'

const whose = {
  user_id: optional<number | boolean | null>('any', false, {
    doc: 'A user, true for the caller, false for everybody',
    annotation: 'int | bool',
  }),
  company_id: optional<number | boolean | null>('any', false, {
    doc: 'A company, true for the current one, false for all',
    annotation: 'int | bool',
  }),
  condition: optional<string | false | null>('any', false, {
    doc: 'A condition such as field=value, for forms',
    annotation: 'str | bool',
  }),
}

const defaultValue = model('ir.default', {
  label: 'Default Values',
  recName: 'field_id',
  fields: {
    field_id: many2one('ir.model.fields', {
      label: 'Field',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    user_id: many2one('res.users', {
      label: 'User',
      ondelete: 'cascade',
      index: true,
      help: 'Empty: for all users.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      ondelete: 'cascade',
      index: true,
      help: 'Empty: in every company.',
    }),
    condition: char({ label: 'Condition' }),
    json_value: char({ label: 'Default Value (JSON format)', required: true }),
  },
  methods: {
    set: {
      doc: 'Sets the default value of a field; setting it again replaces it.',
      level: 'model',
      params: {
        model_name: required<string>('string', { annotation: 'str' }),
        field_name: required<string>('string', { annotation: 'str' }),
        value: required<unknown>('any', { doc: 'A value that the field takes', annotation: 'Any' }),
        ...whose,
      },
      returns: returns<true>('boolean', 'bool'),
    },
    get: {
      doc: 'Returns the default value with exactly this user, company and condition, or null.',
      level: 'model',
      readonly: true,
      params: {
        model_name: required<string>('string', { annotation: 'str' }),
        field_name: required<string>('string', { annotation: 'str' }),
        ...whose,
      },
      returns: returns<unknown>('any', 'Any'),
    },
    discard_values: {
      doc: 'Removes the defaults of a field that are one of the values.',
      level: 'model',
      params: {
        model_name: required<string>('string', { annotation: 'str' }),
        field_name: required<string>('string', { annotation: 'str' }),
        values: required<unknown[]>('array', { annotation: 'list' }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.default': IrDefault
  }
  interface IrDefault extends Of<typeof defaultValue> {}
}

interface Named {
  readonly model_name: string
  readonly field_name: string
}

interface Key extends Named {
  readonly user_id: number | boolean | null
  readonly company_id: number | boolean | null
  readonly condition: string | false | null
}

/** The field of a key. Throws ValidationError when there is no such model or field. */
function fieldOf(env: Environment, { model_name, field_name }: Named): FieldDef {
  const field = env.unit.registry.get(model_name)?.fields.get(field_name)
  if (!field || field.options.hidden) throw new ValidationError(`Invalid field ${model_name}.${field_name}`)
  return field
}

/** `true` stands for the caller, or for the current company. */
const resolve = (value: number | boolean | null, fallback: number): number | false =>
  value === true ? fallback : value || false

/** The row that describes a field; people may set defaults of fields whose rows they may not read. */
async function describedBy(env: Environment, field: FieldDef): Promise<number> {
  const rows = await env
    .sudo()
    .model('ir.model.fields')
    .search([
      ['model', '=', field.model.name],
      ['name', '=', field.name],
    ])
  return rows.ensureOne()
}

/** The one default of exactly these circumstances, or none. */
function find(env: Environment, described: number, key: Key) {
  return env.model('ir.default').search(
    [
      ['field_id', '=', described],
      ['user_id', '=', resolve(key.user_id, env.uid)],
      ['company_id', '=', resolve(key.company_id, env.companyId)],
      ['condition', '=', key.condition || false],
    ],
    { limit: 1 },
  )
}

/** The JSON of a value, once the field was seen to take it. Throws ValidationError. */
function jsonOf(field: FieldDef, value: unknown): string {
  try {
    if (!field.comodel || field.kind === 'many2one') field.type.toColumn(field, value)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ValidationError(`Invalid value for ${field.model.name}.${field.name}: ${error.message}`, {
      cause: error,
    })
  }
  return JSON.stringify(value ?? null)
}

type Create<R> = (records: R, params: Record<string, unknown>) => Promise<unknown>

/** Around `create`: everybody's defaults are in every process's memory. */
const counted =
  <R extends { readonly env: Environment }>(next: Create<R>): Create<R> =>
  async (records, params) => {
    const createdDefaults = await next(records, params)
    const { uid, unit } = records.env
    unit.buffer.check(
      sql`SELECT 1 FROM ir_default WHERE create_uid = ${uid}::int HAVING count(*) > ${unit.quota.bound('defaults')}::bigint`,
      () => beyond('defaults'),
    )
    return createdDefaults
  }

export default implement(defaultValue, {
  methods: {
    set: async ({ env }, key) => {
      const field = fieldOf(env, key)
      const json_value = jsonOf(field, key.value)
      const described = await describedBy(env, field)
      const existing = await find(env, described, key)
      if (existing.length) {
        await existing.write({ json_value })
        return true as const
      }
      const user = resolve(key.user_id, env.uid)
      const company = resolve(key.company_id, env.companyId)
      await env.model('ir.default').create([
        {
          field_id: described,
          json_value,
          user_id: user || null,
          company_id: company || null,
          condition: key.condition || null,
        },
      ])
      return true as const
    },
    get: async ({ env }, key) => {
      const described = await describedBy(env, fieldOf(env, key))
      const [row] = await (await find(env, described, key)).load(['json_value'])
      return row ? (JSON.parse(row.json_value) as unknown) : null
    },
    discard_values: async (defaults, { values, ...names }) => {
      const described = await describedBy(defaults.env, fieldOf(defaults.env, names))
      const outdated = await defaults.search([
        ['field_id', '=', described],
        ['json_value', 'in', values.map((value) => JSON.stringify(value))],
      ])
      if (outdated.length) await outdated.unlink()
      return true as const
    },
  },
  prepare: (vals) => {
    if (typeof vals.json_value !== 'string') return
    assertWithin('default', Buffer.byteLength(vals.json_value))
    try {
      parseJson(vals.json_value)
    } catch (cause) {
      if (cause instanceof PayloadTooLarge) throw cause
      throw new ValidationError('Invalid JSON format in Default Value field.', { cause })
    }
  },
  // Defaults are kept in memory with the rights, and travel with their version.
  wrapWrite: (next) => writingRights(keepOwner(next)),
  wrapGeneric: { create: (next) => changingRights(counted(next)), unlink: changingRights },
})
