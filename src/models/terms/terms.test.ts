// Translation files and the lexicon of them, without a database.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { DeclarationError } from '../../errors.ts'
import { implement } from '../behaviour/implement.ts'
import { defineModule } from '../behaviour/module.ts'
import { char, many2one, selection } from '../contract/field.ts'
import { abstract, extend, model } from '../contract/model.ts'
import type { Module, Terms } from '../language/module.ts'
import { composeRegistry } from '../registry/registry.ts'
import { Lexicon, termsIn } from './lexicon.ts'

const folder = mkdtempSync(join(tmpdir(), 'comptoir-terms-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, terms: unknown) =>
  writeFileSync(join(folder, name), typeof terms === 'string' ? terms : JSON.stringify(terms))
const read = () => termsIn(pathToFileURL(`${folder}/`))

test('a language has its file, and a country its own on top of it', () => {
  write('pt.json', { texts: { Name: 'Nome', Bus: 'Autocarro' }, messages: { 'No.': 'Não.' } })
  write('pt_BR.json', { texts: { Bus: 'Ônibus' } })
  assert.deepEqual(read()('pt_PT')?.texts, { Name: 'Nome', Bus: 'Autocarro' })
  assert.deepEqual(read()('pt_BR')?.texts, { Name: 'Nome', Bus: 'Ônibus' })
  assert.equal(read()('sv_SE'), null)
  for (const lang of ['../pt', 'pt/../pt', '', 'PT']) assert.equal(read()(lang), null, lang)
})

test('who names one word of a field or a record leaves the others as they were', () => {
  write('nl.json', {
    fields: { 'a.b': { label: 'Naam', help: 'Hulp' } },
    records: { 'a.b': { one: { name: 'Een' }, two: { name: 'Twee' } } },
  })
  write('nl_BE.json', {
    fields: { 'a.b': { label: 'Benaming' } },
    records: { 'a.b': { two: { name: 'Twie' } } },
  })
  const terms = read()('nl_BE')
  assert.deepEqual(terms?.fields, { 'a.b': { label: 'Benaming', help: 'Hulp' } })
  assert.deepEqual(terms?.records, { 'a.b': { one: { name: 'Een' }, two: { name: 'Twie' } } })
})

test('terms: an invalid file is reported by name', () => {
  for (const [i, wrong] of ['{', '3', { labels: {} }, { texts: 'x' }].entries()) {
    const name = `a${'bcde'[i]}`
    write(`${name}.json`, wrong)
    assert.throws(
      () => read()(name),
      (error: Error) => error instanceof DeclarationError && error.message.includes(`${name}.json`),
    )
  }
})

const mixin = abstract('t.mixin', {
  label: 'Mixin',
  fields: { colour: char({ label: 'Colour', help: 'As you like it.' }) },
})
const thing = model('t.thing', {
  label: 'Thing',
  mixins: ['t.mixin'],
  fields: { name: char({ label: 'Name' }), size: selection({ s: 'Small', l: 'Large' }, { label: 'Size' }) },
})
const car = model('t.car', {
  label: 'Car',
  inherits: { 't.thing': 'thing_id' },
  fields: {
    thing_id: many2one('t.thing' as never, { label: 'Thing', required: true }),
    order: char({ label: 'Order' }),
  },
})
const more = extend('t.thing' as never, { fields: { weight: char({ label: 'Order' }) } })
const of = (terms: Terms) => (lang: string) => (lang === 'xx' ? terms : null)
const first: Terms = {
  texts: { Thing: 'Ding', Name: 'Naam', Small: 'Klein', Order: 'Volgorde' },
  fields: { 't.mixin.colour': { label: 'Kleur' } },
  messages: { 'No {what} for {who}.': '{who} krijgt geen {what}.', 'Not today.': 'Vandaag niet.' },
}
const second: Terms = {
  texts: { Order: 'Bestelling', Colour: 'Verkeerd' },
  fields: { 't.thing.name': { help: 'Uitleg' } },
}
const modules: Module[] = [
  defineModule({
    name: 'one',
    version: '1',
    summary: '',
    depends: [],
    models: [implement(mixin), implement(thing), implement(car as never)],
    terms: of(first),
  }),
  defineModule({
    name: 'two',
    version: '1',
    summary: '',
    depends: ['one'],
    models: [implement(more as never)],
    terms: of(second),
  }),
]

test('fields are named by their own words, then by those of their module, then by those of others', () => {
  const registry = composeRegistry(modules)
  const lexicon = new Lexicon(modules, 'xx')
  const field = (model: string, name: string) => {
    const field = registry.get(model)?.fields.get(name)
    assert.ok(field)
    return lexicon.field(field, name === 'size' ? { s: 'Small', l: 'Large' } : {})
  }
  assert.deepEqual(field('t.thing', 'colour'), { label: 'Kleur', options: {} }, 'of a mixin')
  assert.deepEqual(field('t.car', 'colour'), { label: 'Kleur', options: {} }, 'behind delegation')
  assert.deepEqual(field('t.thing', 'name'), { label: 'Naam', help: 'Uitleg', options: {} })
  assert.deepEqual(field('t.thing', 'size'), { options: { s: 'Klein' } })
  assert.equal(field('t.car', 'order').label, 'Volgorde', 'the module of the field')
  assert.equal(field('t.thing', 'weight').label, 'Bestelling', 'the module that added the field')
  assert.equal(lexicon.model(registry.get('t.thing') as never), 'Ding')
  assert.equal(lexicon.model(registry.get('t.car') as never), undefined)
  assert.equal(new Lexicon(modules, 'yy').isEmpty, true)
})

test('messages keep what differs from case to case', () => {
  const lexicon = new Lexicon(modules, 'xx')
  assert.equal(lexicon.message('Not today.'), 'Vandaag niet.')
  assert.equal(lexicon.message('No (big) $1 cake for you.'), 'you krijgt geen (big) $1 cake.')
  assert.equal(lexicon.message('Something else.'), 'Something else.')
  const long = `No ${'x for '.repeat(300)}`
  assert.equal(lexicon.message(`${long}.`), `${long}.`, 'what is very long is said as it is')
})
