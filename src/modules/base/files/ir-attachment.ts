// Attachments (ir.attachment): files with a name, loose or tied to a record (spec/models-api.md section 10).
// Rights: attachment-rights.ts.

import { bytesFrom } from '#engine'
import {
  binary,
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  idsWhere,
  implement,
  integer,
  type ModelName,
  many2one,
  many2oneReference,
  model,
  type Of,
  type Records,
  selection,
  text,
} from '#models'
import { AccessError, InvalidValue } from '../../../errors.ts'
import { hashOf } from '../../../kit/bytes.ts'
import { present } from '../../../kit/present.ts'
import { idList, raw, sql } from '../../../sql/index.ts'
import { givenVals } from '../caller-arguments.ts'
import { mimetypeOf } from './attachment-mimetype.ts'
import { bytesOf, quotaTable, spendQuota } from './attachment-quota.ts'
import { permitted } from './attachment-rights.ts'
import { withoutFieldFiles } from './attachment-search.ts'
import { contentStore } from './attachment-store.ts'
import { authorizeFieldFiles, authorizeFilesAfter, authorizeFilesBefore } from './field-files.ts'

const attachment = model('ir.attachment', {
  label: 'Attachment',
  order: 'id desc',
  rules: {
    res_idx: { index: ['res_model', 'res_id'] },
    checksum_idx: { index: ['checksum'] },
  },
  fields: {
    name: char({ label: 'Name', required: true }),
    description: text({ label: 'Description' }),
    res_name: char({ label: 'Resource Name', computed: true }),
    res_model: char({ label: 'Resource Model' }),
    res_field: char({ label: 'Resource Field' }),
    res_id: many2oneReference({ label: 'Resource ID', modelField: 'res_model' }),
    company_id: many2one('res.company', { label: 'Company' }),
    type: selection({ url: 'URL', binary: 'File' }, { label: 'Type', required: true, default: 'binary' }),
    url: char({ label: 'Url', size: 1024 }),
    public: boolean({ label: 'Is public document' }),
    access_token: char({ label: 'Access Token', groups: 'base.group_user', copy: false }),
    raw: binary({ label: 'File Content (raw)', computed: true, readonly: false, attachment: false }),
    datas: binary({ label: 'File Content (base64)', computed: true, readonly: false, attachment: false }),
    db_datas: binary({ attachment: false, hidden: true, copy: false }),
    sealed: boolean({
      label: 'Sealed',
      readonly: true,
      copy: false,
      help: 'A copy of a document as it was printed. It can be neither changed nor removed.',
    }),
    store_fname: char({ label: 'Stored Filename', copy: false, index: true }),
    file_size: integer({ label: 'File Size', readonly: true }),
    checksum: char({ label: 'Checksum/SHA1', size: 40, readonly: true }),
    mimetype: char({ label: 'Mime Type', readonly: true }),
    index_content: text({ label: 'Indexed Content', readonly: true, copy: false }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
    writable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.attachment': Attachment
  }
  interface Attachment extends Of<typeof attachment> {}
}

type Attachments = Records<'ir.attachment'>
type Vals = Record<string, unknown>

/** Bytes by attachment, known without a look at the content. */
async function sizes(ids: readonly number[], env: Environment): Promise<Map<number, number | null>> {
  const rows = await env.rows(
    sql`SELECT id, file_size FROM ir_attachment WHERE id = ANY(${idList([...ids])})`,
    { reads: ['ir.attachment'], row: ['int', 'int?'] },
  )
  return new Map(rows.map(([id, size]) => [id, size]))
}

/** Base64 by attachment: empty for a link, and for a file without content. */
const contents = computedTogether(
  attachment,
  ['checksum'],
  async (rows, env) => {
    const stored = await contentStore.get(
      env,
      rows.map((row) => row.id),
    )
    return new Map(rows.map((row) => [row.id, stored.get(row.id)?.toString('base64') ?? '']))
  },
  { size: sizes },
)

/** Display names of the records that attachments are tied to. */
async function placeNames(
  rows: readonly { id: number; res_model: string | null; res_id: number }[],
  env: Environment,
): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (const name of new Set(rows.map((row) => row.res_model))) {
    if (!name || !env.unit.registry.get(name)?.hasRows) continue
    const tied = rows.filter((row) => row.res_model === name && row.res_id)
    const records = env.sudo().model(name as ModelName)
    const namedRecords = (await records
      .browse(tied.map((row) => row.res_id))
      .load(['display_name'])) as readonly {
      id: number
      display_name: string
    }[]
    const byId = new Map(namedRecords.map((record) => [record.id, record.display_name]))
    for (const row of tied) names.set(row.id, byId.get(row.res_id) ?? '')
  }
  return names
}

/**
 * Content in given values: undefined when they say nothing of it. Throws InvalidValue for what is not base64
 * or no text.
 */
function contentIn(env: Environment, vals: Vals): Buffer | null | undefined {
  if (vals.raw !== undefined && vals.raw !== null && vals.raw !== false) {
    if (typeof vals.raw !== 'string') throw new InvalidValue('raw is a text.')
    return Buffer.from(vals.raw, 'utf8')
  }
  if (vals.datas === undefined) return vals.raw === undefined ? undefined : null
  const field = env.def('ir.attachment').fields.get('datas')
  return field ? (bytesFrom(field, vals.datas)?.content ?? null) : null
}

/** Contents in a list of given values; more of them than a call may keep are not even decoded. */
function contentsIn(env: Environment, list: readonly Vals[]): (Buffer | null | undefined)[] {
  env.unit.quota.reserve('files', list.filter(({ raw, datas }) => raw || datas).length)
  return list.map((vals) => contentIn(env, vals))
}

/**
 * Values without the content, with what follows from it: clients cannot set size and checksum. A link
 * has no size.
 */
async function described(vals: Vals, content: Buffer | null | undefined): Promise<Vals> {
  const {
    datas: _datas,
    raw: _raw,
    file_size: _size,
    checksum: _checksum,
    store_fname: _file,
    ...kept
  } = vals
  if (content === undefined) return kept
  const size = content === null && vals.type === 'url' ? {} : { file_size: content?.length ?? 0 }
  return { ...kept, ...size, checksum: content ? await hashOf('sha1', content) : null }
}

async function keep(env: Environment, records: Map<number, Buffer | null>): Promise<void> {
  await contentStore.put(env, records)
  for (const name of ['datas', 'raw', 'db_datas', 'store_fname']) {
    const field = env.def('ir.attachment').fields.get(name)
    if (field) env.unit.cache.forget(field, records.keys())
  }
}

const isTrusted = (env: Environment) => env.su || env.hasGroup('base.group_system')

export default implement(attachment, {
  // Given values of these are ignored: they are computed from the content.
  writable: { lock: 'sealed', given: ['file_size', 'checksum', 'mimetype', 'index_content', 'store_fname'] },
  computed: {
    res_name: computedTogether(attachment, ['res_model', 'res_id'], placeNames),
    raw: contents,
    datas: contents,
    readable: computed(attachment, [], () => false, { sql: (scope) => permitted(scope, 'read') }),
    writable: computed(attachment, [], () => false, { sql: (scope) => permitted(scope, 'write') }),
  },
  wrapWrite: (next) => async (records, changes) => {
    const { env } = records
    await authorizeFilesBefore(records, changes)
    const newContents = contentsIn(
      env,
      changes.map(({ vals }) => vals),
    )
    await spendQuota(
      env,
      0,
      changes.reduce((sum, { ids, vals }, i) => sum + ids.length * bytesOf(vals, newContents[i]), 0),
    )
    const ready: { readonly ids: readonly number[]; readonly vals: Vals }[] = []
    for (const [i, { ids, vals }] of changes.entries()) {
      const contentVals = await described(vals, newContents[i])
      if (typeof contentVals.mimetype === 'string')
        contentVals.mimetype = await mimetypeOf(contentVals.mimetype, contentVals.name, null, isTrusted(env))
      ready.push({ ids, vals: contentVals })
    }
    await next(records, ready)
    await authorizeFilesAfter(records, changes)
    const contents = new Map(
      changes.flatMap(({ ids }, i) => {
        const content = newContents[i]
        return content === undefined ? [] : ids.map((id) => [id, content] as const)
      }),
    )
    if (contents.size) await keep(env, contents)
    const links = changes.flatMap(({ ids, vals }, i) =>
      vals.type === 'url' && newContents[i] === null ? ids : [],
    )
    if (links.length)
      await env.execute(sql`UPDATE ir_attachment SET file_size = NULL WHERE id = ANY(${idList(links)})`, {
        reads: ['ir.attachment'],
      })
    const tied = idsWhere(changes, (vals) => 'res_model' in vals || 'res_id' in vals)
    if (tied.length) await assertStillWritable(records.browse(tied))
  },
  wrapGeneric: {
    ...withoutFieldFiles,
    create: (next) => async (records, params) => {
      const { env } = records
      const list = givenVals(params.vals_list)
      const contents = contentsIn(env, list)
      await spendQuota(
        env,
        list.length,
        list.reduce((sum, vals, i) => sum + bytesOf(vals, contents[i]), 0),
      )
      const ready: Vals[] = []
      for (const [i, vals] of list.entries()) {
        const content = contents[i] ?? null
        ready.push({
          ...(await described({ type: env.context.default_type, ...vals }, content)),
          mimetype: await mimetypeOf(vals.mimetype, vals.name ?? vals.url, content, isTrusted(env)),
        })
      }
      const createdAttachments = (await next(records, { ...params, vals_list: ready })) as Attachments
      await authorizeFieldFiles(createdAttachments)
      await keep(
        env,
        new Map(createdAttachments.ids.flatMap((id, i) => (contents[i] ? [[id, contents[i]]] : []))),
      )
      return createdAttachments
    },
    unlink: (next) => async (records, params) => {
      await authorizeFieldFiles(records)
      return next(records, params)
    },
    copy_data: (next) => async (records, params) => {
      const rows = (await next(records, params)) as Vals[]
      const stored = await contentStore.get(records.env, records.ids)
      const overridden = Object.keys((params.default ?? {}) as object)
      if (overridden.includes('datas') || overridden.includes('raw')) return rows
      return rows.map((row, i) => ({
        ...row,
        datas: stored.get(present(records.ids[i]))?.toString('base64') ?? false,
      }))
    },
  },
  init: async (env) => {
    await env.execute(raw(quotaTable))
    // Copies of documents from before copies were sealed.
    await env.execute(
      sql`UPDATE ir_attachment SET sealed = TRUE WHERE description LIKE 'print:%' AND create_uid = 1 AND write_uid = 1
        AND sealed IS NOT TRUE`,
      { reads: ['ir.attachment'] },
    )
  },
})

/** An attachment may only be tied to a record that the caller may write. Throws AccessError. */
async function assertStillWritable(records: Attachments): Promise<void> {
  if (records.env.su || records.length === 0) return
  const rows = await records.sudo().load(['writable'])
  if (rows.some((row) => !row.writable)) throw new AccessError('You may not attach files to these records.')
}
