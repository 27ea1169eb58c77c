// A shop works over two nodes and three members of Patroni while hosts lose their power, lines are cut, disks
// fill and fail and one node's clock is wrong; then its books and the histories of its clients are judged.
// `npm run faults -- --minutes 60 [--seed 7] [--only PATTERN] [--logs FOLDER]`, as root; ends with 1 for an
// anomaly. The folder gets what the hosts logged.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { sql } from '../../src/sql/index.ts'
import { judgeSent, settle } from '../durability/sending.ts'
import { enterNetwork, withoutHosts } from '../machines/hosts/network.ts'
import { Load } from '../machines/load.ts'
import { chance } from '../stock/competition.ts'
import { openReceiver } from '../support/receiver.ts'
import { DATABASE, openPlace, type Place } from './place.ts'
import { strikes } from './strikes.ts'
import { type Work, worksOf } from './work.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    logs: { type: 'string' },
  },
})
const note = (words: string) =>
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${words}`)

if (withoutHosts) throw new Error(withoutHosts)
if (enterNetwork()) {
  const place = await openPlace(note)
  try {
    const anomalies = await workThrough(place)
    for (const anomaly of anomalies) console.log(`anomaly: ${anomaly}`)
    console.log(`${anomalies.length} anomalies in ${values.minutes} minutes`)
    if (anomalies.length) process.exitCode = 1
  } finally {
    for (const name of values.logs ? ['db1', 'db2', 'db3', 'node1', 'node2', 'balancer'] : [])
      cpSync(join(place.recipe.host(name).folder, 'log'), `${values.logs}/${name}`, { recursive: true })
    await place.close()
  }
}

async function workThrough(place: Place): Promise<string[]> {
  const hook = await openReceiver(0, '10.0.0.1')
  const vals = { url: hook.url, events: ['res.partner.*'], concurrency: 8 }
  const endpoint = await place.till.make('comptoir.webhook', vals)
  const works = await worksOf(place, Number(values.seed))
  const load = new Load([place.recipe.url], DATABASE, place.key)
  const anomalies: string[] = []
  let isOver = false
  const working = works.map(async (work) => {
    while (!isOver) anomalies.push(...(await attempt(work.name, () => work.round())))
  })
  load.start(2)
  const struck = new Map<string, number>()
  const strikeAndTell = async () => {
    await strikeAll(place, load, struck)
    return place.recipe.reinitialised.map((name) => `${name} did not follow again by itself`)
  }
  anomalies.push(...(await attempt('members', strikeAndTell)))
  isOver = true
  note('no more strikes')
  await Promise.all([...working, load.stop()])
  for (const work of works) anomalies.push(...(await attempt(work.name, () => work.judge())))
  const { lost, twice, undoneButThere, acknowledged, unknown } = await load.judge(place.databases)
  if (lost + twice + undoneButThere > 0)
    anomalies.push(`contacts: ${lost} lost, ${twice} twice, ${undoneButThere} undone and there`)
  const query = (text: ReturnType<typeof sql>) => place.office.run((env) => env.query(text))
  await settle(query, 900)
  const sent = await judgeSent(query, endpoint, hook.got)
  for (const [kind, list] of Object.entries({
    missing: sent.missing,
    disordered: sent.disordered,
    doubled: sent.doubled,
  }))
    if (list.length) anomalies.push(`webhooks: ${list.length} ${kind}, such as ${list[0]}`)
  await hook.close()
  tell(works, struck, place)
  console.log(`contacts: ${acknowledged} acknowledged, ${unknown} unknown`)
  console.log(`webhooks: ${sent.committed} changes, ${sent.received} received`)
  return anomalies
}

/** Flaws that an attempt finds, or the one that stops it. */
async function attempt(name: string, work: () => Promise<readonly string[]>): Promise<string[]> {
  try {
    return (await work()).map((flaw) => `${name}: ${flaw}`)
  } catch (error) {
    const flaw = `${name}: ${error instanceof Error ? error.message.slice(0, 600) : String(error)}`
    note(flaw)
    // Work that fails at once each time would fill the memory with flaws.
    await sleep(1000)
    return [flaw]
  }
}

/** Strikes by chance until the time is over; each time the shop must come back to work. */
async function strikeAll({ recipe }: Place, load: Load, struck: Map<string, number>): Promise<void> {
  const next = chance(Number(values.seed))
  const end = performance.now() + Number(values.minutes) * 60_000
  const chosen = strikes.filter(({ name }) => new RegExp(values.only).test(name))
  let left: typeof chosen = []
  while (performance.now() < end) {
    await recipe.whole()
    await load.more(10)
    if (left.length === 0)
      left = chosen
        .map((strike) => ({ strike, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ strike }) => strike)
    const [strike, ...more] = left
    if (!strike) break
    left = more
    const seconds = 5 + Math.floor(next() * 35)
    load.tally.longestGap = 0
    note(`${strike.name}, ${await recipe.leader()} leads`)
    await strike.run(recipe, seconds)
    await load.more(10)
    struck.set(strike.name, (struck.get(strike.name) ?? 0) + 1)
    note(`${strike.name}, ${seconds} s: ${(load.tally.longestGap / 1000).toFixed(1)} s without a write`)
  }
  await recipe.whole()
}

function tell(works: readonly Work[], struck: ReadonlyMap<string, number>, { again }: Place): void {
  for (const work of works) console.log(`${work.name}: ${work.done()}`)
  for (const [kinds, title] of [
    [struck, 'struck'],
    [again, 'asked again'],
  ] as const)
    console.log(`${title}: ${[...kinds].map(([kind, times]) => `${kind} (${times})`).join(', ')}`)
}
