// Default screens by type.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../../test/support/small-models.ts'
import { InvalidValue, UserError } from '../../../errors.ts'
import { escaped, fieldsOf, viewOf } from '../views.ts'

const env = testEnvironment()

test('lists show the name, forms every field that the caller may see', async () => {
  const list = await viewOf(env, testModel('tag'), 'list')
  assert.match(list.arch, /^<list string="[^"]*"><field name="name"\/><\/list>$/)
  assert.deepEqual(list.fields, ['name'])
  const { fields } = await viewOf(env, testModel('person'), 'form')
  assert.ok(fields.includes('country_id') && fields.includes('child_ids'))
  for (const closed of ['secret', 'token', 'id', 'create_date']) assert.ok(!fields.includes(closed), closed)
  assert.ok(!('secret' in (await fieldsOf(env, testModel('person')))))
})

test('unknown types and calendars without dates are refused', async () => {
  for (const type of ['nope', 'constructor', 3, null])
    await assert.rejects(viewOf(env, testModel('tag'), type), InvalidValue)
  await assert.rejects(viewOf(env, testModel('tag'), 'calendar'), UserError)
})

test('labels in generated views are escaped', () => {
  assert.equal(escaped('a<b & "c">'), 'a&lt;b &amp; &quot;c&quot;&gt;')
})
