// PostgreSQL's custom archive format, as pg_dump -Fc writes and pg_restore reads it: its numbers, texts and
// kinds of entries. Comptoir writes version 1.14 (for PostgreSQL 12 and newer), and reads 1.12 to 1.16.

/** The first bytes of an archive. */
export const MAGIC = 'PGDMP'

export const SECTION = { none: 1, before: 2, data: 3, after: 4 } as const
/** Code before the rows of a table. */
export const DATA_BLOCK = 1
/** Position of an entry's data: not known in advance, known, no data. */
export const OFFSET = { unknown: 1, known: 2, none: 3 } as const

const INTEGER = 4
const POSITION = 8

/** An integer: its sign, then its bytes from the least. */
export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(1 + INTEGER)
  bytes[0] = value < 0 ? 1 : 0
  bytes.writeUInt32LE(Math.abs(value), 1)
  return bytes
}

/** A text with its length; null has a length of -1. */
export function text(value: string | null): Buffer {
  if (value === null) return integer(-1)
  const bytes = Buffer.from(value)
  return Buffer.concat([integer(bytes.length), bytes])
}

/** Offset of an entry's data, which is not known yet. */
export function offset(hasData: boolean): Buffer {
  const bytes = Buffer.alloc(1 + POSITION)
  bytes[0] = hasData ? OFFSET.unknown : OFFSET.none
  return bytes
}

/** The fixed beginning: magic, version, sizes of integers and positions, and the format, custom. */
export const HEAD = Buffer.concat([Buffer.from(MAGIC), Buffer.from([1, 14, 0, INTEGER, POSITION, 1])])
