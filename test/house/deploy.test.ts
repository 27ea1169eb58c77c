// Deployment files match the code: settings, ports, paths and health checks of the image, the compose
// file, the balancer and the service. Their own tools check them if they are installed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { options, readConfig, unknownVariables } from '../../src/config/index.ts'
import { makeTemp } from '../support/temp.ts'
import { root } from './sources.ts'

const text = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8')
const [image, compose, service, balancer] = [
  'Dockerfile',
  'compose.yaml',
  'comptoir.service',
  'haproxy.cfg',
].map(text) as [string, string, string, string]

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined

/** Settings that a file gives by variables, with their values as far as these are no references. */
function variables(file: string): Record<string, string> {
  const variablesFound = [...file.matchAll(/\b(COMPTOIR_\w+)(?:=|: )"?([^\s"\\]*)/g)]
  assert.ok(variablesFound.length > 1)
  // An address that refers to other variables is replaced by a valid one.
  const read = (name: string, value: string) =>
    name === 'COMPTOIR_DATABASE_URL' ? 'postgres://comptoir@postgres/' : value
  return Object.fromEntries(variablesFound.map(([, name = '', value = '']) => [name, read(name, value)]))
}

test('image, compose file and service give settings that there are, with values that can be read', () => {
  for (const file of [image, compose, service]) {
    const env = variables(file)
    assert.deepEqual(unknownVariables(env), [])
    readConfig({ flags: {}, env, cwd: '/' })
  }
  const ours = readConfig({ flags: {}, env: variables(compose), cwd: '/' })
  const most = 100 - 3
  assert.ok(2 * (ours.poolSize + 2) < most, 'two nodes fit into PostgreSQL as it comes')
  const [, interval, fall] = /inter (\d+)s fall (\d+)/.exec(balancer) ?? []
  assert.ok(ours.drainSeconds > Number(interval) * Number(fall), 'the balancer notices before the end')
  assert.ok(60 > ours.drainSeconds * 2, 'and calls in flight have their time')
})

