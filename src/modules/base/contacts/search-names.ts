// Finding records by name: conditions on display names, and `name_search` where a code counts more than a
// name (spec/models-api.md section 2).
import type { ModelName, Records } from '#models'

/** `!=`, `not in`, `not like` …: unset values and those that do not fit. */
export const isNegative = (operator: string): boolean => operator === '!=' || operator.startsWith('not ')

/** `like` and its kin. */
export const isPattern = (operator: string): boolean => operator.endsWith('like')

/** The operator whose complement a negative one is; a positive one itself. */
export const positive = (operator: string): string =>
  operator === '!=' ? '=' : operator.replace(/^not /, '')

/** Texts among the values of a condition. */
export const textsOf = (value: unknown): string[] =>
  [value].flat().filter((text): text is string => typeof text === 'string' && text !== '')

type Run<N extends ModelName> = (records: Records<N>, params: Record<string, unknown>) => Promise<unknown>
type Pair = readonly [number, string]

/**
 * A wrap of `name_search` for models with a `code`: texts of `from` to `to` characters are tried as a code
 * before they are tried as a name.
 */
export function codeFirst(from: number, to: number): <N extends ModelName>(next: Run<N>) => Run<N> {
  return (next) => async (records, params) => {
    const { name, operator = 'ilike', domain, limit } = params
    const short = typeof name === 'string' && name.length >= from && name.length <= to
    if (!short || (operator !== 'ilike' && operator !== '=')) return next(records, params)
    const rest = Array.isArray(domain) ? domain : []
    const byCode = (await next(records, {
      ...params,
      name: '',
      operator: 'ilike',
      domain: [['code', '=ilike', escaped(name)], ...rest],
    })) as Pair[]
    const most = typeof limit === 'number' && limit > 0 ? limit : null
    if (most !== null && byCode.length >= most) return byCode
    const others = (await next(records, params)) as Pair[]
    const idsByCode = new Set(byCode.map(([id]) => id))
    const all = [...byCode, ...others.filter(([id]) => !idsByCode.has(id))]
    return most === null ? all : all.slice(0, most)
  }
}

/** Text whose wildcards stand for themselves. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
