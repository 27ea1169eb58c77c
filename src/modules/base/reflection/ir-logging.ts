// Log lines that the server keeps in the database (ir.logging).
import { char, datetime, implement, integer, model, type Of, selection, text } from '#models'
import { nowUtc } from '../../../kit/dates.ts'

const logging = model('ir.logging', {
  label: 'Logging',
  order: 'id desc',
  // Lines outlive the users whose calls made them: they keep plain numbers, and their moments themselves.
  logAccess: false,
  fields: {
    create_uid: integer({ label: 'Created by', readonly: true }),
    create_date: datetime({ label: 'Created on', readonly: true }),
    write_uid: integer({ label: 'Last Updated by', readonly: true }),
    write_date: datetime({ label: 'Last Updated on', readonly: true }),
    name: char({ label: 'Name', required: true }),
    type: selection({ client: 'Client', server: 'Server' }, { label: 'Type', required: true, index: true }),
    dbname: char({ label: 'Database Name', index: true }),
    level: char({ label: 'Level', index: true }),
    message: text({ label: 'Message', required: true }),
    path: char({ label: 'Path', required: true }),
    func: char({ label: 'Function', required: true }),
    line: char({ label: 'Line', required: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.logging': Logging
  }
  interface Logging extends Of<typeof logging> {}
}

export default implement(logging, {
  defaults: {
    create_uid: (env) => env.uid,
    create_date: (env) => nowUtc(env.now()),
    write_uid: (env) => env.uid,
    write_date: (env) => nowUtc(env.now()),
  },
})
