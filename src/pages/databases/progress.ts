// Progress that the server returns for the name of a submission.

export interface Progress {
  readonly step: string
  readonly done: number
  readonly state: 'running' | 'done' | 'failed'
}

/**
 * Null while there is no progress to read: another process of the server may do the work, or the network is
 * down.
 */
export async function readProgress(name: string): Promise<Progress | null> {
  try {
    const answer = await fetch(`/web/database/progress/${name}`, { headers: { accept: 'application/json' } })
    return answer.ok ? ((await answer.json()) as Progress) : null
  } catch {
    return null
  }
}
