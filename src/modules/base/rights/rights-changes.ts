// Announces changes of rights: wraps that raise the version which every process checks with a credential
// (spec/wire.md section 9).

import { raiseRightsVersion } from '#engine'
import type { Environment, WriteRun } from '#models'

type Run<R> = (records: R, params: Record<string, unknown>) => Promise<unknown>

/**
 * A wrap around a generic method that changes records: after the commit, every process loads rights
 * again.
 */
export function changingRights<R extends { readonly env: Environment }>(next: Run<R>): Run<R> {
  return async (records, params) => {
    const result = await next(records, params)
    raiseRightsVersion(records.env)
    return result
  }
}

/** As `changingRights`, around every write. */
export function writingRights<R extends { readonly env: Environment }>(next: WriteRun<R>): WriteRun<R> {
  return async (records, changes) => {
    await next(records, changes)
    raiseRightsVersion(records.env)
  }
}
