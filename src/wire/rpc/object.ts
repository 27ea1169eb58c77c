// The object service of RPC: execute and execute_kw as calls (spec/wire.md section 12, spec/external-api.md
// "Object service rules").
import {
  AccessDenied,
  BadRequest,
  InvalidValue,
  NotFound,
  ServiceError,
  Unauthorized,
  UnprocessableEntity,
  UserError,
} from '../../errors.ts'
import { isNoObject } from '../../kit/nothing.ts'
import type { Answer, Call, CallBody } from '../../services/request.ts'
import type { Backend, Origin } from '../backend.ts'
import { assertFewMembers, copyWithout, isObject } from '../parse.ts'
import { passwordOf } from './claim.ts'
import { databaseNamed } from './database.ts'

/** `execute(db, uid, password, model, method, *args)`: everything after the method is positional. */
export function execute(backend: Backend, origin: Origin, args: readonly unknown[]): Promise<Answer> {
  if (args.length < 5)
    throw new InvalidValue('execute takes db, uid, password, model, method and the arguments of the method')
  return run(backend, origin, args, () => ({
    positional: args.slice(5),
    named: Object.create(null),
    rpc: true,
  }))
}

/** `execute_kw(db, uid, password, model, method, args, kw={})`: `kw.context` is the context. */
export function executeKw(backend: Backend, origin: Origin, args: readonly unknown[]): Promise<Answer> {
  if (args.length < 6 || args.length > 7)
    throw new InvalidValue('execute_kw takes db, uid, password, model, method, args and, if wanted, kw')
  return run(backend, origin, args, () => {
    const body = keywordBody(args[5], isNoObject(args[6]) ? {} : args[6])
    // The first argument says whether one id is wanted or a list (spec/client-needs.md section 6).
    if (args[4] === 'create' && body.positional?.length === 0)
      throw new UnprocessableEntity('create takes its values as its first argument')
    return body
  })
}

function keywordBody(positional: unknown, named: unknown): CallBody {
  if (!Array.isArray(positional)) throw new InvalidValue('args of execute_kw must be an array')
  if (!isObject(named)) throw new InvalidValue('kw of execute_kw must be an object')
  assertFewMembers(named)
  return {
    positional,
    context: Object.hasOwn(named, 'context') ? named.context : undefined,
    named: copyWithout(named, 'context'),
    rpc: true,
  }
}

/** Whether a failure says that the credential was right: what was called could not be done. */
function isOfCaller(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    error.status < 500 &&
    !(error instanceof AccessDenied || error instanceof Unauthorized || error instanceof NotFound)
  )
}

async function run(
  backend: Backend,
  origin: Origin,
  args: readonly unknown[],
  body: () => CallBody,
): Promise<Answer> {
  const [database, uid, password, model, method] = args
  const credential = passwordOf(uid, password)
  if (origin.asks?.later && origin.asks.strict)
    throw new BadRequest('The preference respond-async is not supported by this path', {
      code: 'unknown_preference',
    })
  const request: Call = {
    database: await databaseNamed(backend, origin, database),
    credential,
    model: nameOf(model),
    method: nameOf(method),
    body,
    remote: origin.remote,
    requestId: origin.requestId,
    userAgent: origin.userAgent,
    pieces: true,
    ...(origin.gone ? { gone: origin.gone } : {}),
    asks: origin.asks,
    tell: origin.tell,
    answering: origin.answering,
  }
  const note = () =>
    backend.deprecated.note(request.database, {
      ...credential,
      userAgent: origin.userAgent,
      method: `${request.model}.${request.method}`,
    })
  try {
    const answer = await backend.call(backend.databases, request)
    note()
    return answer
  } catch (error) {
    // A call that failed for another reason than its credential counts as well.
    if (isOfCaller(error)) note()
    // These wires know no statuses: what JSON-2 answers with 401 and 404 has the names that RPC clients look
    // for.
    if (error instanceof Unauthorized) throw new AccessDenied()
    if (error instanceof NotFound)
      throw new (error.kind === 'method' ? InvalidValue : UserError)(error.message, { cause: error })
    throw error
  }
}

/** No model and no method has a longer name. */
const LONGEST_NAME = 200

/** A name, which is a text; anything else is written out, for the refusal to show. */
function nameOf(sent: unknown): string {
  const name = typeof sent === 'string' ? sent : JSON.stringify(sent ?? null)
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
}
