// Imports and exports of any number of rows: streamed, so that neither side holds all of them.
import { type ErrorObject, ServiceUnavailable } from '../errors.ts'
import { failureOf } from './failures.ts'
import { preferring } from './preferences.ts'
import { type CallOptions, type ConnectOptions, headersFor, send } from './transport.ts'

/** Outcome of a row of an import, by its line in the input. */
export type ImportedRow =
  | { readonly line: number; readonly status: 'created' | 'updated' | 'unchanged'; readonly id: number }
  | { readonly line: number; readonly status: 'failed'; readonly error: ErrorObject }

/** Number of rows per outcome. */
export interface ImportTally {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
}

/** Options of `import`. */
export interface ImportOptions extends Pick<CallOptions, 'signal'> {
  /** `external_id`, or fields that the model keeps unique; none: all rows are new. */
  readonly key?: 'external_id' | readonly string[]
  /** Whether a row that fails ends the import; those before it stay. Default `fail`. */
  readonly onError?: 'fail' | 'skip'
  /** All rows in one transaction; 50,000 at most. */
  readonly atomic?: boolean
  /** Called with the number of rows that are done, and of all rows. */
  readonly onProgress?: (done: number, of: number) => void
  /** Called with each row once the import is over. */
  readonly onRow?: (row: ImportedRow) => void
  /** Where rows come as bytes: what they are. */
  readonly type?: 'application/x-ndjson' | 'text/csv'
}

/** Options of `export`: the records, and the fields to export. */
export interface ExportQuery extends Pick<CallOptions, 'signal'> {
  readonly domain?: readonly unknown[]
  readonly fields?: readonly string[]
  readonly order?: string
}

/** Objects of values, or the bytes of a file. */
export type RowSource = Iterable<object> | AsyncIterable<object | Uint8Array>

interface Job {
  readonly state: string
  readonly progress: { readonly done: number; readonly of: number }
  readonly status: number | null
  readonly error?: object
}

/** Milliseconds between two looks at a job. */
const LOOK_MS = 500

/** Waits so long. Throws the signal's reason as soon as there is one. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })

/**
 * Sends rows and waits until they are records. Throws the error of the first row that failed, unless rows are
 * skipped. A signal that ends the wait cancels the job: rows whose transactions are over stay.
 */
export async function importRows(
  to: ConnectOptions,
  model: string,
  rows: RowSource,
  { key = 'external_id', onError = 'fail', atomic = false, type, onProgress, onRow, signal }: ImportOptions,
): Promise<ImportTally> {
  const query = new URLSearchParams({
    key: [key].flat().join(','),
    on_error: onError,
    atomic: String(atomic),
  })
  const { id } = (await (
    await ask(to, `/x/1/bulk/${encodeURIComponent(model)}?${query}`, {
      method: 'POST',
      headers: { 'content-type': type ?? 'application/x-ndjson' },
      body: ReadableStream.from(bytesOf(rows)),
      duplex: 'half',
      signal: signal ?? null,
    })
  ).json()) as { id: string }
  const job = await jobOver(to, id, { onProgress, signal }).catch(async (error: unknown) => {
    if (signal?.aborted) await cancelled(to, id)
    throw error
  })
  if (job.state !== 'done' && job.state !== 'failed')
    throw new ServiceUnavailable(`The import was ${job.state}.`)
  let counts: ImportTally | undefined
  if (onRow || job.state === 'done')
    for await (const line of linesOf(
      await ask(to, `/x/1/jobs/${id}/result`, { signal: signal ?? null }),
      signal,
    )) {
      const lineValue = JSON.parse(line) as ImportedRow | { $end: ImportTally }
      if ('$end' in lineValue) counts = lineValue.$end
      else onRow?.(lineValue)
    }
  if (job.state === 'failed') throw failureOf(job.status ?? 500, JSON.stringify(job.error ?? {}))
  if (!counts) throw brokenOff()
  return counts
}

