// What routes under /x/1 have in common: the caller by an API key, the database, the body as JSON.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyMark } from '../../kit/secrets.ts'
import type { Backend } from '../../wire/backend.ts'
import { JsonReader } from '../../wire/json-reader.ts'
import { bearerKey, requireJson } from '../../wire/json2.ts'
import { Parsed, parseJson } from '../../wire/parse.ts'
import { announcesBody, type Bodies, type Gate } from '../body.ts'
import { databaseHeader } from '../calls.ts'

/** Who asks, and where. Throws Unauthorized without a key, NotFound where no database is meant. */
export async function ownerOf(request: FastifyRequest, { databases }: Backend) {
  const { headers } = request
  const key = bearerKey(headers.authorization)
  const database = await databases.choose({ header: databaseHeader(request), host: headers.host })
  return {
    database,
    credential: { kind: 'key', key },
    remote: request.ip,
    userAgent: headers['user-agent'],
    requestId: request.id,
    asks: request.asks,
  } as const
}

type KeyOwner = Awaited<ReturnType<typeof ownerOf>>

/** Takes the body; what it gives decodes it: an empty one is an empty object. Throws UnsupportedMediaType for what is no JSON. */
export async function jsonBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies, owner }: { readonly backend: Backend; readonly bodies: Bodies; readonly owner: KeyOwner },
): Promise<() => unknown> {
  if (!announcesBody(request.raw)) return () => ({})
  requireJson(request.headers['content-type'])
  const gate: Gate = {
    inBody: false,
    judge: async () => {
      await backend.prove(backend.databases, owner)
      return { user: `${owner.database} ${keyMark(owner.credential.key)}`, database: owner.database }
    },
  }
  const body = await bodies.receive(request, reply, { reader: () => new JsonReader(), gate })
  return () => {
    if (body instanceof Parsed) return body.value
    return body.length === 0 ? {} : parseJson(body, bodies.weigh(request, reply))
  }
}
