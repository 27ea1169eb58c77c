// `comptoir dev`: a server that watches the files of a module: it upgrades the database, reports
// errors, and keeps the port and the last working server.
// Begins first: it takes 7 s.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { concerns } from '../../src/cli/dev/watch.ts'
import { writeScaffold } from '../../src/cli/scaffold/write.ts'
import { createClient } from '../../src/client/index.ts'
import { byName } from '../support/by-name.ts'
import { root } from '../support/serve.ts'
import { fillDataDir, makeTemp } from '../support/temp.ts'

const temp = makeTemp('dev')
const task = join(temp.path, 'visits/task.ts')
let dev: ChildProcess
let output = ''
let url: string
let key: string
let notify = () => {}

/** Waits until what was printed since `from` matches. Fails when the process ends before. */
async function until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(output.slice(from))
    if (match) return match
    assert.equal(dev.exitCode, null, output)
    await new Promise<void>((resolve) => {
      notify = resolve
    })
  }
}

before(async () => {
  mkdirSync(join(temp.path, 'node_modules'))
  symlinkSync(root, join(temp.path, 'node_modules/comptoir'))
  writeFileSync(join(temp.path, 'package.json'), '{"type":"module"}')
  writeScaffold('visits', temp.path)
  fillDataDir(join(temp.path, 'data'))
  const args = [
    'dev',
    '--addons',
    './visits',
    '--no-types',
    '--port',
    '0',
    '--data-dir',
    join(temp.path, 'data'),
  ]
  dev = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/cli/main.ts'), ...args],
    {
      cwd: temp.path,
      env: {
        ...process.env,
        NODE_OPTIONS: `${byName} --disable-warning=ExperimentalWarning`,
        NODE_TEST_CONTEXT: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  for (const stream of [dev.stdout, dev.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      notify()
    })
  dev.once('exit', () => notify())
  url = String((await until(/^listening on (\S+)$/m))[1])
  key = String((await until(/API key (\S+)/))[1])
})
after(async () => {
  if (dev?.exitCode === null && dev.kill('SIGTERM')) await once(dev, 'exit')
  temp.remove()
})

const tasks = () => createClient({ url, database: 'dev', key }).untyped('visits.task')
const edit = (change: (text: string) => string) => {
  const from = output.length
  writeFileSync(task, change(readFileSync(task, 'utf8')))
  return from
}

test('comptoir dev: the first start creates the database, and prints the login', async () => {
  assert.match(output, /dev: database dev, login admin, password admin, API key /)
  const id = await tasks().create({ name: 'Call' })
  assert.deepEqual(await tasks().read([id], { fields: ['summary'] }), [{ id, summary: 'Call' }])
})

test('comptoir dev: a new field gets its column and is served at the same port', async () => {
  const from = edit((text) =>
    text.replace(
      'deadline: date(',
      "urgent: boolean({ label: 'Urgent', default: true }),\n    deadline: date(",
    ),
  )
  await until(/visits\/task\.ts changed/, from)
  assert.equal((await until(/^listening on (\S+)$/m, from))[1], url)
  const [first] = await tasks().searchRead({ fields: ['urgent'], limit: 1 })
  assert.deepEqual(first, { id: first?.id, urgent: true })
})

test('comptoir dev: reports a module that does not load, and keeps the previous server', async () => {
  const good = readFileSync(task, 'utf8')
  for (const [broken, why] of [
    [
      (text: string) => text.replace('fields: {', 'fields: {{'),
      /failed; the previous server goes on.*task\.ts/s,
    ],
    [
      (text: string) => text.replace("many2one('res.partner'", "many2one('res.partners'"),
      /failed; the previous server goes on.*res\.partners/s,
    ],
  ] as const) {
    const from = edit(() => broken(good))
    await until(why, from)
    assert.equal(await tasks().searchCount(), 1)
  }
  const from = edit(() => good.replace("label: 'Urgent'", "label: 'Pressing'"))
  await until(/^listening on /m, from)
  const facts = await tasks().call('fields_get', { allfields: ['urgent'], attributes: ['string'] })
  assert.deepEqual(facts, { urgent: { string: 'Pressing' } })
})

test('comptoir dev: ends its server and PostgreSQL with it', async () => {
  dev.kill('SIGTERM')
  assert.deepEqual(await once(dev, 'exit'), [0, null])
  await assert.rejects(fetch(url))
})

test('comptoir dev: reacts to programs, data and translations, not to tests and hidden files', () => {
  assert.deepEqual(
    [
      'index.ts',
      'i18n/fr.json',
      'data/lines.csv',
      'card.test.ts',
      '.git/a.ts',
      'node_modules/a/b.js',
      'card.ts~',
      '.card.ts.swp',
      'notes',
    ].filter(concerns),
    ['index.ts', 'i18n/fr.json', 'data/lines.csv'],
  )
})
