// Expectations of recorded cases that hold for the recording's day or its ids alone, put as the rule that
// gave them. The vendored cases stay as they were recorded; the runner reads an adjusted copy.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Step {
  expect?: { body?: unknown }
}
interface Case {
  refs?: Record<string, string>
  readonly steps: readonly Step[]
}

const DAY = 24 * 60 * 60 * 1000
const daysSince = (date: string, now: number): number => Math.floor((now - Date.parse(date)) / DAY)

/** Replaces a text in the recorded body of a step. Throws Error if the body does not contain it. */
function replaceIn(step: Step | undefined, recorded: string, text: string): void {
  const body = JSON.stringify(step?.expect?.body) ?? ''
  if (!step?.expect || !body.includes(recorded)) throw new Error(`The recorded body has no ${recorded}.`)
  step.expect.body = JSON.parse(body.replace(recorded, text))
}

const adjustments: Record<string, (recording: Case, now: number) => void> = {
  // An invoice of this day that is still open; it was recorded 628 days later.
  'coverage-partner/customer': ({ steps }, now) =>
    replaceIn(
      steps[15],
      '"days_sales_outstanding":628',
      `"days_sales_outstanding":${daysSince('2025-03-10', now)}`,
    ),
  // The journal of the valuation, which was the seventh of the recorded database.
  'coverage-product/category-costs-and-labels': (recording) => {
    recording.refs = { ...recording.refs, valuation: 'account.1_inventory_valuation' }
    replaceIn(recording.steps[12], 'account.journal(7,)', `account.journal(\${valuation},)`)
  },
}

/** A copy of the cases in `folder`, with what is adjusted. */
export function adjustCases(cases: string, folder: string, now = Date.now()): string {
  const copy = join(folder, 'cases')
  cpSync(cases, copy, { recursive: true })
  for (const [name, adjust] of Object.entries(adjustments)) {
    const file = join(copy, `${name}.json`)
    const recording = JSON.parse(readFileSync(file, 'utf8')) as Case
    adjust(recording, now)
    writeFileSync(file, JSON.stringify(recording))
  }
  return copy
}
