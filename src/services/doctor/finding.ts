// Findings about a set-up: one per check, with the advised change where something is wrong.
import { sqlState } from '../../postgres/index.ts'

/** PostgreSQL's state of a refusal by its rights. */
const FORBIDDEN = '42501'

/** `wrong` loses or refuses something, or will; `advice` is slower or less safe than it could be. */
export type Verdict = 'good' | 'advice' | 'wrong'

/** Machine-readable: `check` stays the same from release to release. */
export interface Finding {
  readonly check: string
  readonly verdict: Verdict
  /** Measured value or state, in words. */
  readonly found: string
  /** Advised change; null where nothing needs one. */
  readonly change: string | null
}

/** A rule for a value: the first one that holds counts, and without any the value is good. */
export type Objection = readonly [holds: boolean, verdict: 'advice' | 'wrong', change: string]

/** Judges what was found. */
export function assess(check: string, measured: string, ...objections: readonly Objection[]): Finding {
  const [, severity, change] = objections.find(([holds]) => holds) ?? [true, 'good' as const, null]
  return { check, verdict: severity, found: measured, change }
}

/** The findings of `look`; a look that fails is a finding too, so that the other checks still run. */
export async function findingsOf(
  check: string,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const change =
      sqlState(error) === FORBIDDEN
        ? 'Use the role that the server uses; it owns its databases.'
        : 'Correct that first, and run the command again.'
    return [assess(check, `it could not be checked: ${why}`, [true, 'advice', change])]
  }
}

/** A size for people. */
export function sizeForPeople(bytes: number): string {
  if (bytes < 1024 ** 2 / 20) return `${Math.ceil(bytes / 1024)} kB`
  const [unit, size] = bytes >= 1024 ** 3 ? (['GB', 1024 ** 3] as const) : (['MB', 1024 ** 2] as const)
  return `${(bytes / size).toFixed(1)} ${unit}`
}
