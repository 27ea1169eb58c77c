// Servers by their address: whether they answered before, and whether they do a write with the same key once.
import { ServiceError } from '../errors.ts'
import { NO_OBJECT } from './failures.ts'

/** 128 random bits; `randomUUID` is not there in pages without TLS. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Statuses of servers that are away, or of what stands before them. */
export const AWAY: ReadonlySet<number> = new Set([502, 503, 504])

interface Server {
  hasAnswered: boolean
  /** Undefined: it was not asked. */
  keepsKeys?: boolean
  /** When it is asked again, on the clock of `performance`. */
  askAgainAt?: number
}

/**
 * Milliseconds for which a refusal without an error object counts: a server without extensions gives it, and
 * so does a gateway whose server is being replaced.
 */
const UNSURE_MS = 60_000

/**
 * Servers by their address, for all clients of the process, as programs make a client for each request. With
 * more of them all are forgotten, and asked again.
 */
const servers = new Map<string, Server>()
const MOST = 1000

function serverAt(address: string): Server {
  const server = servers.get(address) ?? { hasAnswered: false }
  if (servers.size >= MOST && !servers.has(address)) servers.clear()
  servers.set(address, server)
  return server
}

/** Notes that a server answered with a status. */
export function noteAnswer(address: string, status: number): void {
  if (!AWAY.has(status)) serverAt(address).hasAnswered = true
}

/** Whether a server is one that answered before. */
export const hasAnswered = (address: string): boolean => servers.get(address)?.hasAnswered ?? false

/**
 * Whether the server keeps keys. `ask` sends the question, once for each address: the answer is there before
 * the first write leaves, as a server that goes away with a write cannot be asked. Throws what `ask` throws
 * where the server is away.
 */
export async function keepsKeys(address: string, ask: () => Promise<unknown>): Promise<boolean> {
  const { keepsKeys: kept, askAgainAt = 0 } = servers.get(address) ?? {}
  if (kept !== undefined && performance.now() < askAgainAt) return kept
  let isSure = true
  const keeps = await ask().then(namesKeys, (error: unknown) => {
    if (!(error instanceof ServiceError) || AWAY.has(error.status) || error.status === 429) throw error
    isSure = !error.wireName.startsWith(NO_OBJECT)
    return false
  })
  const server = serverAt(address)
  server.keepsKeys = keeps
  server.askAgainAt = isSure ? Number.POSITIVE_INFINITY : performance.now() + UNSURE_MS
  return keeps
}

function namesKeys(answer: unknown): boolean {
  const { extensions } = (answer ?? {}) as { readonly extensions?: unknown }
  return Array.isArray(extensions) && extensions.includes('idempotency')
}
