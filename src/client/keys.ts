// Names for writes, by which a server that keeps them does each once, however often it is sent.

/** 128 random bits; `randomUUID` is not there in pages without TLS. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

interface Server {
  readonly url: string
  readonly fetch?: typeof fetch
}

/** Addresses of servers that said so. */
const keeping = new Set<string>()

/**
 * Whether the server keeps keys: asked before the first repetition that depends on it. What cannot be learnt
 * counts as no.
 */
export async function keepsKeys(
  { url, fetch: own = fetch }: Server,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const address = url.replace(/\/+$/, '')
  if (keeping.has(address)) return true
  try {
    const response = await own(`${address}/x/1`, {
      credentials: 'omit',
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    })
    const { extensions } = (await response.json()) as { extensions?: unknown }
    const keeps = response.ok && Array.isArray(extensions) && extensions.includes('idempotency')
    if (keeps) keeping.add(address)
    return keeps
  } catch {
    return false
  }
}
