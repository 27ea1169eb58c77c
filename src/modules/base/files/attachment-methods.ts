// Methods of attachments (ir.attachment) that clients call: tokens for links, files without doubles, and
// rights of files that are still to come.
import { randomUUID } from 'node:crypto'
import {
  type Environment,
  extend,
  implement,
  type ModelName,
  type Of,
  optional,
  type Records,
  required,
  returns,
} from '#models'
import { InvalidValue, unknownModel } from '../../../errors.ts'
import { hashOf } from '../../../kit/bytes.ts'
import { isId } from '../../../kit/present.ts'
import { givenVals } from '../caller-arguments.ts'
import { assertAllowed, assertAllowedAndExisting } from '../rights/refusal.ts'

const ADMINISTRATORS = 'base.group_system'

const methodsOf = extend('ir.attachment', {
  fields: {},
  methods: {
    generate_access_token: {
      doc: 'Returns the access tokens of files, which allow downloads without a login. Creates missing tokens.',
      params: {},
      returns: returns<string[]>('array', 'list[str]'),
    },
    create_unique: {
      doc: 'Creates attachments. If the record already has a file with the same content, returns that file instead.',
      level: 'model',
      params: { values_list: required<unknown>('valsList', { annotation: 'list[dict]' }) },
      returns: returns<number[]>('ids', 'list[int]'),
    },
    check: {
      doc: 'Raises an error if the caller may not perform the operation on the attachments, or on those of the record in the values.',
      level: 'model',
      readonly: true,
      params: {
        mode: required<string>('string', { doc: 'read, write, create or unlink', annotation: 'str' }),
        values: optional<Record<string, unknown> | null>('any', null, {
          doc: 'res_model and res_id of the record',
          annotation: 'dict | None',
        }),
      },
      returns: returns<null>('nothing', 'None'),
    },
    get_serving_groups: {
      doc: 'Groups whose members may upload files that browsers show as pages, such as HTML.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<string[]>('array', 'list[str]'),
    },
    regenerate_assets_bundles: {
      doc: 'Deletes attachments with script and style bundles, which this server does not use.',
      level: 'model',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Attachment extends Of<typeof methodsOf> {}
}

type Attachments = Records<'ir.attachment'>
const operations = ['read', 'write', 'create', 'unlink'] as const

/** Throws AccessError for callers without the right. A file is created and removed with its record's write. */
async function assertMay(files: Attachments, mode: string, values: Record<string, unknown>): Promise<null> {
  const operation = operations.find((each) => each === mode)
  if (!operation) throw new InvalidValue(`Invalid mode ${mode}: use read, write, create or unlink.`)
  await assertAllowed(files, operation)
  const { res_model: model, res_id: id } = values
  if (typeof model !== 'string' || !isId(id)) return null
  const def = files.env.unit.registry.get(model)
  if (!def) throw unknownModel(model)
  const record = files.env.model(def.name as ModelName).browse([id])
  await assertAllowed(record, operation === 'read' ? 'read' : 'write')
  return null
}

/** The content in given values, as `checksum` writes it; null without one. */
async function checksumOf({ raw, datas }: Record<string, unknown>): Promise<string | null> {
  if (typeof raw === 'string' && raw) return hashOf('sha1', Buffer.from(raw, 'utf8'))
  return typeof datas === 'string' && datas ? hashOf('sha1', Buffer.from(datas, 'base64')) : null
}

/** The place of a file: a record, and a field of it. Unset parts are false, as in domains. */
const placeOf = ({ res_model, res_id, res_field }: Record<string, unknown>) => ({
  res_model: textIn(res_model),
  res_id: isId(res_id) && res_id,
  res_field: textIn(res_field),
})
const textIn = (value: unknown): string | false => (typeof value === 'string' && value !== '' ? value : false)

const identityOf = (checksum: string, place: ReturnType<typeof placeOf>): string =>
  JSON.stringify([checksum, place])

/** Files of the values: those that the caller may read and that have the place and content, else new ones. */
async function uniqueFiles(env: Environment, list: readonly Record<string, unknown>[]): Promise<number[]> {
  const wanted: { readonly vals: object; readonly identity: string }[] = []
  const [checksums, places]: [string[], ReturnType<typeof placeOf>[]] = [[], []]
  for (const [n, vals] of list.entries()) {
    const checksum = await checksumOf(vals)
    const place = placeOf(vals)
    if (checksum) {
      checksums.push(checksum)
      places.push(place)
    }
    wanted.push({ vals, identity: checksum ? identityOf(checksum, place) : `without content ${n}` })
  }
  const same = await env.model('ir.attachment').search(
    [
      ['checksum', 'in', checksums],
      ['res_model', 'in', places.map((place) => place.res_model)],
      ['res_id', 'in', places.map((place) => place.res_id)],
      ['res_field', 'in', places.map((place) => place.res_field)],
      ['type', '=', 'binary'],
    ],
    { order: 'id desc' },
  )
  const rows = await same.load(['checksum', 'res_model', 'res_id', 'res_field'])
  const files = new Map(rows.map((row) => [identityOf(row.checksum ?? '', placeOf({ ...row })), row.id]))
  const fresh = new Map<string, object>()
  for (const { identity, vals } of wanted)
    if (!files.has(identity) && !fresh.has(identity)) fresh.set(identity, vals)
  const { ids } = await env.model('ir.attachment').create([...fresh.values()] as never)
  for (const [n, identity] of [...fresh.keys()].entries()) files.set(identity, ids[n] ?? 0)
  return wanted.map(({ identity }) => files.get(identity) ?? 0)
}

export const attachmentMethods = implement(methodsOf, {
  methods: {
    async generate_access_token(files) {
      await assertAllowedAndExisting(files, 'write')
      const tokenFiles = files.sudo()
      const rows = await tokenFiles.load(['access_token'])
      const tokens = new Map(rows.map(({ id, access_token }) => [id, access_token ?? randomUUID()]))
      const fresh = rows.filter(({ access_token }) => !access_token)
      if (fresh.length)
        await tokenFiles.writeEach(
          new Map(fresh.map(({ id }) => [id, { access_token: tokens.get(id) ?? null }])),
        )
      return files.ids.flatMap((id) => tokens.get(id) ?? [])
    },
    create_unique: ({ env }, { values_list }) => uniqueFiles(env, givenVals(values_list)),
    check: (files, { mode, values }) => assertMay(files, mode, values ?? {}),
    get_serving_groups: () => [ADMINISTRATORS],
    async regenerate_assets_bundles({ env }) {
      await assertAllowed(env.model('ir.ui.view'), 'write')
      const bundles = await env
        .sudo()
        .model('ir.attachment')
        .search([
          ['url', '=like', '/web/assets/%'],
          ['res_model', '=', 'ir.ui.view'],
          ['public', '=', true],
        ])
      if (bundles.length) await bundles.unlink()
      return null
    },
  },
})
