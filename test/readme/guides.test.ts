// The guides under docs/guides run as printed: the marked blocks of a page in order, against one server with
// the shop that a first run makes; pages that only quote are left out. Pages run in the order of their names:
// backup.md copies the database that administration.md creates.
// Those for authors of modules run in a folder of somebody who installed the package:
// test/package/package.test.ts.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { options } from '../../src/config/index.ts'
import { createServer, type Server, shopModules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { forAuthors } from '../package/tutorial.ts'
import { byName, namedPaths } from '../support/by-name.ts'
import { root } from '../support/serve.ts'
import { fillDataDir, makeTemp } from '../support/temp.ts'
import { type Block, blocksOf, missing } from './blocks.ts'
import { type Outcome, Shell, shellEnv } from './shell.ts'

const temp = makeTemp('guides')
const shell = new Shell(temp.path)
let server: Server
let env: NodeJS.ProcessEnv

before(async () => {
  for (const name of ['data', 'own']) fillDataDir(join(temp.path, name))
  // Examples of webhooks are sent to a receiver on this machine.
  const near = { webhookAllow: ['127.0.0.0/8'], webhookHttp: true }
  server = await createServer({ dataDir: join(temp.path, 'data'), ...near })
  await server.databases.create('shop', {
    modules: shopModules(),
    demo: true,
    login: 'admin',
    password: 'admin',
  })
  const key = await createKey(server.databases, 'shop', 'admin', { name: 'guides', scope: 'rpc', days: 30 })
  // Examples import the client by the package's name.
  mkdirSync(join(temp.path, 'node_modules'))
  symlinkSync(root, join(temp.path, 'node_modules', 'comptoir'))
  mkdirSync(join(temp.path, 'node_modules', '.bin'))
  symlinkSync(join(root, 'bin/comptoir.js'), join(temp.path, 'node_modules', '.bin', 'comptoir'))
  writeFileSync(join(temp.path, 'package.json'), '{"type":"module"}')
  const plain = shellEnv(temp.path)
  env = {
    ...plain,
    PATH: `${dirname(process.execPath)}${delimiter}${plain.PATH}`,
    ...{ URL: server.url, DB: 'shop', KEY: key, PYTHONDONTWRITEBYTECODE: '1' },
    // The package as a checkout has it: its sources, not what `npm run compile` makes of them.
    NODE_OPTIONS: `${byName} --disable-warning=ExperimentalWarning`,
    COMPTOIR_DATA_DIR: join(temp.path, 'own'),
    COMPTOIR_PORT: '0',
  }
})
after(async () => {
  await shell.stop()
  await server?.close()
  temp.remove()
})

/** Runs a block. Functions and variables of one shell block are there in the next, as in one terminal. */
async function run(
  { language, file: written, commands, line }: Block,
  page: string,
): Promise<Outcome | null> {
  if (written !== null) {
    mkdirSync(dirname(join(temp.path, written)), { recursive: true })
    writeFileSync(join(temp.path, written), `${commands}\n`)
    return null
  }
  const state = join(temp.path, `${page}.state`)
  if (language === 'sh')
    return shell.run(
      `[ ! -f '${state}' ] || . '${state}'\nset -a\n${commands}\n{ export -p; declare -f; } > '${state}'`,
      env,
    )
  const file = join(temp.path, `example-${page}-${line}.${language === 'ts' ? 'ts' : 'py'}`)
  writeFileSync(file, commands)
  if (language === 'ts')
    return shell.program([process.execPath, '--disable-warning=ExperimentalWarning', file], env)
  const python = await shell.run('command -v python3 || true', env)
  return python.output.trim() ? shell.program(['python3', file], env) : null
}

const guides = globSync('docs/guides/*.md', { cwd: root }).sort()
for (const path of guides.filter((path) => !forAuthors.includes(path))) {
  const blocks = blocksOf(readFileSync(join(root, path), 'utf8'))
  if (blocks.length === 0) continue
  test(`${path}: ${blocks.length} blocks run as they stand`, async () => {
    for (const block of blocks) {
      const outcome = await run(block, basename(path, '.md'))
      if (!outcome) continue
      assert.equal(
        outcome.code,
        0,
        `${path} line ${block.line} ended with ${outcome.code}:\n${block.commands}\n${outcome.output}`,
      )
      const lacking = missing(block.expected, outcome.output)
      assert.ok(lacking === null, `${path} line ${block.line} does not print: ${lacking}\n${outcome.output}`)
    }
  })
}

test("guides: their code compiles with the project's strictness", async () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const options = { ...compilerOptions, paths: namedPaths, typeRoots: [join(root, 'node_modules', '@types')] }
  writeFileSync(
    join(temp.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['example-*.ts'] }),
  )
  const { code, output } = await shell.program(
    [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'],
    env,
  )
  assert.equal(code, 0, output)
})

test('guides: the settings page names every setting', () => {
  const table = readFileSync(join(root, 'docs/guides/settings.md'), 'utf8')
  const lacking = options.filter(({ name }) => !table.includes(`\`${name}\``))
  assert.deepEqual(
    lacking.map(({ name }) => name),
    [],
  )
})
