// comptoir import, comptoir export: the rows of a file made records of a server, and the other way.

import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Command, Option } from 'commander'
import { ServiceError, StartupError } from '../errors.ts'
import { codeOf, messageOf } from '../kit/caught.ts'
import { present } from '../kit/present.ts'
import { answer, withJson } from './answer.ts'
import { withProgress } from './progress.ts'
import { Counter } from './row-counter.ts'

interface Given {
  url: string
  database?: string
  key?: string
  json?: true
}

/** Sending and fetching of rows, loaded when a command runs. */
const client = () => import('../client/rows.ts')

const wrong = (message: string): StartupError => new StartupError(message, { exitCode: 2 })

const command = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--url <address>', 'address of the server')
    .option('--database <name>', 'database, if the server has several')
    .addOption(new Option('--key <key>', 'API key').env('COMPTOIR_KEY'))

/** Where to send calls. Throws StartupError without a key. */
function target({ url, database, key }: Given) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw wrong('--url must be an http or https address.')
  if (!key) throw wrong('An API key is required: use --key, or COMPTOIR_KEY in the environment.')
  const reach: typeof fetch = (...request) =>
    fetch(...request).catch((error: unknown) => {
      const { cause } = error as Error
      if (cause instanceof StartupError) throw cause
      throw new StartupError(`${url} cannot be reached: ${messageOf(cause ?? error)}`, { cause })
    })
  return { url, key, timeoutMs: 0, fetch: reach, ...(database === undefined ? {} : { database }) }
}

/** The name of the standard input, or output. */
const PIPE = '-'

interface Form {
  readonly type: 'text/csv' | 'application/x-ndjson'
  readonly packed: boolean
}

/**
 * Content and format of a file, by its name; a pipe holds lines of JSON, or CSV if that is asked for. Throws
 * StartupError for other names.
 */
function formOf(file: string, { csv }: { readonly csv?: true }): Form {
  if (file === PIPE) return { type: csv ? 'text/csv' : 'application/x-ndjson', packed: false }
  if (csv) throw wrong('--csv is only valid for pipes: the format of a file follows from its name.')
  const [, kind, gz] = /\.(csv|ndjson|jsonl)(\.gz)?$/i.exec(file) ?? []
  if (!kind) throw wrong(`The name of ${file} must end in .ndjson, .jsonl or .csv, or one of these and .gz.`)
  return { type: /csv/i.test(kind) ? 'text/csv' : 'application/x-ndjson', packed: gz !== undefined }
}

/** Adds the line of the file to a refusal, if it has one. */
function reportLine(error: unknown): never {
  if (error instanceof ServiceError && typeof error.context.line === 'number')
    error.message = `line ${error.context.line}: ${error.message}`
  throw error
}

interface ImportGiven extends Given {
  by: string
  csv?: true
  skip?: true
  atomic?: true
}

/** The command `import`. */
export function importCommand(): Command {
  const importing = command(
    'import',
    'Import records from a file: lines of JSON (.ndjson, .jsonl) or CSV (.csv), compressed (.gz) or not.',
  )
    .argument('<model>', 'such as res.partner')
    .argument('<file>', 'file to import; - for standard input, with lines of JSON')
    .option('--csv', 'standard input is CSV')
    .option(
      '--by <key>',
      'external_id, or unique fields separated by commas; existing records are updated',
      'external_id',
    )
    .option('--skip', 'skip rows that fail, and report them')
    .option('--atomic', 'all rows or none; 50,000 at most')
    .action(async (model: string, file: string, options: ImportGiven, self: Command) => {
      const to = target(options)
      const { type, packed } = formOf(file, options)
      const size = file === PIPE ? null : sizeOf(file)
      const failed: string[] = []
      const { importRows } = await client()
      const interrupted = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
      const counts = await withProgress(`Importing ${file}`, (progress) =>
        importRows(
          to,
          model,
          bytesIn(file, packed, (read) =>
            progress(`${megabytes(read)} sent`, size === null ? undefined : read / size / 2),
          ),
          {
            key: options.by === 'external_id' ? options.by : options.by.split(','),
            onError: options.skip ? 'skip' : 'fail',
            atomic: options.atomic ?? false,
            type,
            signal: interrupted.signal,
            onProgress: (done, of) => progress(`${done} of ${of} rows`, 0.5 + done / Math.max(of, 1) / 2),
            onRow: (row) => {
              if (row.status === 'failed') failed.push(`line ${row.line}: ${row.error.message}`)
            },
          },
        ).catch((error: unknown) => {
          if (interrupted.signal.aborted) throw isStopped(options)
          return reportLine(error)
        }),
      )
      for (const line of failed) console.error(line)
      answer(
        self,
        `${counts.rows} rows: ${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged, ${counts.failed} failed.`,
        { database: options.database ?? '', ...counts },
      )
    })
  return withJson(importing)
}

