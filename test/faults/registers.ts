// Registers: contacts whose reference several clients replace by values of their own, provided that it is
// what they read, over both nodes and the balancer. All that they see goes to the checker of histories.
import { setTimeout as sleep } from 'node:timers/promises'
import { anomaliesOf, type Read, type Write } from './histories.ts'
import { DATABASE, type Place } from './place.ts'
import type { Work } from './work.ts'

const REGISTERS = 3
const FIRST = 'first'

export class Registers implements Work {
  readonly name = 'registers'
  readonly #place: Place
  readonly #ids: readonly number[]
  readonly #writes: Write[] = []
  readonly #reads: Read[] = []
  #number = 0

  private constructor(place: Place, ids: readonly number[]) {
    this.#place = place
    this.#ids = ids
  }

  static async open(place: Place): Promise<Registers> {
    const vals_list = Array.from({ length: REGISTERS }, (_, n) => ({ name: `Register ${n}`, ref: FIRST }))
    return new Registers(place, await place.till.ask<number[]>('res.partner/create', { vals_list }))
  }

  done(): string {
    const done = this.#writes.filter(({ outcome }) => outcome === 'done').length
    return `${done} of ${this.#writes.length} replacements, ${this.#reads.length} reads`
  }

  async round(): Promise<readonly string[]> {
    await Promise.all([0, 1, 2].flatMap((turn) => this.#ids.map((id) => this.#replace(id, turn))))
    await Promise.all([0, 1, 2].flatMap((turn) => this.#ids.map((id) => this.#read(id, turn))))
    await sleep(100)
    return []
  }

  async judge(): Promise<readonly string[]> {
    const rows = await this.#place.till.ask<{ id: number; ref: string }[]>('res.partner/read', {
      ids: this.#ids,
      fields: ['ref'],
    })
    const last = new Map(rows.map(({ id, ref }) => [id, ref]))
    return anomaliesOf({ first: FIRST, writes: this.#writes, reads: this.#reads, last })
  }

  /** The value and its version; null where no answer came. */
  async #read(id: number, turn: number): Promise<{ readonly value: string; readonly tag: string } | null> {
    const from = performance.now()
    const answer = await this.#call('read', { ids: [id], fields: ['ref'] }, turn, { prefer: 'etag' })
    if (answer?.status !== 200) return null
    const value = (answer.body as [{ ref: string }])[0].ref
    this.#reads.push({ register: id, value, from, to: performance.now() })
    return { value, tag: answer.headers.get('etag') ?? '' }
  }

  async #replace(register: number, turn: number): Promise<void> {
    const seen = await this.#read(register, turn)
    if (!seen) return
    const value = `value ${this.#number++}`
    const from = performance.now()
    const answer = await this.#call('write', { ids: [register], vals: { ref: value } }, turn + 1, {
      'if-match': seen.tag,
    })
    const outcome =
      answer?.status === 200
        ? 'done'
        : !answer ||
            answer.headers.get('x-comptoir-outcome') === 'unknown' ||
            answer.status === 502 ||
            answer.status === 504
          ? 'unknown'
          : 'undone'
    this.#writes.push({ register, before: seen.value, value, from, to: performance.now(), outcome })
    if (outcome !== 'done') await sleep(200)
  }

  async #call(method: string, body: object, turn: number, headers: Readonly<Record<string, string>>) {
    const { urls, key } = this.#place
    try {
      const response = await fetch(`${urls[turn % urls.length]}/json/2/res.partner/${method}`, {
        method: 'POST',
        headers: {
          authorization: `bearer ${key}`,
          'content-type': 'application/json',
          'x-service-database': DATABASE,
          ...headers,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
      return { status: response.status, headers: response.headers, body: (await response.json()) as unknown }
    } catch {
      return null
    }
  }
}
