// The audit log (comptoir.audit): logins, keys and changes of rights, written by the server, readable by
// administrators, never changed.
import { auditProtection } from '#engine'
import { char, datetime, implement, integer, json, model, type Of } from '#models'
import { AccessError } from '../../../errors.ts'
import { raw } from '../../../sql/index.ts'

/** Fields of an entry. */
export const entryFields = {
  time: datetime({ label: 'Time', readonly: true, index: true }),
  event: char({
    label: 'Event',
    required: true,
    readonly: true,
    index: true,
    help: 'Subject and deed, such as key.create.',
  }),
  // Plain numbers: entries outlive the users and records that they name.
  uid: integer({
    label: 'User ID',
    readonly: true,
    aggregator: null,
    help: 'User who acted; 0 if unknown.',
  }),
  login: char({
    label: 'Login',
    readonly: true,
    index: true,
    help: 'Login of the user who did it or tried to.',
  }),
  address: char({ label: 'Address', readonly: true, help: 'Where the call came from.' }),
  key_id: integer({
    label: 'Key ID',
    readonly: true,
    aggregator: null,
    help: 'The API key that called.',
  }),
  key_name: char({ label: 'Key', readonly: true, help: 'The name that its owner gave it.' }),
  session: char({
    label: 'Session',
    readonly: true,
    help: 'The browser session that called: the same letters, the same session. They open nothing.',
  }),
  person_id: integer({
    label: 'On Behalf Of',
    readonly: true,
    aggregator: null,
    help: 'The user who is signed in, if they act as another user.',
  }),
  res_model: char({ label: 'Model', readonly: true }),
  res_id: integer({ label: 'Record ID', readonly: true, aggregator: null }),
  name: char({ label: 'Name', readonly: true, help: 'Display name of the record.' }),
  detail: json({ label: 'Detail', readonly: true }),
}

const audit = model('comptoir.audit', {
  label: 'Audit Log',
  order: 'id desc',
  recName: 'event',
  logAccess: false,
  changes: false,
  fields: entryFields,
})

declare module '#models' {
  interface Models {
    'comptoir.audit': Audit
  }
  interface Audit extends Of<typeof audit> {}
}

/**
 * Entries come from the server alone, past the model: not even the system user makes, changes or removes one.
 */
const closed = () => () => {
  throw new AccessError('The audit log cannot be changed: the server writes it.')
}

export default implement(audit, {
  wrapGeneric: { create: closed, unlink: closed },
  wrapWrite: closed,
  init: async (env) => {
    for (const statement of auditProtection) await env.execute(raw(statement))
  },
})
