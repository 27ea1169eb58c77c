// Attacks in any order and of any size, several at once, for as long as one likes: at the end the same
// process answers, and it has given its memory back.
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../fuzz/random.ts'
import type { Attack } from './attack.ts'
import { attacks } from './families/index.ts'
import { crewOf, residentOf } from './gauges.ts'
import { AttackHands } from './hands.ts'
import { GIVEN_BACK } from './numbers.ts'
import type { Setting } from './setting.ts'

const MB = 1024 ** 2
const LANES = 3
/** Letters of what the server said last, where it died. */
const SAID = 4000
/** Megabytes that may stay. */
const STAYS = 300

/** Runs until there were so many requests, but no longer than so many minutes; gives what went wrong. */
export async function randomRun(
  setting: Setting,
  { only, minutes, requests, seed }: { only: RegExp; minutes: number; requests: number; seed: number },
): Promise<string[]> {
  const random = new Random(seed)
  const { pid } = setting.served()
  const crew = () => crewOf(pid, setting.dataDir).server
  const start = { crew: crew(), resident: residentOf(crew()) }
  const end = performance.now() + minutes * 60_000
  const falls = new Set<string>()
  const open = attacks.filter(({ closed, name }) => !closed && only.test(name))
  const statuses = new Map<string, number>()
  let sent = 0
  let highest = 0
  let alive = start.crew
  const watch = setInterval(() => {
    const now = crew()
    if (alive.some((pid) => !now.includes(pid))) {
      note(falls, null, `a process of the server died after ${sent} requests`)
      console.log(setting.served().output().slice(-SAID))
    }
    alive = now
    const resident = Math.round(residentOf(crew()) / MB)
    highest = Math.max(highest, resident)
    console.log(`${sent} requests, ${resident} MB, ${falls.size} falls`)
  }, 30_000)
  const lane = async () => {
    while (sent < requests && performance.now() < end && !setting.served().isOver()) {
      const attack = random.pick(open)
      const hands = await once(setting, attack, random)
      for (const [status, count] of Object.entries(hands.outcome.statuses)) {
        sent += count
        statuses.set(status, (statuses.get(status) ?? 0) + count)
      }
      for (const words of hands.outcome.complaints)
        if (falls.size < 200 && !falls.has(words)) note(falls, attack, words)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  clearInterval(watch)
  const kept = await keptAfter(() => Math.round((residentOf(crew()) - start.resident) / MB))
  if (start.crew.some((pid) => !crew().includes(pid))) note(falls, null, 'a process of the server died')
  if (kept > STAYS) note(falls, null, `the server kept ${kept} MB`)
  const sortedStatuses = [...statuses].sort(([status], [other]) => (status < other ? -1 : 1))
  console.log(sortedStatuses.map(([status, count]) => `${status} ${count} times`).join(', '))
  console.log(
    `${sent} requests, ${highest} MB at most, ${kept} MB kept; ${falls.size ? `${falls.size} FALLS` : 'it held'}`,
  )
  return [...falls]
}

/** Megabytes that are kept when they were few enough, or have had their time. */
async function keptAfter(kept: () => number): Promise<number> {
  const began = performance.now()
  const since = () => performance.now() - began
  for (let after = 10_000; ; after = since() + 5000) {
    await sleep(after - since())
    console.log(`${kept()} MB kept after ${Math.round(since() / 1000)} s`)
    if (kept() <= STAYS || since() > GIVEN_BACK) return kept()
  }
}

function note(falls: Set<string>, attack: Attack | null, words: string): void {
  falls.add(words)
  console.log(`FELL  ${attack?.name ?? 'the run'}: ${words}`)
}

/** Most runs are small, because thousands of them show more; one in a hundred has the full size. */
async function once(setting: Setting, attack: Attack, random: Random): Promise<AttackHands> {
  const factor = random.chance(0.01) ? 1 : 10 ** (-5 * random.next())
  const hands = new AttackHands(setting.world, random.below(2 ** 31))
  const over = setTimeout(() => hands.close(), 30_000)
  try {
    await attack.run(hands, Math.max(1, Math.round(attack.size * factor)))
  } catch (error) {
    if (!hands.signal.aborted) hands.complain(`the attack itself failed: ${error}`)
  } finally {
    clearTimeout(over)
    hands.close()
  }
  return hands
}
