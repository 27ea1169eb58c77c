// `name_search` where a code counts more than a name: records with that very code come first (spec/models-api.md section 2, "Display names").
import type { Records } from '#models'

type Run = (records: Records<never>, params: Record<string, unknown>) => Promise<unknown>
type Pair = readonly [number, string]

/** A wrap for models with a `code`: texts of `from` to `to` characters are tried as a code before they are tried as a name. */
export function codeFirst(from: number, to: number): (next: Run) => Run {
  return (next) => async (records, params) => {
    const { name, operator = 'ilike', domain, limit } = params
    const short = typeof name === 'string' && name.length >= from && name.length <= to
    if (!short || (operator !== 'ilike' && operator !== '=')) return next(records, params)
    const rest = Array.isArray(domain) ? domain : []
    const byCode = (await next(records, { ...params, name: '', domain: [['code', '=ilike', escaped(name)], ...rest] })) as Pair[]
    const most = typeof limit === 'number' && limit > 0 ? limit : null
    if (most !== null && byCode.length >= most) return byCode
    const others = (await next(records, { ...params, limit: most === null ? limit : most })) as Pair[]
    const known = new Set(byCode.map(([id]) => id))
    const all = [...byCode, ...others.filter(([id]) => !known.has(id))]
    return most === null ? all : all.slice(0, most)
  }
}

/** Text whose wildcards stand for themselves. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
