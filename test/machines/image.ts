// The image of deploy/Dockerfile, built and run as the compose file runs it: by another account, without
// rights, on a file system that is read only. `node test/machines/image.ts` as root, with Debian's packages
// (apt-get install buildah runc debootstrap); its base is made of Debian's packages and the Node.js that runs
// this, so that no registry of images is asked. Everything is in a directory that goes away.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/serve.ts'
import { makeDataDir, makeTemp } from '../support/temp.ts'

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const BASE = `docker.io/library/${/^FROM (\S+) AS package$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))?.[1]}`
const USER = 10001

const temp = makeTemp('image')
const storage = ['--root', join(temp.path, 'root'), '--runroot', join(temp.path, 'run')]

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const buildah = (...args: string[]) => run('buildah', ...storage, ...args)

/**
 * The base image of the Dockerfile: Debian, Node.js and npm, and the certificates that this machine
 * trusts.
 */
function makeBase(): void {
  const folder = join(temp.path, 'base')
  run('debootstrap', '--variant=minbase', 'bookworm', folder)
  const local = join(folder, 'usr/local')
  cpSync(realpathSync(process.execPath), join(local, 'bin/node'))
  const npm = dirname(dirname(realpathSync(run('sh', '-c', 'command -v npm'))))
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true })
  cpSync(CERTIFICATES, join(folder, CERTIFICATES), { dereference: true })
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, folder, '/')
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container)
  buildah('commit', '--quiet', '--rm', container, BASE)
}

function build(name: string, postgresql: string): void {
  const how = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers', '--format', 'docker']
  const what = ['--ignorefile', 'deploy/Dockerfile.dockerignore', '-f', 'deploy/Dockerfile']
  buildah('bud', '--quiet', ...how, ...what, '--build-arg', `POSTGRESQL=${postgresql}`, '-t', name, '.')
}

interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly WorkingDir: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

/** A container that runs. */
class Container {
  readonly url: string
  readonly #name: string
  readonly #config: ImageConfig
  readonly #env: readonly string[]
  readonly #child: ChildProcess
  #said = ''

  constructor(image: string, port: number, settings: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`
    this.#name = `comptoir-${port}`
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', image)) as {
      Docker: { config: ImageConfig }
    }
    this.#config = Docker.config
    // It shares the loopback of this machine, and nothing is to be reached from elsewhere.
    const variables = { ...settings, COMPTOIR_HOST: '127.0.0.1', COMPTOIR_PORT: String(port) }
    this.#env = [...this.#config.Env, ...Object.entries(variables).map((pair) => pair.join('='))]
    const bundle = join(temp.path, this.#name)
    mkdirSync(bundle)
    const rootfs = buildah('mount', buildah('from', '--pull-never', image))
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(this.#specification(rootfs)))
    this.#child = spawn('runc', [...this.#runc('run'), '--bundle', bundle, this.#name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString()
      })
  }

  #runc = (verb: string) => ['--root', join(temp.path, 'runc'), verb]

  /** As the compose file has it: nothing is written but to two places in memory, and no rights are held. */
  #specification(rootfs: string): object {
    const { WorkingDir, Entrypoint, Cmd } = this.#config
    const memory = (destination: string, ...options: string[]) => ({
      destination,
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', ...options],
    })
    return {
      ociVersion: '1.0.2',
      root: { path: rootfs, readonly: true },
      process: {
        user: { uid: USER, gid: USER },
        args: [...Entrypoint, ...Cmd],
        env: this.#env,
        cwd: WorkingDir,
        noNewPrivileges: true,
        capabilities: {},
      },
      mounts: [
        { destination: '/proc', type: 'proc', source: 'proc' },
        memory('/dev', 'mode=755'),
        memory('/dev/shm', 'mode=1777'),
        memory('/tmp', 'mode=1777'),
        memory('/var/lib/comptoir', `uid=${USER}`, `gid=${USER}`, 'mode=0700'),
      ],
      linux: { namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
    }
  }

  /** Runs a program inside; gives what it prints. */
  exec(...args: string[]): string {
    const env = this.#env.flatMap((variable) => ['--env', variable])
    return run('runc', ...this.#runc('exec'), ...env, '--user', `${USER}:${USER}`, this.#name, ...args)
  }

  /** A command of ours, as `docker run … COMMAND` names it. */
  command(...args: string[]): string {
    return this.exec(...this.#config.Entrypoint, ...args)
  }

  /** Runs what says whether the container is well; throws when it is not. */
  checkHealth(): void {
    this.exec(...this.#config.Healthcheck.Test.slice(1))
  }

  async answers(): Promise<void> {
    while (!(await fetch(`${this.url}/web/health?ready=1`).catch(() => null))?.ok) {
      if (this.#child.exitCode !== null) throw new Error(`The container ended:\n${this.#said}`)
      await sleep(50)
    }
  }

