// Calls a model's method with the session of this browser (spec/client-needs.md section 4); a failure is a
// CallError with the server's message.

/** A refusal by the server: name of the exception, and its message. */
export class CallError extends Error {
  override readonly name: string
  /** The error object, if the server sent one. */
  readonly data: object | undefined
  constructor(name: string, message: string, data?: object) {
    super(message)
    this.name = name
    this.data = data
  }
}

/** Parts of a call besides its values. */
interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Called with the answer before it is read. */
  readonly onAnswer?: (answer: Response) => void
}

/** Kinds of proofs that the person is still there. */
export type Proof = 'password' | 'code'

/** A refusal until a proof is given (`step_up_required`). */
class ProofNeeded extends CallError {
  readonly proof: Proof
  constructor(message: string, proof: Proof, data?: object) {
    super('proof', message, data)
    this.proof = proof
  }
}

/** Asks the user for a proof; false if it is declined. Pages without this function show the refusal. */
let askForProof: ((proof: Proof) => Promise<boolean>) | null = null

/** Sets the function that asks for a proof. */
export function onProofNeeded(ask: (proof: Proof) => Promise<boolean>): void {
  askForProof = ask
}

interface Envelope {
  readonly result?: unknown
  readonly error?: {
    readonly code?: number
    readonly message?: string
    readonly data?: {
      readonly name?: string
      readonly message?: string
      readonly context?: { readonly proof?: unknown }
    }
  }
}

/** The code of a session that has ended (spec/client-needs.md section 1). */
const SESSION_ENDED = 100
let count = 0

/**
 * Returns the method's result. Throws a CallError: the server's refusal, or `offline` without an answer. If
 * the server needs a proof first, the user is asked for it, and the call repeated. An ended session leads to
 * the login page and back here; the promise then stays open, so that the page waits until it is left.
 */
export async function call<Result>(
  model: string,
  method: string,
  args: readonly unknown[] = [],
  kwargs: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<Result> {
  const params = { model, method, args, kwargs }
  const send = () => post<Result>(`/web/dataset/call_kw/${model}/${method}`, params, options)
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ProofNeeded) || !askForProof) throw error
    if (!(await askForProof(error.proof)))
      throw new CallError('unproven', 'Nothing was changed because you did not confirm your identity.')
    return send()
  }
}

async function post<Result>(path: string, params: object, options: CallOptions): Promise<Result> {
  count += 1
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'call', id: count, params })
  const answer = await said(path, body, options)
  // If only the session knew the database, the page can only say so.
  if (answer.status === 404 || answer.envelope?.error?.code === SESSION_ENDED) return toLogin()
  const { envelope } = answer
  if (!envelope)
    throw new CallError('unreadable', `The server answered with status ${answer.status} and no result.`)
  if (envelope.error) {
    const { data, message } = envelope.error
    const proof = data?.context?.proof
    if (proof === 'password' || proof === 'code') throw new ProofNeeded(data?.message ?? '', proof, data)
    throw new CallError(data?.name ?? 'error', data?.message ?? message ?? 'Error', data)
  }
  return envelope.result as Result
}

/** The answer, with its envelope if it has one. Throws the CallError `offline`. */
async function said(
  path: string,
  body: string,
  { headers = {}, onAnswer }: CallOptions,
): Promise<{ status: number; envelope: Envelope | null }> {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    onAnswer?.(answer)
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, envelope: isJson ? ((await answer.json()) as Envelope) : null }
  } catch {
    throw new CallError('offline', 'The server does not respond. Check the connection and try again.')
  }
}

/** Leaves for the login page, which leads back here. Never resolves. */
export function toLogin(): Promise<never> {
  location.assign(
    `/web/login?redirect=${encodeURIComponent(location.pathname + location.search + location.hash)}&reason=expired`,
  )
  return new Promise(() => undefined)
}
