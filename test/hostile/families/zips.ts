// Zips that contradict themselves, given as backups: entries that share bytes, sizes and sums that are not
// so, directories that lead elsewhere, names that no file has.
import { crc32, deflateRawSync } from 'node:zlib'
import type { Attack, World } from '../attack.ts'
import { restored, soundParts } from './restores.ts'

interface Entry {
  readonly name: string | Buffer
  readonly content: Buffer
  /** Wrong values for the directory entry. */
  readonly says?: {
    readonly size?: number
    readonly packed?: number
    readonly sum?: number
    readonly method?: number
    readonly flags?: number
    readonly attributes?: number
    /** Where the entry begins; that of another: they share bytes. */
    readonly at?: number
  }
  readonly extra?: Buffer
}

interface End {
  /** Entries, and where their directory begins, as the end of the file says. */
  readonly count?: number
  readonly at?: number
  readonly comment?: Buffer
}

/** A zip of packed entries, and what it says of itself. */
function zipOf(entries: readonly Entry[], end: End = {}): Buffer {
  const [local, central]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { name, content, says = {}, extra = Buffer.alloc(0) } of entries) {
    const packed = deflateRawSync(content)
    const title = typeof name === 'string' ? Buffer.from(name) : name
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(says.flags ?? 0, 2)
    facts.writeUInt16LE(says.method ?? 8, 4)
    facts.writeUInt32LE(says.sum ?? crc32(content), 10)
    facts.writeUInt32LE(says.packed ?? packed.length, 14)
    facts.writeUInt32LE(says.size ?? content.length, 18)
    facts.writeUInt16LE(title.length, 22)
    facts.writeUInt16LE(extra.length, 24)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(says.attributes ?? 0, 6)
    tail.writeUInt32LE(says.at ?? at, 10)
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), facts, tail, title, extra)
    if (says.at !== undefined) continue
    local.push(Buffer.from('PK\x03\x04', 'latin1'), facts, title, extra, packed)
    at += 30 + title.length + extra.length + packed.length
  }
  const directory = Buffer.concat(central)
  const last = Buffer.alloc(22)
  last.write('PK\x05\x06', 'latin1')
  for (const place of [8, 10]) last.writeUInt16LE(Math.min(0xffff, end.count ?? entries.length), place)
  last.writeUInt32LE(directory.length, 12)
  last.writeUInt32LE(end.at ?? at, 16)
  last.writeUInt16LE(end.comment?.length ?? 0, 20)
  return Buffer.concat([...local, directory, last, end.comment ?? Buffer.alloc(0)])
}

type Parts = Awaited<ReturnType<typeof soundParts>>
const hash = (at: number) => `filestore/00/${at.toString(16).padStart(64, '0')}`
const sound = ({ manifest, script }: Parts): Entry[] => [
  { name: 'manifest.json', content: manifest },
  { name: 'dump.sql', content: script },
]
const withScript = (parts: Parts, says: NonNullable<Entry['says']>): Entry[] => [
  { name: 'manifest.json', content: parts.manifest },
  { name: 'dump.sql', content: parts.script, says },
]

/** The size, and a function that builds the file. */
const shapes: Readonly<Record<string, readonly [size: number, make: (n: number, parts: Parts) => Buffer]>> = {
  'entries-that-share-bytes': [
    30_000,
    (n, parts) => {
      const content = Buffer.alloc(5_000_000)
      const says = { at: 0, size: content.length, packed: 4870, sum: crc32(content) }
      return zipOf([
        { name: hash(0), content },
        ...sound(parts),
        ...Array.from({ length: n }, (_, at) => ({ name: hash(at + 1), content: Buffer.alloc(0), says })),
      ])
    },
  ],
  'script-longer-than-it-says': [1, (_, parts) => zipOf(withScript(parts, { size: 100 }))],
  'script-shorter-than-it-says': [1, (_, parts) => zipOf(withScript(parts, { size: 0xfffffffe }))],
  'packed-beyond-the-end': [1, (_, parts) => zipOf(withScript(parts, { packed: 0x7fffffff }))],
  'sums-that-are-wrong': [1, (_, parts) => zipOf(withScript(parts, { sum: 1 }))],
  'methods-that-are-unknown': [1, (_, parts) => zipOf(withScript(parts, { method: 99 }))],
  'packed-as-not-packed': [1, (_, parts) => zipOf(withScript(parts, { method: 0 }))],
  encrypted: [1, (_, parts) => zipOf(withScript(parts, { flags: 1 }))],
  links: [1, (_, parts) => zipOf(withScript(parts, { attributes: 0xa1ff0000 }))],
  'entries-elsewhere': [1, (_, parts) => zipOf(withScript(parts, { at: 0xfffffff0 }))],
  'directory-elsewhere': [1, (_, parts) => zipOf(sound(parts), { at: 0xfffffff0 })],
  'directory-of-itself': [1, (_, parts) => zipOf(sound(parts), { at: 0 })],
  'entries-that-are-not-there': [60_000, (n, parts) => zipOf(sound(parts), { count: n })],
  'ends-in-the-comment': [
    60_000,
    (n, parts) =>
      zipOf(sound(parts), {
        comment: Buffer.from('PK\x05\x06'.repeat(Math.ceil(n / 4)).slice(0, n), 'latin1'),
      }),
  ],
  'twice-the-same-name': [200, (n, parts) => zipOf(Array.from({ length: n }, () => sound(parts)).flat())],
  'long-names': [
    200,
    (n, parts) =>
      zipOf([
        ...Array.from({ length: n }, (_, at) => ({
          name: `filestore/${'a/'.repeat(32_000)}${at}`,
          content: Buffer.alloc(1),
        })),
        ...sound(parts),
      ]),
  ],
  'names-of-other-bytes': [
    300,
    (n, parts) =>
      zipOf([
        ...Array.from({ length: n }, (_, at) => ({
          name: Buffer.from([0xff, 0x00, 0x2e, 0x2e, 0x5c, at & 255, 0x0a]),
          content: Buffer.alloc(1),
        })),
        ...sound(parts),
      ]),
  ],
  'fields-beyond-measure': [
    60_000,
    (n, parts) =>
      zipOf([
        { name: hash(0), content: Buffer.alloc(9), extra: Buffer.alloc(n, 'xxxx\xff\xff', 'latin1') },
        ...sound(parts),
      ]),
  ],
  'zip-in-a-zip': [
    30,
    (n, parts) => {
      let inner = zipOf(sound(parts))
      for (let at = 0; at < n; at++) inner = zipOf([{ name: 'dump.sql', content: inner }])
      return zipOf([
        { name: 'manifest.json', content: parts.manifest },
        { name: 'dump.sql', content: inner },
      ])
    },
  ],
}

export const zips: readonly Attack[] = Object.entries(shapes).map(([name, [size, make]]) => ({
  name: `restore-odd-zip/${name}`,
  area: 'A',
  size,
  small: Math.min(size, 50),
  run: async (hands, n) => restored(hands, make(n, await soundParts(hands.world as World))),
}))
