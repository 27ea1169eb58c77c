// Access to models (ir.model.access): each line grants operations on a model to a group, or to everyone
// (spec/wire.md section 9).
import { raiseRightsVersion } from '#engine'
import {
  boolean,
  char,
  implement,
  type ModelName,
  many2one,
  model,
  type Of,
  optional,
  type Records,
  required,
  returns,
} from '#models'
import { AccessError, InvalidValue, unknownModel } from '../../../errors.ts'
import { mayGrantAll } from '../users/grants.ts'
import { assertAllowed } from './refusal.ts'
import { auditWraps } from './rights-audit.ts'
import { changingRights, writingRights } from './rights-changes.ts'

const access = model('ir.model.access', {
  label: 'Model Access',
  order: 'model_id, group_id, name, id',
  fields: {
    name: char({ label: 'Name', required: true, index: true }),
    active: boolean({ label: 'Active', default: true, help: 'An inactive line grants nothing.' }),
    model_id: many2one('ir.model', { label: 'Model', required: true, index: true, ondelete: 'cascade' }),
    group_id: many2one('res.groups', { label: 'Group', ondelete: 'restrict', index: true }),
    perm_read: boolean({ label: 'Read Access' }),
    perm_write: boolean({ label: 'Write Access' }),
    perm_create: boolean({ label: 'Create Access' }),
    perm_unlink: boolean({ label: 'Delete Access' }),
  },
  methods: {
    check: {
      doc: 'Whether the caller may perform the operation on a model. Any user may call it.',
      level: 'model',
      readonly: true,
      params: {
        model: required<string>('string', { doc: 'Name of the model', annotation: 'str' }),
        operation: optional<unknown>('any', 'read', {
          doc: 'read, write, create or unlink',
          annotation: 'str',
        }),
        raise_exception: optional<unknown>('any', false, {
          doc: 'Raise an error instead of returning false',
          annotation: 'bool',
        }),
      },
      returns: returns<boolean>('boolean', 'bool'),
    },
    call_cache_clearing_methods: {
      doc: 'Clears the cached rights of all processes. Changes of access rights do this automatically.',
      level: 'model',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
    group_names_with_access: {
      doc: 'Returns the names of the groups that have the operation on a model.',
      level: 'model',
      readonly: true,
      params: {
        model_name: required<string>('string', { annotation: 'str' }),
        access_mode: required<string>('string', { doc: 'read, write, create or unlink', annotation: 'str' }),
      },
      returns: returns<string[]>('array', 'list[str]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.model.access': IrModelAccess
  }
  interface IrModelAccess extends Of<typeof access> {}
}

const audited = auditWraps<Records<'ir.model.access'>>('ir.model.access')

const operations = ['read', 'write', 'create', 'unlink'] as const

/**
 * Throws AccessError for lines that now grant operations that the caller may not do themselves; `changed`
 * are the fields that were written.
 */
async function assertHeld(lines: Records<'ir.model.access'>, changed: ReadonlySet<string>): Promise<void> {
  const { env } = lines
  if (mayGrantAll(env)) return
  const moves = ['group_id', 'model_id', 'active'].some((name) => changed.has(name))
  for (const line of await lines
    .sudo()
    .load(['active', 'model_id.model', ...operations.map((operation) => `perm_${operation}` as const)]))
    for (const operation of operations) {
      if (!line.active || !line[`perm_${operation}`] || !(moves || changed.has(`perm_${operation}`))) continue
      const { model: name } = line.model_id
      if (!(await env.model(name as ModelName).invoke('has_access', { operation })))
        throw new AccessError(
          `You cannot grant a right that you do not hold: ${operation} of ${name}. Ask an administrator.`,
        )
    }
}

export default implement(access, {
  methods: {
    async check({ env }, { model: name, operation, raise_exception: raises }) {
      if (!env.unit.registry.get(name)) throw unknownModel(name)
      const records = env.model(name as ModelName)
      if (raises) await records.invoke('check_access_rights', { operation })
      return (await records.invoke('has_access', { operation })) as boolean
    },
    async call_cache_clearing_methods(lines) {
      await assertAllowed(lines, 'write')
      raiseRightsVersion(lines.env)
      return null
    },
    async group_names_with_access(lines, { model_name: name, access_mode }) {
      const operation = operations.find((each) => each === access_mode)
      if (!operation)
        throw new InvalidValue(`Invalid access_mode ${access_mode}: use read, write, create or unlink.`)
      const granting = await lines.search([
        ['model_id.model', '=', name],
        ['group_id', '!=', false],
        [`perm_${operation}`, '=', true],
      ])
      const rows = await granting.load(['group_id.full_name'])
      return [...new Set(rows.flatMap(({ group_id: group }) => group?.full_name ?? []))]
    },
  },
  wrapWrite: (next) =>
    audited.write(
      writingRights(async (lines, changes) => {
        await next(lines, changes)
        for (const { ids, vals } of changes) await assertHeld(lines.browse(ids), new Set(Object.keys(vals)))
      }),
    ),
  wrapGeneric: {
    create: (next) =>
      audited.create(
        changingRights(async (lines, params) => {
          const granted = (await next(lines, params)) as Records<'ir.model.access'>
          await assertHeld(granted, new Set(['model_id']))
          return granted
        }),
      ),
    unlink: (next) => audited.unlink(changingRights(next)),
  },
})
