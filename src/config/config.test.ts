// Configuration: flags before environment before file before defaults, and clear messages for invalid values.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { StartupError } from '../errors.ts'
import { everyExtension, options, readConfig, unknownVariables, variable } from './index.ts'

const dir = mkdtempSync(join(tmpdir(), 'comptoir-config-'))
after(() => rmSync(dir, { recursive: true }))

const read = (flags: Record<string, string | boolean>, env: Record<string, string> = {}, cwd = '/srv') =>
  readConfig({ flags, env, cwd })

function file(name: string, content: string): string {
  const path = join(dir, name)
  writeFileSync(path, content)
  return path
}

test('settings that are not set have their defaults', () => {
  assert.deepEqual(read({}), {
    host: '127.0.0.1',
    port: 8069,
    dataDir: '/srv/data',
    databaseUrl: undefined,
    backupDir: undefined,
    files: undefined,
    filesCredentials: undefined,
    backupEverySeconds: 86_400,
    backupKeepDays: 7,
    backupWalSeconds: undefined,
    databaseFilter: undefined,
    defaultDatabase: undefined,
    shop: undefined,
    masterPassword: undefined,
    listDatabases: true,
    addons: [],
    workers: 1,
    log: 'text',
    bodyLimit: 64 * 1024 * 1024,
    limits: {},
    lossyFailover: false,
    accessLog: false,
    trustProxy: undefined,
    serverTiming: false,
    extensions: everyExtension,
    drainSeconds: 0,
    upgrade: 'by-hand',
    pooler: undefined,
    directUrl: undefined,
    replicaUrl: undefined,
    auditLog: undefined,
    auditSyslog: undefined,
    replicaLagSeconds: 10,
    poolSize: 16,
    poolQueue: 1000,
    poolWaitSeconds: 8,
    rateLimit: undefined,
    concurrencyLimit: undefined,
    site: undefined,
    corsOrigins: [],
    mcpOrigins: [],
    mcpAuthorizationServer: undefined,
    metrics: undefined,
    jobTimeoutSeconds: 900,
    metricsDatabases: false,
    poolIdleSeconds: 60,
    openDatabases: 200,
    connectSeconds: 10,
    transactionIdleSeconds: 60,
    webhookAllow: [],
    webhookHttp: false,
    secretKey: undefined,
  })
  assert.ok(Object.isFrozen(read({})))
})

test('a flag is stronger than the environment, that than the file, that than the default', () => {
  const config = file('all.json', '{"port": 1, "host": "file", "workers": 3, "data-dir": "here"}')
  const settings = read({ config, port: '3' }, { COMPTOIR_PORT: '2', COMPTOIR_HOST: 'env', COMPTOIR_LOG: '' })
  assert.deepEqual([settings.port, settings.host, settings.workers, settings.log], [3, 'env', 3, 'text'])
  assert.equal(settings.dataDir, join(dir, 'here'))
})

test('the file is found by environment or in the data directory', () => {
  const path = file('comptoir.json', '{"access-log": true, "body-limit": "1m"}')
  for (const settings of [read({}, { COMPTOIR_CONFIG: path }), read({ 'data-dir': dir })]) {
    assert.equal(settings.accessLog, true)
    assert.equal(settings.bodyLimit, 1024 * 1024)
  }
  rmSync(path)
})

