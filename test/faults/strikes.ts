// Strikes at the hosts of the shop, by chance, each with the way back: kills, cuts, hosts that hang, I/O
// errors and full disks, of PostgreSQL, etcd, PgBouncer and nodes.
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMBERS, type Recipe } from '../machines/hosts/recipe.ts'

interface Strike {
  readonly name: string
  /** Strikes, waits for as long as it lasts, and heals. */
  run(recipe: Recipe, seconds: number): Promise<void>
}

const NODES = ['node1', 'node2'] as const

/** Something that lasts: between it and its healing some time passes. */
const lasting = (
  name: string,
  target: (recipe: Recipe) => Promise<string>,
  strike: (recipe: Recipe, host: string) => unknown,
  heal: (recipe: Recipe, host: string) => unknown,
): Strike => ({
  name,
  async run(recipe, seconds) {
    const host = await target(recipe)
    await strike(recipe, host)
    await sleep(seconds * 1000)
    await heal(recipe, host)
  },
})

const leader = (recipe: Recipe) => recipe.leader()
const standby = (recipe: Recipe) => recipe.member('sync')
let turn = 0
const node = () => Promise.resolve(NODES[turn++ % 2] as string)

const others = (recipe: Recipe, name: string) =>
  MEMBERS.filter((other) => other !== name).map((other) => recipe.host(other))
const freeze = (recipe: Recipe, host: string) => recipe.host(host).freeze()
const thaw = (recipe: Recipe, host: string) => recipe.host(host).thaw()
const powerOff = (recipe: Recipe, host: string) => recipe.host(host).powerOff()
const powerOn = (recipe: Recipe, host: string) => recipe.host(host).powerOn()
const cut = (recipe: Recipe, host: string) => recipe.host(host).cut(true)
const mend = (recipe: Recipe, host: string) => recipe.host(host).cut(false)
const run = (script: string) => (recipe: Recipe, host: string) => recipe.host(host).run(script)

/** Where etcd came back a moment ago the cluster may have no leader: then the order is given again. */
async function switchOver(recipe: Recipe, leader: string): Promise<void> {
  for (let host = leader, left = 20; ; left--)
    try {
      await recipe.host(host).run('patronictl -c /etc/patroni/config.yml switchover --force')
      return
    } catch (error) {
      if (left === 0) throw error
      await sleep(2000)
      host = await recipe.leader()
    }
}

const FILLER = '/var/lib/postgresql/filler'

export const strikes: readonly Strike[] = [
  lasting('power of the primary server', leader, powerOff, powerOn),
  lasting('power of the synchronous standby server', standby, powerOff, powerOn),
  lasting('power of a node', node, powerOff, powerOn),
  lasting('kill -9 of PostgreSQL', leader, run('pkill -9 -o postgres'), () => undefined),
  lasting('kill -9 of a node and restart', node, run('pkill -9 node'), run('systemctl restart comptoir')),
  lasting('restart of PgBouncer', leader, run('systemctl restart pgbouncer'), () => undefined),
  lasting('cut of the primary server', leader, cut, mend),
  lasting('cut of a node', node, cut, mend),
  lasting(
    'cut of the primary server from its members',
    leader,
    (recipe, host) => recipe.host(host).lose(others(recipe, host), true),
    (recipe, host) => recipe.host(host).lose(others(recipe, host), false),
  ),
  lasting('primary server that hangs', leader, freeze, thaw),
  lasting('synchronous standby server that hangs', standby, freeze, thaw),
  lasting('node that hangs', node, freeze, thaw),
  lasting(
    'full disk of the primary server',
    leader,
    run(`fallocate -l "$(df --output=avail -B1 /var/lib/postgresql | tail -1)" ${FILLER}`),
    run(`rm -f ${FILLER}`),
  ),
  lasting(
    'I/O errors of the primary server',
    leader,
    (recipe, host) => recipe.host(host).breakDisk(),
    (recipe, host) => recipe.host(host).repairDisk(),
  ),
  lasting('change of the primary server by order', leader, switchOver, () => undefined),
  {
    name: 'etcd on all hosts',
    async run(recipe, seconds) {
      for (const name of MEMBERS) await recipe.host(name).run('systemctl stop etcd')
      await sleep(seconds * 1000)
      for (const name of MEMBERS) await recipe.host(name).run('systemctl start etcd')
    },
  },
]
