// What else holds of an API key besides its scope (comptoir.key.policy): the addresses that it works from.
// Changed by `restrict` of keys only.
import { char, implement, many2one, model, type Of } from '#models'

/** A model of its own: keys read as clients know them. */
const keyPolicy = model('comptoir.key.policy', {
  label: 'Policy of API Keys',
  logAccess: false,
  rules: { key: { unique: ['key_id'], message: 'This key has a policy already.' } },
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
    addresses: char({
      label: 'Addresses',
      readonly: true,
      help: 'Ranges that the key works from, with blanks between; none: from everywhere.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.key.policy': KeyPolicy
  }
  interface KeyPolicy extends Of<typeof keyPolicy> {}
}

export default implement(keyPolicy)
