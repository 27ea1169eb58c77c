// Addresses of documents for those who have no login: a path, and a token that stands for the right to
// see it.
import { randomUUID } from 'node:crypto'
import { type Contract, char, computed, type ModelName, optional, type Records, returns, text } from '#models'
import { sql } from '../../sql/index.ts'
import { assertAllowedAndExisting } from './rights/refusal.ts'

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
    help: 'Token that gives access to the document without a login.',
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

/**
 * The address of a document for those who have no login. Its readers may share it: a document without a
 * token gets one. Throws AccessError for callers who may not read it, MissingError where it is gone.
 */
export async function portalAddress<N extends ModelName>(
  documents: Records<N>,
  params: Partial<Asked> = {},
): Promise<string> {
  documents.ensureOne()
  await assertAllowedAndExisting(documents, 'read')
  const shared = documents.sudo()
  const [row] = await shared.read(['access_url', 'access_token'])
  const kept = textOf(row?.access_token)
  const access_token = kept || randomUUID()
  if (!kept) await shared.invoke('write', { vals: { access_token } })
  const query = new URLSearchParams({ access_token })
  if (textOf(params.report_type)) query.set('report_type', textOf(params.report_type))
  if (params.download) query.set('download', 'true')
  const anchor = textOf(params.anchor) ? `#${textOf(params.anchor)}` : ''
  return `${textOf(row?.access_url)}${textOf(params.suffix)}?${query}${textOf(params.query_string)}${anchor}`
}
