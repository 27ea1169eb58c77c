// Languages brought in: the wizard and `db create --lang` load the terms of the data packages, writing
// `active` does not.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { UserError } from '../../../errors.ts'
import { upgradeModules } from '../../../services/admin.ts'
import { call } from '../../../services/call.ts'
import { sql } from '../../../sql/index.ts'
import { base } from '../index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base])
})
after(() => database?.close())

const named = async (env: Environment, code: string): Promise<unknown[]> => {
  const [country] = await env.query(sql`SELECT name->>${code} FROM res_country WHERE code = 'DE'`)
  const [currency] = await env.query(sql`SELECT full_name->>${code} FROM res_currency WHERE name = 'CHF'`)
  return [country?.[0], currency?.[0]]
}
const languages = async (env: Environment, codes: string[]) =>
  (
    await env
      .withContext({ active_test: false })
      .model('res.lang')
      .search([['code', 'in', codes]])
  ).ids

test('writing active loads no terms, the wizard does, for each language it is given', () =>
  database.run(async (env) => {
    const ids = await languages(env, ['fr_FR', 'es_ES', 'de_DE', 'nl_NL'])
    await env.model('res.lang').browse(ids).write({ active: true })
    assert.deepEqual(await named(env, 'fr_FR'), [null, null])
    await env.model('res.lang').browse(ids).write({ active: false })
    const wizard = await env.model('base.language.install').create([{ lang_ids: [[6, 0, ids]] } as never])
    await wizard.lang_install({})
    const installed = (await env.model('res.lang').get_installed({})).map(([code]) => code)
    assert.deepEqual(installed.toSorted(), ['de_DE', 'en_US', 'es_ES', 'fr_FR', 'nl_NL'])
    assert.deepEqual(await named(env, 'fr_FR'), ['Allemagne', 'franc suisse'])
    assert.deepEqual(await named(env, 'es_ES'), ['Alemania', 'franco suizo'])
    assert.deepEqual(await named(env, 'de_DE'), ['Deutschland', 'Schweizer Franken'])
    assert.deepEqual(await named(env, 'nl_NL'), ['Duitsland', 'Zwitserse frank'])
  }))

test('what somebody wrote in a language stays when overwrite is off, and goes when it is on', () =>
  database.run(async (env) => {
    await env.query(sql`UPDATE res_country SET name = name || '{"fr_FR": "Chez nous"}' WHERE code = 'DE'`)
    const install = async (overwrite: boolean) => {
      const ids = await languages(env, ['fr_FR'])
      const wizard = await env
        .model('base.language.install')
        .create([{ lang_ids: [[6, 0, ids]], overwrite } as never])
      await wizard.lang_install({})
      return (await named(env, 'fr_FR'))[0]
    }
    assert.equal(await install(false), 'Chez nous')
    assert.equal(await install(true), 'Allemagne')
  }))

test('a wizard without languages is refused', () =>
  database.run(async (env) => {
    const wizard = await env.model('base.language.install').create([{}] as never)
    await assert.rejects(async () => wizard.lang_install({}), UserError)
  }))

test('a database made in a language has its terms', async () => {
  await database.databases.create('francais', {
    modules: ['base'],
    login: 'admin',
    password: 'admin',
    lang: 'fr_FR',
  })
  const target = await database.databases.database('francais')
  assert.deepEqual(await target.system((env) => named(env, 'fr_FR')), ['Allemagne', 'franc suisse'])
  assert.deepEqual(await target.system((env) => named(env, 'nl_NL')), [null, null])
  assert.equal((await target.system((env) => env.model('base.language.install').search([]))).ids.length, 0)
})

/** A call of the administrator, in a language. */
async function ask(
  model: string,
  method: string,
  named: Record<string, unknown>,
  lang: string,
  ids: readonly number[] = [],
): Promise<unknown> {
  const request = {
    database: 'test',
    credential: { kind: 'password', uid: 2, password: 'admin' },
    remote: '127.0.0.1',
    requestId: 'test',
  } as const
  const body = () => ({ ids, named, context: { lang } })
  return JSON.parse((await call(database.databases, { ...request, model, method, body })).json)
}
type Described = Record<string, { string: string; help?: string; selection?: [string, string][] }>
const describe = async (model: string, fields: string[], lang: string) =>
  (await ask(
    model,
    'fields_get',
    { allfields: fields, attributes: ['string', 'help', 'selection'] },
    lang,
  )) as Described

