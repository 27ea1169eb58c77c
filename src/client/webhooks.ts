// Verifies webhook deliveries by the Standard Webhooks specification: signed with a secret of the endpoint,
// and recent. Uses only what browsers and Node have, no packages.

/** Payload of a webhook. Payloads of a type only ever gain members. */
export interface WebhookEvent {
  /** `<model>.created`, `.updated`, `.deleted`, or a declared event such as `sale.order.confirmed`. */
  readonly type: string
  /** When it was committed. */
  readonly timestamp: string
  /** Of two events the later has the greater number. */
  readonly sequence: string
  readonly database: string
  readonly data: {
    readonly model: string
    readonly id: number
    readonly fields?: readonly string[]
    readonly values?: Readonly<Record<string, unknown>>
    /** The values were too much: read the record. */
    readonly truncated?: boolean
  }
}

/** A request that is not signed with the secret, or is too old (a replay). */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook'
}

/** A request as it came. */
export interface WebhookRequest {
  /** The body, unparsed: what was signed are its bytes. */
  readonly body: string | Uint8Array
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** `whsec_…`; several where one is being replaced. */
  readonly secret: string | readonly string[]
  /** Seconds that it may be old, 300 by default. */
  readonly tolerance?: number
}

/**
 * Verifies the signature and age of a webhook request, and returns its event. Throws InvalidWebhook.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from 'comptoir/client'
 *
 * export async function receive(request: Request): Promise<Response> {
 *   const body = await request.text()
 *   const event = await verifyWebhook({ body, headers: request.headers, secret: 'whsec_…' })
 *   return Response.json({ received: event.type })
 * }
 * ```
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  tolerance = 300,
}: WebhookRequest): Promise<WebhookEvent> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string') throw new InvalidWebhook(`The header ${name} is missing.`)
    return value
  }
  const [id, stamp, signed] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  const age = Math.abs(Date.now() / 1000 - Number(stamp))
  if (!/^\d{1,12}$/.test(stamp) || age > tolerance)
    throw new InvalidWebhook('It was signed too long ago, or the clocks differ.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const content = new TextEncoder().encode(`${id}.${stamp}.${text}`)
  const signatures = signed
    .split(' ')
    .flatMap((signature) =>
      signature.startsWith('v1,') ? (bytesOf(signature.slice('v1,'.length)) ?? []) : [],
    )
  for (const encoded of typeof secret === 'string' ? [secret] : secret) {
    const bytes = bytesOf(encoded.replace(/^whsec_/, ''))
    if (!bytes?.length) throw new InvalidWebhook('A secret of webhooks begins with whsec_.')
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    // Compares in constant time.
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, content)) return JSON.parse(text) as WebhookEvent
  }
  throw new InvalidWebhook('No signature is by the secret.')
}

/** The bytes of a text in base64; null for any other text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return null
  }
}
