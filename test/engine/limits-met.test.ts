// Limits as callers meet them: with exactly so much a call is done, with one more it is refused by the
// limit's name, and nothing of it stays.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type LimitName, setLimits } from '../../src/limits.ts'
import { type Answer, type Office, openOffice } from '../support/office.ts'
import { pngOf } from '../support/png.ts'

type Person = 'clerk' | 'portal'
let office: Office<Person>
before(async () => {
  office = await openOffice(['base'], {
    clerk: ['base.group_partner_manager'],
    portal: ['base.group_portal'],
  })
  await mayKeepFiles()
})

/** Portal users may keep no attachments by themselves: these may, so that a visitor's quota is met. */
async function mayKeepFiles(): Promise<void> {
  const search = (model: string, domain: unknown[]) =>
    office.call('admin', `${model}/search_read`, {
      domain,
      fields: ['id', ...(model === 'ir.model' ? [] : ['res_id'])],
    })
  const models = (await search('ir.model', [['model', '=', 'ir.attachment']])).body as { id: number }[]
  const groups = (
    await search('ir.model.data', [
      ['module', '=', 'base'],
      ['name', '=', 'group_portal'],
    ])
  ).body as {
    res_id: number
  }[]
  const rights = {
    name: 'portal',
    model_id: models[0]?.id,
    group_id: groups[0]?.res_id,
    perm_read: true,
    perm_create: true,
  }
  const { status } = await office.call('admin', 'ir.model.access/create', { vals_list: [rights] })
  assert.equal(status, 200)
}
after(() => office?.close())
afterEach(() => setLimits())

interface Met {
  readonly limit: LimitName
  /** The least limit that the call is done with. */
  readonly needs: number
  readonly as?: Person | 'admin'
  readonly path: string
  readonly body: object
}

function assertRefused({ status, body }: Answer, limit: LimitName): void {
  const { message } = body as { message?: string }
  assert.deepEqual(
    [status, message?.includes(`(limit "${limit}")`)],
    [413, true],
    `${limit}: ${JSON.stringify(body).slice(0, 300)}`,
  )
}

/** The call is done with what it needs; with one less it is refused in the limit's name. */
async function assertMet({ limit, needs, as = 'admin', path, body }: Met): Promise<void> {
  setLimits({ [limit]: needs - 1 })
  assertRefused(await office.call(as, path, body), limit)
  setLimits({ [limit]: needs })
  const done = await office.call(as, path, body)
  assert.equal(done.status, 200, `${limit}: ${JSON.stringify(done.body).slice(0, 300)}`)
  setLimits()
}

const partners = async (names: readonly string[], extra: object = {}) =>
  (await office.call('clerk', 'res.partner/create', { vals_list: names.map((name) => ({ name, ...extra })) }))
    .body as number[]
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

test('limits: ids, names of fields and keys of a context', async () => {
  const ids = await partners(['One', 'Two', 'Three'])
  await assertMet({ limit: 'ids', needs: 3, path: 'res.partner/read', body: { ids, fields: ['name'] } })
  await assertMet({ limit: 'ids', needs: 3, path: 'res.partner/write', body: { ids, vals: { phone: '1' } } })
  await assertMet({
    limit: 'fields',
    needs: 3,
    path: 'res.partner/read',
    body: { ids, fields: ['name', 'email', 'phone'] },
  })
  const context = Object.fromEntries(times(20, (at) => [`key_${at}`, { [`deeper_${at}`]: at }]))
  await assertMet({
    limit: 'keys',
    needs: 40,
    path: 'res.partner/search_count',
    body: { domain: [], context },
  })
})

