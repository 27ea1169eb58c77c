// A model seen through the client: its generic methods with the types of its fields, and any other method by
// `call`.
import type { DomainOf } from './domains.ts'
import { pages } from './pages.ts'
import { preferring } from './preferences.ts'
import type {
  CountQuery,
  MethodOptions,
  NameQuery,
  PageQuery,
  ReadOptions,
  SearchQuery,
  UpsertOutcome,
} from './queries.ts'
import { readers } from './readers.ts'
import type { FieldName } from './schema.ts'
import type {
  Arguments,
  FieldInfo,
  Form,
  Load,
  MethodName,
  NewIds,
  NewRecords,
  ParamsOf,
  ResultOf,
  Row,
  ValuesOf,
} from './shapes.ts'
import { type CallOptions, type ConnectOptions, send, sendForPage } from './transport.ts'

/** The member of a row that is its external id. */
const EXTERNAL = 'external_id'

/**
 * The records of one model on the server. Every method throws the error class that the exception's name
 * stands for, the reason of an aborted signal, a `TimeoutError`, or the error of fetch when no answer came.
 */
export class ModelClient<N extends string = string, M = object, V extends Form = 'documented'> {
  readonly name: N
  readonly #to: ConnectOptions

  constructor(name: N, to: ConnectOptions) {
    this.name = name
    this.#to = to
  }

