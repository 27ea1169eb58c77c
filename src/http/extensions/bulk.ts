// The route of bulk imports: rows are stored as they arrive, and made records by a job.

import { pipeline } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequest, PayloadTooLarge, UnprocessableEntity, UnsupportedMediaType } from '../../errors.ts'
import { codeOf } from '../../kit/caught.ts'
import { turn } from '../../kit/turns.ts'
import { assertWithin, limits } from '../../limits.ts'
import type { Queued } from '../../services/jobs/index.ts'
import { mediaType } from '../../wire/parse.ts'
import { CsvRows, JsonLines, type RowReader } from '../../wire/rows.ts'
import { ArrivingBody } from '../arriving-body.ts'
import { keyOwner } from '../calls.ts'
import { checkedQuery, type Query } from '../query.ts'
import { sendQueued } from './later.ts'
import type { ExtensionOptions } from './options.ts'

type BulkRequest = FastifyRequest<{ Params: { model: string } }>

/** Bytes of a body that are taken at once. */
const BLOCK = 64 * 1024
/** Times its own size that a packed body may grow to, beyond one row; rows of records pack to a tenth or so. */
const GROWTH = 100

const readers: Readonly<Record<string, () => RowReader>> = {
  'application/x-ndjson': () => new JsonLines(),
  'text/csv': () => new CsvRows(),
}

/** Registers the route. */
export function bulkRoute(app: FastifyInstance, { backend, bodies }: ExtensionOptions): void {
  const { databases, jobs } = backend
  app.post('/x/1/bulk/:model', async (request: BulkRequest, reply) => {
    const { headers, params } = request
    const reader = readers[mediaType(headers['content-type']) ?? '']?.()
    if (!reader)
      throw new UnsupportedMediaType(
        'Unsupported content type: send rows as application/x-ndjson or text/csv',
      )
    const isPacked = packed(headers['content-encoding'])
    const owner = await keyOwner(request, reply, backend)
    const query = checkedQuery(request, ['key', 'on_error', 'atomic'])
    const receiving = await jobs.receiveBulk(databases, {
      ...owner,
      work: {
        model: params.model,
        key: keyIn(query.key),
        onError: wordIn(query, 'on_error', ['fail', 'skip']),
        atomic: wordIn(query, 'atomic', ['false', 'true']) === 'true',
        cells: reader instanceof CsvRows,
      },
    })
    let job: Queued
    try {
      await bodies.account(request, reply).take(2 * limits['bulk-row'])
      bodies.admit(request.raw)
      const arrival = new ArrivingBody(request.raw, bodies.pace)
      try {
        let bytes = 0
        for await (const block of isPacked ? unpacked(arrival) : blocksOf(arrival)) {
          bytes += block.length
          assertWithin('bulk-bytes', bytes)
          await receiving.add(reader.write(block))
          await turn()
        }
        await receiving.add(reader.end())
      } catch (error) {
        arrival.discard()
        throw error
      }
      job = await receiving.done()
    } catch (error) {
      await receiving.abandon()
      throw error
    }
    backend.wake(owner.database)
    return sendQueued(request, reply, job)
  })
}

/** `external_id`, or names of fields between commas; nothing: only made. */
const keyIn = (text = 'external_id'): unknown =>
  text === 'external_id' ? text : text.split(',').filter((name) => name.trim() !== '')

function wordIn(query: Query, name: string, words: readonly [string, string]): string {
  const word = query[name] ?? words[0]
  if (!words.includes(word)) throw new UnprocessableEntity(`Invalid ${name}: use ${words.join(' or ')}.`)
  return word
}

/** Whether a body is packed. Throws UnsupportedMediaType for what is not gzip. */
function packed(encoding: string | undefined): boolean {
  if (encoding === undefined || encoding === 'identity') return false
  if (encoding !== 'gzip') throw new UnsupportedMediaType('Unsupported Content-Encoding: use gzip or none')
  return true
}

async function* blocksOf(arrival: ArrivingBody): AsyncGenerator<Buffer, void> {
  while (!arrival.isWhole || arrival.length > 0) {
    await arrival.gather(BLOCK)
    const bytes = arrival.take()
    if (bytes.length > 0) yield bytes
  }
}

/** Unpacks only as fast as the rows are taken. */
async function* unpacked(arrival: ArrivingBody): AsyncGenerator<Buffer, void> {
  const gunzip: Gunzip = createGunzip()
  pipeline(blocksOf(arrival), gunzip, () => undefined)
  let size = 0
  try {
    for await (const block of gunzip as AsyncIterable<Buffer>) {
      size += block.length
      if (size > limits['bulk-row'] + GROWTH * gunzip.bytesWritten)
        throw new PayloadTooLarge(
          `The unpacked body is more than ${GROWTH} times its compressed size: send it in parts or without compression.`,
        )
      yield block
    }
  } catch (error) {
    if (codeOf(error)?.startsWith('Z_'))
      throw new BadRequest('The request body is not valid gzip', { cause: error })
    throw error
  }
}
