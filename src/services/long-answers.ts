// Long answers: each is read in a transaction of its own for as long as its reader takes, and few at a time, so that slow readers leave connections to others.
import type { Caller } from '../access/index.ts'
import type { Database } from '../databases/index.ts'
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import type { LongAnswer } from '../models/records/long-answer.ts'
import { Unit } from '../models/unit.ts'
import { isConnectionLost } from '../postgres/index.ts'
import type { Answer } from './call.ts'

/** Long answers of one database that this process reads at a time: a quarter of its connections. */
const AT_ONCE = 4

/** Milliseconds that a call may wait until another one is read. */
const PATIENCE = 30_000

interface Lanes {
  busy: number
  readonly waiting: (() => void)[]
}

const lanes = new WeakMap<Database, Lanes>()

/**
 * The answer's first piece, and the others to be asked for. What goes wrong before the first one is an error like any other. Throws
 * ServiceUnavailable when too many others are being read, and BadRequest when its reader is `gone` by the time that it could begin.
 */
export async function begun(database: Database, caller: Caller, answer: LongAnswer, gone?: () => boolean): Promise<Answer> {
  await enter(database)
  if (gone?.()) {
    leave(database)
    throw new BadRequest('The client went away')
  }
  const more = read(database, caller, answer)
  const first = await more.next()
  return first.done ? { json: '[]' } : { json: first.value, more }
}

async function* read(database: Database, { rights }: Caller, answer: LongAnswer): AsyncGenerator<string, void> {
  const unit = new Unit(database.pool, rights.registry, rights, { readonly: true, files: database.files })
  let whole = false
  try {
    yield* answer.pieces(unit)
    await unit.commit()
    whole = true
  } catch (error) {
    throw isConnectionLost(error)
      ? new ServiceUnavailable('The database is not available at the moment.', { cause: error, undone: true })
      : error
  } finally {
    // Also when the reader went away.
    if (!whole) await unit.rollback()
    leave(database)
  }
}

async function enter(database: Database): Promise<void> {
  const own = lanes.get(database) ?? { busy: 0, waiting: [] }
  lanes.set(database, own)
  if (own.busy < AT_ONCE) {
    own.busy++
    return
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    own.waiting.splice(own.waiting.indexOf(resolved), 1)
    reject(new ServiceUnavailable('Too many long answers are being read.'))
  }, PATIENCE)
  const resolved = () => {
    clearTimeout(timer)
    resolve()
  }
  own.waiting.push(resolved)
  await promise
}

/** The place goes to whoever waits longest. */
function leave(database: Database): void {
  const own = lanes.get(database)
  const next = own?.waiting.shift()
  if (next) next()
  else if (own) own.busy--
}
