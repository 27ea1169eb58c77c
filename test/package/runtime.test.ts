// Which Node.js runs the command: the one at hand where it is new enough, an installed one else, and where
// neither is there one line says what to run.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'

const temp = makeTemp('runtime')
const packages = join(temp.path, 'node_modules')
const program = { package: '', name: process.platform === 'win32' ? 'node.exe' : 'node' }
/** Makes a process say that it is of an older version, or another program, whatever it is. */
const pretend = (versions: object) =>
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,...${encodeURIComponent(JSON.stringify(versions))}}})`

before(() => {
  // As npm lays it: what was compiled, below somebody's node_modules.
  const home = join(packages, 'comptoir')
  mkdirSync(join(home, 'dist/cli'), { recursive: true })
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(home, 'dist/cli/main.js'),
    'console.log(process.argv.slice(2).join(" "), process.versions.node)',
  )
})
after(() => temp.remove())

/**
 * Runs the command as a Node.js of these versions would; `agent` is what npm and its like call themselves.
 */
function comptoir(
  versions: object,
  agent = '',
  npx: Record<string, string> = {},
): Promise<{ code: number; said: string; complained: string }> {
  const args = [pretend(versions), join(packages, 'comptoir/bin/comptoir.js'), 'db', 'list']
  const env = { ...process.env, NODE_OPTIONS: '', npm_command: '', npm_config_user_agent: agent, ...npx }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, said, complained) =>
      resolve({ code: Number(error?.code ?? 0), said, complained }),
    )
  })
}

/**
 * Installs a package of Node.js that holds the program which runs this test, or none, as where install
 * scripts were skipped.
 */
function lay(name: string, version: string, whole = true): void {
  const home = join(packages, name)
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version }))
  if (whole) symlinkSync(process.execPath, join(home, 'bin', program.name))
}

test('the Node.js at hand serves where it is new enough', async () => {
  assert.deepEqual(await comptoir({ node: '99.1.0' }), { code: 0, said: 'db list 99.1.0\n', complained: '' })
})

test('where none is new enough, one line says what to run, in the words of the package manager', async () => {
  const { code, said, complained } = await comptoir({ node: '20.20.2' })
  assert.deepEqual([code, said], [1, ''])
  const line =
    /^comptoir: this needs Node\.js 24 or newer and runs in 20\.20\.2: install that, or run "npm install (\S+)@24"\n$/
  assert.match(complained, line)
  program.package = line.exec(complained)?.[1] ?? ''
  for (const [agent, command] of [
    ['pnpm/10.9.0 npm/? node/v20.20.2 linux x64', 'pnpm add'],
    ['bun/1.3.1 npm/? node/v24.3.0 linux x64', 'bun add'],
    ['npm/11.19.1 node/v20.20.2 linux x64', 'npm install'],
  ])
    assert.ok(
      (await comptoir({ node: '20.20.2' }, agent)).complained.includes(`"${command} ${program.package}@24"`),
      agent,
    )
  assert.match((await comptoir({ node: '24.3.0', bun: '1.3.1' })).complained, /runs in Bun 1\.3\.1:/)
})

test('npx fetches a Node.js where none is new enough, from its cache first, and says so where npm cannot', async () => {
  // Stands in for npm: it prints what it was asked for, and the path of a program.
  const npm = join(temp.path, 'npm.js')
  const npx = { npm_command: 'exec', npm_execpath: npm }
  writeFileSync(npm, `console.error(process.argv.slice(2).join(' ')); console.log(process.execPath)`)
  const { code, said, complained } = await comptoir({ node: '20.20.2' }, '', npx)
  assert.deepEqual([code, said], [0, `db list ${process.versions.node}\n`])
  assert.match(complained, /this runs in Node\.js 20\.20\.2 and needs 24/)
  assert.ok(
    complained.includes(
      `exec --yes --prefer-offline --package=${program.package}@24 -- node -p process.execPath`,
    ),
  )
  writeFileSync(npm, 'process.exit(1)')
  const offline = await comptoir({ node: '20.20.2' }, '', npx)
  assert.equal(offline.code, 1)
  assert.match(offline.complained, /needs Node\.js 24 or newer and runs in 20\.20\.2/)
})

test('an installed one is found, unless it is too old or its install script was skipped', async () => {
  const output = `db list ${process.versions.node}\n`
  lay('node', '24.21.0', false)
  assert.equal((await comptoir({ node: '20.20.2' })).code, 1)
  // The command that the message names runs no scripts.
  lay(program.package, '22.1.0')
  assert.equal((await comptoir({ node: '20.20.2' })).code, 1)
  writeFileSync(join(packages, program.package, 'package.json'), '{"version":"24.21.0"}')
  assert.deepEqual(await comptoir({ node: '20.20.2' }), { code: 0, said: output, complained: '' })
  symlinkSync(process.execPath, join(packages, 'node/bin', program.name))
  writeFileSync(join(packages, program.package, 'package.json'), '{"version":"22.1.0"}')
  assert.equal((await comptoir({ node: '20.20.2' })).said, output)
})
