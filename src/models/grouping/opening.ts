// Which groups are to be opened, as clients say it (`opening_info` of `web_read_group`).
import { InvalidValue } from '../../errors.ts'
import { isNoObject, isNothing } from '../../kit/nothing.ts'

/** The window and the inner groups of an opened group. */
export interface Opening {
  readonly folded: boolean
  readonly limit: unknown
  readonly offset: unknown
  readonly groups: readonly Record<string, unknown>[]
}

/** `opening_info`, or the same of a group. Throws InvalidValue. */
export function openingsOf(value: unknown): readonly Record<string, unknown>[] {
  if (isNothing(value)) return []
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'object' && one !== null)) {
    throw new InvalidValue('opening_info must be a list of objects')
  }
  return value as Record<string, unknown>[]
}

/** One item of it, read. */
export function openingOf(chosen: Record<string, unknown>): Opening {
  return {
    folded: Boolean(chosen.folded),
    limit: chosen.limit,
    offset: chosen.offset,
    groups: openingsOf(chosen.groups),
  }
}

/** An object given by a client, empty if it is missing. Throws InvalidValue. */
export function objectOf(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isNoObject(value)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new InvalidValue(`${name} must be an object`)
  return value as Record<string, unknown>
}