async function* bytesOf(rows: RowSource): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  let lines = ''
  for await (const row of rows) {
    if (row instanceof Uint8Array) yield row
    else lines += `${JSON.stringify(row)}\n`
    if (lines.length > 65_536) {
      yield encoder.encode(lines)
      lines = ''
    }
  }
  if (lines) yield encoder.encode(lines)
}

async function jobOver(
  to: ConnectOptions,
  id: string,
  { onProgress, signal }: Pick<ImportOptions, 'onProgress' | 'signal'>,
): Promise<Job> {
  for (;;) {
    const path = `/x/1/jobs/${id}`
    const job = (await send(to, { method: 'GET', path, safe: true }, signal ? { signal } : {})) as Job
    onProgress?.(job.progress.done, job.progress.of)
    if (!['receiving', 'queued', 'running'].includes(job.state)) return job
    await pause(LOOK_MS, signal)
  }
}

/**
 * Cancels an import whose caller gave up, so that the remaining rows are not imported. A failure is ignored:
 * the caller already gets the reason for giving up.
 */
async function cancelled(to: ConnectOptions, id: string): Promise<void> {
  await ask(to, `/x/1/jobs/${id}`, { method: 'DELETE' }).catch(() => undefined)
}

/** The answer to an export, as it comes. Throws the errors of the table. */
export function openExport(
  to: ConnectOptions,
  model: string,
  { domain = [], fields, order, signal }: ExportQuery,
  accept: string,
): Promise<Response> {
  const query = new URLSearchParams({
    model,
    domain: JSON.stringify(domain),
    ...(fields ? { fields: fields.join(',') } : {}),
    ...(order ? { order } : {}),
  })
  return ask(to, `/x/1/export?${query}`, {
    headers: { accept },
    signal: signal ?? null,
    ...preferring(to),
  })
}

/** The rows of an export, one by one. Throws ServiceUnavailable where it breaks off, at whatever byte. */
export async function* exportRows(
  to: ConnectOptions,
  model: string,
  query: ExportQuery,
): AsyncGenerator<Record<string, unknown>, void> {
  const answer = await openExport(to, model, query, 'application/x-ndjson')
  for await (const line of linesOf(answer, query.signal)) {
    const row = JSON.parse(line) as Record<string, unknown>
    if ('$end' in row) return
    yield row
  }
  throw brokenOff()
}

type Init = RequestInit & { readonly duplex?: 'half'; readonly prefer?: readonly string[] }

/** Sent once: rows cannot be sent again, nor an answer be read twice. */
async function ask(
  to: ConnectOptions,
  path: string,
  { headers: initHeaders, prefer = [], ...init }: Init,
): Promise<Response> {
  const headers = await headersFor(to, false)
  for (const [name, value] of new Headers(initHeaders)) headers.set(name, value)
  // A dry run cannot be kept for rows of a job: with `handling=strict` the server refuses them.
  const preferred = [...prefer, ...(to.dryRun ? ['tx=rollback', 'handling=strict'] : [])]
  if (preferred.length > 0) headers.set('prefer', preferred.join(', '))
  const response = await (to.fetch ?? fetch)(`${to.url.replace(/\/+$/, '')}${path}`, {
    ...init,
    headers,
    credentials: 'omit',
    redirect: 'manual',
  })
  const { ok, status, headers: responseHeaders } = response
  if (!ok) throw failureOf(status, await response.text(), { code: responseHeaders.get('error-code') })
  return response
}

const brokenOff = (cause?: unknown): ServiceUnavailable =>
  new ServiceUnavailable('The answer broke off.', cause === undefined ? {} : { cause })

/**
 * The whole lines of an answer; what has no end is part of one. Throws ServiceUnavailable where its
 * connection breaks, and the signal's reason.
 */
async function* linesOf({ body }: Response, signal?: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  const chunks = body?.[Symbol.asyncIterator]()
  const take = () =>
    chunks?.next().catch((error: unknown) => {
      signal?.throwIfAborted()
      throw brokenOff(error)
    })
  try {
    for (let next = await take(); next && !next.done; next = await take()) {
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line) yield line
    }
  } finally {
    // A consumer that stops early closes the connection.
    await chunks?.return?.()
  }
}
