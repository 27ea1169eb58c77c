// Sealed entries of the audit log in the order of their chain (comptoir.audit.line): whoever asks for those
// behind the last place they have misses none, as ids do not say in which order entries were committed.
import { char, datetime, implement, integer, json, model, type Of } from '#models'

const only = { readonly: true } as const

const line = model('comptoir.audit.line', {
  label: 'Sealed Audit Entry',
  order: 'id',
  recName: 'event',
  logAccess: false,
  query: `SELECT s.position::int AS id, s.entry AS entry_id, s.hash, a.time, a.event, a.uid, a.login, a.address, a.key_id, a.key_name,
      a.session, a.person_id, a.res_model, a.res_id, a.name, a.detail
    FROM comptoir_audit_seal s JOIN comptoir_audit a ON a.id = s.entry`,
  fields: {
    entry_id: integer({ label: 'Entry ID', aggregator: null, ...only }),
    hash: char({ label: 'Hash', help: 'SHA-256 of the hash before it and of the entry.', ...only }),
    time: datetime({ label: 'Time', ...only }),
    event: char({ label: 'Event', ...only }),
    uid: integer({ label: 'User ID', aggregator: null, ...only }),
    login: char({ label: 'Login', ...only }),
    address: char({ label: 'Address', ...only }),
    key_id: integer({ label: 'Key ID', aggregator: null, ...only }),
    key_name: char({ label: 'Key', ...only }),
    session: char({ label: 'Session', ...only }),
    person_id: integer({ label: 'On Behalf Of', aggregator: null, ...only }),
    res_model: char({ label: 'Model', ...only }),
    res_id: integer({ label: 'Record ID', aggregator: null, ...only }),
    name: char({ label: 'Name', ...only }),
    detail: json({ label: 'Detail', ...only }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.audit.line': AuditLine
  }
  interface AuditLine extends Of<typeof line> {}
}

export default implement(line)
