// Rights that the recorded conversations do not show: who writes industries, who sees models, what portal
// users read of their company, who makes users.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'

type Person = 'plain' | 'contacts' | 'manager' | 'portal'
let office: Office<Person>
before(async () => {
  office = await openOffice(['base'], {
    plain: [],
    contacts: ['base.group_partner_manager'],
    manager: ['base.group_erp_manager'],
    portal: ['base.group_portal'],
  })
})
after(() => office.close())

const status = async (person: Person | 'admin', path: string, body: object) =>
  (await office.call(person, path, body)).status

test('industries: all users read them, Settings alone writes them', async () => {
  const industry = await office.call('admin', 'res.partner.industry/create', {
    vals_list: { name: 'Bakeries' },
  })
  const ids = industry.body as number[]
  for (const person of ['plain', 'contacts', 'manager'] as const) {
    assert.equal(await status(person, 'res.partner.industry/read', { ids, fields: ['name'] }), 200, person)
    assert.equal(
      await status(person, 'res.partner.industry/create', { vals_list: { name: 'x' } }),
      403,
      person,
    )
    assert.equal(
      await status(person, 'res.partner.industry/write', { ids, vals: { name: 'x' } }),
      403,
      person,
    )
    assert.equal(await status(person, 'res.partner.industry/unlink', { ids }), 403, person)
  }
  assert.equal(await status('admin', 'res.partner.industry/write', { ids, vals: { name: 'Bakers' } }), 200)
})

test('ir.model: models and external ids are closed to plain users, and what they need of them works', async () => {
  for (const model of ['ir.model', 'ir.model.data']) {
    for (const person of ['plain', 'contacts', 'portal'] as const) {
      assert.equal(
        await status(person, `${model}/search_read`, { domain: [], limit: 1 }),
        403,
        `${person} ${model}`,
      )
      const may = await office.call(person, `${model}/has_access`, { operation: 'read' })
      assert.deepEqual([may.status, may.body], [200, false])
    }
    assert.equal(await status('manager', `${model}/search_read`, { domain: [], limit: 1 }), 200, model)
  }
  const reference = { module: 'base', xml_id: 'be' }
  assert.equal(await status('plain', 'ir.model.data/check_object_reference', reference), 200)
  const country = await office.call('plain', 'res.country/search', { domain: [['code', '=', 'BE']] })
  const named = await office.call('plain', 'res.country/get_external_id', { ids: country.body })
  assert.deepEqual(Object.values(named.body as object), ['base.be'])
  assert.equal(await status('plain', 'res.country/get_metadata', { ids: country.body }), 200)
  const loaded = await office.call('contacts', 'res.partner/load', {
    fields: ['id', 'name', 'country_id/id'],
    data: [['__import__.unseen', 'Imported', 'base.be']],
  })
  assert.deepEqual((loaded.body as { messages: unknown[] }).messages, [])
  assert.equal(((loaded.body as { ids: number[] }).ids ?? []).length, 1)
})

test('portal users: read the name of their own company, and no other', async () => {
  const [other] = (await office.call('admin', 'res.company/create', { vals_list: { name: 'Elsewhere' } }))
    .body as number[]
  const portalUser = await office.call('portal', 'res.users/read', {
    ids: [await idOf('portal')],
    fields: ['company_id'],
  })
  const [company] = (portalUser.body as { company_id: [number, string] }[]).map((row) => row.company_id)
  const read = await office.call('portal', 'res.company/read', {
    ids: [company?.[0]],
    fields: ['name', 'display_name'],
  })
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, [{ id: company?.[0], name: company?.[1], display_name: company?.[1] }])
  const companies = await office.call('portal', 'res.company/search_read', {
    domain: [['name', '=', company?.[1]]],
    fields: ['name'],
  })
  assert.deepEqual(companies.body, [{ id: company?.[0], name: company?.[1] }])
  assert.equal(await status('portal', 'res.company/read', { ids: [other], fields: ['name'] }), 403)
})