  /**
   * Runs any public method with named parameters; typed by its contract where models are typed
   * (spec/external-api.md, endpoint 1).
   */
  async call<const X extends MethodName<M, N>>(
    method: X,
    ...[params, options]: Arguments<ParamsOf<M, N, X>, MethodOptions>
  ): Promise<ResultOf<M, N, X>> {
    return (await this.#run(method, params ?? {}, options ?? {})) as ResultOf<M, N, X>
  }

  async #run(
    method: string,
    params: object,
    { ids, safe = readers.has(method), context, ...options }: MethodOptions,
  ): Promise<unknown> {
    const contexts = { ...this.#to.context, ...context }
    const body = {
      ...params,
      ...(ids === undefined ? {} : { ids: typeof ids === 'number' ? [ids] : ids }),
      ...(Object.keys(contexts).length > 0 ? { context: contexts } : {}),
    }
    const path = `/json/2/${encodeURIComponent(this.name)}/${encodeURIComponent(method)}`
    return send(this.#to, { method: 'POST', path, body, safe, ...preferring(this.#to, method) }, options)
  }

  /**
   * Pages of rows by cursor: nothing is repeated or skipped though others make and delete records meanwhile,
   * and late pages are as quick as early ones. Throws UnprocessableEntity for orders that no cursor follows.
   */
  async *keysetPages<
    const D extends DomainOf<M, N>,
    const F extends FieldName<M, N> = FieldName<M, N>,
    const L extends Load = '_classic_read',
    const O extends string = string,
  >({
    domain,
    size = 500,
    order,
    fields,
    load,
    ...options
  }: PageQuery<M, N, D, F, L, O> = {}): AsyncGenerator<Row<M, N, F, L, V>[], void, undefined> {
    const { context, ...rest } = options
    const body = {
      ...{ domain: domain ?? [], fields, load, order, limit: size },
      context: { ...this.#to.context, ...context },
    }
    const path = `/json/2/${encodeURIComponent(this.name)}/search_read`
    const { prefer = [] } = preferring(this.#to, 'search_read')
    // A server that does not know cursors must not answer its first page again and again.
    const request = {
      method: 'POST',
      path,
      body,
      safe: true,
      prefer: [...prefer, 'paging=keyset', 'handling=strict'],
    } as const
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await sendForPage(this.#to, cursor ? { ...request, headers: { cursor } } : request, rest)
      const rows = page.value as Row<M, N, F, L, V>[]
      if (rows.length > 0) yield rows
      cursor = page.next
    }
  }

  /** Ids of the records that match. */
  async search<const D extends DomainOf<M, N>, const O extends string = string>({
    domain,
    offset,
    limit,
    order,
    ...options
  }: SearchQuery<M, N, D, O> = {}): Promise<number[]> {
    return (await this.#run('search', { domain: domain ?? [], offset, limit, order }, options)) as number[]
  }

  /** Number of records that match, at most `limit`. */
  async searchCount<const D extends DomainOf<M, N>>({
    domain,
    limit,
    ...options
  }: CountQuery<M, N, D> = {}): Promise<number> {
    return (await this.#run('search_count', { domain: domain ?? [], limit }, options)) as number
  }

  /** Rows of the records that match, with the id and the fields asked for. */
  async searchRead<
    const D extends DomainOf<M, N>,
    const F extends FieldName<M, N> = FieldName<M, N>,
    const L extends Load = '_classic_read',
    const O extends string = string,
  >({
    domain,
    fields,
    offset,
    limit,
    order,
    load,
    ...options
  }: SearchQuery<M, N, D, O> & ReadOptions<F, L> = {}): Promise<Row<M, N, F, L, V>[]> {
    const params = { domain: domain ?? [], fields, offset, limit, order, load }
    return (await this.#run('search_read', params, options)) as Row<M, N, F, L, V>[]
  }

  /** Rows in the order of `ids`; records that are gone are left out. */
  async read<const F extends FieldName<M, N> = FieldName<M, N>, const L extends Load = '_classic_read'>(
    ids: number | readonly number[],
    { fields, load, ...options }: ReadOptions<F, L> = {},
  ): Promise<Row<M, N, F, L, V>[]> {
    return (await this.#run('read', { fields, load }, { ...options, ids })) as Row<M, N, F, L, V>[]
  }

  /** Pages of rows, for `for await`. By id, unless an order is given (`pages.ts` says how they differ). */
  pages<
    const D extends DomainOf<M, N>,
    const F extends FieldName<M, N> = FieldName<M, N>,
    const L extends Load = '_classic_read',
    const O extends string = string,
  >({
    domain,
    size = 500,
    order = null,
    ...options
  }: PageQuery<M, N, D, F, L, O> = {}): AsyncGenerator<Row<M, N, F, L, V>[], void, undefined> {
    const { fields, load, ...rest } = options
    const read = async (page: object) =>
      (await this.#run('search_read', { ...page, fields, load }, rest)) as (Row<M, N, F, L, V> & {
        id: number
      })[]
    return pages(read, { domain: domain ?? [], order, size })
  }

  /** The rows of all pages, one by one, for `for await`. */
  async *each<
    const D extends DomainOf<M, N>,
    const F extends FieldName<M, N> = FieldName<M, N>,
    const L extends Load = '_classic_read',
    const O extends string = string,
  >(query: PageQuery<M, N, D, F, L, O> = {}): AsyncGenerator<Row<M, N, F, L, V>, void, undefined> {
    for await (const page of this.pages<D, F, L, O>(query)) yield* page
  }

  /** Makes one record and gives its id, or many records in one transaction and gives their ids. */
  async create<Each = undefined>(
    values: NewRecords<M, N, V, Each>,
    options: CallOptions = {},
  ): Promise<NewIds<Each>> {
    const ids = (await this.#run(
      'create',
      { vals_list: Array.isArray(values) ? values : [values] },
      options,
    )) as number[]
    return (Array.isArray(values) ? ids : theOne(ids)) as NewIds<Each>
  }

  /**
   * Creates records that do not exist yet and updates those that do, identified by `key`: `external_id`, or
   * fields that the model keeps unique. Returns the outcome of each row. With `onError: 'skip'` failed rows
   * are reported, and the others are kept.
   */
  async upsert(
    key: typeof EXTERNAL | readonly FieldName<M, N>[],
    rows: readonly (ValuesOf<M, N, V> & { readonly [EXTERNAL]?: string })[],
    { onError, ...options }: CallOptions & { readonly onError?: 'fail' | 'skip' } = {},
  ): Promise<UpsertOutcome[]> {
    return (await this.#run(
      'upsert',
      { key, vals_list: rows, on_error: onError },
      options,
    )) as UpsertOutcome[]
  }

  /** Writes the same values on all the records. */
  async write(
    ids: number | readonly number[],
    values: ValuesOf<M, N, V>,
    options: CallOptions = {},
  ): Promise<boolean> {
    return (await this.#run('write', { vals: values }, { ...options, ids })) as boolean
  }

  async unlink(ids: number | readonly number[], options: CallOptions = {}): Promise<boolean> {
    return (await this.#run('unlink', {}, { ...options, ids })) as boolean
  }

  /** Copies a record and gives the copy's id. */
  async copy(id: number, overrides?: ValuesOf<M, N, V>, options?: CallOptions): Promise<number>
  /** Copies records and gives the copies' ids. */
  async copy(ids: readonly number[], overrides?: ValuesOf<M, N, V>, options?: CallOptions): Promise<number[]>
  async copy(
    ids: number | readonly number[],
    overrides?: ValuesOf<M, N, V>,
    options: CallOptions = {},
  ): Promise<number | number[]> {
    const copies = (await this.#run('copy', overrides === undefined ? {} : { default: overrides }, {
      ...options,
      ids,
    })) as number[]
    return typeof ids === 'number' ? theOne(copies) : copies
  }

  /** `[id, display name]` of the records whose name matches. */
  async nameSearch<const D extends DomainOf<M, N>>(
    name = '',
    { domain, operator, limit, ...options }: NameQuery<M, N, D> = {},
  ): Promise<[id: number, name: string][]> {
    return (await this.#run('name_search', { name, domain, operator, limit }, options)) as [number, string][]
  }

  /** Metadata of the fields; `attributes` limits it to some attributes. */
  async fieldsGet<const F extends FieldName<M, N> = FieldName<M, N>>({
    fields,
    attributes,
    ...options
  }: CallOptions & {
    readonly fields?: readonly F[]
    readonly attributes?: readonly string[]
  } = {}): Promise<{ [K in F]?: FieldInfo }> {
    return (await this.#run('fields_get', { allfields: fields, attributes }, options)) as {
      [K in F]?: FieldInfo
    }
  }
}

/** The id of the one record that was asked for. */
function theOne([id]: readonly number[]): number {
  if (id === undefined) throw new Error('The server answered without an id.')
  return id
}
