// Answers of which each row is a line, sent as they are read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { through } from '../kit/through.ts'
import type { Answer, CallBody, LineForm } from '../services/request.ts'
import { columnsIn, linesOf, lineTypes, rowsOf } from '../services/row-lines.ts'
import type { Log } from './log.ts'
import { sendStreamed } from './streamed-text.ts'

/** Sends rows in a format; null if the answer is not a list of rows. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, form, body }: { answer: Answer; form: LineForm; body: CallBody | undefined },
  log: Log,
): Promise<FastifyReply | null> {
  const columns = columnsIn(body)
  const rows = rowsOf(answer, columns)
  if (!rows) return null
  const passed = { rows: 0 }
  const lineOptions = { form, model: answer.model, columns }
  const lines = through(rows, (some) => linesOf(some, lineOptions, passed))
  const first = await lines.next()
  reply.header('cache-control', 'no-store')
  // The trailer has the number of rows; an answer that breaks off has no trailer.
  if (form !== 'ndjson')
    reply.trailer('rows', (_reply, _payload, done: (error: Error | null, value?: string) => void) =>
      done(null, String(passed.rows)),
    )
  return sendStreamed(request, reply, { first: first.value ?? '', more: lines, type: lineTypes[form] }, log)
}