test('user administrators: create users with their contact, without a right to contacts', async () => {
  assert.deepEqual(
    (await office.call('manager', 'res.partner/has_access', { operation: 'create' })).body,
    false,
  )
  const creation = await office.call('manager', 'res.users/create', {
    vals_list: [
      { name: 'Made', login: 'made', email: 'made@example.com', phone: '1' },
      { name: 'Second', login: 'second' },
    ],
  })
  assert.equal(creation.status, 200, JSON.stringify(creation.body))
  const rows = await office.call('admin', 'res.users/read', {
    ids: creation.body,
    fields: ['name', 'email', 'partner_id', 'create_uid'],
    load: null,
  })
  const [user] = rows.body as { name: string; email: string; partner_id: number; create_uid: number }[]
  assert.deepEqual([user?.name, user?.email], ['Made', 'made@example.com'])
  const [partner] = (
    await office.call('admin', 'res.partner/read', {
      ids: [user?.partner_id],
      fields: ['create_uid'],
      load: null,
    })
  ).body as { create_uid: number }[]
  assert.equal(partner?.create_uid, await idOf('manager'))
  assert.equal(await status('manager', 'res.partner/create', { vals_list: { name: 'x' } }), 403)
  assert.equal(await status('plain', 'res.users/create', { vals_list: { name: 'x', login: 'x' } }), 403)
  assert.equal(await status('contacts', 'res.users/create', { vals_list: { name: 'x', login: 'x' } }), 403)
})

test('user administrators: grant only access rights that they hold, by any method', async () => {
  const find = async (model: string, domain: unknown[]) =>
    ((await office.call('admin', `${model}/search`, { domain, limit: 1 })).body as number[])[0] ?? 0
  const [rules, groups] = [
    await find('ir.model', [['model', '=', 'ir.rule']]),
    await find('ir.model', [['model', '=', 'res.groups']]),
  ]
  const line = { name: 'Way', model_id: rules, perm_read: true }
  const created = (vals: object) =>
    office.call('manager', 'ir.model.access/create', { vals_list: [{ ...line, ...vals }] })
  const [fresh = 0] = (await created({ model_id: groups, active: false })).body as number[]
  const [off = 0] = (
    await office.call('admin', 'ir.model.access/create', {
      vals_list: [{ ...line, perm_write: true, active: false }],
    })
  ).body as number[]
  assert.equal((await created({ perm_write: true })).status, 403)
  for (const [path, body] of [
    ['ir.model.access/write', { ids: [fresh], vals: { model_id: rules, perm_write: true, active: true } }],
    ['ir.model.access/write', { ids: [off], vals: { active: true } }],
    ['ir.model.access/copy', { ids: [off], default: { active: true } }],
    [
      'res.groups/create',
      { vals_list: [{ name: 'Way', model_access: [[0, 0, { ...line, perm_create: true }]] }] },
    ],
  ] as const)
    assert.equal(await status('manager', path, body), 403, JSON.stringify(body))
  assert.equal(
    await status('manager', 'ir.model.access/write', { ids: [fresh], vals: { active: true } }),
    200,
  )
  assert.equal(await status('manager', 'ir.model.access/write', { ids: [off], vals: { name: 'x' } }), 200)
})

test('sequences: only users who set them up draw numbers of gapless ones by hand', async () => {
  const values = { name: 'Counted', code: 'counted', implementation: 'no_gap' }
  const ids = (await office.call('admin', 'ir.sequence/create', { vals_list: [values] })).body
  for (const person of ['plain', 'manager'] as const) {
    assert.equal(await status(person, 'ir.sequence/next_by_id', { ids }), 403)
    assert.equal(await status(person, 'ir.sequence/next_by_code', { sequence_code: 'counted' }), 403)
  }
  assert.equal((await office.call('admin', 'ir.sequence/next_by_id', { ids })).body, '1')
})

const group = async (name: string) =>
  (
    (
      await office.call('admin', 'ir.model.data/search_read', {
        domain: [
          ['module', '=', 'base'],
          ['name', '=', name],
        ],
        fields: ['res_id'],
      })
    ).body as { res_id: number }[]
  )[0]?.res_id as number