test('every option of serve has an environment variable', () => {
  assert.equal(variable('data-dir'), 'COMPTOIR_DATA_DIR')
  const values = {
    port: '1',
    workers: '1',
    log: 'json',
    'body-limit': '1k',
    limit: 'terms=5',
    'access-log': 'on',
    extensions: 'no',
    'database-url': 'postgres://h',
    'list-db': 'no',
    'server-timing': 'on',
    'drain-seconds': '5',
    upgrade: 'on-open',
    shop: 'empty',
    pooler: 'transaction',
    'direct-url': 'postgres://d',
    'replica-url': 'postgres://r',
    'replica-lag-seconds': '3',
    'lossy-failover': 'yes',
    'pool-size': '4',
    'pool-queue': '10',
    'pool-wait-seconds': '3',
    'backup-every': '2h',
    'audit-log': 'audit.log',
    'audit-syslog': 'udp://[::1]:514',
    files: 's3://bucket/shops?endpoint=http://127.0.0.1:9000&region=eu-west-1',
    'files-credentials-file': file('credentials', 'aws_access_key_id = a\naws_secret_access_key = b\n'),
    'backup-keep': '14',
    'backup-wal-seconds': '10',
    'rate-limit': '600/60s',
    'concurrency-limit': '4',
    'job-timeout': '5m',
    metrics: '127.0.0.1:9464',
    site: '/',
    'cors-origins': 'https://app.example',
    'mcp-origins': 'https://app.example',
    'mcp-authorization-server': 'https://login.example',
    'metrics-databases': 'yes',
    'pool-idle-seconds': '3',
    'open-databases': '50',
    'connect-seconds': '3',
    'transaction-idle-seconds': '30',
    'trust-proxy': '127.0.0.1, fd00::/8',
    'webhook-allow': '10.1.0.0/16',
    'webhook-http': 'yes',
    'secret-key': '0'.repeat(64),
    'secret-key-file': file('secret-key', 'f'.repeat(64)),
    addons: import.meta.filename,
    'master-password-file': import.meta.filename,
  }
  for (const { name, key } of options) {
    const text = values[name as keyof typeof values] ?? 'value'
    assert.notEqual(
      read({}, { [variable(name)]: text })[key],
      name === 'port' || name === 'workers' ? undefined : read({})[key],
      name,
    )
  }
})

test('bad values are refused, without repeating them', () => {
  const bad = {
    port: 'x',
    workers: '0',
    log: 'xml',
    'body-limit': '9g',
    limit: 'colour=3',
    'database-url': 'mysql://h',
    'db-filter': '(',
    'access-log': 'maybe',
    'trust-proxy': 'everybody',
    addons: '/nowhere/index.ts',
    host: '',
    'audit-syslog': 'tcp://here',
  }
  for (const [name, text] of Object.entries(bad)) {
    assert.throws(
      () => read({ [name]: text }),
      (error: Error) => error instanceof StartupError && error.message.startsWith(`--${name} must`),
      name,
    )
  }
  assert.throws(
    () => read({}, { COMPTOIR_DATABASE_URL: 'secret' }),
    (error: Error) => error.message.startsWith('COMPTOIR_DATABASE_URL') && !error.message.includes('secret'),
  )
})

test('a syslog may be a socket file of streams; that of datagrams is refused with what to do', () => {
  const path = '/run/audit.sock'
  assert.deepEqual(read({ 'audit-syslog': `unix://${path}` }).auditSyslog, { protocol: 'unix', path })
  for (const text of ['/dev/log', 'unix:///dev/log'])
    assert.throws(() => read({ 'audit-syslog': text }), /takes datagrams only: have the syslog listen/)
})

test('a secret is the first line of a file, in addition to the settings file', () => {
  const path = file('secret', 'open sesame\nand more\n')
  assert.equal(read({ 'master-password-file': path }).masterPassword, 'open sesame')
  assert.equal(read({}, { COMPTOIR_MASTER_PASSWORD_FILE: path }).masterPassword, 'open sesame')
  assert.equal(read({ 'master-password': 'plain', 'master-password-file': path }).masterPassword, 'plain')
  assert.throws(
    () => read({ 'master-password-file': join(dir, 'none') }),
    /--master-password-file must name a file/,
  )
})

test('variables that are not settings are named', () => {
  assert.deepEqual(
    unknownVariables({ COMPTOIR_PROT: '1', COMPTOIR_PORT: '2', COMPTOIR_DEBUG: '1', HOME: '/' }),
    ['COMPTOIR_PROT'],
  )
})

test('an invalid settings file is refused, naming file and key', () => {
  const refused = (content: string, words: RegExp) =>
    assert.throws(() => read({ config: file('bad.json', content) }), words, content)
  refused('{', /bad\.json cannot be read/)
  refused('[]', /one JSON object/)
  refused('{"prot": 1}', /Unknown key "prot" in .*bad\.json; valid keys are host, port/)
  refused('{"port": {}}', /port in .* must be a text/)
  refused('{"port": "x"}', /port in .*bad\.json must be a whole number/)
  assert.throws(() => read({ config: join(dir, 'missing.json') }), StartupError)
})
