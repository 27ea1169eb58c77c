// The type of a side channel: a call that might reveal hidden data, with the only answer that does not.
import type { Ask, Ids } from '../vault-stage.ts'

export interface Probe {
  readonly title: string
  readonly ask: (ids: Ids) => Ask
  /** `refused`, or the answer, maybe by the ids of the records. */
  readonly expect: unknown
  /** The part of the answer that is expected; everything must be the same in both versions. */
  readonly part?: (value: never) => unknown
}

/** The result of a refused call. */
export const refused = { refused: 403 }

export const probe = (title: string, expect: unknown, ask: Probe['ask'], part?: Probe['part']): Probe => ({
  title,
  expect,
  ask,
  ...(part ? { part } : {}),
})
/** A group, or any row. */
export type Group = Record<string, unknown>
export const search = (domain: unknown[], further = {}) => ({
  method: 'search',
  body: { domain, ...further },
})
/** Papers that satisfy the conditions. */
export const finds = (title: string, domain: (ids: Ids) => unknown[], expect: unknown): Probe =>
  probe(title, expect, (ids) => search(domain(ids)))
export const groups = (groupby: string[], aggregates: string[] = ['__count'], further = {}) => ({
  method: 'formatted_read_group',
  body: { domain: [], groupby, aggregates, ...further },
})
export const only =
  (...names: string[]) =>
  (ids: Ids) =>
    names.map((name) => ids[name])
export const visible = only('paper', 'second')
