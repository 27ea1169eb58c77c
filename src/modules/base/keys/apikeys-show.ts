// Where a new API key is shown (res.users.apikeys.show): a form over the context's `default_key`; the key
// itself is never stored.
import { char, implement, type Of, transient } from '#models'

const show = transient('res.users.apikeys.show', {
  label: 'Show API Key',
  fields: { key: char({ label: 'Key', readonly: true, stored: false }) },
})

declare module '#models' {
  interface Models {
    'res.users.apikeys.show': ApiKeyShow
  }
  interface ApiKeyShow extends Of<typeof show> {}
}

export default implement(show)
