// Names of copies: " (copy)" after the name, unless the caller passes a name (spec/models-api.md section
// 5, "copy").
import type { ModelName, Records } from '#models'

type Run<N extends ModelName> = (records: Records<N>, params: Record<string, unknown>) => Promise<unknown>

/** A wrap of `copy_data`. */
export function markCopies<N extends ModelName>(next: Run<N>): Run<N> {
  return async (records, params) => {
    const copies = (await next(records, params)) as Record<string, unknown>[]
    const hasName = typeof params.default === 'object' && params.default !== null && 'name' in params.default
    return hasName
      ? copies
      : copies.map((vals) => (vals.name ? { ...vals, name: `${vals.name} (copy)` } : vals))
  }
}
