// A right that is given and taken, again and again, while everything else goes on: what began after the
// answer that took it must not be let in, on any node, and not by way of a replica either.
import type { Databases } from '../../src/databases/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { createUser } from '../../src/services/people.ts'

export interface RightsTally {
  /** Times that the right was taken, as far as that was acknowledged. */
  taken: number
  /** Calls that began after it, and were still allowed. */
  stale: number
  /** Calls that began after it was given, and were refused. */
  missing: number
  /** Calls that were judged by it. */
  judged: number
  /** Those of them that a replica answered. */
  far: number
}

interface Limited {
  readonly key: string
  readonly id: number
  readonly group: number
}

interface Place {
  readonly urls: readonly string[]
  readonly database: string
  /** Of an administrator. */
  readonly key: string
}

export class RightsLoad {
  readonly tally: RightsTally = { taken: 0, stale: 0, missing: 0, judged: 0, far: 0 }
  readonly #place: Place
  readonly #limited: Limited
  #running: Promise<void> | null = null
  #isOver = false
  #turn = 0
  /** The latest position seen on a replica, which later answers must reach. */
  #position: string | null = null

  private constructor(place: Place, limited: Limited) {
    this.#place = place
    this.#limited = limited
  }

  /** Makes the user whose right it is about. */
  static async prepare(databases: Databases, place: Place): Promise<RightsLoad> {
    const { database } = place
    const id = await createUser(databases, database, {
      login: 'limited',
      name: 'Limited',
      password: 'a limited passphrase',
      roles: ['user'],
    })
    const key = await createKey(databases, database, 'limited', { scope: null, name: 'load', days: 1 })
    const opened = await databases.database(database)
    const group = await opened.system((env) => env.ref('base.group_system'))
    return new RightsLoad(place, { key, id, group })
  }

  start(): void {
    this.#running = this.#go()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #go(): Promise<void> {
    while (!this.#isOver) {
      if (await this.#set(4)) {
        const statuses = await this.#everywhere()
        this.tally.missing += statuses.filter((status) => status === 403).length
      }
      if (await this.#set(3)) {
        this.tally.taken++
        const statuses = await this.#everywhere()
        this.tally.stale += statuses.filter((status) => status === 200).length
      }
    }
  }

  /** Grants the right (command 4) or revokes it (3); false if the outcome is unknown. */
  async #set(command: 3 | 4): Promise<boolean> {
    const { id, group } = this.#limited
    const body = { ids: [id], vals: { group_ids: [[command, group]] } }
    const answer = await this.#call(this.#place.key, 'res.users/write', body).catch(() => null)
    if (answer?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
    return answer?.status === 200
  }

  /** Asks for what the right opens, on every node, there and on its replica. */
  #everywhere(): Promise<number[]> {
    const ways = this.#place.urls.flatMap((url) => ['', 'replica'].map((prefer) => ({ url, prefer })))
    const attempts = ways.map(async (way) => {
      const answer = await this.#call(
        this.#limited.key,
        'ir.config_parameter/search_read',
        { domain: [], fields: ['key'] },
        way,
      ).catch(() => null)
      if (answer && [200, 403].includes(answer.status)) this.tally.judged++
      if (answer?.headers.get('preference-applied') === 'replica') {
        this.tally.far++
        this.#position ??= answer.headers.get('comptoir-position')
      }
      return answer?.status ?? 0
    })
    return Promise.all(attempts)
  }

  async #call(
    key: string,
    path: string,
    body: object,
    { url, prefer = '' }: { readonly url?: string; readonly prefer?: string } = {},
  ): Promise<Response> {
    const { urls, database } = this.#place
    const answer = await fetch(`${url ?? urls[this.#turn++ % urls.length]}/json/2/${path}`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'content-type': 'application/json',
        'x-service-database': database,
        ...(prefer && { prefer }),
        ...(prefer && this.#position ? { 'comptoir-position': this.#position } : {}),
      },
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    return answer
  }
}
