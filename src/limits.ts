// Limits on the resources of one caller: one table with defaults and descriptions; `--limit` changes each
// for the whole process.
import { PayloadTooLarge } from './errors.ts'

export interface Limit {
  /** In force unless the configuration says otherwise. */
  readonly fallback: number
  /** Bytes are written with a unit (`1m`), the others are plain numbers. */
  readonly unit: 'bytes' | 'count' | 'seconds'
  /** The counted thing; appears in refusals as "… at most 500 levels" and in docs/guides/limits.md. */
  readonly what: string
}

const bytes = (fallback: number, what: string): Limit => ({ fallback, unit: 'bytes', what })
const seconds = (fallback: number, what: string): Limit => ({ fallback, unit: 'seconds', what })
const count = (fallback: number, what: string): Limit => ({ fallback, unit: 'count', what })

const [KB, MB] = [1024, 1024 ** 2]

/** Every limit, by the name that the setting has. */
export const table = {
  'open-body': bytes(1 * MB, 'bytes of a request body before the sender is authenticated'),
  'in-flight': bytes(96 * MB, 'bytes of all request bodies together'),
  connections: count(1000, 'connections from one address'),
  pipelined: count(100, 'queued requests of one connection (pipelining)'),
  waiting: bytes(128 * MB, 'bytes of buffered responses that clients have not read yet'),
  'form-fields': count(1000, 'fields of a form'),
  values: count(500_000, 'values in a body: texts, numbers, lists and objects'),
  depth: count(500, 'levels of lists and objects in a body'),
  members: count(10_000, 'members of one object in a body'),
  records: count(
    10_000,
    'records that one call creates or changes one by one, those that follow from them included',
  ),
  links: count(100_000, 'links between records that one call adds or removes by commands'),
  rounds: count(1000, 'passes of one call over the same records or lines, by commands of alternating kinds'),
  tree: count(100, 'levels of a tree of records, such as categories or contacts'),
  definitions: count(300, 'models, fields and sequences that one call creates or removes'),
  written: bytes(128 * MB, 'bytes of texts that one call writes, over all its records'),
  searched: bytes(
    16 * MB,
    'bytes of texts that one call writes into fields with a trigram index, over all its records',
  ),
  ids: count(100_000, 'ids of a call'),
  fields: count(2000, 'field names in a call'),
  terms: count(5000, 'conditions of a domain'),
  costly: count(
    250,
    'conditions of a search on patterns, parts of dates and computed values; eight on one field count as one',
  ),
  pattern: count(4096, 'characters of a pattern'),
  compared: bytes(8 * MB, 'bytes of the texts that a domain compares with'),
  list: count(100_000, 'values in the lists of a domain; names count once for each field that is searched'),
  steps: count(120, 'relations that a domain and the record rules of the models follow'),
  keys: count(1000, 'keys of a context'),
  context: bytes(1 * MB, 'bytes of a context'),
  cells: count(1_000_000, 'values of records, groups and tables in a response that is not streamed'),
  answer: bytes(64 * MB, 'bytes of the rows of a response that is not streamed'),
  queries: count(
    200,
    'parts of a response that need a separate query: opened or counted groups, grouping sets',
  ),
  colors: count(100, 'colors of a progress bar'),
  definition: bytes(
    64 * KB,
    'bytes of the property definitions on one record: every record that they apply to returns them',
  ),
  default: bytes(8 * KB, 'bytes of a stored default value: all of them are kept in memory'),
  defaults: count(500, 'default values that one user stores'),
  html: bytes(2 * MB, 'bytes of an HTML text'),
  'html-depth': count(250, 'levels of an HTML text'),
  'html-call': bytes(6 * MB, 'bytes of different HTML texts that one call writes'),
  text: bytes(16 * MB, 'bytes of a text field'),
  line: bytes(1 * MB, 'bytes of a single-line text field'),
  files: count(2000, 'different files that one call stores'),
  contents: bytes(
    64 * MB,
    'bytes of files that one call reads as values or copies, and of a backup that RPC sends as a text',
  ),
  'visitor-files': count(1000, 'files that a user who is not an employee stores'),
  'visitor-bytes': bytes(256 * MB, 'bytes of all files that a user who is not an employee stores'),
  pixels: count(12_500_000, 'pixels of an image'),
  'pixels-call': count(30_000_000, 'pixels of all images that one call resizes'),
  'working-spans': count(200, 'periods of working time in one calendar'),
  'print-documents': count(100, 'documents that one call prints'),
  'print-lines': count(5000, 'rows of documents that one call prints'),
  'user-connections': count(
    12,
    'database connections that the calls of one user use at a time; six until some were returned quickly; further calls wait',
  ),
  'user-answers': count(
    2,
    'streamed responses of a database that one user reads at a time; further ones wait',
  ),
  'large-answers': count(
    3,
    'responses of more than 100000 values that one process builds at a time (one less for one user), and as many calls with 5000 values or more or with recent long responses; further ones wait',
  ),
  'long-statements': count(
    0,
    'statements of large calls, and statements longer than a quarter of a second, that one process runs in PostgreSQL at a time; further ones wait; 0 means the number of processors less one, but at least two',
  ),
  'backup-files': count(200_000, 'files in a backup that is restored'),
  'backup-objects': count(
    24_000,
    'statements of a backup that is restored; one that creates an index, a key or a sequence counts as four, a table as eight',
  ),
  copies: count(
    2,
    'databases that are duplicated or restored at a time, by all processes of a server; further ones wait a moment',
  ),
  'backup-growth': count(100, 'ratio of the unpacked size of a backup to its size'),
  'kept-answers': bytes(
    256 * MB,
    'bytes of responses that are stored for retries of one user (idempotency), each plus 256 for its row',
  ),
  'kept-answers-database': bytes(
    2048 * MB,
    'bytes of responses that a database stores for retries, each plus 256 for its row',
  ),
  'webhook-waiting': bytes(
    512 * MB,
    'bytes on disk of pending deliveries of one webhook endpoint; beyond it, the endpoint is paused',
  ),
  job: bytes(16 * MB, 'bytes of a queued call or batch'),
  'bulk-rows': count(5_000_000, 'rows of one bulk import'),
  'bulk-row': bytes(4 * MB, 'bytes of one row of a bulk import'),
  'bulk-bytes': bytes(
    2048 * MB,
    'bytes of queued jobs of one user: calls, and unpacked rows of bulk imports',
  ),
  'batch-seconds': seconds(7, 'seconds of a batch before its last call begins'),
  'statement-seconds': seconds(8, 'seconds of one statement in PostgreSQL'),
  'lock-seconds': seconds(5, 'seconds that a statement waits for locks'),
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof table
export type Limits = { readonly [Name in LimitName]: number }

const names = Object.keys(table) as LimitName[]
const defaults = Object.freeze(
  Object.fromEntries(names.map((name) => [name, table[name].fallback])),
) as Limits

const inForce: { -readonly [Name in LimitName]: number } = { ...defaults }

/** The limits of this process. */
export const limits: Limits = inForce

/** Sets the limits of this process: those given, and for the others their defaults. */
export function setLimits(changes: Partial<Limits> = {}): void {
  Object.assign(inForce, defaults, changes)
}

/**
 * Refuses what goes beyond a limit. Throws PayloadTooLarge (413) that names the limit, so that administrators
 * know what to set.
 */
export function assertWithin(name: LimitName, amount: number): void {
  if (amount > inForce[name]) throw beyond(name)
}

/** The refusal of what goes beyond a limit; for those who count while they go. */
export function beyond(name: LimitName): PayloadTooLarge {
  return new PayloadTooLarge(
    `Request too large: ${table[name].what}, ${written(name, inForce[name])} at most (limit "${name}").`,
  )
}

/** A limit's value as people write it: `2m`, `500`. */
export function written(name: LimitName, value: number): string {
  if (table[name].unit !== 'bytes') return String(value)
  if (value % MB === 0) return `${value / MB}m`
  return value % KB === 0 ? `${value / KB}k` : String(value)
}

/**
 * Limits from a text such as `html=4m,terms=5000`; bytes with or without a unit. Throws an Error that goes on
 * after the name of the setting: "must …".
 */
export function readLimits(text: string): Partial<Limits> {
  const parsed: { -readonly [Name in LimitName]?: number } = {}
  for (const part of text.split(',').filter((entry) => entry.trim())) {
    const [, name = '', digits, unit = ''] = /^\s*([a-z-]+)\s*=\s*(\d{1,12})([kmg]?)\s*$/i.exec(part) ?? []
    if (!isName(name)) throw new Error(`must list limits as name=number; valid names are ${names.join(', ')}`)
    if (unit && table[name].unit !== 'bytes')
      throw new Error(`must have a plain number for ${name}, without a unit`)
    parsed[name] = Number(digits) * ({ '': 1, k: KB, m: MB, g: 1024 * MB }[unit.toLowerCase()] ?? 1)
  }
  return parsed
}

const isName = (name: string): name is LimitName => Object.hasOwn(table, name)
