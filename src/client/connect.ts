// The way into a server: one set of options, from which models are reached.
import { InvalidValue } from '../errors.ts'
import type { BatchCall, BatchResult } from './batch.ts'
import type { ChangesPage, ChangesQuestion } from './changes.ts'
import { ModelClient } from './model.ts'
import { Position } from './position.ts'
import { preferring } from './preferences.ts'
import {
  type ExportQuery,
  exportRows,
  type ImportOptions,
  type ImportTally,
  importRows,
  type RowSource,
} from './rows.ts'
import type { ModelName } from './schema.ts'
import type { Form } from './shapes.ts'
import { type CallOptions, type ConnectOptions, send } from './transport.ts'

/** The version of a server. */
export interface Version {
  readonly version: string
  readonly version_info: readonly [
    major: number,
    minor: number,
    micro: number,
    level: string,
    serial: number,
    suffix: string,
  ]
}

/** The user whom the key belongs to. */
export interface UserContext {
  readonly uid: number
  readonly lang: string
  readonly tz: string | false
}

/**
 * A server and a database seen with one key. Holds no connection and nothing to close. `M`: the types of the
 * models, by name.
 */
export class Client<M = object, V extends Form = 'documented'> {
  readonly #options: ConnectOptions

  constructor(options: ConnectOptions) {
    this.#options = options
  }

  /** A model with the types of its fields and methods. Nothing is sent. */
  model<const N extends ModelName<M>>(name: N): ModelClient<N, M, V> {
    return new ModelClient(name, this.#options)
  }

  /** A model that the types do not know: any field, any value. Nothing is sent. */
  untyped(name: string): ModelClient<string, object, V> {
    return new ModelClient(name, this.#options)
  }

  /** The same client with more context for every call. */
  withContext(context: Readonly<Record<string, unknown>>): Client<M, V> {
    return new Client({ ...this.#options, context: { ...this.#options.context, ...context } })
  }

  /**
   * The same client, whose calls are done and taken back: they answer what they would, and nothing stays. A
   * server that cannot do so refuses them.
   */
  dryRun(): Client<M, V> {
    return new Client({ ...this.#options, dryRun: true })
  }

  /** The same client, whose rows have values in the typed form. */
  typed({ numbers, timezone }: Pick<ConnectOptions, 'numbers' | 'timezone'> = {}): Client<M, 'typed'> {
    return new Client<M, 'typed'>({
      ...this.#options,
      values: 'typed',
      ...(numbers === undefined ? {} : { numbers }),
      ...(timezone === undefined ? {} : { timezone }),
    })
  }

  /**
   * Several calls in one transaction: all are done or none; with `atomic: false` each on its own. Throws what
   * the call that failed would throw.
   */
  async batch(
    calls: readonly BatchCall[],
    { atomic = true, ...options }: CallOptions & { readonly atomic?: boolean } = {},
  ): Promise<BatchResult[]> {
    const { context: clientContext, ...rest } = options
    const context = { ...this.#options.context, ...clientContext }
    const body = { atomic, calls, ...(Object.keys(context).length > 0 ? { context } : {}) }
    const request = {
      method: 'POST',
      path: '/x/1/batch',
      body,
      safe: false,
      ...preferring(this.#options),
    } as const
    const answer = await send(this.#options, request, rest)
    return (answer as { results: BatchResult[] }).results
  }

  /**
   * Pages of changes, for `for await`: first what is there, then, from the same cursor, what changed since.
   * Ends when there is no more; with `follow` it waits for more until it is stopped. Throws Gone where the
   * caller has to begin without a cursor.
   */
  async *changes(
    question: ChangesQuestion,
    { follow = false, ...options }: CallOptions & { readonly follow?: boolean } = {},
  ): AsyncGenerator<ChangesPage, void, undefined> {
    let { cursor } = question
    for (;;) {
      const body = {
        ...question,
        ...(follow ? { wait: 25 } : {}),
        ...(cursor === undefined ? {} : { cursor, from: undefined }),
      }
      const page = (await send(
        this.#options,
        { method: 'POST', path: '/x/1/changes', body, safe: true, ...preferring(this.#options) },
        options,
      )) as ChangesPage
      if (page.changes.length > 0 || !page.more) yield page
      if (!page.more && !follow) return
      cursor = page.cursor
    }
  }

  /**
   * Imports any number of rows: objects of values, or the bytes of a file. They are streamed to a job, which
   * resumes at its last row when a process dies. Returns the number of rows per outcome; throws the error of
   * the first row that failed, unless failed rows are skipped.
   */
  import(model: string, rows: RowSource, options: ImportOptions = {}): Promise<ImportTally> {
    return importRows(this.#options, model, rows, options)
  }

  /** The rows that a domain finds, of one moment and however many, for `for await`. */
  export(model: string, query: ExportQuery = {}): AsyncGenerator<Record<string, unknown>, void> {
    return exportRows(this.#options, model, query)
  }

  /** Id, language and time zone of the key's user (spec/external-api.md, endpoint 4). */
  async userContext(options: CallOptions = {}): Promise<UserContext> {
    return (await this.untyped('res.users').call('context_get', {}, options)) as UserContext
  }

  /** Version of the server (spec/external-api.md, endpoint 5). */
  async version(options: CallOptions = {}): Promise<Version> {
    return (await send(
      this.#options,
      { method: 'GET', path: '/web/version', safe: true },
      options,
    )) as Version
  }
}

/**
 * Creates a client of a server. `Models` are the types that `comptoir types` writes for a database, or the
 * records that modules declare (`Models` of `comptoir/models`); without them any model and field is allowed.
 * Sends nothing yet. Throws InvalidValue for an address that is not an http or https URL.
 *
 * @example
 * ```ts
 * import { createClient } from 'comptoir/client'
 *
 * const client = createClient({ url: 'https://shop.example', database: 'shop', key: 'my key' })
 *
 * export const customers = () =>
 *   client.model('res.partner').searchRead({
 *     domain: [['customer_rank', '>', 0]],
 *     fields: ['name', 'email'],
 *     limit: 10,
 *   })
 * ```
 */
export function createClient<M = object>(
  options: ConnectOptions & { readonly values: 'typed' },
): Client<M, 'typed'>
export function createClient<M = object>(options: ConnectOptions & { readonly values?: never }): Client<M>
export function createClient<M = object>(options: ConnectOptions): Client<M, Form> {
  if (!/^https?:\/\//i.test(options.url) || !URL.canParse(options.url))
    throw new InvalidValue('url must be an http or https address.')
  return new Client(options.replica === true ? { ...options, replica: new Position() } : options)
}
