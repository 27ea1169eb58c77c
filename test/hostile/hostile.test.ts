// The hostile run in its small form: attacks of every family, small and several at once. Statuses, bytes,
// processes and memory are judged, time is not.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { canLook } from '../durability/processes.ts'
import type { Attack } from './attack.ts'
import { attacks } from './families/index.ts'
import { type Crew, crewOf, filesIn, largestOf, postgresWrites, residentOf } from './gauges.ts'
import { AttackHands } from './hands.ts'
import { GIVEN_BACK } from './numbers.ts'
import { openSetting, type Setting } from './setting.ts'

const MB = 1024 ** 2
const CONTACTS = 300
const LANES = 4
/** Megabytes, wider than those of the whole run: many attacks share them. */
const MOST = { server: 600, backend: 300, written: 20 }

/**
 * One attack in so many is here, of every family at least one; `npm run test:long -- --only hostile` runs
 * all of them.
 */
const EVERY = 8
const small = attacks.filter((attack) => attack.small !== undefined).filter((_, at) => at % EVERY === 0)
const families = Map.groupBy(small, ({ name }) => name.split('/', 1)[0] as string)

let setting: Setting
let start: Crew
const crew = () => crewOf(setting.served().pid, setting.dataDir)

before(async () => {
  setting = await openSetting(CONTACTS)
  start = crew()
})
after(() => setting?.close())

/** As large as a stranger's must be to meet the bounds; those of users are met by the whole run. */
const sizeOf = ({ open, small = 1 }: Attack): number =>
  open ? small : Math.min(small, Math.round(1000 + small / 10))

/** Complaints about the replies of an attack. */
async function complaintsOf(attack: Attack, seed: number): Promise<string[]> {
  const hands = new AttackHands(setting.world, seed)
  const watched = setInterval(() => {
    const { postgres } = crew()
    const backend = Math.round(largestOf(postgres).bytes / MB)
    if (backend > MOST.backend) hands.complain(`a backend had ${backend} MB`)
  }, 250)
  try {
    await attack.run(hands, sizeOf(attack))
  } finally {
    clearInterval(watched)
    hands.close()
  }
  return hands.outcome.complaints.map((words) => `${attack.name}: ${words}`)
}

/** Megabytes of the server when they are few enough, or V8 had its time to give back what is not used. */
async function residentAfter(server: readonly number[]): Promise<number> {
  const end = performance.now() + GIVEN_BACK
  for (;;) {
    const resident = Math.round(residentOf(server) / MB)
    if (resident < MOST.server || performance.now() > end) return resident
    await sleep(500)
  }
}

for (const [family, members] of families) {
  test(family, { skip: !canLook && 'this machine does not let us look at processes' }, async () => {
    const waiting = [...members]
    const complaints: string[] = []
    const open = members.every((attack) => attack.open)
    const written = open ? [await filesIn(setting.dataDir), await postgresWrites(setting.dataDir)] : []
    const lane = async () => {
      for (let attack = waiting.shift(); attack; attack = waiting.shift())
        complaints.push(...(await complaintsOf(attack, waiting.length)))
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    assert.deepEqual(complaints, [])
    const now = crew()
    assert.deepEqual(now.server.slice(0, start.server.length), start.server, 'a process of the server died')
    assert.equal(now.postgres[0], start.postgres[0], 'PostgreSQL died')
    const resident = await residentAfter(now.server)
    assert.ok(resident < MOST.server, `the server has ${resident} MB`)
    if (!open) return
    const bytes =
      (await filesIn(setting.dataDir)) -
      (written[0] ?? 0) +
      ((await postgresWrites(setting.dataDir)) ?? 0) -
      (written[1] ?? 0)
    assert.ok(bytes < MOST.written * MB, `${bytes} bytes were written for strangers`)
  })
}
