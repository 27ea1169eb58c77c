// Shrinking: the smallest domain, context and rows that still show a difference.
import { shrinkBy } from '../support/shrink.ts'
import type { Row } from './data.ts'
import type { Finding } from './round.ts'

/**
 * Takes away what is not needed, as long as `differs` says that the rest still shows the difference. At most
 * `tries` attempts.
 */
export async function shrink(
  finding: Finding,
  differs: (smaller: Finding) => Promise<boolean>,
  tries = 400,
): Promise<Finding> {
  return shrinkBy(finding, candidates, differs, tries)
}

function* candidates(finding: Finding): Iterable<Finding> {
  for (const domain of smallerDomains(finding.domain)) yield { ...finding, domain }
  for (const name of Object.keys(finding.context)) {
    const { [name]: _, ...context } = finding.context
    yield { ...finding, context }
  }
  for (const rows of fewerRows(finding.rows)) yield { ...finding, rows }
}

/** One operator or condition less, a negation less, a value of a list less; sub-domains as well. */
export function* smallerDomains(domain: readonly unknown[]): Iterable<unknown[]> {
  if (domain.length > 1) for (const item of domain) if (Array.isArray(item)) yield [item]
  for (const [i, item] of domain.entries()) {
    const without = (...instead: unknown[]) => [...domain.slice(0, i), ...instead, ...domain.slice(i + 1)]
    yield without()
    if (item === '&' || item === '|')
      for (let j = i + 1; j < domain.length; j++) yield domain.filter((_, at) => at !== i && at !== j)
    if (!Array.isArray(item)) continue
    const [path, operator, value] = item as [unknown, unknown, unknown]
    if (!Array.isArray(value)) continue
    for (const smaller of smallerDomains(value)) yield without([path, operator, smaller])
  }
}

export function* fewerRows(rows: readonly Row[]): Iterable<Row[]> {
  for (let size = Math.floor(rows.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < rows.length; start += size) yield withoutRows(rows, start, start + size)
  }
  for (const [i, row] of rows.entries()) {
    for (const name of Object.keys(row.values)) {
      const { [name]: _, ...values } = row.values
      yield rows.map((other, at) => (at === i ? { ...other, values } : other))
    }
  }
}

/** The rows but some; what named those is unset, places of the others follow. */
function withoutRows(rows: readonly Row[], start: number, end: number): Row[] {
  const moved = (place: number) => (place >= end ? place - (end - start) : place)
  const gone = (place: number) => place >= start && place < end
  const kept = rows.filter((_, place) => !gone(place))
  return kept.map(({ model, values }) => {
    const out: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(values)) {
      if (Array.isArray(value)) out[name] = value.filter((place) => !gone(place)).map(moved)
      else if (typeof value === 'object' && value !== null) {
        const { place } = value as { place: number }
        if (!gone(place)) out[name] = { place: moved(place) }
      } else if (typeof value === 'number' && name.endsWith('_id')) {
        if (!gone(value)) out[name] = moved(value)
      } else out[name] = value
    }
    return { model, values: out }
  })
}
