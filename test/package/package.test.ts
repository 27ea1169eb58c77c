// The package that `npm pack` gives, installed elsewhere: it lints, serves, takes a module of somebody else,
// and types a client's program.
// Begins first: it takes 50 s.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '../../src/client/index.ts'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { install, pack } from './install.ts'
import { walk } from './tutorial.ts'

const run = promisify(execFile)
const temp = makeTemp('package')
const app = join(temp.path, 'app')
const data = ['--data-dir', join(temp.path, 'data')]
const gift = join(app, 'gift.ts')
let packed: Awaited<ReturnType<typeof pack>>
let bin: string
let server: ChildProcess | undefined
let url: string
let key: string

const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COMPTOIR_') && name !== 'NODE_TEST_CONTEXT',
  ),
)
const node = async (...args: string[]): Promise<string> =>
  (
    await run(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: app,
      env: environment,
      maxBuffer: 1 << 26,
    })
  ).stdout
const comptoir = (...args: string[]) => node(bin, ...args)

before(async () => {
  packed = await pack(temp.path)
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "type": "module", "private": true }\n')
  bin = join(await install(packed.tarball, app), 'bin/comptoir.js')
  chmodSync(app, 0o711)
  for (const file of ['shop.ts', 'gift.ts'])
    cpSync(join(root, 'test/package/consumer', file), join(app, file))
  await comptoir('db', 'create', 'shop', '--modules', 'gift', '--addons', gift, ...data)
  key =
    (await comptoir('key', 'create', '--database', 'shop', '--login', 'admin', '--addons', gift, ...data))
      .trim()
      .split('\n')
      .at(-1) ?? ''
  server = spawn(process.execPath, [bin, 'serve', '--port', '0', '--addons', gift, ...data], {
    cwd: app,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const chunk of server.stdout ?? []) {
    said += String(chunk)
    const match = /^listening on (\S+)$/m.exec(said)?.[1]
    if (match) url = match
    if (match) break
  }
  assert.ok(url, said)
})
after(async () => {
  if (server && server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
  temp.remove()
})

test('the tarball holds what is needed to run, and nothing of the workshop', () => {
  for (const path of [
    'bin/comptoir.js',
    'dist/main.js',
    'dist/build-id',
    'dist/client/index.d.ts',
    'dist/modules/base/data/countries.json',
    'README.md',
    'CHANGELOG.md',
  ])
    assert.ok(packed.files.includes(path), path)
  assert.ok(
    packed.files.some((path) => /^build\/pages\/.*\.js$/.test(path)),
    'the built pages',
  )
  assert.deepEqual(
    packed.files.filter((path) => /\.test\.|\.map$|^(src|tools|test|scripts|node_modules|data)\//.test(path)),
    [],
  )
  assert.ok(packed.size < 2_750_000, `${packed.size} bytes`)
  assert.ok(packed.files.length < 3500, `${packed.files.length} files`)
})

test('the tutorial and the guide of tests run as printed, from an empty folder on', () =>
  walk(packed.tarball, join(temp.path, 'author')))

test('publint and attw find nothing', async () => {
  const tool = (...path: string[]) => join(root, 'tools/node_modules', ...path)
  await node(tool('publint/src/cli.js'), 'run', packed.tarball, '--strict')
  const said = await node(
    tool('@arethetypeswrong/cli/dist/index.js'),
    packed.tarball,
    '--profile',
    'esm-only',
    '--format',
    'json',
  )
  const { problems } = JSON.parse(said) as { problems: Record<string, unknown> }
  // CommonJS and resolution without `exports` are no concern of this package.
  assert.deepEqual(
    Object.keys(problems).filter((kind) => !['NoResolution', 'CJSResolvesToESM'].includes(kind)),
    [],
  )
})

test('the pages come out of the package', async () => {
  const script = packed.files.find((path) => /^build\/pages\/[^/]+\.js$/.test(path)) ?? ''
  const answer = await fetch(`${url}/web/assets/${basename(script)}`)
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type')],
    [200, 'text/javascript; charset=utf-8'],
  )
  assert.equal(await answer.text(), readFileSync(join(app, 'node_modules/comptoir', script), 'utf8'))
})

/** Runs the compiler on files of the project and gives its complaints. */
async function compile(files: readonly string[], options: object = {}): Promise<string> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    ...options,
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const failure = (error: { stdout?: string }) => error.stdout ?? String(error)
  return node(join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false', '-p', app).catch(failure)
}

test('a module that was written against the package compiles', async () => {
  assert.equal(await compile(['gift.ts']), '')
})

test('types of the live database, made fields and models included, type a program, which runs', async () => {
  const admin = createClient({ url, key, database: 'shop' })
  const partner = (await admin.model('ir.model').search({ domain: [['model', '=', 'res.partner']] }))[0]
  const size = { name: 'x_shoe_size', field_description: 'Shoe size', ttype: 'integer', model_id: partner }
  await admin.model('ir.model.fields').create(size)
  const captain = {
    name: 'x_captain_id',
    field_description: 'Captain */ of it',
    ttype: 'many2one',
    relation: 'res.partner',
  }
  const title = { name: 'x_name', field_description: 'Name', ttype: 'char', required: true }
  const boat = await admin
    .model('ir.model')
    .create({ name: 'Boat', model: 'x_boat', field_id: [captain, title].map((field) => [0, 0, field]) })
  const rights = {
    name: 'boats',
    model_id: boat,
    perm_read: true,
    perm_write: true,
    perm_create: true,
    perm_unlink: true,
  }
  await admin.model('ir.model.access').create(rights)

  const live = ['types', '--url', url, '--database', 'shop', '--key', key, '--out', join(app, 'models.ts')]
  await comptoir(...live)
  await comptoir(...live, '--check')
  const text = readFileSync(join(app, 'models.ts'), 'utf8')
  assert.match(text, /x_shoe_size: Field<'integer'>/)
  assert.equal(await compile(['shop.ts']), '')
  // Without a type of Node's in view the client is complete too: it is for browsers.
  assert.equal(await compile(['models.ts'], { types: [] }), '')

  assert.deepEqual(JSON.parse(await node(join(app, 'shop.ts'), url, key)), {
    name: 'Ann',
    size: 41,
    country: false,
    names: 1,
    invoice: true,
    made: true,
    greeting: 'HELLO ANN',
    label: 'Book for Ann',
    refused: true,
  })
  writeFileSync(join(app, 'models.ts'), text.replace('x_shoe_size', 'x_show_size'))
  await assert.rejects(comptoir(...live, '--check'), /out of date/)
})

test('types of modules need no server, and are the same each time', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => comptoir('types', '--modules', 'gift', '--addons', gift)),
  )
  assert.equal(first, second)
  assert.match(String(first), /'gift\.gift': Model</)
  assert.match(String(first), /greet: Method<{ loudly\?: boolean }, string>/)
  writeFileSync(join(app, 'declared.ts'), String(first))
  assert.equal(await compile(['declared.ts']), '')
  await assert.rejects(comptoir('types', '--modules', 'nope'), /Module nope not found/)
  assert.equal(existsSync(join(app, 'data')), false)
})

test('the client loads in older Node.js as well: it uses nothing that is not in version 20', () => {
  const files = packed.files.filter((path) => /^dist\/(client\/.*|errors)\.js$/.test(path))
  assert.ok(files.length > 5)
  const sources = files.map((path) => readFileSync(join(app, 'node_modules/comptoir', path), 'utf8'))
  // Examples in comments import the package by its name.
  const text = sources.join('\n').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  assert.doesNotMatch(text, /from '(?!\.)/, 'a dependency')
  assert.doesNotMatch(text, /withResolvers|groupBy|fromAsync|Promise\.try|\bIterator\.|Buffer\b|process\./)
})
