// Checks a store of files: a content without a database is sent, compared, read in part, copied, listed and
// removed.
import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { hashOf } from '../../kit/bytes.ts'
import type { ServerOptions } from '../options.ts'
import { S3 } from './s3.ts'

/** Folder of the checks: names of databases cannot begin like this. */
const FOLDER = '.probe'

/**
 * Tries the store out; returns the milliseconds that sending and reading took. Throws ServiceUnavailable if
 * it refuses, with its answer as the cause, and Error if it behaves otherwise than expected.
 */
export async function probeStore({
  place,
  credentials,
}: NonNullable<ServerOptions['store']>): Promise<number> {
  const s3 = new S3(place, credentials)
  const [content, name] = [randomBytes(1024), `${FOLDER}/${randomUUID()}`]
  const copy = `${name}-copy`
  const began = performance.now()
  await s3.tell('PUT', name, { body: content, sha256: await hashOf('sha256', content) })
  try {
    const part = await s3.ask('GET', name, { headers: { range: 'bytes=10-19' } })
    if (!part || !(await buffer(part)).equals(content.subarray(10, 20)))
      throw new Error('The file store returned another range than the requested one.')
    const ms = performance.now() - began
    if (!(await s3.copy(name, copy))) throw new Error('The file store has no copy of the test file.')
    const listed = new Set<string>()
    for await (const page of s3.list(name)) for (const object of page) listed.add(object.name)
    if (!listed.has(name) || !listed.has(copy)) throw new Error('The file store does not list the test file.')
    return ms
  } finally {
    for (const objectName of [copy, name]) await s3.tell('DELETE', objectName)
  }
}
