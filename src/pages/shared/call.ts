// Calls a model's method with the session of this browser (spec/client-needs.md section 4); a failure is a CallError with the server's words.

/** What the server refused, by the exception's name and in its words. */
export class CallError extends Error {
  override readonly name: string
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

interface Envelope {
  readonly result?: unknown
  readonly error?: { readonly message?: string; readonly data?: { readonly name?: string; readonly message?: string } }
}

let count = 0

/** Answers the method's result. Throws a CallError: what the server said, or `offline` where it said nothing. */
export async function call<Result>(
  model: string,
  method: string,
  args: readonly unknown[] = [],
  kwargs: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  const envelope = await post(`/web/dataset/call_kw/${model}/${method}`, { model, method, args, kwargs })
  if (envelope.error)
    throw new CallError(envelope.error.data?.name ?? 'error', envelope.error.data?.message ?? envelope.error.message ?? 'Error')
  return envelope.result as Result
}

async function post(path: string, params: object): Promise<Envelope> {
  count += 1
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'call', id: count, params }),
    })
    return (await answer.json()) as Envelope
  } catch (error) {
    throw new CallError('offline', `The server does not answer: ${error instanceof Error ? error.message : String(error)}`)
  }
}
