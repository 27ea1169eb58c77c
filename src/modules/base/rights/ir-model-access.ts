// Access to models (ir.model.access): each line grants operations on a model to a group, or to everyone
// (spec/wire.md section 9).
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
import { unknownModel } from '../../../errors.ts'
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
      doc: 'Whether the caller may do the operation on a model; anybody may ask.',
      level: 'model',
      readonly: true,
      params: {
        model: required<string>('string', { doc: 'Name of the model', annotation: 'str' }),
        operation: optional<unknown>('any', 'read', {
          doc: 'read, write, create or unlink',
          annotation: 'str',
        }),
        raise_exception: optional<unknown>('any', false, {
          doc: 'Refuse the call instead of answering false',
          annotation: 'bool',
        }),
      },
      returns: returns<boolean>('boolean', 'bool'),
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

export default implement(access, {
  methods: {
    async check({ env }, { model: name, operation, raise_exception: raises }) {
      if (!env.unit.registry.get(name)) throw unknownModel(name)
      const records = env.model(name as ModelName)
      if (raises) await records.invoke('check_access_rights', { operation })
      return (await records.invoke('has_access', { operation })) as boolean
    },
  },
  wrapWrite: (next) => audited.write(writingRights(next)),
  wrapGeneric: {
    create: (next) => audited.create(changingRights(next)),
    unlink: (next) => audited.unlink(changingRights(next)),
  },
})
