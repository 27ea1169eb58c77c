// Words of other languages: files of terms name what modules and the sources really say, all of them the
// same, and keep the holes of messages.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { DataSet, Module } from '../../src/models/index.ts'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { sources } from './sources.ts'

const folderOf = (module: Module) => new URL(`../../src/modules/${module.name}/i18n/`, import.meta.url)
const languagesOf = (module: Module): string[] =>
  existsSync(folderOf(module)) ? readdirSync(folderOf(module)).map((file) => file.replace('.json', '')) : []
const translated = modules.filter((module) => languagesOf(module).length > 0)
const registry = composeRegistry(modules)

/** English texts of a module: those of models and fields, and all that its data holds. */
function textsOf(module: Module): Set<string> {
  const texts = new Set([module.summary])
  const add = (value: unknown) => typeof value === 'string' && texts.add(value)
  for (const model of registry.models.values()) {
    if (model.module === module.name) add(model.label)
    for (const field of model.fields.values()) {
      if (field.module !== module.name && field.module !== null) continue
      for (const text of [field.label, field.options.help]) add(text)
      if (field.kind !== 'selection' && field.kind !== 'reference') continue
      if (typeof field.options.selection === 'object')
        for (const label of Object.values(field.options.selection)) add(label)
    }
  }
  const sets = (module.data ?? []).filter((set): set is DataSet => typeof set !== 'function')
  for (const vals of sets.flatMap(({ records }) => Object.values(records)))
    for (const value of Object.values(vals)) add(value)
  return texts
}

test('a module that has words in other languages says where they are', () => {
  assert.ok(translated.some(({ name }) => name === 'base'))
  for (const module of translated)
    for (const lang of languagesOf(module)) assert.ok(module.terms?.(lang), `${module.name}/${lang}`)
})

test('every term stands for something that the module says', () => {
  for (const module of translated) {
    const moduleTexts = textsOf(module)
    for (const lang of languagesOf(module)) {
      const { texts = {}, models = {}, fields = {} } = module.terms?.(lang) ?? {}
      const where = `${module.name}/i18n/${lang}.json`
      assert.deepEqual(
        Object.keys(texts).filter((text) => !moduleTexts.has(text)),
        [],
        where,
      )
      for (const name of Object.keys(models)) assert.ok(registry.get(name), `${where}: ${name}`)
      for (const key of Object.keys(fields)) {
        const dot = key.lastIndexOf('.')
        assert.ok(registry.get(key.slice(0, dot))?.fields.has(key.slice(dot + 1)), `${where}: ${key}`)
      }
      for (const text of [...Object.values(texts), ...Object.values(models)])
        assert.notEqual(text.trim(), '', where)
    }
  }
})

test('a module says the same in all its languages', () => {
  for (const module of translated) {
    const keysOf = (lang: string) =>
      Object.entries(module.terms?.(lang) ?? {}).flatMap(([part, terms]) =>
        Object.keys(terms).map((key) => `${part} ${key}`),
      )
    const [first, ...others] = languagesOf(module)
    for (const lang of others)
      assert.deepEqual(
        keysOf(lang).sort(),
        keysOf(first as string).sort(),
        `${module.name}: ${lang} and ${first}`,
      )
  }
})

test('translated messages keep their placeholders', () => {
  const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()
  for (const module of translated) {
    for (const lang of languagesOf(module)) {
      for (const [text, translation] of Object.entries(module.terms?.(lang)?.messages ?? {}))
        assert.deepEqual(holes(translation), holes(text), `${lang}: ${text}`)
    }
  }
})

/** The sources without tests, with concatenated texts in one piece. */
const written = sources()
  .filter(({ path }) => path.startsWith('src/'))
  .map(({ text }) => text.replaceAll(/(['`])\s*\+\s*['`]/g, '').replaceAll(/\\(['"`])/g, '$1'))
  .join('\n')

/** Templates of the sources: their texts, with null for each value. */
const templates = [...written.replaceAll(/\$\{[^${}`]*\}/g, '\0').matchAll(/`([^`\n]*\0[^`\n]*)`/g)].map(
  ([, template = '']) => template.split('\0'),
)
const patternOf = (texts: readonly string[], value: string) =>
  texts.map((text) => RegExp.escape(text)).join(value)
const letters = (text: string) => text.replaceAll(/[^a-z]/gi, '').length

/** Whether a template writes the message, with values in place of words: a third of it must be its own text. */
const isComposed = (message: string) =>
  templates.some(
    (texts) =>
      letters(texts.join('')) >= Math.max(5, letters(message) * 0.3) &&
      new RegExp(`^${patternOf(texts, '.+')}$`).test(message),
  )

/** Whether the sources have this message as a text of its own, or next to a value in a template. */
const isWhole = (message: string) =>
  new RegExp(`(?:['"\`}]|\\n)${RegExp.escape(message)}(?:['"\`$]|\\n)`).test(written)

test('every translated message is one that the sources have', () => {
  for (const module of translated) {
    const [lang = ''] = languagesOf(module)
    const dead = Object.keys(module.terms?.(lang)?.messages ?? {}).filter((message) => {
      const value = String.raw`(?:\$\{[\s\S]{1,300}?\}|\{\w+\})`
      if (isWhole(message) || isComposed(message)) return false
      return !new RegExp(patternOf(message.split(/\{\w+\}/), value)).test(written)
    })
    assert.deepEqual(dead, [], `${module.name}: remove these keys, or write them as the message is now`)
  }
})
