// The command line from outside: exit codes, messages, and one life of a server from its first run to its
// end.
// Begins first: it takes 14 s.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runHere } from '../../test/support/command.ts'
import { fillDataDir } from '../../test/support/temp.ts'
import { archiveNoted } from '../postgres/embedded/index.ts'

const BIN = fileURLToPath(new URL('../../bin/comptoir.js', import.meta.url))

function start(
  ...args: string[]
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COMPTOIR_')),
  )
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, NO_COLOR: '1' },
  })
  return child as ReturnType<typeof start>
}

/** Runs a command in a separate process. */
async function run(...args: string[]) {
  const child = start(...args)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code }
}

/** Whether the machine has a program that gives others a terminal. */
const TERMINAL =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** Runs a command on a terminal where `typed` answers its question; gives what the screen shows. */
async function onTerminal(typed: string, ...args: string[]): Promise<string> {
  const command = [process.execPath, BIN, ...args].map((part) => `'${part}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  let screen = ''
  for await (const chunk of child.stdout) {
    screen += String(chunk)
    if (typed && screen.includes('Type its name to continue:')) child.stdin.write(typed)
    if (screen.includes('Type its name to continue:')) typed = ''
  }
  return screen
}

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'comptoir-cli-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('wrong calls say why and exit with 2; help and version with 0', async () => {
  for (const args of [
    ['nope'],
    ['db', 'create'],
    ['serve', '--nope'],
    ['serve', '--port', 'x'],
    ['key', 'create', '--database', 'x'],
    ['key', 'create', '--days', '100'],
    ['key', 'revoke', '--database', 'x'],
    ['key', 'revoke', '1', '--login', 'x', '--database', 'x'],
    ['key', 'revoke', 'one', '--database', 'x'],
    ['user', 'create', '--database', 'x', '--login', 'x', '--role', 'king'],
    ['user', 'disable', '--database', 'x'],
  ]) {
    const { code, out, err } = await runHere(...args)
    assert.deepEqual([code, out], [2, ''], args.join(' '))
    assert.match(err, /error|must|Specify the keys/)
  }
  for (const args of [['--help'], ['--version'], ['db', 'create', '--help']])
    assert.equal((await runHere(...args)).code, 0, args.join(' '))
  assert.deepEqual([(await run('nope')).code, (await run('--version')).code], [2, 0])
})

test('the name alone is the command serve', () => {
  const env = { ...process.env, COMPTOIR_PORT: 'none', NO_COLOR: '1' }
  const { status, stderr } = spawnSync(process.execPath, [BIN], { env, encoding: 'utf8' })
  assert.deepEqual([status, /COMPTOIR_PORT must be a whole number/.test(stderr)], [2, true], stderr)
})

test('command line: keeps what Node.js compiled', () => {
  const says = `import module from 'node:module'; process.on('exit', () => console.log(module.getCompileCacheDir()))`
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = spawnSync(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(says)}`, BIN, '--version'],
    { env, encoding: 'utf8' },
  )
  assert.match(stdout, /[\\/]\.cache[\\/]comptoir[\\/]/)
})

test('a command whose reader is gone ends without a word', async () => {
  const child = start('--help')
  child.stdout.destroy()
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.deepEqual([err, code], ['', 0])
})

test('a variable that is no setting is named, and does nothing', async (t) => {
  const dir = directory(t)
  const env = { ...process.env, COMPTOIR_DATA_DRI: '/nowhere', NO_COLOR: '1' }
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'db', 'list', '--data-dir', dir], {
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 0)
  assert.match(stderr, /^comptoir: warning: unknown setting COMPTOIR_DATA_DRI: the variable is ignored$/m)
})

interface Looked {
  readonly ok: boolean
  readonly findings: readonly {
    readonly check: string
    readonly verdict: string
    readonly change: string | null
  }[]
}

