// A client that creates records on a node, one after the other, until stopped.
import { setTimeout as sleep } from 'node:timers/promises'
export interface Written {
  /** Records whose creation was acknowledged. */
  readonly ids: readonly number[]
  /** Answers that were none. */
  readonly wrong: readonly string[]
  /** Milliseconds that an answer took at most. */
  readonly longestMs: number
}

/** Begins at once; `stop` resolves when the last answer came. */
export function eachWrites(
  server: { readonly url: string } | undefined,
  key: string,
  model: string,
  vals: (n: number) => Record<string, unknown>,
  pauseMs = 0,
): { stop(): Promise<Written> } {
  let isOver = false
  const ids: number[] = []
  const wrong: string[] = []
  let longestMs = 0
  const run = async () => {
    for (let n = 1; !isOver; n++) {
      const begun = performance.now()
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
      longestMs = Math.max(longestMs, Math.round(performance.now() - begun))
      if (response.ok) ids.push(...(JSON.parse(text) as number[]))
      else wrong.push(`${response.status} ${response.headers.get('x-comptoir-outcome') ?? ''} ${text}`)
      if (pauseMs) await sleep(pauseMs)
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      await running
      return { ids, wrong, longestMs }
    },
  }
}
