// The programs of a new module, as text: a contract with its behaviour, the rights, the declaration, a test.

/** Path within the module's folder, and text. */
interface Program {
  readonly path: string
  readonly text: string
}

/** `fleet_rental` → `FleetRental`. */
const pascal = (name: string): string => name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** `fleet_rental` → `fleetRental`. */
const camel = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export function programs(name: string): readonly Program[] {
  return [
    { path: 'index.ts', text: declaration(name) },
    { path: 'task.ts', text: model(name) },
    { path: 'rights.ts', text: rights(name) },
    { path: `${name}.test.ts`, text: tests(name) },
  ]
}

const declaration = (name: string) => `// The module \`${name}\`: tasks of customers.
import { defineModule } from 'comptoir/models'
import { rights } from './rights.ts'
import task from './task.ts'

export default defineModule({
  name: '${name}',
  version: '1.0',
  summary: 'Tasks of customers',
  depends: ['base'],
  models: [task],
  data: rights,
})
`

const model = (name: string) => `// Tasks: what is to be done for a customer, and whether it is.
import { boolean, char, computed, date, implement, many2one, model, type Of, returns } from 'comptoir/models'

const task = model('${name}.task', {
  label: 'Task',
  order: 'deadline, id',
  fields: {
    name: char({ label: 'What', required: true }),
    partner_id: many2one('res.partner', { label: 'Customer', ondelete: 'cascade', index: true }),
    deadline: date({ label: 'Deadline' }),
    done: boolean({ label: 'Done', default: false }),
    summary: char({ label: 'Summary', computed: true, stored: true }),
  },
  methods: {
    finish: {
      doc: 'Marks the tasks as done.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
  },
})

declare module 'comptoir/models' {
  interface Models {
    '${name}.task': ${pascal(name)}Task
  }
  interface ${pascal(name)}Task extends Of<typeof task> {}
}

export default implement(task, {
  computed: {
    summary: computed(task, ['name', 'partner_id.name'], (one) => (one.partner_id ? \`\${one.name} for \${one.partner_id.name}\` : one.name)),
  },
  checks: { 'A task says what is to be done.': computed(task, ['name'], (one) => one.name.trim() !== '') },
  methods: {
    async finish(tasks) {
      await tasks.write({ done: true })
      return true
    },
  },
})
`

const rights = (name: string) => `// Who may do what: internal users read and write tasks.
import { type DataSet, ref } from 'comptoir/models'

export const rights: readonly DataSet[] = [
  {
    model: 'ir.model.access',
    records: {
      access_task_user: {
        name: '${name}.task user',
        model_id: ref('${name}.model_${name}_task'),
        group_id: ref('base.group_user'),
        perm_read: true,
        perm_write: true,
        perm_create: true,
        perm_unlink: true,
      },
    },
  },
]
`

const tests = (name: string) => `// Tasks as clients see them.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { startTestServer, type TestServer } from 'comptoir/testing'
import ${camel(name)} from './index.ts'

let server: TestServer
before(async () => {
  server = await startTestServer({ modules: [${camel(name)}], clock: '2026-03-01T09:00:00Z' })
})
afterEach(() => server?.reset())
after(() => server?.close())

test('a task says whom it is for, and can be finished', async () => {
  const tasks = server.client.model('${name}.task')
  const partner_id = await server.client.model('res.partner').create({ name: 'Ann' })
  const id = await tasks.create({ name: 'Call back', partner_id, deadline: '2026-03-02' })
  const look = () => tasks.read([id], { fields: ['summary', 'done'] })
  assert.deepEqual(await look(), [{ id, summary: 'Call back for Ann', done: false }])
  await tasks.call('finish', {}, { ids: id })
  assert.deepEqual(await look(), [{ id, summary: 'Call back for Ann', done: true }])
})

test('a task without words is refused', async () => {
  const empty = server.run((env) => env.model('${name}.task').create([{ name: ' ' }]))
  await assert.rejects(empty, /A task says what is to be done/)
})
`
