// Faults of the recipe's hosts while calls arrive, each with its recovery.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from '../load.ts'
import { MEMBERS, type Recipe } from './recipe.ts'

interface Fault {
  readonly name: string
  strike(recipe: Recipe, load: Load): Promise<void>
}

/** Writes that must be acknowledged while the fault lasts. */
const WRITES = 30

/** Longer than the detection of any fault: `ttl` of the recipe, and a round. */
const NOTICED = 40_000

/** A fault of the leader; another host answers calls before the fault ends. */
const ofLeader = (
  name: string,
  strike: (recipe: Recipe, leader: string) => unknown,
  heal: (recipe: Recipe, leader: string) => unknown,
): Fault => ({
  name,
  async strike(recipe, load) {
    const leader = await recipe.leader()
    await strike(recipe, leader)
    // Writes that were on their way may be acknowledged yet: another one leads first.
    await recipe.leader((other) => other !== leader)
    await load.more(WRITES)
    await heal(recipe, leader)
    await recipe.whole()
    await load.more(WRITES)
  },
})

const others = (recipe: Recipe, name: string) =>
  MEMBERS.filter((other) => other !== name).map((other) => recipe.host(other))

/** Another member leads; patronictl ends well where none came to. */
async function switchOver(recipe: Recipe): Promise<string> {
  const leader = await recipe.leader()
  await patronictl(recipe, leader, 'switchover')
  await recipe.leader((other) => other !== leader)
  await recipe.whole()
  return leader
}

const patronictl = (recipe: Recipe, on: string, words: string) =>
  recipe.host(on).run(`patronictl -c /etc/patroni/config.yml ${words} --force`)

export const faults: readonly Fault[] = [
  ofLeader(
    'the host of the primary server loses its power',
    (recipe, leader) => recipe.host(leader).powerOff(),
    (recipe, leader) => recipe.host(leader).powerOn(),
  ),
  ofLeader(
    'the host of the primary server is cut off from all others',
    (recipe, leader) => recipe.host(leader).cut(true),
    (recipe, leader) => recipe.host(leader).cut(false),
  ),
  ofLeader(
    'the primary server is cut off from its members, and reached by the nodes',
    (recipe, leader) => recipe.host(leader).lose(others(recipe, leader), true),
    (recipe, leader) => recipe.host(leader).lose(others(recipe, leader), false),
  ),
  ofLeader(
    'the host of the primary server hangs (SIGSTOP), and goes on later',
    (recipe, leader) => recipe.host(leader).freeze(),
    (recipe, leader) => recipe.host(leader).thaw(),
  ),
  {
    name: 'Patroni of the primary server dies (kill -9)',
    async strike(recipe, load) {
      await recipe.host(await recipe.leader()).run('pkill -9 -f [/]usr/bin/patroni')
      await sleep(NOTICED)
      await recipe.whole()
      await load.more(WRITES)
    },
  },
  ofLeader(
    'Patroni of the primary server hangs (SIGSTOP) while PostgreSQL goes on',
    (recipe, leader) => recipe.host(leader).run('pkill -STOP -f [/]usr/bin/patroni'),
    (recipe, leader) => recipe.host(leader).run('pkill -CONT -f [/]usr/bin/patroni'),
  ),
  {
    name: 'the host of the synchronous standby server hangs (SIGSTOP)',
    async strike(recipe, load) {
      const standby = await recipe.member('sync')
      recipe.host(standby).freeze()
      await sleep(NOTICED / 2)
      await load.more(WRITES)
      recipe.host(standby).thaw()
      await recipe.whole()
    },
  },
  {
    name: 'etcd is lost on all hosts',
    async strike(recipe, load) {
      for (const name of MEMBERS) await recipe.host(name).run('systemctl stop etcd')
      await sleep(NOTICED)
      await load.more(WRITES)
      for (const name of MEMBERS) await recipe.host(name).run('systemctl start etcd')
      await recipe.whole()
      await load.more(WRITES)
    },
  },
  {
    name: 'the primary server changes by order (patronictl switchover)',
    async strike(recipe, load) {
      await switchOver(recipe)
      await load.more(WRITES)
    },
  },
  {
    name: 'PostgreSQL is restarted member by member, as for a minor release',
    async strike(recipe, load) {
      const leader = await recipe.leader()
      for (const { name } of others(recipe, leader)) {
        await patronictl(recipe, name, `restart comptoir ${name}`)
        await recipe.whole()
        await load.more(WRITES)
      }
      await switchOver(recipe)
      await patronictl(recipe, leader, `restart comptoir ${leader}`)
      await recipe.whole()
      await load.more(WRITES)
    },
  },
]
