// Changes that make a template with modules of other packages out of date, and changes that do not.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dataSet, defineModule, type Module } from '../models/index.ts'
import { fingerprintOf } from './fingerprint.ts'

const project = mkdtempSync(join(tmpdir(), 'comptoir-fingerprint-'))
after(() => rmSync(project, { recursive: true, force: true }))
const put = (path: string, text = '') => {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), text)
}
const moduleOf = (more: Partial<Module> = {}) =>
  defineModule({ name: 'own', version: '1', summary: '', depends: [], models: [], ...more })

test('programs and data of the project count, wherever the tests run in it', () => {
  put('package.json', '{}')
  put('own/index.ts', 'one')
  put('own/i18n/fr.json')
  const print = () => fingerprintOf([moduleOf()], join(project, 'own'))
  const first = print()
  assert.equal(print(), first)
  put('own/index.ts', 'other')
  const second = print()
  assert.notEqual(second, first)
  utimesSync(join(project, 'own/i18n/fr.json'), 1, 1)
  assert.notEqual(print(), second)
  const third = print()
  put('shared/rights.mts')
  assert.notEqual(print(), third)
})

test('tests, packages, hidden folders and data directories do not', () => {
  const print = () => fingerprintOf([moduleOf()], project)
  const first = print()
  for (const path of [
    'own/own.test.ts',
    'own/own.spec.js',
    'node_modules/a/index.js',
    '.git/x.json',
    'data/postgres.json',
    'data/a/b.json',
    'notes.md',
  ])
    put(path, path)
  assert.equal(print(), first)
})

test('declarations count: plain data, texts of functions, in whatever depth', () => {
  const print = (more: Partial<Module>) => fingerprintOf([moduleOf(more)], project)
  const records = (name: string): Partial<Module> => ({ data: [dataSet('res.partner', { one: { name } })] })
  const different = [
    {},
    { version: '2' },
    records('Ann'),
    records('Bob'),
    { ready: async () => undefined },
    { ready: async () => Promise.resolve() },
  ].map(print)
  assert.equal(new Set(different).size, different.length)
  assert.equal(print(records('Ann')), different[2])
})
