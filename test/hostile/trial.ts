// One attack on the server: what is usual before it, what happens during it, and what comes back after it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, killAll } from '../durability/processes.ts'
import type { Attack } from './attack.ts'
import type { Done, Order } from './attacker.ts'
import type { Figures } from './numbers.ts'
import { Probes, type Wait, type Waits } from './probes.ts'
import type { Setting } from './setting.ts'
import type { Turn } from './turns.ts'
import { Watch } from './watch.ts'

const MB = 1024 ** 2
/** The share of the processors in other hands from which a wait for a processor is not the server's fault. */
const FOREIGN = 0.1
/**
 * Turns of the server that a question waits for: the one under way, and for PostgreSQL's answer those after
 * it.
 */
const TURNS = { health: 1.5, keyed: 4 }
/** Milliseconds of turns that are too short to be noted. */
const SHORT = 20

export interface TrialOptions {
  readonly size: number
  readonly seed: number
  /** Milliseconds: to learn what is usual, for the attack, to give memory back. */
  readonly calm: number
  readonly most: number
  readonly back: number
}

/** Where attacks are tried: a server, and a process that attacks it. */
export class Range {
  readonly #setting: Setting
  #attacker: ChildProcess | undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  async run(attack: Attack, options: TrialOptions): Promise<Figures> {
    const { world } = this.#setting
    const watch = new Watch(this.#setting)
    const probes = new Probes(world, () => watch.toil())
    try {
      await sleep(options.calm / 4)
      probes.take()
      await sleep(options.calm)
      const usual = middleOf(probes.take())
      const most = options.most * watch.pace()
      const before = await watch.begin(Boolean(attack.open))
      const done = await this.#attack(
        { name: attack.name, size: options.size, seed: options.seed, world },
        most,
      )
      const during = watch.end()
      const soon = probes.take()
      const kept = await watch.untilBack(options.back)
      const late = probes.take()
      const written = attack.open ? await watch.written(before) : 0
      const waits = [...soon.all, ...late.all]
      const turns = watch.turns()
      return {
        ...during,
        ...waitsOf(waits, { usual, foreign: during.others > FOREIGN, turns }),
        turn: longestOf(turns),
        usual: Math.round(usual),
        kept: Math.round(kept / MB),
        written: written / MB,
        outcome: done ?? { statuses: {}, quiet: 0, complaints: [], words: '' },
        events: [
          ...watch.events,
          ...(done ? [] : [`no end within ${Math.round(most / 1000)} s`]),
          ...linesOf([...soon.refusals, ...late.refusals]),
        ],
      }
    } finally {
      watch.close()
      probes.close()
    }
  }

  /** The attacker's result; null if it did not end in time. */
  async #attack(order: Order, most: number): Promise<Done | null> {
    this.#attacker ??= fork(new URL('attacker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=2048'],
    })
    const attacker = this.#attacker
    attacker.send(order)
    const stop = new AbortController()
    const { signal } = stop
    try {
      const said = once(attacker, 'message', { signal }).then(([done]) => done as Done)
      const died = once(attacker, 'exit', { signal }).then(() => null)
      const done = await Promise.race([said, died, sleep(most, null, { signal })])
      if (!done) await this.close()
      return done
    } finally {
      stop.abort()
    }
  }

  async close(): Promise<void> {
    const attacker = this.#attacker
    this.#attacker = undefined
    if (attacker?.pid && isAlive(attacker.pid)) await killAll([attacker.pid])
  }
}

/** The beginning of a trial, and what is known of the server's turns. */
interface Known {
  readonly usual: number
  /** Whether others of this machine took much of it. */
  readonly foreign: boolean
  readonly turns: readonly Turn[]
}

/**
 * The longest wait beyond the usual, as it was and without what other users of this machine took: no more
 * than the turns of the server that it met, and, where the answer needs PostgreSQL, whose hunger is not
 * known, no more than the server itself worked meanwhile.
 */
function waitsOf(waits: readonly Wait[], { usual, foreign, turns }: Known) {
  const raw = waits.map(({ ms }) => ms - usual)
  const fair = waits.map(({ kind, at, ms, worked, starved }) => {
    const met = longestOf(turns.filter(({ from, to }) => to >= at && from <= at + ms))
    const workedTime = kind === 'keyed' ? worked : Number.POSITIVE_INFINITY
    // Those who starve at the same time are counted each: a turn was as long as it was.
    return Math.min(ms, Math.max(met, Math.min(ms - starved, workedTime, TURNS[kind] * Math.max(met, SHORT))))
  })
  const most = (list: readonly number[]) => Math.max(0, Math.round(list.reduce((a, b) => Math.max(a, b), 0)))
  return { raw: most(raw), wait: most(foreign ? fair : raw) }
}

const longestOf = (turns: readonly Turn[]): number =>
  turns.reduce((most, { worked }) => Math.max(most, worked), 0)

/** Error answers that other callers got, without duplicates. */
function linesOf(refusals: readonly string[]): string[] {
  return refusals.length
    ? [`others were told ${[...new Set(refusals)].slice(0, 3).join(', ')} (${refusals.length} times)`]
    : []
}

const middleOf = ({ all }: Waits): number => all[all.length >> 1]?.ms ?? 0
