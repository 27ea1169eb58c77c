// What the server tells under the name of a submission.

export interface Told {
  readonly step: string
  readonly done: number
  readonly state: 'running' | 'done' | 'failed'
}

/**
 * Null while nothing is told: another process of the server may be the one at work, or the network pauses.
 */
export async function readName(name: string): Promise<Told | null> {
  try {
    const answer = await fetch(`/web/database/progress/${name}`, { headers: { accept: 'application/json' } })
    return answer.ok ? ((await answer.json()) as Told) : null
  } catch {
    return null
  }
}
