// Caches never change an answer: a mix of generated calls runs in a process with all caches and in one
// without.
import { mock } from 'node:test'
import type { Database } from '../../src/databases/database.ts'
import { Caller } from './calls.ts'
import { type Asked, coldly, type Told, tell, unheardOf } from './cold.ts'
import { Random } from './random.ts'
import { groundOf, openShop, type Shop } from './shop.ts'

const FAMILIES = 12
const SIZE = 9

export interface CallsOptions {
  /** The least number of calls. */
  readonly calls: number
  readonly seed: number
  readonly progress?: (done: number) => void
}

export interface CallsOutcome {
  readonly asked: number
  readonly answered: number
  readonly finding: Asked | null
  readonly difference: string | null
}

const isRefusal = (answer: string): boolean => /^[A-Z][A-Za-z]+: /.test(answer)

/**
 * The difference between the two for a call, or null: in the answer, or in a statement that only the
 * process with caches sends.
 */
export async function difference(
  database: Database,
  call: Asked,
): Promise<{ readonly difference: string | null; readonly answer: string }> {
  const warm = await tell(database, call)
  const cold = await coldly(database, (fresh) => tell(fresh, call))
  const { answer } = warm
  if (answer !== cold.answer) return { difference: `remembered: ${answer}\nanew: ${cold.answer}`, answer }
  if (answer.startsWith('FAULT')) return { difference: answer, answer }
  const beyond = (statements: Told['statements']) =>
    // New records have ids of their own each time.
    unheardOf(statements, cold.statements, !call.undone)
  // The first run also reads values that are cached for the process, such as enabled features; the
  // second run has them.
  const more = beyond(warm.statements).length && beyond((await tell(database, call)).statements).at(0)
  return { difference: more ? `remembered: ${more}` : null, answer }
}

/** Families of calls, mixed. Few of them begin with a call that is refused. */
async function mixed(random: Random, caller: Caller, database: Database): Promise<Asked[]> {
  const calls: (readonly [number, Asked])[] = []
  for (let n = 0; n < FAMILIES; n++) {
    let first = caller.first()
    for (
      let tries = 0;
      tries < 6 && !random.chance(0.1) && isRefusal((await tell(database, first)).answer);
      tries++
    )
      first = caller.first()
    for (const call of caller.family(first, SIZE)) calls.push([random.next(), call])
  }
  return calls.sort(([weight], [other]) => weight - other).map(([, call]) => call)
}

/**
 * Asks generated calls in a shop until the number is reached or the answers differ. The clock stands still
 * meanwhile.
 */
export async function fuzzCallsIn(
  shop: Shop,
  { calls, seed, progress }: CallsOptions,
): Promise<CallsOutcome> {
  const ground = await groundOf(shop)
  let count = 0
  let answered = 0
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  try {
    for (let round = 0; count < calls; round++) {
      const random = new Random(seed * 1_000_003 + round)
      for (const call of await mixed(random, new Caller(random, ground), shop.database)) {
        const result = await difference(shop.database, call)
        count++
        if (result.difference) return { asked: count, answered, finding: call, difference: result.difference }
        if (!isRefusal(result.answer)) answered++
      }
      progress?.(count)
    }
    return { asked: count, answered, finding: null, difference: null }
  } finally {
    mock.timers.reset()
  }
}

/** As `fuzzCallsIn`, in a shop of its own. */
export async function fuzzCalls(options: CallsOptions): Promise<CallsOutcome> {
  const shop = await openShop()
  try {
    return await fuzzCallsIn(shop, options)
  } finally {
    await shop.close()
  }
}
