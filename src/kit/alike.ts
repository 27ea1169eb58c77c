// Suggests existing names for one that does not exist.
import { present } from './present.ts'

/** Longest name that is compared, in characters: longer ones are not typing errors. */
const LONGEST = 64
const MOST = 3

/** The few of `names` that are most like a name, the likest first; none that are not alike. */
export function alike(name: string, names: Iterable<string>): string[] {
  if (name.length > LONGEST) return []
  const near: { readonly candidate: string; readonly away: number }[] = []
  const most = Math.max(1, Math.floor(name.length / 3))
  for (const candidate of names) {
    if (candidate.length > LONGEST) continue
    const begins = name.length > 2 && (candidate.startsWith(name) || name.startsWith(candidate))
    const away = begins ? 0.5 : distance(name, candidate, most)
    if (away <= most) near.push({ candidate, away })
  }
  near.sort((a, b) => a.away - b.away || (a.candidate < b.candidate ? -1 : 1))
  return near.slice(0, MOST).map(({ candidate }) => candidate)
}

/** Letters to change, add, leave out or swap; beyond `most` any larger number. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [older, before]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = present(before[j - 1]) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(change, present(before[j]) + 1, present(row[j - 1]) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, present(older[j - 2]) + 1)
      row.push(least)
    }
    ;[older, before] = [before, row]
  }
  return present(before[b.length])
}
