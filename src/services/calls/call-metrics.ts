// Calls as those who watch see them: how long they took, what became of them, how often they went to
// PostgreSQL.
import type { Databases } from '../../databases/index.ts'
import { ServiceError } from '../../errors.ts'
import { spanNow, tripsNow, watch, watched } from '../../kit/watch/index.ts'
import type { Call } from '../request.ts'

/** Parts of a call that metrics and traces use. */
export type Watched = Pick<Call, 'database' | 'model' | 'method' | 'asks'>

/** Runs a call and records it in metrics and traces. */
export function watchedCall<T>(server: Databases, request: Watched, run: () => Promise<T>): Promise<T> {
  const { model, method, asks } = request
  const began = performance.now()
  const span = spanNow()
  return watched(span, async () => {
    let outcome = 'ok'
    try {
      return await run()
    } catch (error) {
      outcome = error instanceof ServiceError && error.status < 500 ? 'refused' : 'failed'
      if (asks?.key !== undefined && error instanceof ServiceError && error.code.startsWith('idempotency_'))
        watch.sink?.count('comptoir_idempotency_total', { outcome: error.code.slice('idempotency_'.length) })
      throw error
    } finally {
      const name = nameOf(server, request)
      const database = watch.sink?.byDatabase ? { database: request.database } : {}
      const seconds = (performance.now() - began) / 1000
      watch.sink?.observe('comptoir_call_duration_seconds', seconds, { method: name, outcome, ...database })
      watch.sink?.observe('comptoir_trips', tripsNow(), { method: name, ...database })
      span?.set({
        'comptoir.model': name === OTHER ? OTHER : model,
        'comptoir.method': name === OTHER ? OTHER : method,
      })
    }
  })
}

const OTHER = '_OTHER'

/** `model/method`, for methods of contracts only: callers may invent any other. */
function nameOf(server: Databases, { database, model, method }: Watched): string {
  const definition = server.handles.known(database)?.registry.get(model)?.methods.get(method)
  return definition && !definition.private ? `${model}/${method}` : OTHER
}