test('fields are described in the language of the context, with English where there are no words', async () => {
  const partner = await describe('res.partner', ['name', 'type', 'vat', 'create_date', 'image_1920'], 'de_DE')
  assert.equal(partner.name?.string, 'Name')
  assert.equal(partner.vat?.string, 'USt-IdNr.')
  assert.match(partner.vat?.help ?? '', /Steuernummer/)
  assert.deepEqual(partner.type?.selection?.slice(0, 2), [
    ['contact', 'Kontakt'],
    ['invoice', 'Rechnung'],
  ])
  assert.equal(partner.create_date?.string, 'Erstellt am')
  assert.equal(partner.image_1920?.string, 'Bild', 'a field of a mixin')
  const user = await describe('res.users', ['login', 'street', 'type'], 'de_DE')
  assert.equal(user.login?.string, 'Anmeldename')
  assert.equal(user.street?.string, 'Straße', 'a field behind delegation')
  assert.deepEqual(user.type?.selection?.[0], ['contact', 'Kontakt'])
  assert.equal((await describe('res.partner', ['vat'], 'en_US')).vat?.string, 'Tax ID')
  assert.equal((await describe('ir.cron', ['failure_count'], 'de_DE')).failure_count?.string, 'Failure Count')
  const [model] = (await ask(
    'ir.model',
    'search_read',
    { domain: [['model', '=', 'res.currency']], fields: ['name'] },
    'de_DE',
  )) as {
    name: string
  }[]
  assert.equal(model?.name, 'Währung')
  const form = (await ask('res.bank', 'get_view', { view_type: 'list' }, 'nl_NL')) as { arch: string }
  assert.match(form.arch, /<list string="Bank">/)
  const groups = (await ask(
    'res.groups',
    'search_read',
    { domain: [['name', '=', 'Rol / Gebruiker']], fields: ['name'] },
    'nl_NL',
  )) as unknown[]
  assert.equal(groups.length, 1, 'records that the module brings')
})

test('a label that somebody translated is shown from the next call on, and is not lost by an upgrade', async () => {
  const ids = (await ask(
    'ir.model.fields',
    'search',
    {
      domain: [
        ['model', '=', 'res.partner'],
        ['name', '=', 'vat'],
      ],
    },
    'en_US',
  )) as number[]
  const label = async () => (await describe('res.partner', ['vat'], 'de_DE')).vat?.string
  assert.equal(await label(), 'USt-IdNr.')
  await ask(
    'ir.model.fields',
    'update_field_translations',
    { field_name: 'field_description', translations: { de_DE: 'Steuernummer' } },
    'en_US',
    ids,
  )
  assert.equal(await label(), 'Steuernummer')
  await upgradeModules(database.databases, 'test', [])
  assert.equal(await label(), 'Steuernummer')
  const langs = await database.run((env) => languages(env, ['de_DE']))
  const wizard = (await ask(
    'base.language.install',
    'create',
    { vals_list: [{ lang_ids: [[6, 0, langs]], overwrite: true }] },
    'en_US',
  )) as number[]
  await ask('base.language.install', 'lang_install', {}, 'en_US', wizard)
  assert.equal(await label(), 'USt-IdNr.', 'unless it is asked for')
})

test('refusals speak the language of the context', async () => {
  await assert.rejects(ask('res.partner', 'create', { vals_list: [{ name: false }] }, 'fr_FR'), {
    message: 'Un contact doit avoir un nom',
  })
  await assert.rejects(
    ask('res.country', 'create', { vals_list: [{ code: 'ZZ' }] }, 'nl_NL'),
    /Een verplichte waarde ontbreekt/,
  )
  await assert.rejects(ask('res.partner', 'create', { vals_list: [{ name: false }] }, 'en_US'), {
    message: 'Contacts require a name',
  })
})

test('selections are imported and exported by their labels in the language', async () => {
  const { ids } = (await ask(
    'res.partner',
    'load',
    { fields: ['name', 'type'], data: [['Lieferort', 'Lieferung']] },
    'de_DE',
  )) as {
    ids: number[]
  }
  const exported = (lang: string) =>
    ask('res.partner', 'export_data', { fields_to_export: ['name', 'type'] }, lang, ids)
  assert.deepEqual(await exported('de_DE'), { datas: [['Lieferort', 'Lieferung']] })
  assert.deepEqual(await exported('en_US'), { datas: [['Lieferort', 'Delivery']] })
})
