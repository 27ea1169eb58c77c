// Sends what was sealed of a database's audit log to the receivers of the server. How far each has come
// stands in the database: what could not be sent is sent later, by whatever process, and nothing is left out.
import type { Database, Receiver, Receivers } from '../../databases/index.ts'
import { sql } from '../../sql/index.ts'
import { auditLines, sealDatabase } from './lines.ts'

/** Seals what was committed, and sends it on. Throws what a receiver that is away throws. */
export async function keepAudit(database: Database, receivers: Receivers | null): Promise<void> {
  await sealDatabase(database)
  if (!receivers?.all.length) return
  await receivers.flush()
  const outcomes = await Promise.allSettled(receivers.all.map((receiver) => ship(database, receiver)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** One process at a time sends to a receiver; another one leaves it to it. */
async function ship(database: Database, receiver: Receiver): Promise<void> {
  for (;;) {
    const isMore = await database.system(async (env) => {
      await env.query(
        sql`INSERT INTO comptoir_audit_shipped VALUES (${receiver.name}, 0) ON CONFLICT DO NOTHING`,
      )
      const [row] = await env.query<[number]>(
        sql`SELECT position::float8 FROM comptoir_audit_shipped WHERE receiver = ${receiver.name} FOR UPDATE SKIP LOCKED`,
      )
      if (!row) return false
      const { value: portion } = await auditLines(database, { after: row[0] }).next()
      if (!portion) return false
      await receiver.send(portion.lines)
      await env.query(
        sql`UPDATE comptoir_audit_shipped SET position = ${portion.position}::bigint WHERE receiver = ${receiver.name}`,
      )
      return true
    })
    if (!isMore) return
  }
}
