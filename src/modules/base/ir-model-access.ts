// Access to models (ir.model.access): each line grants operations on a model to a group, or to everyone (spec/wire.md section 9).
import { boolean, char, implement, many2one, model, type Of, type Records } from '#models'
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
})

declare module '#models' {
  interface Models {
    'ir.model.access': IrModelAccess
  }
  interface IrModelAccess extends Of<typeof access> {}
}

const audited = auditWraps<Records<'ir.model.access'>>('ir.model.access')

export default implement(access, {
  wrapWrite: (next) => audited.write(writingRights(next)),
  wrapGeneric: {
    create: (next) => audited.create(changingRights(next)),
    unlink: (next) => audited.unlink(changingRights(next)),
  },
})
