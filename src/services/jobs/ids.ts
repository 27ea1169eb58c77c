// Names of jobs of every kind, and the limit on queued ones.

import { randomBytes } from 'node:crypto'
import type { Caller } from '../../access/index.ts'
import { UnprocessableEntity } from '../../errors.ts'
import { only, present } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import type { Unit } from '../../models/language/unit.ts'
import { sql } from '../../sql/index.ts'

/** Jobs of one user that wait. */
const MOST_WAITING = 1000

/** A version 7 UUID: ids of later jobs come later. */
export function newId(): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = (present(bytes[6]) & 0x0f) | 0x70
  bytes[8] = (present(bytes[8]) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The error (422) for an Idempotency-Key that was used for another call. */
export const keyReused = () =>
  new UnprocessableEntity('This Idempotency-Key was used for another call.', {
    code: 'idempotency_key_reused',
  })

/** Throws UnprocessableEntity where very many jobs of the caller's wait. */
export async function assertFewWait(unit: Unit, { profile }: Caller): Promise<void> {
  const rows = await unit.query<[number, number]>(
    sql`SELECT count(*)::int, COALESCE(sum(octet_length(call)), 0)::float8 FROM comptoir_job WHERE uid = ${profile.id}::int AND state IN ('receiving', 'queued')`,
  )
  const [jobs, bytes] = only(rows)
  assertWithin('bulk-bytes', bytes)
  if (jobs >= MOST_WAITING)
    throw new UnprocessableEntity(`You already have ${MOST_WAITING} queued jobs: wait for some to finish.`, {
      code: 'too_many',
    })
}
