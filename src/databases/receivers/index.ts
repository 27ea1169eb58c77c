// Receivers of the audit log outside of the server: a file, a syslog. Entries of databases are sent by their
// place in the chain (services/audit/ship.ts); lines about whole databases are sent at once.
import { appendFile } from 'node:fs/promises'
import type { SyslogAddress } from '../../config/index.ts'
import type { Receiver } from './receiver.ts'
import { syslogReceiver } from './syslog.ts'

export type { Receiver } from './receiver.ts'

/** The file is opened each time, so that it may be moved away; each delivery is one write. */
const fileReceiver = (path: string): Receiver => ({
  name: `file://${path}`,
  send: (lines) => appendFile(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 }),
})

/** Lines about whole databases that wait at most; they are in `audit.jsonl` besides. */
const MOST_WAITING = 10_000

/** All receivers of a server. */
export class Receivers {
  readonly all: readonly Receiver[]
  /** Lines about whole databases that a receiver has not got. */
  readonly #waiting = new Map<Receiver, string[]>()
  #sending: Promise<void> = Promise.resolve()

  constructor({
    file,
    syslog,
  }: { readonly file?: string | undefined; readonly syslog?: SyslogAddress | undefined }) {
    this.all = [...(file ? [fileReceiver(file)] : []), ...(syslog ? [syslogReceiver(syslog)] : [])]
    for (const receiver of this.all) this.#waiting.set(receiver, [])
  }

  /** A line about a whole database, or about the server: it is sent at once, and again later if that fails. */
  note(line: object): void {
    const text = JSON.stringify(line)
    for (const lines of this.#waiting.values()) if (lines.length < MOST_WAITING) lines.push(text)
    void this.flush()
  }

  /** Sends what waits; never throws. */
  flush(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#flush())
    return this.#sending
  }

  async #flush(): Promise<void> {
    for (const [receiver, lines] of this.#waiting) {
      if (lines.length === 0) continue
      const portion = lines.slice(0, 1000)
      try {
        await receiver.send(portion)
        lines.splice(0, portion.length)
      } catch {
        // It is tried again with the next line, and with what databases send.
      }
    }
  }
}
