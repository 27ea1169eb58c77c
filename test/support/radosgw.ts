// Ceph with its gateway for S3 as Debian packages them, one of each, in memory, on the loopback: for
// contents of attachments in a store that others made. In a directory that goes away.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreCredentials, StorePlace } from '../../src/config/index.ts'
import { freePort } from './free-port.ts'
import { makeTemp } from './temp.ts'

/** Why there can be none on this machine; false where there can. */
export const withoutRadosgw: string | false =
  process.getuid?.() === 0 &&
  ['ceph-mon', 'ceph-osd', 'radosgw'].every((name) => existsSync(`/usr/bin/${name}`))
    ? false
    : 'this needs root and Ceph (Debian: apt-get install ceph-mon ceph-osd radosgw)'

export class Radosgw {
  readonly credentials: StoreCredentials = { accessKeyId: 'test', secretAccessKey: randomUUID() }
  readonly #temp = makeTemp('radosgw')
  readonly #children: ChildProcess[] = []
  #port = 0
  #gateway!: ChildProcess

  private constructor() {}

  /** Starts all of it, with an account and no bucket. */
  static async start(): Promise<Radosgw> {
    const store = new Radosgw()
    try {
      await store.#form()
      return store
    } catch (error) {
      await store.stop()
      throw error
    }
  }

  /** Where a bucket of it is. */
  place(bucket: string): StorePlace {
    return { endpoint: `http://127.0.0.1:${this.#port}`, region: 'default', bucket, prefix: 'shops/' }
  }

  /** Ends the gateway at once; what it acknowledged is with Ceph. */
  async killGateway(): Promise<void> {
    this.#gateway.kill('SIGKILL')
    await once(this.#gateway, 'exit')
  }

  async startGateway(): Promise<void> {
    this.#gateway = this.#spawn('radosgw', '-n', 'client.admin', '-f')
    while (!(await fetch(`http://127.0.0.1:${this.#port}/`).catch(() => null))) {
      if (this.#gateway.exitCode !== null) throw new Error('radosgw does not start')
      await sleep(100)
    }
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    this.#temp.remove()
  }

  async #form(): Promise<void> {
    const [id, osd, port] = [randomUUID(), randomUUID(), await freePort()]
    this.#port = await freePort()
    const file = (name: string) => join(this.#temp.path, name)
    for (const name of ['mon', 'osd', 'run']) mkdirSync(file(name))
    writeFileSync(file('ceph.conf'), this.#settings(id, port))
    const caps = (...of: string[]) => of.flatMap((service) => ['--cap', service, 'allow *'])
    const key = (name: string, ...of: string[]) =>
      this.#run('ceph-authtool', file('keyring'), '--gen-key', '-n', name, ...caps(...of))
    writeFileSync(file('keyring'), '')
    key('mon.', 'mon')
    key('client.admin', 'mon', 'osd', 'mgr')
    key('osd.0', 'mon', 'osd')
    const monitors = ['--create', '--fsid', id, '--addv', 'a', `[v2:127.0.0.1:${port}]`, file('monmap')]
    execFileSync('monmaptool', monitors, { stdio: 'ignore' })
    this.#run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', file('monmap'), '--keyring', file('keyring'))
    this.#spawn('ceph-mon', '-i', 'a', '-f')
    this.#run('ceph', 'auth', 'import', '-i', file('keyring'))
    this.#run('ceph', 'osd', 'new', osd)
    this.#run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd)
    this.#run('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default')
    this.#spawn('ceph-osd', '-i', '0', '-f')
    const { accessKeyId, secretAccessKey } = this.credentials
    const account = ['--uid', 'shop', '--display-name', 'shop', '--access-key', accessKeyId]
    this.#run('radosgw-admin', 'user', 'create', ...account, '--secret-key', secretAccessKey)
    await this.startGateway()
  }

  #settings(id: string, port: number): string {
    const file = (name: string) => join(this.#temp.path, name)
    const settings = {
      fsid: id,
      mon_host: `v2:127.0.0.1:${port}/0`,
      public_network: '127.0.0.0/8',
      ms_bind_msgr1: false,
      osd_pool_default_size: 1,
      osd_pool_default_min_size: 1,
      osd_pool_default_pg_num: 1,
      osd_pool_default_pgp_num: 1,
      osd_crush_chooseleaf_type: 0,
      mon_allow_pool_size_one: true,
      mon_data: file('mon'),
      osd_data: file('osd'),
      osd_objectstore: 'memstore',
      memstore_device_bytes: 2 ** 31,
      run_dir: file('run'),
      admin_socket: file('run/$name.$pid.asok'),
      log_file: '/dev/null',
      keyring: file('keyring'),
      rgw_data: file('rgw'),
      rgw_frontends: `beast endpoint=127.0.0.1:${this.#port}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    return `[global]\n${lines.join('\n')}\n`
  }

  get #conf(): string[] {
    return ['-c', join(this.#temp.path, 'ceph.conf')]
  }

  #run(program: string, ...args: string[]): void {
    execFileSync(program, [...args, ...this.#conf], { stdio: ['ignore', 'ignore', 'pipe'] })
  }

  #spawn(program: string, ...args: string[]): ChildProcess {
    const child = spawn(program, [...args, ...this.#conf], { stdio: 'ignore', cwd: '/' })
    this.#children.push(child)
    return child
  }
}
