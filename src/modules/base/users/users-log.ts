// Sign-ins of users (res.users.log): one row each, written by the server; the author and the moment of the
// row are all that it says.
import { implement, model, type Of } from '#models'

const log = model('res.users.log', { label: 'Users Log', order: 'id desc', fields: {} })

declare module '#models' {
  interface Models {
    'res.users.log': UsersLog
  }
  interface UsersLog extends Of<typeof log> {}
}

export default implement(log)
