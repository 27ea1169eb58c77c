// Addresses of documents for those who have no login: a path, and a token that stands for the right to
// see it.
import { randomUUID } from 'node:crypto'
import { type Contract, char, computed, type ModelName, optional, returns, text } from '#models'
import { sql } from '../../sql/index.ts'

/** Fields and the method that documents with an address have. */
export const portalFields = {
  access_url: char({
    label: 'Portal Access URL',
    computed: true,
    help: "The contact's page of the document.",
  }),
  access_token: char({
    label: 'Security Token',
    copy: false,
    help: 'Stands for the right to see the document.',
  }),
  access_warning: text({ label: 'Access warning', computed: true }),
} as const

const or = (annotation: string) => optional<unknown>('any', null, { annotation })

/** Methods of documents that have an address for contacts without a login. */
export const portalMethods = {
  get_portal_url: {
    doc: 'The address of the document, with its token.',
    params: {
      suffix: or('str | None'),
      report_type: or('str | None'),
      download: or('bool | None'),
      query_string: or('str | None'),
      anchor: or('str | None'),
    },
    returns: returns<string>('string', 'str'),
  },
} as const

/** Implementation for documents whose pages are below a path, such as `/my/orders`; without one, `#`. */
export const portalComputed = <N extends ModelName>(on: Contract<N>, path?: string) => ({
  access_url: computed(
    on,
    [] as never,
    (record: { readonly id: number }) => (path ? `${path}/${record.id}` : '#'),
    {
      searchable: false,
      sql: (scope) => (path ? sql`(${`${path}/`}::text || ${scope.id}::text)` : sql`'#'::text`),
    },
  ),
  access_warning: computed(on, [] as never, () => '', { searchable: false, sql: () => sql`''::text` }),
})

interface Asked {
  readonly suffix: unknown
  readonly report_type: unknown
  readonly download: unknown
  readonly query_string: unknown
  readonly anchor: unknown
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface Shared {
  readonly access_url: string | null
  readonly access_token: string | null
}

/** The address of a document. Its readers may share it, so that `keep` is given a token for it. */
export async function portalAddress(
  { access_url: path, access_token: kept }: Shared,
  keep: (token: string) => Promise<unknown>,
  params: Partial<Asked> = {},
): Promise<string> {
  const token = kept ?? randomUUID()
  if (kept === null) await keep(token)
  const query = new URLSearchParams({ access_token: token })
  if (textOf(params.report_type)) query.set('report_type', textOf(params.report_type))
  if (params.download) query.set('download', 'true')
  const anchor = textOf(params.anchor) ? `#${textOf(params.anchor)}` : ''
  return `${path ?? ''}${textOf(params.suffix)}?${query}${textOf(params.query_string)}${anchor}`
}
