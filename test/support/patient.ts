// Calls of clients that come again: who waits too long for others, as on a slow machine, is refused for the
// moment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './office.ts'

/** Times that a call is asked again at most; each waits as long as the answer said. */
const TIMES = 30

/** The first answer that is no 503, or the last one. */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  for (let again = 0; answer.status === 503 && again < TIMES; again++) {
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000)
    answer = await ask()
  }
  return answer
}
