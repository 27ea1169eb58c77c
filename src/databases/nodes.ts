// Number of processes that serve a database: each writes a row now and then while calls are limited, so that
// all together let through no more than the limit.
import { randomUUID } from 'node:crypto'
import { outsideTrace } from '../kit/watch/index.ts'
import { sql } from '../sql/index.ts'
import type { Announcements } from './announcements.ts'
import type { Database } from './database.ts'

const BEAT_MS = 10_000
/** Seconds without a row after which a process counts as gone. */
const SILENT = 30

/** A process and one database. */
interface Watched {
  nodes: number
  readonly first: Promise<void>
  readonly timer: NodeJS.Timeout
}

export class Nodes {
  readonly #id = randomUUID()
  readonly #announcements: Announcements
  readonly #watched = new Map<Database, Watched>()

  constructor(announcements: Announcements) {
    this.#announcements = announcements
    announcements.on('node', (name) => {
      for (const [database, watched] of this.#watched)
        if (database.name === name) void this.#beat(database, watched)
    })
  }

  /** Number of processes that limit calls of a database, this one included. */
  of(database: Database): number | Promise<number> {
    const watched = this.#watched.get(database) ?? this.#watch(database)
    return watched.nodes || watched.first.then(() => watched.nodes)
  }

  /** Reports that this process ends. */
  async close(): Promise<void> {
    const left = [...this.#watched.keys()]
    for (const database of left) this.#forget(database)
    await Promise.all(left.map((database) => this.#leave(database)))
  }

  #watch(database: Database): Watched {
    const begun = Promise.withResolvers<void>()
    const watched: Watched = {
      nodes: 0,
      first: begun.promise,
      timer: outsideTrace(() => setInterval(() => void this.#beat(database, watched), BEAT_MS).unref()),
    }
    this.#watched.set(database, watched)
    void this.#beat(database, watched).then(() => {
      begun.resolve()
      return this.#announcements.say('node', database.name)
    })
    return watched
  }

  #forget(database: Database): void {
    clearInterval(this.#watched.get(database)?.timer)
    this.#watched.delete(database)
  }

  async #beat(database: Database, watched: Watched): Promise<void> {
    const { text, values } =
      sql`WITH gone AS (DELETE FROM comptoir_node WHERE seen < now() - interval '1 hour'),
      me AS (INSERT INTO comptoir_node (id, seen) VALUES (${this.#id}::uuid, now()) ON CONFLICT (id) DO UPDATE SET seen = now())
      SELECT 1 + count(*)::int FROM comptoir_node
      WHERE id <> ${this.#id}::uuid AND seen > now() - ${SILENT}::int * interval '1 second'`.compile()
    try {
      const [row] = await database.pool.use((connection) => connection.query(text, values))
      watched.nodes = row?.[0] as number
    } catch {
      // The database was closed, or has no such table yet. The next call begins again.
      watched.nodes ||= 1
      this.#forget(database)
    }
  }

  async #leave(database: Database): Promise<void> {
    const { text, values } = sql`DELETE FROM comptoir_node WHERE id = ${this.#id}::uuid`.compile()
    await database.pool.use((connection) => connection.query(text, values)).catch(() => undefined)
    await this.#announcements.say('node', database.name)
  }
}
