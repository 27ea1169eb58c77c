// Uses of API keys (comptoir.key.use): when, from where, by which client and how often; written by the
// server in batches (access/key-uses.ts).
import { char, datetime, implement, integer, many2one, model, type Of } from '#models'

/**
 * A model of its own: keys read as clients know them, and writing down a use never stands in the way of
 * revoking.
 */
const keyUse = model('comptoir.key.use', {
  label: 'Use of API Keys',
  order: 'last_used desc, id desc',
  logAccess: false,
  changes: false,
  rules: { key: { unique: ['key_id'], message: 'The use of this key is counted already.' } },
  fields: {
    key_id: many2one('res.users.apikeys', {
      label: 'API Key',
      required: true,
      readonly: true,
      ondelete: 'cascade',
    }),
    user_id: many2one('res.users', {
      label: 'User',
      required: true,
      readonly: true,
      index: true,
      ondelete: 'cascade',
    }),
    last_used: datetime({ label: 'Last Used', readonly: true }),
    last_address: char({ label: 'Last Address', readonly: true }),
    last_user_agent: char({ label: 'Last Client', readonly: true }),
    uses: integer({ label: 'Uses', readonly: true, default: 0 }),
    warned: integer({ hidden: true }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.key.use': KeyUse
  }
  interface KeyUse extends Of<typeof keyUse> {}
}

export default implement(keyUse)
