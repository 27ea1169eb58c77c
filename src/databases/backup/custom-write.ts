// Writes a backup in PostgreSQL's custom format: a table of contents, then the rows of each table,
// compressed. pg_restore reads it too.
import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import type { Copying } from '../../postgres/index.ts'
import { DATA_BLOCK, HEAD, integer, offset, SECTION, text } from './custom.ts'
import type { Meter } from './meter.ts'
import type { Item, Objects } from './objects.ts'
import { rowsOf } from './script.ts'

interface Entry {
  readonly id: number
  readonly tag: string
  readonly desc: string
  readonly section: number
  readonly definition: string | null
  readonly drop: string | null
  readonly copy: string | null
  readonly needs: readonly number[]
}

/** Settings that a restore makes first. */
const SETTINGS = [
  ['ENCODING', 'ENCODING', "SET client_encoding = 'UTF8';\n"],
  ['STDSTRINGS', 'STDSTRINGS', "SET standard_conforming_strings = 'on';\n"],
  ['SEARCHPATH', 'SEARCHPATH', "SELECT pg_catalog.set_config('search_path', 'public', false);\n"],
] as const

/** Kinds that pg_restore with --clean drops by name; objects of tables are dropped with them. */
const DROPPED: Readonly<Partial<Record<Item['kind'], string>>> = {
  TABLE: 'TABLE',
  SEQUENCE: 'SEQUENCE',
  VIEW: 'VIEW',
}

/** The archive, piece by piece: never more in memory than the reader takes. */
export async function* writeCustom(
  connection: Copying,
  objects: Objects,
  { name, version, meter }: { name: string; version: string; meter: Meter },
): AsyncGenerator<Buffer> {
  const { entries, data } = contentsOf(objects)
  yield Buffer.concat([HEAD, headOf(name, version), integer(entries.length), ...entries.map(encoded)])
  for (const { id, table } of data) {
    yield Buffer.concat([Buffer.from([DATA_BLOCK]), integer(id)])
    const packed = Readable.from(rowsOf(connection, table, meter), { objectMode: false }).compose(
      createDeflate(),
    )
    for await (const chunk of packed)
      yield Buffer.concat([integer((chunk as Buffer).length), chunk as Buffer])
    yield integer(0)
  }
}

/** Compression, moment, name of the database, version of its server and of the writer. */
function headOf(name: string, version: string): Buffer {
  const now = new Date()
  const moment = [
    now.getUTCSeconds(),
    now.getUTCMinutes(),
    now.getUTCHours(),
    now.getUTCDate(),
    now.getUTCMonth(),
    now.getUTCFullYear() - 1900,
    0,
  ]
  // Compressed at the library's own level.
  return Buffer.concat([integer(-1), ...moment.map(integer), text(name), text(version), text(version)])
}

function contentsOf({ before, tables, after }: Objects) {
  const entries: Entry[] = []
  const ids = new Map<string, number>()
  const data: { readonly id: number; readonly table: Objects['tables'][number] }[] = []
  const add = (entry: Omit<Entry, 'id'>): number => {
    const id = entries.length + 1
    entries.push({ ...entry, id })
    return id
  }
  const idOf = (kind: string, tag: string | null): number[] => {
    const id = ids.get(`${kind} ${tag}`)
    return id === undefined ? [] : [id]
  }
  const addItem = (item: Item, section: number): void => {
    const { kind, tag, statement, table, needs } = item
    const dropped = DROPPED[kind]
    const id = add({
      tag,
      desc: kind,
      section,
      definition: `${statement}\n`,
      drop: dropped ? `DROP ${dropped} IF EXISTS public.${quoted(tag)};\n` : null,
      copy: null,
      needs: [...(kind === 'TABLE' ? [] : idOf('TABLE', table)), ...idOf('CONSTRAINT', needs)],
    })
    ids.set(`${kind} ${kind === 'TABLE' ? table : tag}`, id)
  }
  for (const [desc, tag, definition] of SETTINGS)
    add({ tag, desc, section: SECTION.before, definition, drop: null, copy: null, needs: [] })
  for (const item of before) addItem(item, SECTION.before)
  for (const table of tables) {
    const copy = `COPY ${table.name} (${table.columns.join(', ')}) FROM stdin;\n`
    const facts = {
      tag: table.name,
      desc: 'TABLE DATA',
      section: SECTION.data,
      definition: null,
      drop: null,
      copy,
    }
    data.push({ id: add({ ...facts, needs: idOf('TABLE', table.name) }), table })
  }
  for (const item of after) addItem(item, item.kind === 'SEQUENCE SET' ? SECTION.data : SECTION.after)
  return { entries, data }
}

function encoded({ id, tag, desc, section, definition, drop, copy, needs }: Entry): Buffer {
  const isSetting = SETTINGS.some(([setting]) => setting === desc)
  return Buffer.concat([
    integer(id),
    integer(copy === null ? 0 : 1),
    // The object's number in the catalogue is of no use to a restore.
    text('0'),
    text('0'),
    text(tag),
    text(desc),
    integer(section),
    text(definition ?? ''),
    text(drop ?? ''),
    text(copy ?? ''),
    text(isSetting || desc === 'EXTENSION' ? null : 'public'),
    text(null),
    text(desc === 'TABLE' ? 'heap' : null),
    text(''),
    text('false'),
    ...needs.map((need) => text(String(need))),
    text(null),
    offset(copy !== null),
  ])
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
