// Calls of the administrator that tests of the books make all the time.
import type { Accounting } from './accounting.ts'
import { patiently } from './patient.ts'

export type Row = Record<string, unknown>

export interface Ledger {
  readonly office: Accounting
  /** The answer of a call that must succeed. */
  readonly ask: <T>(path: string, body: object) => Promise<T>
  readonly makeAll: (model: string, vals_list: readonly object[]) => Promise<number[]>
  readonly make: (model: string, vals: object) => Promise<number>
  readonly read: (model: string, id: number, fields: readonly string[]) => Promise<Row>
  readonly search: (
    model: string,
    domain: readonly unknown[],
    fields: readonly string[],
    order?: string,
  ) => Promise<Row[]>
}

export function ledgerOf(office: Accounting): Ledger {
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const answer = await patiently(() => office.call('admin', path, body))
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const makeAll = (model: string, vals_list: readonly object[]) =>
    ask<number[]>(`${model}/create`, { vals_list })
  return {
    office,
    ask,
    makeAll,
    make: async (model, vals) => (await makeAll(model, [vals]))[0] as number,
    read: async (model, id, fields) =>
      (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row,
    search: (model, domain, fields, order) =>
      ask<Row[]>(`${model}/search_read`, { domain, fields, load: null, ...(order ? { order } : {}) }),
  }
}
