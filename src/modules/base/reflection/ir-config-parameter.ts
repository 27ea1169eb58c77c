// System parameters (ir.config_parameter): texts by key, for administrators (spec/models-api.md section 6).
import {
  char,
  type Environment,
  implement,
  model,
  type Of,
  optional,
  type Records,
  required,
  returns,
  text,
} from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowedAndExisting } from '../rights/refusal.ts'
import { auditWraps } from '../rights/rights-audit.ts'

const parameterModel = model('ir.config_parameter', {
  label: 'System Parameter',
  order: 'key',
  recName: 'key',
  rules: { key_uniq: { unique: ['key'], message: 'Key must be unique.' } },
  fields: {
    key: char({ label: 'Key', required: true }),
    value: text({ label: 'Value', required: true }),
  },
  methods: {
    get_param: {
      doc: 'The value of a parameter.',
      level: 'model',
      readonly: true,
      params: {
        key: required<string>('string', { doc: 'The parameter', annotation: 'str' }),
        default: optional<unknown>('any', false, {
          doc: 'The result if the parameter does not exist or is empty',
          annotation: 'str | bool',
        }),
      },
      returns: returns<unknown>('any', 'str | bool'),
    },
    set_param: {
      doc: 'Sets a parameter; false or null removes it, and an empty text reads as no value. Returns the previous value, or false.',
      level: 'model',
      params: {
        key: required<string>('string', { doc: 'The parameter', annotation: 'str' }),
        value: required<unknown>('any', {
          doc: 'A text; other values are stored as text',
          annotation: 'str | int | float | bool | None',
        }),
      },
      returns: returns<string | false>('any', 'str | bool'),
    },
    unlink_default_parameters: {
      doc: 'Raises an error if the server needs one of the parameters.',
      readonly: true,
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.config_parameter': ConfigParameter
  }
  interface ConfigParameter extends Of<typeof parameterModel> {}
}

/** Parameters that the server reads and that every database has (`rights/security.ts`). */
export const neededParameters = {
  database_uuid: 'database.uuid',
  database_secret: 'database.secret',
  database_create_date: 'database.create_date',
  web_base_url: 'web.base.url',
  login_cooldown_after: 'base.login_cooldown_after',
  login_cooldown_duration: 'base.login_cooldown_duration',
} as const
const neededKeys: readonly string[] = Object.values(neededParameters)

const audited = auditWraps<Records<'ir.config_parameter'>>('ir.config_parameter')

export default implement(parameterModel, {
  wrapGeneric: { create: audited.create, unlink: audited.unlink },
  wrapWrite: audited.write,
  methods: {
    get_param: async ({ env }, { key, default: fallback }) => {
      const [row] = await (await env.model('ir.config_parameter').search([['key', '=', key]])).load(['value'])
      // An emptied parameter says as little as one that is not there.
      return row?.value || (fallback ?? false)
    },
    unlink_default_parameters: async (parameters) => {
      await assertAllowedAndExisting(parameters, 'read')
      const rows = await parameters.load(['key'])
      const row = rows.find(({ key }) => neededKeys.includes(key))
      if (row) throw new UserError(`The server needs ${row.key}: change its value instead of removing it.`)
      return null
    },
    set_param: async ({ env }, { key, value }) => {
      const parameters = await env.model('ir.config_parameter').search([['key', '=', key]])
      const [row] = await parameters.load(['value'])
      const next = asText(value)
      if (next === null) await parameters.unlink()
      else if (!row) await parameters.create([{ key, value: next }])
      else if (row.value !== next) await parameters.write({ value: next })
      return row?.value ?? false
    },
  },
})

/** The text that is stored; null for a parameter to be removed. Throws InvalidValue for lists and objects. */
export function asText(value: unknown): string | null {
  if (value === null || value === false) return null
  if (value === true) return 'True'
  if (typeof value === 'object') throw new InvalidValue('The value of a parameter must be a text.')
  return String(value)
}

/**
 * The value of a parameter for the server's own use, without a check of rights; null if it does not
 * exist.
 */
export async function parameter(env: Environment, key: string): Promise<string | null> {
  const rows = await env.rows(sql`SELECT value FROM ir_config_parameter WHERE key = ${key}`, {
    reads: ['ir.config_parameter'],
    row: ['text'],
  })
  return rows[0]?.[0] ?? null
}