  /** Ends it as `docker stop` does; gives its exit code. */
  async stop(): Promise<number | null> {
    run('runc', ...this.#runc('kill'), this.#name, 'TERM')
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
    return this.#child.exitCode
  }

  destroy(): void {
    if (this.#child.exitCode === null) run('runc', ...this.#runc('delete'), '--force', this.#name)
  }
}

/** Runs an image, makes a shop in it, and calls; throws where anything is not as it should be. */
async function tryOut(image: string, settings: Readonly<Record<string, string>>): Promise<object> {
  const began = performance.now()
  const container = new Container(image, await freePort(), settings)
  try {
    await container.answers()
    const seconds = Math.round((performance.now() - began) / 100) / 10
    container.checkHealth()
    container.command('db', 'create', 'shop', '--modules', 'base')
    const key = container
      .command('key', 'create', '--database', 'shop', '--login', 'admin')
      .split('\n')
      .at(-1)
    const call = async (method: string, body: object) => {
      const answer = await fetch(`${container.url}/json/2/res.partner/${method}`, {
        method: 'POST',
        headers: {
          authorization: `bearer ${key}`,
          'content-type': 'application/json',
          'x-service-database': 'shop',
        },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(await answer.text())
      return (await answer.json()) as unknown
    }
    for (let n = 0; n < 200; n++) await call('create', { vals_list: [{ name: `Client ${n}` }] })
    const count = await call('search_count', { domain: [['name', '=like', 'Client %']] })
    const status = container.exec('cat', '/proc/1/status')
    const facts = { user: /^Uid:\s+(\d+)/m.exec(status)?.[1], rights: /^CapEff:\s+(\S+)/m.exec(status)?.[1] }
    const exit = await container.stop()
    if (count !== 200 || exit !== 0 || facts.user !== String(USER) || Number(`0x${facts.rights}`) !== 0)
      throw new Error(`Not as it should be: ${JSON.stringify({ count, exit, ...facts })}`)
    return { megabytes: sizeOf(image), secondsToAnswer: seconds, written: count, exit, ...facts }
  } finally {
    container.destroy()
  }
}

function sizeOf(image: string): number {
  const [{ size }] = JSON.parse(buildah('images', '--json', image)) as [{ size: string }]
  return Number.parseFloat(size)
}

const data = makeDataDir('image-postgres')
const postgres = await startEmbedded({ dataDir: data.path, durable: false, log: () => undefined })
try {
  makeBase()
  build('comptoir', 'embedded')
  build('comptoir-node', 'none')
  const url = `postgres://${postgres.user}:${postgres.password}@${postgres.host}:${postgres.port}/`
  const report = {
    embedded: await tryOut('comptoir', {}),
    none: await tryOut('comptoir-node', { COMPTOIR_DATABASE_URL: url }),
  }
  console.log(JSON.stringify(report, undefined, 2))
} finally {
  await postgres.stop()
  data.remove()
  buildah('rm', '--all')
  temp.remove()
}
