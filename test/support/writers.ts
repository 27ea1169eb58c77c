// Somebody who creates records over a node, one after the other, until told to stop.
import type { Server } from '../../src/main.ts'

export interface Written {
  /** Records whose creation was acknowledged. */
  readonly ids: readonly number[]
  /** Answers that were none. */
  readonly wrong: readonly string[]
}

/** Begins at once; `stop` resolves when the last answer came. */
export function eachWrites(
  server: Server | undefined,
  key: string,
  model: string,
  vals: (n: number) => Record<string, unknown>,
): { stop(): Promise<Written> } {
  let isOver = false
  const ids: number[] = []
  const wrong: string[] = []
  const run = async () => {
    for (let n = 1; !isOver; n++) {
      const response = await fetch(`${server?.url}/json/2/${model}/create`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `bearer ${key}`,
          'x-service-database': 'test',
        },
        body: JSON.stringify({ vals_list: [vals(n)] }),
      })
      const text = await response.text()
      if (response.ok) ids.push(...(JSON.parse(text) as number[]))
      else wrong.push(`${response.status} ${text}`)
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      await running
      return { ids, wrong }
    },
  }
}
