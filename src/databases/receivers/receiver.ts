// A receiver of the audit log outside of the server.

export interface Receiver {
  /** The name under which each database remembers how far the receiver has come. */
  readonly name: string
  /** Hands over lines of JSON, all or it throws: then they are sent again, some perhaps twice. */
  send(lines: readonly string[]): Promise<void>
}