test('administrators: only administrators archive, delete and remove groups from them', async () => {
  const system = await group('group_system')
  const staff = { name: 'Staff', implied_ids: [[4, system]] }
  const [way] = (await office.call('admin', 'res.groups/create', { vals_list: [staff] })).body as number[]
  const second = { name: 'Second', login: 'second administrator', group_ids: [[4, way]] }
  const third = { name: 'Third', login: 'third administrator', role: 'group_system' }
  const [id, other] = (await office.call('admin', 'res.users/create', { vals_list: [second, third] }))
    .body as number[]
  const attempts: [string, object][] = [
    ['res.users/write', { ids: [id], vals: { active: false } }],
    ['res.users/write', { ids: [id], vals: { group_ids: [[3, way]] } }],
    ['res.users/write', { ids: [id], vals: { group_ids: [[6, 0, []]] } }],
    ['res.users/write', { ids: [other], vals: { role: 'group_user' } }],
    ['res.users/action_archive', { ids: [id] }],
    ['res.users/unlink', { ids: [id] }],
    ['res.groups/write', { ids: [way], vals: { user_ids: [[3, id]] } }],
    ['res.groups/write', { ids: [way], vals: { implied_ids: [[5]] } }],
    ['res.groups/unlink', { ids: [way] }],
  ]
  for (const [path, body] of attempts)
    assert.equal(await status('manager', path, body), 403, `${path} ${JSON.stringify(body)}`)
  const plain = await idOf('plain')
  for (const active of [false, true])
    assert.equal(await status('manager', 'res.users/write', { ids: [plain], vals: { active } }), 200)
  assert.equal(await status('admin', 'res.users/write', { ids: [id], vals: { active: false } }), 200)
  assert.equal(await status('manager', 'res.users/write', { ids: [id], vals: { active: true } }), 403)
})

test('users: cannot be given the contact of a user with more rights, to write their name and e-mail', async () => {
  const [{ partner_id }] = (
    await office.call('admin', 'res.users/read', { ids: [2], fields: ['partner_id'], load: null })
  ).body as [{ partner_id: number }]
  const [manager, plain] = [await idOf('manager'), await idOf('plain')]
  for (const ids of [[manager], [plain]])
    assert.equal(await status('manager', 'res.users/write', { ids, vals: { partner_id } }), 403)
  const twin = { login: 'twin', partner_id, email: 'elsewhere@example.com' }
  assert.equal(await status('manager', 'res.users/create', { vals_list: [twin] }), 403)
  assert.equal(
    await status('manager', 'res.users/copy', { ids: [plain], default: { partner_id, login: 'twin' } }),
    403,
  )
})

test('user administrators: grant only groups that they hold, by any method', async () => {
  const [system, erp, manager] = [
    await group('group_system'),
    await group('group_erp_manager'),
    await idOf('manager'),
  ]
  const boss = { name: 'Boss', login: 'boss' }
  const [bossId] = (await office.call('manager', 'res.users/create', { vals_list: [boss] })).body as number[]
  const [fresh] = (await office.call('manager', 'res.groups/create', { vals_list: [{ name: 'Fresh' }] }))
    .body as number[]
  const attempts: [string, object][] = [
    ['res.users/write', { ids: [manager], vals: { group_ids: [[4, system]] } }],
    ['res.users/write', { ids: [bossId], vals: { role: 'group_system' } }],
    ['res.users/create', { vals_list: [{ ...boss, login: 'boss2', group_ids: [[4, system]] }] }],
    ['res.users/copy', { ids: [2] }],
    ['res.groups/write', { ids: [system], vals: { user_ids: [[4, manager]] } }],
    ['res.groups/write', { ids: [erp], vals: { implied_ids: [[4, system]] } }],
    ['res.groups/write', { ids: [system], vals: { implied_by_ids: [[4, erp]] } }],
    [
      'res.groups/create',
      { vals_list: [{ name: 'Way', implied_ids: [[4, system]], user_ids: [[4, manager]] }] },
    ],
    ['res.users/write', { ids: [2], vals: { password: 'taken over' } }],
    ['res.users/write', { ids: [2], vals: { new_password: 'taken over' } }],
    ['res.users/write', { ids: [2], vals: { login: 'mine' } }],
    ['res.users/write', { ids: [manager, 2], vals: { password: 'taken over' } }],
  ]
  for (const [path, body] of attempts)
    assert.equal(await status('manager', path, body), 403, JSON.stringify(body))
  assert.equal(
    await status('manager', 'res.users/write', { ids: [bossId], vals: { group_ids: [[4, erp]] } }),
    200,
  )
  assert.equal(
    await status('manager', 'res.users/write', { ids: [bossId], vals: { password: 'a new one' } }),
    200,
  )
  assert.equal(
    await status('manager', 'res.groups/write', { ids: [fresh], vals: { implied_ids: [[4, system]] } }),
    200,
  )
  const wider = { ids: [manager], vals: { group_ids: [[4, fresh]] } }
  assert.equal(await status('manager', 'res.users/write', wider), 403, 'by a group that leads there')
  assert.equal(await status('admin', 'res.users/write', wider), 200)
})

