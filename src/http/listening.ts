// Addresses to listen on, and the sentence for one that cannot be had.
import { StartupError } from '../errors.ts'

/** Why an address cannot be listened on, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Stop it, or choose another --port',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another --host',
  EACCES: 'that needs more rights. Choose a --port from 1024 on',
}

/** The error for an address that the system refuses with `code`; `message` stands in for unknown codes. */
export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  { code, message, cause }: { readonly code: string; readonly message: string; readonly cause?: unknown },
): StartupError {
  return new StartupError(`Cannot listen on ${urlOf(host, port)}: ${REASONS[code] ?? message}`, { cause })
}

/** The address of a server; IPv6 addresses in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
