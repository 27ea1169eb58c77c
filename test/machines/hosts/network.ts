// Hosts of their own on one machine, in namespaces of Linux: each with a name, an address, /etc, /var and
// processes that no other host sees, on one network without a way out. A host is cut off, frozen, loses its
// power and starts again.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/receiver.ts'
import { root } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'

const TOOLS = [
  '/usr/bin/unshare',
  '/usr/bin/nsenter',
  '/usr/bin/setpriv',
  '/usr/sbin/ip',
  '/usr/sbin/useradd',
]
const PROGRAMS = [
  '/usr/bin/etcd',
  '/usr/bin/patroni',
  '/usr/sbin/pgbouncer',
  '/usr/sbin/haproxy',
  '/usr/lib/postgresql/15/bin/postgres',
]
const INSIDE = 'COMPTOIR_HOSTS_INSIDE'

/** Why there can be no such hosts on this machine; false where there can. */
export const withoutHosts: string | false = withoutTools()

function withoutTools(): string | false {
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  if (![...TOOLS, ...PROGRAMS].every((path) => existsSync(path)))
    return 'this machine lacks a package (Debian 12: apt-get install etcd-server patroni postgresql-15 pgbouncer haproxy iproute2 util-linux)'
  const { status } = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'])
  return status === 0 ? false : 'this machine makes no namespaces'
}

/**
 * Runs the script of this process again in namespaces of its own, where its network reaches nothing else and
 * everything that it starts ends with it. True in there.
 */
export function enterNetwork(): boolean {
  if (process.env[INSIDE]) return true
  const flags = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  // A shell comes first: it buries processes whose parents died, as Node.js does not.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh']
  const again = [...flags, ...shell, process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  // It ends with this process, however that ends.
  const { status } = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...again], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: 'yes' },
  })
  process.exitCode = status ?? 1
  return false
}

export interface Disks {
  /** PostgreSQL of every host has a disk of its own, which fills and fails. */
  readonly megabytesOfDisk?: number
}

export class Network {
  readonly #temp = makeTemp('hosts')
  readonly #hosts = new Map<string, Host>()