test('an unreachable server: one line, and exit code 1; the doctor still runs the other checks', async (t) => {
  const nowhere = ['--database-url', 'postgresql://127.0.0.1:1/postgres', '--data-dir', directory(t)]
  const doctor = await runHere('doctor', '--json', ...nowhere)
  const { ok, findings } = JSON.parse(doctor.out) as Looked
  assert.deepEqual([doctor.code, doctor.err, ok], [1, '', false])
  assert.match(findings.find(({ check }) => check === 'postgresql')?.change ?? '', /Check --database-url/)
  assert.ok(findings.some(({ check, verdict }) => check === 'node' && verdict === 'good'))
  for (const command of [
    ['db', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { code, err } = await run(...command, ...nowhere)
    assert.equal(code, 1)
    assert.match(err, /^comptoir: [^\n]+\n$/)
  }
})

test('a server of which a part cannot be loaded says so, and ends', async (t) => {
  const broken = `import cluster from 'node:cluster'
    import module from 'node:module'
    module.registerHooks?.({ resolve(name, context, next) {
      if (name.endsWith('serving.ts') && cluster.isWorker) throw new Error('a part is missing')
      return next(name, context) } })`
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}` }
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--data-dir', directory(t)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.equal(code, 1)
  assert.match(err, /a part is missing/)
})

test('where there is no database, the list is empty and says what to do', async (t) => {
  const dir = directory(t)
  const { code, out, err } = await runHere('db', 'list', '--data-dir', dir)
  assert.deepEqual([code, out], [0, ''])
  assert.match(err, /comptoir db create NAME/)
  assert.equal((await runHere('db', 'list', '--json', '--data-dir', dir)).out, '[]\n')
})

test('the first run makes a database and says how to use it; commands work while it runs; SIGTERM ends it', async (t) => {
  const dir = directory(t)
  fillDataDir(dir)
  const server = start('serve', '--data-dir', dir, '--port', '0', '--workers', '2')
  t.after(() => server.kill())
  const lines: string[] = []
  for await (const line of createInterface(server.stdout)) {
    lines.push(line)
    if (line.startsWith('listening on ')) break
  }
  const url = lines.at(-1)?.slice('listening on '.length)
  const file = join(dir, 'first-run-credentials')
  assert.ok(lines.some((line) => line.endsWith(` are in ${file}`)))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const [, key = ''] = /^API key +([0-9a-f]{40})$/m.exec(readFileSync(file, 'utf8')) ?? []
  const [, password = ''] = /^password +(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  assert.ok(
    key && password && !lines.some((line) => line.includes(key) || line.includes(password)),
    'what is no terminal is told no secret',
  )
  assert.ok(lines.some((line) => /^ +curl /.test(line)))

  const second = await run('serve', '--data-dir', dir, '--port', '0')
  assert.equal(second.code, 1)
  assert.match(second.err, /already running/)

  assert.equal((await runHere('db', 'list', '--data-dir', dir)).out, 'comptoir\n')
  const copied = await runHere('db', 'duplicate', 'comptoir', 'copy', '--json', '--data-dir', dir)
  assert.deepEqual(JSON.parse(copied.out), { command: 'duplicate', database: 'copy', from: 'comptoir' })
  assert.equal((await runHere('db', 'neutralize', 'copy', '--data-dir', dir)).out, 'neutralized copy\n')
  assert.equal((await runHere('db', 'neutralize', 'nobody', '--data-dir', dir)).code, 1)
  assert.deepEqual(JSON.parse((await runHere('db', 'list', '--json', '--data-dir', dir)).out), [
    { name: 'comptoir' },
    { name: 'copy' },
  ])
  const modules = JSON.parse(
    (await runHere('module', 'list', '--json', '--database', 'copy', '--data-dir', dir)).out,
  ) as { name: string }[]
  assert.deepEqual(modules[0], { ...modules[0], name: 'base', state: 'installed' })
  const elsewhere = ['--backup-dir', join(dir, 'elsewhere')]
  const looked = JSON.parse(
    (await runHere('doctor', '--json', '--data-dir', dir, ...elsewhere)).out,
  ) as Looked
  assert.equal(await archiveNoted(dir), undefined, 'only serve and backup init set where the server archives')
  assert.equal(looked.ok, true, JSON.stringify(looked.findings.filter(({ verdict }) => verdict === 'wrong')))
  const findings = new Map(looked.findings.map((finding) => [finding.check, finding]))
  for (const check of ['version', 'fsync', 'clocks', 'notifications', 'collation of copy'])
    assert.equal(findings.get(check)?.verdict, 'good', check)
  // The speed of the machine must not decide about a test.
  for (const check of ['latency', 'commit'])
    assert.ok(['good', 'advice'].includes(findings.get(check)?.verdict ?? ''), check)
  assert.match(findings.get('backup of copy')?.change ?? '', /^comptoir db backup copy /)
  const nowhere = await runHere('db', 'backup', 'copy', join(dir, 'none', 'x.zip'), '--data-dir', dir)
  assert.deepEqual([nowhere.code, nowhere.out], [1, ''])
  assert.match(nowhere.err, /^comptoir: Cannot write .*x\.zip: its folder does not exist\.\n$/)
  assert.match(
    (await runHere('db', 'restore', dir, 'other', '--data-dir', dir)).err,
    /^comptoir: Cannot read .*\n$/,
  )
  const refused = await runHere('module', 'uninstall', 'base', '--database', 'copy', '--data-dir', dir)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /base cannot be uninstalled/)
  if (TERMINAL) {
    const drop = (typed: string) => onTerminal(typed, 'db', 'drop', 'copy', '--data-dir', dir)
    assert.match(
      await drop('coppy\n'),
      /Type its name to continue:[\s\S]*comptoir: The names differ: nothing was deleted\./,
    )
    assert.match((await runHere('db', 'list', '--data-dir', dir)).out, /^copy$/m)
    assert.match(await drop('copy\n'), /Type its name to continue:[\s\S]*^dropped copy\r?$/m)
    await runHere('db', 'duplicate', 'comptoir', 'copy', '--data-dir', dir)
    assert.doesNotMatch(
      await onTerminal('', 'db', 'drop', 'copy', '--yes', '--data-dir', dir),
      /Type its name/,
    )
    await runHere('db', 'duplicate', 'comptoir', 'copy', '--data-dir', dir)
  }
  // Scripts mean what they say.
  assert.equal((await runHere('db', 'drop', 'copy', '--data-dir', dir)).out, 'dropped copy\n')
  const shop = await runHere('db', 'create', 'shop', '--demo', '--data-dir', dir)
  assert.match(shop.err, /two databases now.*X-Service-Database.*--default-database/)
  const installed = JSON.parse(
    (await runHere('module', 'list', '--json', '--database', 'shop', '--data-dir', dir)).out,
  ) as { state: string }[]
  assert.deepEqual([...new Set(installed.map(({ state }) => state))], ['installed'])
  await runHere('db', 'drop', 'shop', '--data-dir', dir)
  const create = ['key', 'create', '--database', 'comptoir', '--login', 'admin', '--data-dir', dir]
  const created = await run(...create)
  assert.equal(created.err, '', 'what is done stands in the audit log')
  const output = JSON.parse((await runHere(...create, '--json')).out) as { key: string }
  assert.deepEqual(output, {
    command: 'create',
    database: 'comptoir',
    login: 'admin',
    scope: null,
    key: output.key,
  })
  for (const each of [key, created.out.trimEnd().split('\n').at(-1), output.key]) {
    const headers = { authorization: `bearer ${each}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/json/2/res.users/context_get`, { method: 'POST', headers, body: '{}' })
    assert.equal(answer.status, 200)
  }

  // While the server runs, a lost password of the administrator can be replaced, and so can a lost key.
  const anew = await runHere(
    'user',
    'password',
    '--login',
    'admin',
    '--json',
    '--database',
    'comptoir',
    '--data-dir',
    dir,
  )
  const { password: invented } = JSON.parse(anew.out) as { password: string }
  const signIn = (tried: string) => {
    const params = { service: 'common', method: 'login', args: ['comptoir', 'admin', tried] }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, params })
    return fetch(`${url}/jsonrpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).then(async (answer) => ((await answer.json()) as { result: unknown }).result)
  }
  assert.deepEqual([await signIn(password), typeof (await signIn(invented))], [false, 'number'])

  // The reader of the log is gone; entries about refusals are still written.
  server.stdout.destroy()
  server.stderr.destroy()
  for (let n = 0; n < 4; n++) assert.equal(await signIn(password), false)
  assert.equal(typeof (await signIn(invented)), 'number')
  const keys = JSON.parse(
    (await runHere('key', 'list', '--json', '--database', 'comptoir', '--data-dir', dir)).out,
  ) as { id: number }[]
  assert.ok(keys.length >= 3)
  const revoked = await runHere(
    'key',
    'revoke',
    ...keys.map(({ id }) => String(id)),
    '--database',
    'comptoir',
    '--data-dir',
    dir,
  )
  assert.match(revoked.out, /^revoked keys /)
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
  assert.equal(
    (await fetch(`${url}/json/2/res.users/context_get`, { method: 'POST', headers, body: '{}' })).status,
    401,
  )
  const users = await runHere('user', 'list', '--data-dir', dir)
  assert.match(users.out, /^login +name +role[\s\S]*^admin +.* +administrator +yes/m)

  const cashier = ['--login', 'joe', '--role', 'cashier, stock', '--database', 'comptoir', '--data-dir', dir]
  assert.match((await runHere('user', 'create', ...cashier)).out, /^created user joe\n/)
  assert.match(
    (await runHere('user', 'roles', '--data-dir', dir)).out,
    /^role +group +what for\n[\s\S]*^cashier +Point of Sale \/ User +Sells at tills\.$/m,
  )
  const joe = await runHere('user', 'list', '--database', 'comptoir', '--data-dir', dir)
  assert.match(joe.out, /^joe +joe +cashier, stock +yes/m)

  server.kill('SIGTERM')
  const [code] = await once(server, 'exit')
  assert.equal(code, 0)
  await assert.rejects(fetch(`${url}/web/health`))
})
