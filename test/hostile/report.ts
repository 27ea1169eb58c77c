// The report of attacks for people: a line for each, and a page of those that exceeded a limit.
import { writeFileSync } from 'node:fs'
import type { Attack } from './attack.ts'
import type { Figures } from './numbers.ts'

export interface Verdict {
  readonly attack: Attack
  readonly figures: Figures
  readonly falls: readonly string[]
}

/** The share of the processors in other hands from which times may be the machine's. */
const BUSY = 0.4

export function lineOf({ attack, figures, falls }: Verdict): string {
  const { outcome, usual, raw, wait, turn, grown, kept, backend, written, seconds } = figures
  const statuses = Object.entries(outcome.statuses).map(([status, count]) => `${status}×${count}`)
  const words = [
    falls.length ? 'FELL' : 'held',
    attack.area,
    attack.name.padEnd(40),
    `${seconds} s, wait ${wait}${raw > wait ? ` of ${raw}` : ''} (usual ${usual}) ms, turn ${turn}, +${grown} MB, kept ${kept}, backend ${backend}`,
    attack.open ? `disk ${written.toFixed(1)}` : '',
    statuses.join(' '),
    outcome.words ? `“${outcome.words}”` : '',
    falls.length ? `— ${falls.join('; ')}` : '',
    figures.others > BUSY ? `(others had ${Math.round(figures.others * 100)} % of the machine)` : '',
  ]
  return words.filter(Boolean).join('  ')
}

/** A page of what fell so far, by area and family. */
export function writeReport(file: string, verdicts: readonly Verdict[], planned: number): void {
  const fell = verdicts.filter(({ falls }) => falls.length)
  const families = new Map<string, { all: number; fell: number }>()
  for (const { attack, falls } of verdicts) {
    const family = attack.name.split('/')[0] as string
    const count = families.get(family) ?? { all: 0, fell: 0 }
    families.set(family, { all: count.all + 1, fell: count.fell + (falls.length ? 1 : 0) })
  }
  const lines = [
    `# ${fell.length} of ${verdicts.length} attacks made it fall (${planned} planned, ${new Date().toISOString()})`,
    'One alone: `npm run hostile -- --only NAME` (a pattern); `wait` is what others waited beyond the usual.',
    '',
    '| Family | Attacks | Fell |',
    '| --- | --- | --- |',
    ...[...families].map(([name, count]) => `| ${name} | ${count.all} | ${count.fell} |`),
    ...['A', 'B', 'C', 'D', 'E'].flatMap((area) => {
      const attacksOfArea = fell.filter(({ attack }) => attack.area === area)
      return attacksOfArea.length
        ? [
            '',
            `## ${area}: ${attacksOfArea.length}`,
            ...attacksOfArea.map((result) => `- ${lineOf(result).replace(/\s{2,}/g, ' ')}`),
          ]
        : []
    }),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}
