// What a look at a set-up found: one line a check, and what to change where it is not as it should be.

/** `wrong` loses or refuses something, or will; `advice` is slower or less safe than it could be. */
export type Verdict = 'good' | 'advice' | 'wrong'

/** Machine-readable: `check` stays the same from release to release. */
export interface Finding {
  readonly check: string
  readonly verdict: Verdict
  /** What was found. */
  readonly found: string
  /** What to do about it; null where nothing is to be done. */
  readonly change: string | null
}

/** What a value is judged by: the first that holds counts, and where none does it is good. */
export type Objection = readonly [holds: boolean, verdict: 'advice' | 'wrong', change: string]

/** Judges what was found. */
export function judged(check: string, found: string, ...objections: readonly Objection[]): Finding {
  const [, verdict, change] = objections.find(([holds]) => holds) ?? [true, 'good' as const, null]
  return { check, verdict, found, change }
}

/** What `look` finds; a look that fails is a finding too, and the others go on. */
export async function looked(
  check: string,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const change = 'Use the role that the server uses; it owns its databases.'
    return [judged(check, `it could not be looked at: ${why}`, [true, 'advice', change])]
  }
}

/** A size for people. */
export function sized(bytes: number): string {
  const [unit, size] = bytes >= 1024 ** 3 ? (['GB', 1024 ** 3] as const) : (['MB', 1024 ** 2] as const)
  return `${(bytes / size).toFixed(1)} ${unit}`
}