test('answers that are made whole: their values and their bytes', async () => {
  const ids = await partners(times(10, (at) => `Cell ${at}`))
  const body = { domain: [['id', 'in', ids]], groupby: ['name'], aggregates: ['__count'] }
  setLimits({ cells: 10 })
  assert.equal((await office.call('admin', 'res.partner/formatted_read_group', body)).status, 413)
  setLimits({ cells: 100 })
  assert.equal((await office.call('admin', 'res.partner/formatted_read_group', body)).status, 200)
  setLimits({ answer: 1000 })
  const long = await partners(
    times(4, (at) => `Long ${at}`),
    { comment: 'x'.repeat(1000) },
  )
  assertRefused(
    await office.call('admin', 'res.partner/read', { ids: [...long, ...long], fields: ['comment'] }),
    'answer',
  )
  setLimits({ cells: 100 })
  assertRefused(
    await office.call('admin', 'res.partner/export_data', { ids: long, fields_to_export: ['comment'] }),
    'cells',
  )
})

test('limits: colours of a progress bar, and parts of an answer with a query of their own', async () => {
  const colors = Object.fromEntries(times(5, (at) => [`c${at}`, 'success']))
  const bar = { field: 'type', colors }
  await assertMet({
    limit: 'colors',
    needs: 5,
    path: 'res.partner/read_progress_bar',
    body: { domain: [], group_by: 'is_company', progress_bar: bar },
  })
  const sets = [['type'], ['is_company'], ['lang']]
  await assertMet({
    limit: 'queries',
    needs: sets.length,
    path: 'res.partner/formatted_read_grouping_sets',
    body: { domain: [], grouping_sets: sets, aggregates: ['__count'] },
  })
})

test('limits: custom models and fields in a call', async () => {
  const [model] = (
    await office.call('admin', 'ir.model/search', { domain: [['model', '=', 'res.partner.industry']] })
  ).body as number[]
  const vals_list = times(3, (at) => ({
    name: `x_made_${at}`,
    model_id: model,
    ttype: 'char',
    field_description: 'Made',
  }))
  await assertMet({ limit: 'definitions', needs: 3, path: 'ir.model.fields/create', body: { vals_list } })
})

test('limits: default values of a user', async () => {
  const set = (value: string) => ({ model_name: 'res.partner', field_name: 'city', value, user_id: true })
  setLimits({ defaults: 1 })
  assert.equal((await office.call('clerk', 'ir.default/set', set('Ghent'))).status, 200)
  const second = await office.call('clerk', 'ir.default/set', { ...set('x'), field_name: 'street' })
  assertRefused(second, 'defaults')
  const defaults = await office.call('clerk', 'res.partner/default_get', { fields: ['city', 'street'] })
  assert.deepEqual(defaults.body, { city: 'Ghent' })
})

test('limits: files and bytes of a portal user; an employee has no quota', async () => {
  const vals_list = (count: number) => times(count, (at) => ({ name: `file ${at}`, raw: `content ${at}` }))
  const keep = (as: Person, count: number) =>
    office.call(as, 'ir.attachment/create', { vals_list: vals_list(count) })
  setLimits({ 'visitor-files': 3 })
  assert.equal((await keep('portal', 2)).status, 200)
  const beyond = await keep('portal', 2)
  assertRefused(beyond, 'visitor-files')
  // Nothing of the refused call counts.
  assert.equal((await keep('portal', 1)).status, 200)
  assert.equal((await keep('portal', 1)).status, 413)
  assert.equal((await keep('clerk', 5)).status, 200)
  setLimits({ 'visitor-bytes': 100 })
  const large = await office.call('portal', 'ir.attachment/create', {
    vals_list: [{ name: 'large', raw: 'x'.repeat(101) }],
  })
  assertRefused(large, 'visitor-bytes')
})

test('limits: pixels of an image, and of all images of a call', async () => {
  const image = (side: number) => pngOf(side, side, () => [18, 52, 86]).toString('base64')
  const [small, large] = [image(300), image(700)]
  const create = (images: readonly string[]) => ({
    vals_list: images.map((image_1920, at) => ({ name: `Pictured ${at}`, image_1920 })),
  })
  await assertMet({ limit: 'pixels', needs: 700 * 700, path: 'res.partner/create', body: create([large]) })
  const call = await office.call('admin', 'res.partner/create', create([large]))
  assert.equal(call.status, 200)
  setLimits({ 'pixels-call': 2 * 700 * 700 - 1 })
  const many = await office.call('admin', 'res.partner/create', create([large, small, large]))
  assertRefused(many, 'pixels-call')
})
