// Calls over the deprecated RPC paths (rpc.deprecated.call): who still makes them, by user and key, client
// and method; the server writes them.
import { char, datetime, implement, integer, many2one, model, type Of } from '#models'

const deprecatedCall = model('rpc.deprecated.call', {
  label: 'Deprecated RPC Calls',
  order: 'last_call desc, id desc',
  recName: 'method',
  logAccess: false,
  changes: false,
  rules: {
    caller: {
      unique: ['user_id', 'apikey_id', 'user_agent', 'method'],
      message: 'This caller is counted already.',
    },
  },
  fields: {
    user_id: many2one('res.users', { label: 'User', required: true, readonly: true, ondelete: 'cascade' }),
    login: char({ label: 'Login', readonly: true, help: 'Login of the user at the last call.' }),
    apikey_id: integer({
      label: 'API Key',
      required: true,
      readonly: true,
      aggregator: null,
      help: 'Id of the key; 0 for calls with a password.',
    }),
    apikey_name: char({ label: 'Key Description', readonly: true }),
    user_agent: char({ label: 'User Agent', readonly: true }),
    method: char({
      label: 'Method',
      required: true,
      readonly: true,
      help: 'Model and method, or the function of a service.',
    }),
    calls: integer({ label: 'Calls', readonly: true }),
    first_call: datetime({ label: 'First Call', readonly: true }),
    last_call: datetime({ label: 'Last Call', readonly: true, index: true }),
  },
})

declare module '#models' {
  interface Models {
    'rpc.deprecated.call': DeprecatedCall
  }
  interface DeprecatedCall extends Of<typeof deprecatedCall> {}
}

export default implement(deprecatedCall)