test('ports, paths and commands are those of the code', () => {
  const port = options.find(({ name }) => name === 'port')?.fallback
  for (const [file, pattern] of [
    [image, /^EXPOSE (\d+)$/m],
    [image, /COMPTOIR_PORT=(\d+)/],
    [compose, /127\.0\.0\.1:\d+:(\d+)/],
    [balancer, /^ {4}bind :(\d+)$/m],
    [balancer, /server one one:(\d+) *$/m],
  ] as const)
    assert.equal(pattern.exec(file)?.[1], port, String(pattern))
  const status = readFileSync(join(root, 'src/http/status.ts'), 'utf8')
  assert.match(image, /\/web\/health`\)/)
  assert.match(balancer, /GET \/web\/health\?ready=1/)
  assert.ok(status.includes("'/web/health'") && status.includes('query.ready'))
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin: { comptoir: string }
  }
  for (const file of [image, service])
    assert.ok(file.includes(`/opt/comptoir/node_modules/comptoir/${bin.comptoir}`), bin.comptoir)
  assert.match(service, /comptoir\.js serve$/m)
  assert.match(image, /^CMD \["serve"\]$/m)
  assert.match(image, /^USER comptoir$/m)
  for (const [, copied = ''] of image.matchAll(/^COPY (package\S*) (\S+) \.\/$/gm))
    assert.ok(existsSync(join(root, copied)), copied)
  const wanted = Number(/FROM node:(\d+)/.exec(image)?.[1])
  assert.ok(wanted >= 24)
})

test('systemd takes the service, and finds it closed', {
  skip: isThere('systemd-analyze') ? false : 'this machine has no systemd-analyze (Debian: systemd)',
}, () => {
  const path = join(root, 'deploy/comptoir.service')
  const { stdout, stderr, status } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', path],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stdout.slice(-300) + stderr)
  assert.doesNotMatch(stderr, /Unknown key|Failed to parse|Invalid/)
})

/** A setting of PgBouncer or Patroni, from its line. */
const numberOf = (file: string, name: string) =>
  Number(new RegExp(`^\\s*${name}\\s*[=:]\\s*(\\d+)`, 'm').exec(file)?.[1])

test('high availability: settings of nodes are read, and sizes of pools fit into each other', () => {
  const [node, pooler, members] = ['ha/comptoir.env', 'ha/pgbouncer.ini', 'ha/patroni.yml'].map(text) as [
    string,
    string,
    string,
  ]
  const env = variables(node)
  assert.deepEqual(unknownVariables(env), [])
  const {
    poolSize,
    databaseUrl,
    directUrl,
    pooler: mode,
  } = readConfig({
    flags: {},
    env: { ...env, COMPTOIR_DIRECT_URL: 'postgres://comptoir@db1:5432,db2:5432,db3:5432/' },
    cwd: '/',
  })
  assert.ok(databaseUrl && directUrl)
  assert.equal(mode, /^pool_mode = (\w+)$/m.exec(pooler)?.[1])
  assert.ok(2 * poolSize <= numberOf(pooler, 'default_pool_size'), 'two nodes fit into a pool')
  const [pooled, most] = [numberOf(pooler, 'max_user_connections'), numberOf(members, 'max_connections')]
  assert.ok(numberOf(pooler, 'default_pool_size') <= pooled && pooled + 2 * 4 + 10 <= most)
  const [ttl, pause, retry] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) => numberOf(members, name))
  assert.ok(Number(ttl) > Number(pause) + 2 * Number(retry), 'a slow round is no loss of the leader')
})

test('high availability: etcd and PgBouncer fit what Debian starts them with', () => {
  // Packages start etcd alone, in a folder named default, and give PgBouncer 1,024 files.
  assert.match(text('ha/etcd.env'), /^ETCD_DATA_DIR=\/var\/lib\/etcd\/(?!default$)\w+$/m)
  const pooler = text('ha/pgbouncer.ini')
  assert.ok(numberOf(pooler, 'max_client_conn') + numberOf(pooler, 'max_user_connections') < 1000)
})

test('high availability: members know each other without etcd, which is asked by its older API', () => {
  const [cluster, members] = [text('ha/etcd.env'), text('ha/patroni.yml')]
  const names = [...cluster.matchAll(/[=,](\w+)=http:/g)].map(([, name]) => name)
  assert.equal(names.length, 3)
  assert.match(members, new RegExp(`^ {2}allowlist: \\[127\\.0\\.0\\.1, ${names.join(', ')}\\]$`, 'm'))
  assert.match(members, /^etcd:$/m)
  assert.match(cluster, /^ETCD_ENABLE_V2=true$/m)
})

test('high availability: the balancer of hosts is that of containers, but for its account and names that move', () => {
  const rules = (file: string) =>
    file
      .replace(/^(?:#.*\n)+/, '')
      .replace(/\n# Names of containers[\s\S]*/, '\n')
      .replace(' init-addr libc,none resolvers names', '')
      .replace(/ {4}# It opens its port as root.*\n {4}user .*\n {4}group .*\n/, '')
      .replaceAll(/^ +server .*\n/gm, '')
      .trim()
  assert.equal(rules(text('ha/haproxy.cfg')), rules(balancer))
})

test('HAProxy takes the settings of the balancer', {
  skip: isThere('haproxy') ? false : 'this machine has no HAProxy (Debian: apt-get install haproxy)',
}, () => {
  const { stderr, status } = spawnSync('haproxy', ['-c', '-f', join(root, 'deploy/haproxy.cfg')], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /\[ALERT\]/)
})

test('nginx takes the reverse proxy of the guide, which passes on the names that clients used', {
  skip: isThere('nginx') && isThere('openssl') ? false : 'this machine has no nginx (Debian: nginx-light)',
}, (t) => {
  const guide = readFileSync(join(root, 'docs/guides/install.md'), 'utf8')
  const [, printed = ''] = /^```nginx\n([\s\S]*?)^```$/m.exec(guide) ?? []
  for (const name of ['Host', 'X-Forwarded-Host', 'X-Forwarded-For', 'X-Forwarded-Proto'])
    assert.ok(printed.includes(`proxy_set_header ${name} `), name)
  const temp = makeTemp('nginx')
  t.after(() => temp.remove())
  const [certificate, key, file] = ['shop.pem', 'shop.key', 'nginx.conf'].map((name) =>
    join(temp.path, name),
  ) as [string, string, string]
  const subject = ['-subj', '/CN=shop.example.com', '-keyout', key, '-out', certificate]
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject])
  const site = printed
    .replace(/(?<=ssl_certificate )[^;]+/, certificate)
    .replace(/(?<=ssl_certificate_key )[^;]+/, key)
  writeFileSync(file, `pid ${temp.path}/pid; events {} http { access_log off; ${site} }`)
  const { stderr, status } = spawnSync('nginx', ['-t', '-e', 'stderr', '-c', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
