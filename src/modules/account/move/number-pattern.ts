// The pattern of a number that people type or that the server gave: what of `INV/24-25/0007` is the year,
// the month, the counter. The next number keeps the pattern, and its period says when the counter begins
// again. Without a database.

import { present } from '../../../kit/present.ts'

/** A run of digits in a number that says something. */
interface Mark {
  readonly kind: 'year' | 'end' | 'month' | 'counter'
  readonly from: number
  readonly to: number
  readonly value: number
}

export interface NumberPattern {
  /** The text before the counter. */
  readonly prefix: string
  readonly number: number
  /** The number with `#` for its counter: those that count together have the same. */
  readonly form: string
  /** Whether a day lies in the period that the number names; without one every day does. */
  holds(day: string): boolean
  /**
   * Whether the number certainly names another period than that of a day: two digits may be no year.
   */
  excludes(day: string): boolean
  /** The form in the period of a day, and the numbers in it. */
  at(day: string): { readonly form: string; readonly name: (count: number) => string }
}

interface Run {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** More digits would not fit the column: what is before them belongs to the prefix. */
const COUNTER_DIGITS = 9
export const HIGHEST_COUNTER = 10 ** COUNTER_DIGITS - 1
/** Numbers are repeated in each entry that follows, and in prints. */
export const LONGEST_NUMBER = 100

/** The pattern of a number of an entry of this day; null for one without digits. */
export function patternOf(name: string, day: string | null): NumberPattern | null {
  const runs = [...name.matchAll(/\d+/g)].map(
    ({ 0: text, index: from }): Run => ({ text, from, to: from + text.length }),
  )
  const last = runs.at(-1)
  if (!last) return null
  const leading = periodIn(name, runs.slice(0, -1), day)
  const trailing = leading.length ? null : trailingYear(name, runs, day)
  const { run, period } = trailing ?? { run: last, period: leading }
  const from = Math.max(run.from, run.to - COUNTER_DIGITS)
  const counter: Mark = { kind: 'counter', from, to: run.to, value: Number(name.slice(from, run.to)) }
  const marks = [...period, counter].sort((a, b) => a.from - b.from)
  return {
    prefix: name.slice(0, from),
    number: counter.value,
    form: `${name.slice(0, from)}#${name.slice(run.to)}`,
    holds: (wanted) => holds(period, wanted),
    excludes: (wanted) =>
      period.some(({ kind, from: start, to }) => kind === 'year' && to - start === 4) &&
      !holds(period, wanted),
    at: (wanted) => at(name, marks, wanted),
  }
}

const YEAR = /^(?:19|20|21)\d\d$/
const MONTH = /^(?:0[1-9]|1[0-2])$/

/** Years of two digits are those next to the day of the entry: other pairs of digits are no years. */
function yearOf(text: string, day: string | null): number | null {
  if (YEAR.test(text)) return Number(text)
  if (text.length !== 2 || !day) return null
  const dayYear = Number(day.slice(0, 4))
  return [dayYear - 1, dayYear, dayYear + 1].find((year) => year % 100 === Number(text)) ?? null
}

/** The year or the two years in a number before its counter, and the month directly after them. */
function periodIn(name: string, runs: readonly Run[], day: string | null): Mark[] {
  const years = rangeIn(name, runs, day) ?? yearIn(runs, day)
  const last = years.at(-1)
  if (!last || last.kind === 'month') return years
  const next = runs.find(({ from }) => from >= last.to)
  return next && MONTH.test(next.text) ? [...years, markOf('month', next)] : years
}

const markOf = (kind: Mark['kind'], { text, from, to }: Run, value = Number(text)): Mark => ({
  kind,
  from,
  to,
  value,
})

/** `24-25`, `2024-25`, `2024/2025`. */
function rangeIn(name: string, runs: readonly Run[], day: string | null): Mark[] | null {
  for (const [i, first] of runs.entries()) {
    const second = runs[i + 1]
    if (!second || !/^[-/._]$/.test(name.slice(first.to, second.from))) continue
    // 2011/12 is a December.
    if (second.text.length > first.text.length || (first.text.length === 4 && MONTH.test(second.text)))
      continue
    const [year, end] = [yearOf(first.text, day), Number(second.text)]
    if (year === null || (year + 1) % 10 ** second.text.length !== end) continue
    return [markOf('year', first, year), markOf('end', second, year + 1)]
  }
  return null
}

/** `2026`, `202611`, `26`: the first of them that a number has. */
function yearIn(runs: readonly Run[], day: string | null): Mark[] {
  const full = runs.find(({ text }) => YEAR.test(text))
  if (full) return [markOf('year', full)]
  const both = runs.find(({ text }) => YEAR.test(text.slice(0, 4)) && MONTH.test(text.slice(4)))
  if (both) {
    const cut = both.from + 4
    return [
      markOf('year', { ...both, text: both.text.slice(0, 4), to: cut }),
      markOf('month', { ...both, text: both.text.slice(4), from: cut }),
    ]
  }
  const short = runs.find(({ text }) => text.length === 2 && yearOf(text, day) !== null)
  return short ? [markOf('year', short, yearOf(short.text, day) ?? 0)] : []
}

/** `0042/2026`, `FV/42/11/2026`: a year at the end, of the day of the entry, and the counter before it. */
function trailingYear(
  name: string,
  runs: readonly Run[],
  day: string | null,
): { readonly run: Run; readonly period: readonly Mark[] } | null {
  const [last, before, earlier] = runs.toReversed()
  if (!last || !before || !day || last.text !== day.slice(0, 4)) return null
  const monthly = earlier && before.text === day.slice(5, 7) && isSeparateNumber(name, earlier)
  const run = monthly ? earlier : before
  if (!isSeparateNumber(name, run)) return null
  return { run, period: [markOf('year', last), ...(monthly ? [markOf('month', before)] : [])] }
}

/** Digits directly after a letter are part of a word: the 2 of `A2-2026` is no counter. */
const isSeparateNumber = (name: string, { from }: Run) =>
  from === 0 || !/[\p{L}\d]/u.test(name[from - 1] ?? '')

const valueIn = (marks: readonly Mark[], kind: Mark['kind']) => marks.find((one) => one.kind === kind)?.value

function holds(period: readonly Mark[], day: string): boolean {
  const [year, end, month] = [valueIn(period, 'year'), valueIn(period, 'end'), valueIn(period, 'month')]
  const dayYear = Number(day.slice(0, 4))
  if (month !== undefined && month !== Number(day.slice(5, 7))) return false
  return year === undefined || dayYear === year || dayYear === end
}

/** Two years go on while the day lies in either; a day beyond begins those that it begins itself. */
function at(name: string, marks: readonly Mark[], day: string) {
  const dayYear = Number(day.slice(0, 4))
  const [year, end] = [valueIn(marks, 'year'), valueIn(marks, 'end')]
  const first = end !== undefined && dayYear === end ? present(year) : dayYear
  const period = { year: first, end: first + 1, month: Number(day.slice(5, 7)) }
  const write = (counter: string | null) => {
    let [text, from] = ['', 0]
    for (const mark of marks) {
      const width = mark.to - mark.from
      const digits =
        mark.kind === 'counter'
          ? (counter ?? '#')
          : String(period[mark.kind]).slice(-width).padStart(width, '0')
      text += name.slice(from, mark.from) + digits
      from = mark.to
    }
    return text + name.slice(from)
  }
  const counter = marks.find(({ kind }) => kind === 'counter')
  const width = counter ? counter.to - counter.from : 0
  return { form: write(null), name: (count: number) => write(String(count).padStart(width, '0')) }
}
