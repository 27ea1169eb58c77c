// For the tests of this folder: a fetch that answers from a list and records the requests.

/** One answer: a Response to give, or an error to throw. */
export type FakeAnswer = Response | Error

export interface RecordedRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  /** The decoded body; undefined without one. */
  readonly body: unknown
  readonly signal: AbortSignal | undefined
}

/** A fetch that gives these answers in order, and the requests it saw. Throws for a further request. */
export function fakeFetch(...answers: FakeAnswer[]): {
  readonly fetch: typeof fetch
  readonly requests: RecordedRequest[]
} {
  const requests: RecordedRequest[] = []
  const answer = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    // The client asks separately which extensions a server has; that request is not recorded.
    if (String(url).endsWith('/x/1'))
      return Response.json({ extensions: String(url).includes('keeping') ? ['idempotency'] : [] })
    requests.push({
      url: String(url),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      signal: init.signal ?? undefined,
    })
    const next = answers.shift()
    if (next === undefined) throw new RangeError('the fake has no answer left')
    if (next instanceof Error) throw next
    return next
  }
  return { fetch: answer as typeof fetch, requests }
}

/** A successful answer. */
export const ok = (value: unknown): Response => Response.json(value)

/** An error object with its status. */
export function refusal(
  status: number,
  name: string,
  message = 'No.',
  headers: Record<string, string> = {},
  context: object = {},
): Response {
  return Response.json(
    { name, message, arguments: [message], context, debug: `${name}: ${message}` },
    { status, headers },
  )
}

/** The error that Node's fetch throws when it cannot connect. */
export const unreachable = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