/** Ctrl-C was pressed: the server has stopped the import, and takes no more rows. */
const isStopped = ({ atomic }: ImportGiven) =>
  new StartupError(
    `The import was cancelled. ${atomic ? 'No row of it was kept.' : 'Rows that were imported before stay: importing the file again with the same key does not duplicate them.'}`,
    { exitCode: 130 },
  )

interface ExportGiven extends Given {
  fields?: string
  domain: string
  order?: string
  csv?: true
  formulasAsText?: true
  typed?: true
}

/** The command `export`. */
export function exportCommand(): Command {
  const exporting = command(
    'export',
    'Export the records of a domain into a file, one row per line: lines of JSON (.ndjson, .jsonl) or CSV (.csv), compressed (.gz) or not.',
  )
    .argument('<model>', 'such as res.partner')
    .argument('<file>', 'file to write; - for standard output, with lines of JSON')
    .option('--csv', 'standard output is CSV')
    .option('--fields <names>', 'fields separated by commas (default: all)')
    .option('--domain <json>', 'which records', '[]')
    .option('--order <order>', 'fields to order by, such as "name desc, id"')
    .option('--typed', 'typed values (see the guide "Typed values")')
    .option(
      '--formulas-as-text',
      'in CSV, put an apostrophe before texts that a spreadsheet would run as formulas',
    )
    .action(async (model: string, file: string, options: ExportGiven, self: Command) => {
      const to = target(options)
      const { type, packed } = formOf(file, options)
      const query = {
        domain: domainIn(options.domain),
        ...(options.fields ? { fields: options.fields.split(',') } : {}),
        ...(options.order ? { order: options.order } : {}),
      }
      const accept = acceptOf(type, options)
      const { openExport } = await client()
      const rows = await withProgress(`Exporting ${model}`, async (progress) => {
        const from = options.typed ? { ...to, values: 'typed' as const } : to
        const response = await openExport(from, model, query, accept)
        const counter = new Counter(type === 'text/csv', (count) => progress(`${count} rows`))
        const rows = Readable.from(counter.pass(Readable.fromWeb(present(response.body))))
        if (file === PIPE) await pipeline(rows, process.stdout, { end: false })
        else await written(file, rows, packed)
        return counter.whole()
      })
      // Standard output has the rows, so the summary goes to standard error.
      if (file === PIPE) console.error(`${rows} rows.`)
      else answer(self, `${rows} rows are in ${file}.`, { database: options.database ?? '', rows, file })
    })
  return withJson(exporting)
}

/** The header `Accept` of the request. Throws StartupError for a form that has no cells. */
function acceptOf(type: Form['type'], { formulasAsText }: ExportGiven): string {
  if (!formulasAsText) return type
  if (type === 'text/csv') return `${type}; formulas=text`
  throw wrong('--formulas-as-text is only valid for CSV.')
}

/** Writes rows into a file. Throws StartupError if it cannot be written. */
async function written(file: string, rows: Readable, packed: boolean): Promise<void> {
  const target = createWriteStream(file)
  let refusal: Error | null = null
  target.once('error', (error) => {
    refusal = error
  })
  try {
    await (packed ? pipeline(rows, createGzip(), target) : pipeline(rows, target))
  } catch (error) {
    if (error === refusal)
      throw new StartupError(`${file} cannot be written: ${messageOf(error)}.`, { cause: error })
    throw error
  }
}

function domainIn(text: string): unknown[] {
  try {
    const domain: unknown = JSON.parse(text)
    if (Array.isArray(domain)) return domain
  } catch {
    // The error is thrown below.
  }
  throw wrong('--domain must be a JSON list.')
}

function sizeOf(file: string): number {
  try {
    return Math.max(1, statSync(file).size)
  } catch {
    throw wrong(`File not found: ${file}`)
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`

/** The bytes of a file, unpacked; `onRead` is called with the number of bytes read. */
async function* bytesIn(
  file: string,
  packed: boolean,
  onRead: (read: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const read = file === PIPE ? process.stdin : createReadStream(file)
  const source = packed ? read.pipe(createGunzip()) : read
  // An error of the file does not reach the unpacking stream by itself.
  if (packed) read.once('error', (error: Error) => source.destroy(error))
  try {
    for await (const chunk of source) {
      onRead(read.bytesRead)
      yield chunk as Buffer
    }
  } catch (error) {
    const code = codeOf(error)
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new StartupError(`${file} cannot be read: ${messageOf(error)}.`, { cause: error })
    if (!code?.startsWith('Z_')) throw error
    throw new StartupError(`${file} cannot be unpacked: ${messageOf(error)}.`, { cause: error })
  }
}
