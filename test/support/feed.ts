// Somebody who reads the feed of changes page by page.
import assert from 'node:assert/strict'
import type { Nodes } from './nodes.ts'

export interface Change {
  readonly model: string
  readonly id: number
  readonly op: string
  readonly seq?: string
  readonly fields?: string[]
  readonly values?: Record<string, unknown>
}
type Page = { changes: Change[]; cursor: string; more: boolean }
type Headers = Record<string, string>

export interface Feed {
  ask(question: object, headers?: Headers, node?: number): Promise<Page>
  /** All changes until there is no more. */
  drain(question: object, cursor?: string, headers?: Headers): Promise<{ changes: Change[]; cursor: string }>
  /** The cursor of now. */
  now(question: object, headers?: Headers): Promise<string>
}

export const brief = (changes: readonly Change[]) => changes.map(({ op, id }) => `${op} ${id}`)

export function feedOf(nodes: Nodes): Feed {
  const ask: Feed['ask'] = async (question, headers = {}, node = 0) => {
    const answer = await nodes.post('/x/1/changes', question, headers, node)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as Page
  }
  return {
    ask,
    async drain(question, cursor, headers = {}) {
      const changes: Change[] = []
      let page: Page
      let at = cursor
      do {
        page = await ask({ ...question, ...(at ? { cursor: at } : {}) }, headers)
        changes.push(...page.changes)
        at = page.cursor
      } while (page.more)
      return { changes, cursor: page.cursor }
    },
    now: async (question, headers = {}) => (await ask({ ...question, from: 'now' }, headers)).cursor,
  }
}
