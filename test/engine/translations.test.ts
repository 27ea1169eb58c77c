// Translated fields: each language has its own value and falls back to the base language, in writing,
// reading, search, order and copies.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UserError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { unrestricted } from '../../src/models/rights/tables.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())

/** Work as the system user in a database where French is spoken; what is written does not stay. */
async function inTwoLanguages(work: (en: Environment, fr: Environment) => Promise<void>): Promise<void> {
  const rights = { ...unrestricted, languages: new Set(['en_US', 'fr_FR']) }
  const unit = new UnitOfWork(db.database.pool, db.database.registry, rights, { readonly: false })
  const en = environmentOf(unit, SYSTEM, { active_test: false }, true)
  try {
    await work(en, en.withContext({ lang: 'fr_FR' }))
  } finally {
    await unit.rollback()
  }
}

const notes = (env: Environment, ids: readonly number[] = []) => env.model('trials.note').browse(ids)
const names = async (env: Environment, ids: readonly number[]) =>
  (await notes(env, ids).load(['name'])).map((n) => n.name)

test('translations: a value in one language leaves the others unchanged; missing ones fall back', () =>
  inTwoLanguages(async (en, fr) => {
    const { ids } = await notes(en).create([{ name: 'apple' }, { name: 'pear' }])
    assert.deepEqual(await names(fr, ids), ['apple', 'pear'])
    await notes(fr, [ids[0] as number]).write({ name: 'pomme' })
    assert.deepEqual(
      [await names(en, ids), await names(fr, ids)],
      [
        ['apple', 'pear'],
        ['pomme', 'pear'],
      ],
    )
    await notes(en, ids).write({ name: 'fruit' })
    assert.deepEqual(
      [await names(en, ids), await names(fr, ids)],
      [
        ['fruit', 'fruit'],
        ['pomme', 'fruit'],
      ],
    )
    await notes(en, ids).write({ name: false })
    assert.deepEqual(
      [await names(en, ids), await names(fr, ids)],
      [
        [null, null],
        [null, null],
      ],
    )
  }))

test('translations: a record created in another language has that value in the base language too', () =>
  inTwoLanguages(async (en, fr) => {
    const { ids } = await notes(fr).create([{ name: 'citron' }, {}])
    assert.deepEqual(
      [await names(en, ids), await names(fr, ids)],
      [
        ['citron', null],
        ['citron', null],
      ],
    )
    await notes(fr, [ids[1] as number]).write({ name: 'prune' })
    assert.deepEqual(await names(en, ids), ['citron', 'prune'])
    await notes(en, [ids[0] as number]).write({ name: 'lemon' })
    assert.deepEqual(
      [await names(en, ids), await names(fr, ids)],
      [
        ['lemon', 'prune'],
        ['citron', 'prune'],
      ],
    )
  }))

test("translations: search and order use the caller's language", () =>
  inTwoLanguages(async (en, fr) => {
    const { ids } = await notes(en).create([{ name: 'a dog' }, { name: 'b cat' }])
    await notes(fr, [ids[0] as number]).write({ name: 'z chien' })
    const inIds = ['id', 'in', ids] as const
    assert.deepEqual((await notes(fr).search([['name', 'ilike', 'chien'], inIds])).ids, [ids[0]])
    assert.deepEqual((await notes(fr).search([['name', 'ilike', 'dog'], inIds])).ids, [])
    assert.deepEqual((await notes(fr).search([['name', 'ilike', 'cat'], inIds])).ids, [ids[1]])
    assert.deepEqual((await notes(en).search([inIds], { order: 'name' })).ids, ids)
    assert.deepEqual((await notes(fr).search([inIds], { order: 'name' })).ids, ids.toReversed())
  }))

test('translations: copies take all languages, also through delegation, unless the value is explicit', () =>
  inTwoLanguages(async (en, fr) => {
    const { ids } = await notes(en).create([{ name: 'one' }])
    await notes(fr, ids).write({ name: 'un' })
    const copy = await notes(en, ids).copy()
    assert.deepEqual([await names(en, copy.ids), await names(fr, copy.ids)], [['one'], ['un']])
    const french = await notes(fr, ids).copy()
    assert.deepEqual([await names(en, french.ids), await names(fr, french.ids)], [['one'], ['un']])
    const other = await notes(en, ids).copy({ name: 'two' })
    assert.deepEqual(await names(fr, other.ids), ['two'])
    const tops = await en.model('trials.mid').create([{ name: 'thing', level: 1 } as never])
    await fr
      .model('trials.mid')
      .browse(tops.ids)
      .write({ name: 'chose' } as never)
    const duplicate = await tops.copy()
    const read = async (env: Environment) =>
      (await env.model('trials.mid').browse(duplicate.ids).read(['name']))[0]?.name
    assert.deepEqual([await read(en), await read(fr)], ['thing', 'chose'])
  }))

test('translations: an inactive language is rejected', () =>
  inTwoLanguages(async (en) => {
    await assert.rejects(notes(en.withContext({ lang: 'xx_XX' })).create([{ name: 'x' }]), UserError)
  }))

test('all languages at once: false drops a value, but not the one that others fall back to', () =>
  inTwoLanguages(async (en, fr) => {
    const { ids } = await notes(en).create([{ name: 'apple' }])
    const update = (translations: object) =>
      notes(en, ids).invoke('update_field_translations', { field_name: 'name', translations })
    assert.equal(await update({ fr_FR: 'pomme' }), true)
    assert.equal(await update({ en_US: false }), true)
    assert.deepEqual([await names(en, ids), await names(fr, ids)], [['apple'], ['pomme']])
    assert.equal(await update({ fr_FR: false }), true)
    assert.deepEqual(await names(fr, ids), ['apple'])
    for (const text of [5, null]) await assert.rejects(update({ fr_FR: text }), UserError)
    const tag = await en.model('res.partner.category').create([{ name: 'Gold' }])
    const translations = { en_US: false }
    await assert.rejects(tag.invoke('update_field_translations', { field_name: 'name', translations }), {
      name: 'ValidationError',
    })
    await notes(en, ids).unlink()
    const ask = notes(en, ids).invoke('get_field_translations', { field_name: 'name' })
    await assert.rejects(ask, { name: 'MissingError' })
  }))