test("user administrators: child contacts of a new user's contact need the right to contacts", async () => {
  const [stranger] = (await office.call('admin', 'res.partner/create', { vals_list: { name: 'Stranger' } }))
    .body as number[]
  for (const child_ids of [
    [[1, stranger, { name: 'Taken' }]],
    [[4, stranger]],
    [[2, stranger]],
    [[0, 0, { name: 'Child' }]],
  ]) {
    const vals = { name: 'x', login: `lines ${JSON.stringify(child_ids)}`, child_ids }
    assert.equal(
      await status('manager', 'res.users/create', { vals_list: vals }),
      403,
      JSON.stringify(child_ids),
    )
  }
  const [row] = (
    await office.call('admin', 'res.partner/read', { ids: [stranger], fields: ['name', 'parent_id'] })
  ).body as object[]
  assert.deepEqual(row, { id: stranger, name: 'Stranger', parent_id: false })
  const count = await office.call('admin', 'res.users/search_count', { domain: [['login', 'like', 'lines']] })
  assert.equal(count.body, 0, 'nothing of a refused call stays')
})

async function idOf(login: string): Promise<number> {
  const users = await office.call('admin', 'res.users/search', { domain: [['login', '=', login]] })
  return (users.body as number[])[0] as number
}

test('contacts: users who edit them cannot change the name and e-mail of a colleague, by any method', async () => {
  const contactOf = async (person: Person) => {
    const read = await office.call('admin', 'res.users/read', {
      ids: [await idOf(person)],
      fields: ['partner_id'],
      load: null,
    })
    return (read.body as { partner_id: number }[])[0]?.partner_id as number
  }
  const [plain, portal, contact] = [
    await contactOf('plain'),
    await contactOf('portal'),
    await contactOf('contacts'),
  ]
  const before = (
    await office.call('admin', 'res.partner/read', { ids: [plain], fields: ['name', 'email', 'phone'] })
  ).body
  const [firm] = (await office.call('contacts', 'res.partner/create', { vals_list: { name: 'Firm' } }))
    .body as number[]
  const ways: readonly (readonly [string, object])[] = [
    ['res.partner/write', { ids: [plain], vals: { email: 'elsewhere@example.com', phone: '1' } }],
    ['res.partner/write', { ids: [firm, plain], vals: { name: 'Somebody else' } }],
    ['res.partner/web_save', { ids: [plain], vals: { name: 'Somebody else' }, specification: {} }],
    ['res.partner/write', { ids: [firm], vals: { child_ids: [[1, plain, { name: 'Somebody else' }]] } }],
  ]
  for (const [path, body] of ways)
    assert.equal(await status('contacts', path, body), 403, JSON.stringify(body))
  await office.call('contacts', 'res.partner/load', {
    fields: ['.id', 'email'],
    data: [[String(plain), 'elsewhere@example.com']],
  })
  assert.deepEqual(
    (await office.call('admin', 'res.partner/read', { ids: [plain], fields: ['name', 'email', 'phone'] }))
      .body,
    before,
  )
  for (const [ids, vals] of [
    [[plain], { phone: '2' }],
    [[portal], { name: 'A customer', email: 'customer@example.com' }],
    [[contact], { email: 'own@example.com' }],
  ])
    assert.equal(await status('contacts', 'res.partner/write', { ids, vals }), 200, JSON.stringify(vals))
  assert.equal(
    await status('admin', 'res.partner/write', {
      ids: [plain],
      vals: { name: 'Renamed', email: 'renamed@example.com' },
    }),
    200,
  )
})
