// Numbers and addresses as languages and countries say them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { modulesWith } from '../../../../test/support/sets.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modulesWith('base'))
})
after(() => db?.close())

test('res.lang: numbers are written with the separators and groups of a language; res.country: fields of addresses', () =>
  db.run(async (env) => {
    const lang = await env.model('res.lang').create([
      {
        name: 'Test',
        code: 'xx_XX',
        url_code: 'xx',
        active: true,
        grouping: '[3,2,0]',
        decimal_point: ',',
        thousands_sep: '.',
      },
    ])
    const write = (percent: string, value: number, grouping = true) =>
      lang.format({ percent, value, grouping })
    assert.equal(await write('%.2f', 12_345_678.5), '1.23.45.678,50')
    assert.equal(await write('%d', -1999.9), '-1.999')
    assert.equal(await write('%.1f', 1234.56, false), '1234,6')
    await assert.rejects(async () => write('%s', 1), /format such as/)
    assert.equal((await lang.one(['flag_image_url'])).flag_image_url, null)
    const [country] = (await env.model('res.country').search([['code', '=', 'US']])).ids
    const fields = await env
      .model('res.country')
      .browse([country as number])
      .get_address_fields()
    assert.ok(fields.includes('street') && fields.includes('zip'))
  }))
