// The body of a request under /x/1: JSON, taken once its key has been judged.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JsonReader } from '../../kit/json-reader.ts'
import type { Backend } from '../../wire/backend.ts'
import { requireJson } from '../../wire/json2.ts'
import { Parsed, parseJson } from '../../wire/parse.ts'
import { announcesBody, type Bodies } from '../body.ts'
import { type KeyOwner, keyGate } from '../calls.ts'

/**
 * Takes the body; what it gives decodes it: an empty one is an empty object. Throws UnsupportedMediaType for
 * what is not JSON.
 */
export async function jsonBody(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    backend,
    bodies,
    owner,
    most,
  }: { readonly most?: number; readonly backend: Backend; readonly bodies: Bodies; readonly owner: KeyOwner },
): Promise<() => unknown> {
  if (!announcesBody(request.raw)) return () => ({})
  requireJson(request.headers['content-type'])
  const body = await bodies.receive(request, reply, {
    reader: () => new JsonReader(),
    ...(most !== undefined && { most }),
    gate: keyGate(owner, backend),
  })
  return () => {
    if (body instanceof Parsed) return body.value
    return body.length === 0 ? {} : parseJson(body, bodies.weigh(request, reply))
  }
}
