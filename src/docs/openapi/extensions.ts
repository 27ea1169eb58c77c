// Extensions of the documented API in OpenAPI: headers, paths and tags.
import type { ExtensionName, Extensions } from '../../config/index.ts'
import { batchPath } from './batch.ts'
import { changesPath } from './changes.ts'
import { bulkPath, exportPath, jobPaths } from './jobs.ts'
import { mcpPath } from './mcp.ts'
import { webhookPaths } from './webhooks.ts'

interface Header {
  readonly extension: ExtensionName
  readonly header: string
  readonly description: string
  readonly schema: object
  readonly example: string
  /** Whether it means nothing to methods that only read. */
  readonly writes: boolean
  /** Whether it is about the records of one call, so that a batch has it a call. */
  readonly ofRecords: boolean
}

const headers: Readonly<Record<string, Header>> = {
  IdempotencyKey: {
    extension: 'idempotency',
    header: 'Idempotency-Key',
    description:
      'A unique key that the client generates for the call. A retry with the same key within a week does not run again: it returns the first response, with `Idempotent-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '"till-7/2026-11-21/000412"',
    writes: true,
    ofRecords: false,
  },
  IfMatch: {
    extension: 'versions',
    header: 'If-Match',
    description:
      'Runs the call only if its records have the version that a read with `Prefer: etag` returned, else 412. `*`: only if all records exist.',
    schema: { type: 'string' },
    example: '"v1-0f343b0931126a20f133d67c2b018a3b"',
    writes: true,
    ofRecords: true,
  },
  Prefer: {
    extension: 'dry-run',
    header: 'Prefer',
    description:
      'RFC 7240: `etag` returns the version of the records (`ETag`, `Record-Versions`), `tx=rollback` does all of it and rolls it back, `values=typed` gives null for empty, moments with their zone (`timezone=Europe/Brussels`) and records as objects, of groups too (`numbers=decimal`: amounts and their sums as exact text), `paging=keyset` pages by `Next-Cursor`, `count=exact|planned|estimated` returns `Total-Count`, `respond-async` does it later (`/x/1/jobs`), `replica` lets a replica of the database answer calls that only read, where there is one (`Comptoir-Position`, sent back as received, says what it must show), `handling=strict` refuses unknown preferences, `handling=lenient` accepts the valid items of a list and returns why the others are refused, where the method can (`sync_from_ui` of `pos.order`).',
    schema: { type: 'string' },
    example: 'tx=rollback',
    writes: false,
    ofRecords: false,
  },
  Cursor: {
    extension: 'paging',
    header: 'Cursor',
    description:
      'The `Next-Cursor` of the previous page: send the same body with it to get the next page. For `search`, `search_read` and `web_search_read`.',
    schema: { type: 'string' },
    example: 'k1.bZ0Yk3…',
    writes: false,
    ofRecords: true,
  },
}

/** Of several parts: it is there if one of them is. */
const PREFER: readonly ExtensionName[] = ['dry-run', 'versions', 'values', 'paging', 'jobs']

const offeredOf = (extensions: Extensions) =>
  Object.entries(headers).filter(([name, { extension }]) =>
    name === 'Prefer' ? PREFER.some((preference) => extensions.has(preference)) : extensions.has(extension),
  )

const refs = (offered: ReturnType<typeof offeredOf>) =>
  offered.map(([name]) => ({ $ref: `#/components/parameters/${name}` }))

/** References to the headers that a call takes, by whether its method only reads. */
export function headersOf(extensions: Extensions): (readonly: boolean) => readonly object[] {
  const offered = offeredOf(extensions)
  const [all, reading] = [refs(offered), refs(offered.filter(([, { writes }]) => !writes))]
  return (readonly) => (readonly ? reading : all)
}

/** Headers of paths other than calls, by method. */
const taken: readonly (readonly [path: RegExp, verbs: readonly string[], names: readonly string[]])[] = [
  [/^\/x\/1\/(changes|export)$/, ['get', 'post'], ['Prefer']],
  [/^\/x\/1\/bulk\//, ['post'], ['IdempotencyKey']],
  [/^\/x\/1\/webhook/, ['post', 'patch', 'delete'], ['IdempotencyKey', 'Prefer']],
  [/^\/x\/1\/webhooks\/\{id\}$/, ['patch', 'delete'], ['IfMatch']],
]

type Verbs = Record<string, { readonly parameters?: readonly object[] }>

/** The paths, with the headers that a server takes there. */
function headed(paths: Readonly<Record<string, object>>, extensions: Extensions): Record<string, object> {
  const offered = new Map(offeredOf(extensions))
  const withOwn = ([path, verbs]: readonly [string, object]): readonly [string, object] => {
    const headed: Verbs = { ...(verbs as Verbs) }
    for (const [pattern, which, names] of taken)
      for (const verb of pattern.test(path) ? which : []) {
        const [operation, headerNames] = [headed[verb], names.filter((name) => offered.has(name))]
        if (!operation || headerNames.length === 0) continue
        const refs = headerNames.map((name) => ({ $ref: `#/components/parameters/${name}` }))
        headed[verb] = { ...operation, parameters: [...(operation.parameters ?? []), ...refs] }
      }
    return [path, headed]
  }
  return Object.fromEntries(Object.entries(paths).map(withOwn))
}

/** Paths under /x/1, and the tags that they stand under. */
export function pathsOf(extensions: Extensions): {
  readonly paths: Record<string, object>
  readonly tags: readonly object[]
} {
  const paths: Record<string, object> = {}
  const tags: object[] = []
  if (extensions.has('batch')) {
    paths['/x/1/batch'] = batchPath(refs(offeredOf(extensions).filter(([, { ofRecords }]) => !ofRecords)))
    tags.push({ name: 'batch', description: 'Several calls in one request.' })
  }
  if (extensions.has('changes')) {
    paths['/x/1/changes'] = changesPath
    tags.push({ name: 'changes', description: 'What changed since.' })
  }
  if (extensions.has('jobs')) {
    Object.assign(paths, jobPaths, { '/x/1/export': exportPath })
    if (extensions.has('upsert')) paths['/x/1/bulk/{model}'] = bulkPath
    tags.push({ name: 'jobs', description: 'Asynchronous calls, bulk import and export.' })
  }
  if (extensions.has('mcp')) {
    paths['/x/1/mcp'] = mcpPath
    tags.push({ name: 'agents', description: 'Model Context Protocol endpoint.' })
  }
  if (extensions.has('webhooks')) {
    Object.assign(paths, webhookPaths)
    tags.push({ name: 'webhooks', description: 'Webhook endpoints and deliveries.' })
  }
  return { paths: headed(paths, extensions), tags }
}

/** The components that `headersOf` refers to. */
export function extensionParameters(extensions: Extensions): Record<string, object> {
  return Object.fromEntries(
    offeredOf(extensions).map(([name, { header, description, schema, example }]) => [
      name,
      // Said in words: pages that try calls fill in what is given as an example, and would send a key twice.
      {
        name: header,
        in: 'header',
        required: false,
        description: `${description} For example \`${example}\`.`,
        schema,
      },
    ]),
  )
}
