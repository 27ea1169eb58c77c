// Log lines that the server keeps in the database (ir.logging).
import { char, implement, model, type Of, selection, text } from '#models'

const logging = model('ir.logging', {
  label: 'Logging',
  order: 'id desc',
  fields: {
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

export default implement(logging)
