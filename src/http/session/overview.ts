// Facts of the first page: how many records the shop has, as far as its reader may see them, and how their
// keys are used.
import { curlExample } from '../../docs/index.ts'
import { ServiceError, SessionExpired } from '../../errors.ts'
import type { Backend } from '../../wire/backend.ts'
import { callKw, type Visitor } from '../../wire/session.ts'
import type { Overview } from './html.ts'

/** Models whose records are counted. */
const COUNTED = [
  ['Contacts', 'res.partner'],
  ['Products', 'product.template'],
  ['Orders', 'sale.order'],
] as const
/** Records that are counted of each model, so that the page stays fast. */
const MOST_COUNTED = 10_000

/** Throws SessionExpired. */
export async function overviewOf(backend: Backend, visitor: Visitor, origin: string): Promise<Overview> {
  const counts = COUNTED.map(async ([title, model]) => {
    const call = { model, method: 'search_count', args: [[]], kwargs: { limit: MOST_COUNTED + 1 } }
    const count = await resultOf<number>(backend, visitor, call)
    return count === null
      ? []
      : [{ title, model, count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED }]
  })
  const keys = await keysOf(backend, visitor)
  const target = { origin, database: visitor.database, extensions: false }
  const body = { domain: [], fields: ['name'], limit: 5 }
  return {
    counts: (await Promise.all(counts)).flat(),
    keys: keys ?? [],
    curl: curlExample(target, { model: 'res.partner', method: 'search_read', body }),
  }
}

async function keysOf(backend: Backend, visitor: Visitor): Promise<Overview['keys'] | null> {
  // A call of a moment ago is what people look for here: it is written down before the keys are read.
  await backend.session.noteKeyUses(backend.databases, visitor.database)
  return resultOf(backend, visitor, {
    model: 'res.users.apikeys',
    method: 'overview',
    args: [],
    kwargs: { everybody: false },
  })
}

/**
 * The result of a call, or null if the model does not exist or the reader may not see it. Throws
 * SessionExpired.
 */
async function resultOf<Result>(
  backend: Backend,
  visitor: Visitor,
  call: Readonly<Record<string, unknown>>,
): Promise<Result | null> {
  try {
    return JSON.parse(await callKw(backend, visitor, call)) as Result
  } catch (error) {
    if (error instanceof SessionExpired || !(error instanceof ServiceError) || error.status >= 500)
      throw error
    return null
  }
}
