// A call from the page: by the session of this browser, or by a key without it; its answer as text.
import { CallError, call as callBySession } from '../shared/call.ts'
import type { Target } from './target.ts'

export interface Answer {
  /** Such as `200 OK, 12 ms`. */
  readonly status: string
  readonly ok: boolean
  /** The JSON that a client gets. */
  readonly text: string
  /** The headers that came with it, one a line. */
  readonly headers: string
}

/** Has the server do a call, answer it, and take it back; one that cannot do so refuses. */
const DRY = { prefer: 'tx=rollback, handling=strict' }

/** Characters of an answer that are shown. */
const MOST = 100_000

/** Throws for a body that is not a JSON object. */
export function parsed(body: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw new Error(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The body is a JSON object of named parameters.')
  return value as Readonly<Record<string, unknown>>
}

const since = (began: number): string => `${Math.round(performance.now() - began)} ms`

const headersOf = (answer: Response | null): string =>
  answer ? [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n') : ''

/** Calls as the signed-in user. Throws if there is no answer. */
export async function callAsUser(
  { model }: Target,
  { method, onRecords, dry }: { readonly method: string; readonly onRecords: boolean; readonly dry: boolean },
  { ids, ...named }: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const began = performance.now()
  let answer: Response | null = null
  const onAnswer = (response: Response) => {
    answer = response
  }
  const answerOf = (status: string, ok: boolean, value: unknown): Answer => ({
    status: `${status}, as you in this session, ${since(began)}`,
    ok,
    text: pretty(JSON.stringify(value)),
    headers: headersOf(answer),
  })
  try {
    const result = await callBySession<unknown>(
      model,
      method,
      onRecords ? [ids ?? []] : [],
      onRecords ? named : { ...named, ...(ids === undefined ? {} : { ids }) },
      { onAnswer, headers: dry ? DRY : {} },
    )
    return answerOf('200 OK', true, result)
  } catch (error) {
    if (!(error instanceof CallError) || error.name === 'offline') throw error
    return answerOf(error.name, false, error.data ?? { name: error.name, message: error.message })
  }
}

/** Sends the call without the session's cookie: the key alone decides. Throws where no answer comes. */
export async function callByKey(
  { database, model }: Target,
  { method, secret, dry }: { readonly method: string; readonly secret: string; readonly dry: boolean },
  body: string,
): Promise<Answer> {
  const headers = {
    authorization: `bearer ${secret.trim()}`,
    'x-service-database': database,
    'content-type': 'application/json',
    ...(dry ? DRY : {}),
  }
  const began = performance.now()
  const answer = await fetch(`/json/2/${model}/${method}`, {
    method: 'POST',
    headers,
    body,
    credentials: 'omit',
  }).catch(() => {
    throw new Error('The server does not respond. Check the connection and try again.')
  })
  const text = await answer.text()
  return {
    status: `${answer.status} ${answer.statusText}, ${since(began)}`,
    ok: answer.ok,
    text: pretty(text),
    headers: headersOf(answer),
  }
}

function pretty(text: string): string {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > MOST ? `${shown.slice(0, MOST)}\n… ${shown.length - MOST} characters more` : shown
  } catch {
    return text.slice(0, MOST)
  }
}
