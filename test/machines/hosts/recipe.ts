// The recipe for high availability as it stands (deploy/ha): its guide is followed line by line on six hosts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/receiver.ts'
import { root } from '../../support/serve.ts'
import { type Disks, type Host, Network } from './network.ts'

const ADDRESSES = {
  db1: '10.0.0.11',
  db2: '10.0.0.12',
  db3: '10.0.0.13',
  node1: '10.0.0.21',
  node2: '10.0.0.22',
  balancer: '10.0.0.30',
}
export const MEMBERS = ['db1', 'db2', 'db3'] as const

/** Seconds that a member has to follow the leader by itself after anything that happened. */
const PATIENCE = 180

/** A password of nothing but these hosts. */
const PASSWORD = 'test-of-the-recipe'

export class Recipe {
  readonly network: Network
  /** Where calls go. */
  readonly url = `http://${ADDRESSES.balancer}:8069`
  readonly nodeUrls = [`http://${ADDRESSES.node1}:8069`, `http://${ADDRESSES.node2}:8069`]
  /** Past PgBouncer. */
  readonly databaseUrl =
    `postgres://comptoir:${PASSWORD}@${MEMBERS.map((name) => `${ADDRESSES[name]}:5432`).join()}/`

  /** Members that did not follow again by themselves, and were made anew as the guide says. */
  readonly reinitialised: string[] = []

  private constructor(network: Network) {
    this.network = network
  }

  /** Follows the guide; `note` is called for each step. */
  static async follow(note: (words: string) => void, disks: Disks = {}): Promise<Recipe> {
    const recipe = new Recipe(await Network.open(ADDRESSES, disks))
    try {
      await recipe.#install()
      const guide = readFileSync(join(root, 'docs/guides/high-availability.md'), 'utf8')
      for (const [, hosts = '', script = ''] of guide.matchAll(/<!-- on: (.+) -->\n```sh\n([\s\S]*?)```/g))
        for (const some of hosts.split(', ')) {
          note(`${some}: ${script.split('\n')[0]}`)
          await recipe.#step(some.split(' '), script)
        }
      return recipe
    } catch (error) {
      note(String(error))
      await recipe.close()
      throw error
    }
  }

  /** Hosts as they are before the first step: with the folder of the recipe, and etcd as Debian starts it. */
  async #install(): Promise<void> {
    for (const name of Object.keys(ADDRESSES))
      await this.host(name).run(`cp -r ${join(root, 'deploy/ha')} /root/ha`)
    const etcd = 'systemctl start etcd\nuntil [ -d /var/lib/etcd/default/member/wal ]; do sleep 0.1; done'
    await Promise.all(MEMBERS.map((name) => this.host(name).run(etcd)))
  }

  async #step(names: readonly string[], script: string): Promise<void> {
    const typed = `${PASSWORD}\n${PASSWORD}\n`
    const outputs = await Promise.all(
      names.map((name) => this.host(name).run(`cd /root/ha\n${script}`, { PASSWORD }, typed)),
    )
    if (script.includes('> /root/patroni-passwords'))
      for (const name of ['db2', 'db3'])
        await this.host(name).run(
          `install -m 600 ${join(this.host('db1').folder, 'root/patroni-passwords')} /root/patroni-passwords`,
        )
    if (/systemctl .*patroni/.test(script))
      await until(
        async () => {
          const roles = await this.roles()
          return names.every((name) => roles[name] !== 'away')
        },
        'the members run',
        300,
      )
    if (/systemctl .*etcd/.test(script))
      await until(
        async () => (await fetch(`http://${ADDRESSES.db1}:2379/health`).catch(() => null))?.ok === true,
        'etcd answers',
        300,
      )
    if (/systemctl .*comptoir/.test(script)) await this.ready()
    if (/doctor/.test(script)) console.log(outputs.join(''))
  }

  /** Waits until both nodes say that they are ready. */
  async ready(): Promise<void> {
    for (const url of this.nodeUrls)
      await until(
        async () => (await fetch(`${url}/web/health?ready=1`).catch(() => null))?.ok === true,
        'nodes are ready',
      )
  }

  /** Each member's word of itself: `leader`, `sync`, `replica` or `away`. */
  async roles(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries((await this.#members()).map(({ name, role }) => [name, role]))
  }

  /** The member with a role, once there is one. */
  async member(role: string, isMeant: (name: string) => boolean = () => true): Promise<string> {
    let name: string | undefined
    await until(async () => {
      const roles = await this.roles()
      name = MEMBERS.find((member) => roles[member] === role && isMeant(member))
      return name !== undefined
    }, `a member is ${role}`)
    return name as string
  }

  leader(isMeant?: (name: string) => boolean): Promise<string> {
    return this.member('leader', isMeant)
  }

  /**
   * Waits until all members run, one of them confirms commits, and the others receive what the leader writes.
   * Members that do not come back to that by themselves are made anew, as the guide says.
   */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const members = await this.#members()
      const isLed = ['leader', 'sync', 'replica'].every((role) =>
        members.some((member) => member.role === role),
      )
      return isLed && stragglers(members).length === 0
    }
    const isBack = await until(isWhole, 'all members follow by themselves', PATIENCE).then(
      () => true,
      () => false,
    )
    if (isBack) return
    const leader = await this.leader()
    for (const name of stragglers(await this.#members())) {
      this.reinitialised.push(name)
      const reinit = `patronictl -c /etc/patroni/config.yml reinit comptoir ${name} --force`
      await this.host(leader).run(reinit)
    }
    await until(isWhole, 'all members run and follow the leader')
  }

  #members(): Promise<Member[]> {
    return Promise.all(MEMBERS.map(memberOf))
  }

  /** A new key of the administrator. */
  async key(): Promise<string> {
    const words = 'key create --database shop --login admin --name load --scope rpc --days 1'
    const printed = await this.host('node1').run(
      `set -a; . /etc/comptoir.env; set +a; cd /opt/comptoir; npx comptoir ${words} | tail -1`,
    )
    return printed.trim()
  }

  host(name: string): Host {
    return this.network.host(name)
  }

  close(): Promise<void> {
    return this.network.close()
  }
}

interface Member {
  readonly name: string
  readonly role: string
  /** Members that receive what it writes. */
  readonly receivers: readonly string[]
}

/** Members that no leader sends anything to. */
const stragglers = (members: readonly Member[]): string[] => {
  const receivers = members.flatMap((member) => (member.role === 'leader' ? member.receivers : []))
  return members
    .filter(({ name, role }) => role !== 'leader' && !receivers.includes(name))
    .map(({ name }) => name)
}

/** A member's word of itself. */
async function memberOf(name: (typeof MEMBERS)[number]): Promise<Member> {
  const signal = AbortSignal.timeout(2000)
  const answer = await fetch(`http://${ADDRESSES[name]}:8008/patroni`, { signal }).catch(() => null)
  const member = ((await answer?.json().catch(() => null)) ?? {}) as {
    readonly state?: string
    readonly role?: string
    readonly sync_standby?: boolean
    readonly replication?: readonly { readonly application_name: string; readonly state: string }[]
  }
  if (member.state !== 'running') return { name, role: 'away', receivers: [] }
  const role = member.role === 'replica' ? (member.sync_standby ? 'sync' : 'replica') : 'leader'
  const streams = (member.replication ?? []).filter(({ state }) => state === 'streaming')
  return { name, role, receivers: streams.map((stream) => stream.application_name) }
}
