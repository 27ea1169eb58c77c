// Languages brought in: the wizard and `db create --lang` load the terms of the data packages, writing `active` does not.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { UserError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'
import { base } from './index.ts'

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
      const wizard = await env.model('base.language.install').create([{ lang_ids: [[6, 0, ids]], overwrite } as never])
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
  await database.databases.create('francais', { modules: ['base'], login: 'admin', password: 'admin', lang: 'fr_FR' })
  const made = await database.databases.database('francais')
  assert.deepEqual(await made.system((env) => named(env, 'fr_FR')), ['Allemagne', 'franc suisse'])
  assert.deepEqual(await made.system((env) => named(env, 'nl_NL')), [null, null])
  assert.equal((await made.system((env) => env.model('base.language.install').search([]))).ids.length, 0)
})
