// Sealed entries of the audit log in the order of their chain (comptoir.audit.line). Clients that ask for
// entries after their last place miss none; ids of entries are not in the order of commits.
import { char, implement, integer, model, type Of } from '#models'
import { entryFields } from './audit.ts'

const line = model('comptoir.audit.line', {
  label: 'Sealed Audit Entry',
  order: 'id',
  recName: 'event',
  logAccess: false,
  query: `SELECT s.position::int AS id, s.entry AS entry_id, s.hash, a.time, a.event, a.uid, a.login, a.address, a.key_id, a.key_name,
      a.session, a.person_id, a.res_model, a.res_id, a.name, a.detail
    FROM comptoir_audit_seal s JOIN comptoir_audit a ON a.id = s.entry`,
  fields: {
    entry_id: integer({ label: 'Entry ID', aggregator: null, readonly: true }),
    hash: char({ label: 'Hash', help: 'SHA-256 of the hash before it and of the entry.', readonly: true }),
    ...entryFields,
  },
})

declare module '#models' {
  interface Models {
    'comptoir.audit.line': AuditLine
  }
  interface AuditLine extends Of<typeof line> {}
}

export default implement(line)
