// A file as it is served, whatever its source: its media type, its length, its bytes.
import type { Readable } from 'node:stream'

export interface Content {
  readonly name: string
  readonly mimetype: string
  readonly size: number
  /** Names the bytes: the same text, the same content. */
  readonly etag: string
  /** Anybody may see it: caches on the way may keep it. */
  readonly open: boolean
  /** Made by us and not by people. */
  readonly drawn: boolean
  /** Bytes from `start` to `end`, both included. */
  read(start: number, end: number): Buffer | Readable
}
