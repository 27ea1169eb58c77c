// Sends sealed entries of a database's audit log to the receivers of the server. The database keeps the place
// that each has reached: entries that could not be sent are sent later, by any process, and none is left out.
import type { Database, Receiver, Receivers } from '../../databases/index.ts'
import type { Environment } from '../../models/index.ts'
import { withRetries } from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'
import { auditLines, sealDatabase } from './lines.ts'

/** Seals what was committed, and sends it on. Throws what a receiver that is away throws. */
export async function keepAudit(database: Database, receivers: Receivers | null): Promise<void> {
  const hasChain = await sealDatabase(database)
  if (!hasChain || !receivers?.all.length) return
  await receivers.flush()
  const outcomes = await Promise.allSettled(receivers.all.map((receiver) => ship(database, receiver)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** One process at a time sends to a receiver; another one leaves it to it. */
async function ship(database: Database, receiver: Receiver): Promise<void> {
  for (;;) {
    const isMore = await withRetries(() => database.system((env) => shipPortion(env, database, receiver)))
    if (!isMore) return
  }
}

/** Sends one portion, and stores its place; false without entries, or where another process is at it. */
async function shipPortion(env: Environment, database: Database, receiver: Receiver): Promise<boolean> {
  const { name } = receiver
  await env.query(sql`INSERT INTO comptoir_audit_shipped VALUES (${name}, 0) ON CONFLICT DO NOTHING`)
  const [row] = await env.query<[number]>(
    sql`SELECT position::float8 FROM comptoir_audit_shipped WHERE receiver = ${name} FOR UPDATE SKIP LOCKED`,
  )
  const { value: portion } = row ? await auditLines(database, { after: row[0] }).next() : {}
  if (!portion) return false
  await receiver.send(portion.lines)
  await env.query(
    sql`UPDATE comptoir_audit_shipped SET position = ${portion.position}::bigint WHERE receiver = ${name}`,
  )
  return true
}
