// Records that mirror what modules declare (models, fields, options of selections): nobody makes, removes or bends them by hand.
import type { Environment } from '#models'

type Any = { readonly env: Environment; readonly name: string; readonly ids: readonly number[] }
type Run<R> = (records: R, params: Record<string, unknown>) => Promise<unknown>
type Wrap = <R extends Any>(next: Run<R>) => Run<R>

/**
 * Wraps that refuse with `refuse` what would bend the mirror: making and removing, and writing `frozen` fields. Who has no right at all hears of that first.
 * The installer fills these tables itself and goes past the wraps.
 */
export function guarded({
  frozen,
  refuse,
}: {
  readonly frozen: readonly string[]
  readonly refuse: () => Error
}): Record<'create' | 'write' | 'unlink', Wrap> {
  return {
    create: () => (records) => {
      assertRight(records, 'create')
      throw refuse()
    },
    write: (next) => (records, params) => {
      assertRight(records, 'write')
      const vals = params.vals
      if (records.ids.length && typeof vals === 'object' && vals !== null && frozen.some((name) => name in vals)) throw refuse()
      return next(records, params)
    },
    unlink: (next) => (records, params) => {
      assertRight(records, 'unlink')
      if (records.ids.length) throw refuse()
      return next(records, params)
    },
  }
}

function assertRight({ env, name }: Any, operation: 'create' | 'write' | 'unlink'): void {
  const def = env.def(name)
  if (!env.su && !env.unit.rights.mayModel(env.user, def, operation)) throw env.unit.rights.refusal(env.user, def, operation)
}
