// What else holds of an API key besides its scope (comptoir.key.policy): where it works from, how fast it may
// go, whether its writes need a key, whether a replica may answer it.
// Changed by `restrict` of keys only.
import { boolean, char, implement, integer, many2one, model, type Of } from '#models'

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
    rate: char({
      label: 'Rate',
      readonly: true,
      help: 'Calls that the key may make in a time, such as 600/60s; none: any.',
    }),
    burst: integer({
      label: 'Burst',
      readonly: true,
      help: 'Calls that the key may make within one second; none: any.',
    }),
    concurrency: integer({
      label: 'Concurrency',
      readonly: true,
      help: 'Calls of the key that run at a time; none: any.',
    }),
    idempotency_required: boolean({
      label: 'Idempotency Required',
      readonly: true,
      help: 'Whether calls that change something need the header Idempotency-Key.',
    }),
    replica: boolean({
      label: 'Replica',
      readonly: true,
      help: 'Whether calls that only read may be answered by a replica of the database.',
    }),
    budget: integer({
      label: 'Answers of Agents',
      readonly: true,
      help: 'Kilobytes that an answer to an agent may have; none: 40.',
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