  /** Hosts by name, each with its address in 10.0.0.0/24; this process has the first one. */
  static async open(
    addresses: Readonly<Record<string, string>>,
    { megabytesOfDisk }: Disks = {},
  ): Promise<Network> {
    const network = new Network()
    for (const words of [
      'link set lo up',
      'link add lan type bridge',
      'link set lan up',
      'addr add 10.0.0.1/24 dev lan',
    ])
      execFileSync('ip', words.split(' '))
    // The package, where the guide installs it: a link, so that a checkout runs its sources.
    execFileSync('mount', ['-t', 'tmpfs', 'none', '/opt'])
    mkdirSync('/opt/comptoir/node_modules', { recursive: true })
    execFileSync('ln', ['-s', root, '/opt/comptoir/node_modules/comptoir'])
    const names = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`)
    for (const [name, address] of Object.entries(addresses)) {
      const host = new Host(name, address, network.#temp.path)
      writeFileSync(join(host.folder, 'etc/hosts'), `127.0.0.1 localhost\n${names.join('')}`)
      network.#hosts.set(name, host)
      if (megabytesOfDisk && name.startsWith('db')) host.addDisk(megabytesOfDisk)
      await host.powerOn()
    }
    return network
  }

  host(name: string): Host {
    const host = this.#hosts.get(name)
    if (!host) throw new Error(`There is no host ${name}.`)
    return host
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.values().map((host) => host.removeDisk()))
    this.#temp.remove()
  }
}

/** Folders that each host has for itself; the rest of the machine it sees as it is. */
const FOLDERS = { etc: '/etc', run: '/run', log: '/var/log', lib: '/var/lib', root: '/root' }

export class Host {
  readonly name: string
  readonly address: string
  readonly folder: string
  #shell: ChildProcess | null = null
  /** Its first process, as others see it. */
  #pid = 0
  /** Its namespace of processes. */
  #space: string | null = null

  constructor(name: string, address: string, temp: string) {
    this.name = name
    this.address = address
    this.folder = join(temp, name)
    for (const part of Object.keys(FOLDERS)) mkdirSync(join(this.folder, part), { recursive: true })
    execFileSync('cp', ['-a', '/etc/.', join(this.folder, 'etc')])
    mkdirSync(join(this.folder, 'etc/enabled'))
    for (const [user, path] of [
      ['etcd', 'lib/etcd'],
      ['postgres', 'lib/postgresql'],
      ['postgres', 'log/postgresql'],
    ])
      execFileSync('install', ['-d', '-o', user as string, '-m', '0755', join(this.folder, path as string)])
    // Programs of any user start in folders of this one.
    for (const part of ['.', 'lib', 'log', 'run', 'root'])
      execFileSync('chmod', ['0711', join(this.folder, part)])
  }

  get #disk() {
    const room = join(this.folder, 'disk')
    return {
      room,
      image: join(room, 'image'),
      filler: join(room, 'filler'),
      at: join(this.folder, 'lib/postgresql'),
    }
  }

  /** PostgreSQL gets a disk of its own: a file system on a file that takes so much room at most. */
  addDisk(megabytes: number): void {
    const { room, image, at } = this.#disk
    mkdirSync(room)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', room])
    execFileSync('truncate', ['-s', `${megabytes * 2}m`, image])
    execFileSync('mkfs.ext4', ['-q', '-E', 'nodiscard', image])
    this.#mount()
    execFileSync('chown', ['postgres:', at])
  }

  /** Room of what is removed comes back at once: an hour of logs would fill the disk otherwise. */
  #mount(): void {
    execFileSync('mount', ['-o', 'loop,discard', this.#disk.image, this.#disk.at])
  }

  /** Writes to new places of the disk fail from now on with an I/O error. */
  breakDisk(): void {
    spawnSync('dd', ['if=/dev/zero', `of=${this.#disk.filler}`, 'bs=1M'], { stdio: 'ignore' })
  }

  /** Repairs the disk, as somebody would who changes it while the host is off. */
  async repairDisk(): Promise<void> {
    await this.powerOff()
    execFileSync('rm', ['-f', this.#disk.filler])
    await unmount(this.#disk.at)
    // The kernel keeps the file system until the namespace of the host is gone too.
    while (execFileSync('losetup', ['-j', this.#disk.image]).length) await sleep(100)
    spawnSync('e2fsck', ['-fy', this.#disk.image], { stdio: 'ignore' })
    this.#mount()
    await this.powerOn()
  }

  /** Turns the host off for good, so that its folder can be removed. */
  async removeDisk(): Promise<void> {
    await this.powerOff()
    const { room, at } = this.#disk
    for (const path of existsSync(room) ? [at, room] : []) await unmount(path)
  }

  /** Starts it, with the services that were enabled. */
  async powerOn(): Promise<void> {
    const flags = ['--net', '--mount', '--pid', '--uts', '--fork', '--kill-child', '--mount-proc']
    // A shell that waits buries processes whose parents ended: Patroni waits for the end of its PostgreSQL.
    this.#shell = spawn('unshare', [...flags, 'sh', '-c', 'sleep infinity & wait'], { stdio: 'ignore' })
    const { pid } = this.#shell
    const inner = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    while (!inner()) await sleep(10)
    this.#pid = Number(inner())
    // The child has its namespaces once it is another program.
    while (!readFileSync(`/proc/${this.#pid}/cmdline`, 'utf8').startsWith('sh')) await sleep(10)
    this.#space = namespaceOf(this.#pid)
    const ip = (words: string) => execFileSync('ip', words.split(' '))
    ip(`link add ${this.name} type veth peer name eth0 netns ${this.#pid}`)
    ip(`link set ${this.name} master lan up`)
    const binds = Object.entries(FOLDERS).map(
      ([part, path]) => `mount --rbind ${join(this.folder, part)} ${path}`,
    )
    await this.run(
      [
        'hostname "$NAME"',
        // Disks of other hosts are not kept mounted here: each can be taken out where it is.
        `awk '/\\/lib\\/postgresql / && index($2, "${this.folder}/") != 1 { print $2 }' /proc/mounts | xargs -r umount`,
        ...binds,
        'install -d -o postgres -m 2775 /run/postgresql',
        `ip addr add ${this.address}/24 dev eth0`,
        'ip link set eth0 up',
        'ip link set lo up',
        // Files of processes that ended with the power.
        'rm -f /run/*.pid /run/postgresql/.s.* /run/postgresql/*.pid',
        'for unit in /etc/enabled/*; do [ ! -f "$unit" ] || systemctl start "$(basename "$unit")"; done',
      ].join('\n'),
      { NAME: this.name },
    )
  }

  /** Ends all its processes at once, as a power cut would; what is on its disk stays. */
  async powerOff(): Promise<void> {
    const shell = this.#shell
    if (!shell || shell.exitCode !== null || shell.signalCode !== null) return
    for (const pid of [this.#pid, ...this.processes()]) signal(pid, 'SIGCONT')
    shell.kill('SIGKILL')
    await once(shell, 'exit')
    await until(() => this.processes().length === 0, `the processes of ${this.name} are gone`)
    // The line goes with the last use of the namespace, or before.
    spawnSync('ip', ['link', 'del', this.name], { stdio: 'ignore' })
  }

  /** Runs lines of a shell as root. Throws with what was printed when one of them fails. */
  async run(script: string, environment: Readonly<Record<string, string>> = {}, input = ''): Promise<string> {
    const path = `${join(import.meta.dirname, 'bin')}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
    const inside = ['-t', String(this.#pid), '-n', '-m', '-p', '-u', '--wd=/']
    const shell = ['bash', '--norc', '-eu', '-o', 'pipefail', '-c', script]
    // Without a terminal: passwords that are asked for come from the input.
    const child = spawn('nsenter', [...inside, ...shell], {
      env: { PATH: path, HOME: '/root', ...environment },
      detached: true,
    })
    child.stdin.on('error', () => undefined).end(input)
    const exited = once(child, 'exit')
    const [out, problems] = [text(child.stdout), text(child.stderr)]
    const [code] = (await exited) as [number | null]
    if (code !== 0) throw new Error(`${this.name}: ${code}\n${script}\n${await out}\n${await problems}`)
    return out
  }

  /** Processes of the host, but for its first one. */
  processes(): number[] {
    const space = this.#space
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid && pid !== this.#pid && namespaceOf(pid) === space)
  }

  /** Stops all its processes where they are, as a machine that hangs. */
  freeze(): void {
    for (const pid of this.processes()) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.processes()) signal(pid, 'SIGCONT')
  }

  /** Takes its line to all others away, and gives it back. */
  cut(isCut: boolean): void {
    execFileSync('ip', ['link', 'set', this.name, isCut ? 'down' : 'up'])
  }

  /** Packets to other hosts vanish, while all further ones are reached. */
  async lose(others: readonly Host[], isLost: boolean): Promise<void> {
    for (const { address } of others)
      await this.run(`ip route ${isLost ? 'add' : 'del'} blackhole ${address}/32`)
  }
}

/** Unmounts a disk, once the last of those who used it are gone. */
const unmount = (path: string) =>
  until(() => spawnSync('umount', [path], { stdio: 'ignore' }).status === 0, `${path} is unmounted`)

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself.
  }
}
