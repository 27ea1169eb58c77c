// Lexicon: the translations of all modules of a database into one language, and messages of errors by it.
import { existsSync, readFileSync } from 'node:fs'
import { DeclarationError, ServiceError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { FieldTerms, Module, TermSource, Terms } from '../language/module.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'

/** Longer messages contain a client's input. Matching several placeholders in them takes too long. */
const LONGEST = 1000

export class Lexicon {
  /** The last module first: an extension's translation takes precedence. */
  readonly #all: readonly { readonly module: string; readonly terms: Terms }[]
  readonly #patterns = new Map<RegExp, string>()
  readonly #messages = new Map<string, string>()

  constructor(modules: readonly Module[], lang: string) {
    this.#all = modules.toReversed().flatMap((module) => {
      const terms = module.terms?.(lang)
      return terms ? [{ module: module.name, terms }] : []
    })
    for (const { terms } of this.#all.toReversed()) {
      for (const [text, translated] of Object.entries(terms.messages ?? {})) {
        if (/\{\w+\}/.test(text)) this.#patterns.set(patternOf(text), translated)
        else this.#messages.set(text, translated)
      }
    }
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Translations of one module, if it has some. */
  of(module: string): Terms | undefined {
    return this.#all.find((entry) => entry.module === module)?.terms
  }

  /** A text of a module: its own translation, else that of another module. */
  text(module: string | null, text: string | null | undefined): string | undefined {
    if (!text) return undefined
    const translation = module === null ? undefined : wordIn(this.of(module)?.texts, text)
    if (translation !== undefined) return translation
    for (const { terms } of this.#all) {
      const other = wordIn(terms.texts, text)
      if (other !== undefined) return other
    }
    return undefined
  }

  model(model: ModelDef): string | undefined {
    for (const { terms } of this.#all) {
      const translation = wordIn(terms.models, model.name)
      if (translation !== undefined) return translation
    }
    return this.text(model.module, model.label)
  }

  /** A field's label, help and options, if they are translated. */
  field(field: FieldDef, options: Readonly<Record<string, string>>): FieldTerms {
    const [label, help] = [this.#special(field, 'label'), this.#special(field, 'help')]
    const special = this.#special(field, 'options')
    const named = Object.entries(options).flatMap(([key, text]) => {
      const translation = wordIn(special, key) ?? this.text(field.module, text)
      return translation === undefined ? [] : [[key, translation] as const]
    })
    const texts = {
      label: label ?? this.text(field.module, field.label),
      help: help ?? this.text(field.module, field.options.help),
      options: Object.fromEntries(named),
    }
    return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
  }

  /** Translations for this field, for that of its mixin, or for its delegate's. */
  #special<K extends keyof FieldTerms>(field: FieldDef, part: K): FieldTerms[K] {
    for (const key of keysOf(field)) {
      for (const { terms } of this.#all) {
        const translation =
          terms.fields && Object.hasOwn(terms.fields, key) ? terms.fields[key]?.[part] : undefined
        if (translation !== undefined) return translation
      }
    }
    return undefined
  }

  /** A message in the language; unchanged without a translation. */
  message(text: string): string {
    const whole = this.#messages.get(text)
    if (whole !== undefined || text.length > LONGEST) return whole ?? text
    for (const [pattern, translated] of this.#patterns) {
      const groups = pattern.exec(text)?.groups
      if (groups) return translated.replaceAll(/\{(\w+)\}/g, (hole, name: string) => groups[name] ?? hole)
    }
    return text
  }
}

function wordIn(words: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return words && Object.hasOwn(words, key) ? words[key] : undefined
}

/** `model.field` in translation files: its own, those of mixins, those of delegates. */
function keysOf(field: FieldDef): string[] {
  const keys = [
    `${field.model.name}.${field.name}`,
    ...(field.model.options.mixins ?? []).map((mixin) => `${mixin}.${field.name}`),
  ]
  const behind = field.inherited
    ? field.model.fields.get(field.related?.[0] ?? '')?.comodel?.fields.get(field.name)
    : undefined
  return behind ? [...keys, ...keysOf(behind)] : keys
}

/** A message with placeholders as a regular expression with groups. */
function patternOf(text: string): RegExp {
  const seen = new Set<string>()
  const source = text.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (seen.has(name)) return `\\k<${name}>`
    seen.add(name)
    return `(?<${name}>[\\s\\S]*?)`
  })
  return new RegExp(`^${source.join('')}$`)
}

// Translations of modules: one file per language in the module's folder (decisions/0015).

const parts = ['texts', 'models', 'fields', 'records', 'messages'] as const

/**
 * Translations from the JSON files of a folder: `fr.json` for French, and `fr_CA.json` for differences
 * in Canada. Throws DeclarationError for a file with other contents.
 */
export function termsIn(folder: URL): TermSource {
  const termsByLanguage = new Map<string, Terms | null>()
  const file = (name: string): Terms | null => {
    const url = new URL(`${name}.json`, folder)
    return existsSync(url) ? parsed(url) : null
  }
  return (lang) => {
    if (!/^[a-z]{2,3}(?:[_@][A-Za-z_]+)?$/.test(lang)) return null
    let terms = termsByLanguage.get(lang)
    if (terms === undefined) {
      const [language = ''] = lang.split(/[_@]/)
      terms = mergeTerms(file(language), language === lang ? null : file(lang))
      termsByLanguage.set(lang, terms)
    }
    return terms
  }
}

function parsed(url: URL): Terms {
  let terms: unknown
  try {
    terms = JSON.parse(readFileSync(url, 'utf8'))
  } catch (cause) {
    throw new DeclarationError(`The terms in ${url.pathname} are not JSON.`, { cause })
  }
  if (typeof terms !== 'object' || terms === null)
    throw new DeclarationError(`The terms in ${url.pathname} are not an object.`)
  const wrong = Object.entries(terms).find(
    ([part, value]) => !parts.includes(part as never) || typeof value !== 'object' || value === null,
  )
  if (wrong)
    throw new DeclarationError(
      `The terms in ${url.pathname} have a part ${JSON.stringify(wrong[0])}; there are ${parts.join(', ')}.`,
    )
  return terms
}

/** Merges translations; `above` takes precedence. */
export function mergeTerms(below: Terms | null, above: Terms | null): Terms | null {
  if (!below || !above) return above ?? below
  return merged(below, above)
}

type Words = { readonly [key: string]: string | Words }

/** Merged recursively: a file that translates a field's label keeps the translation of its help. */
function merged<T extends object>(below: T, above: T): T {
  const all = new Map<string, string | Words>(Object.entries(below))
  for (const [key, value] of Object.entries(above) as [string, string | Words][]) {
    const lower = all.get(key)
    all.set(key, typeof lower === 'object' && typeof value === 'object' ? merged(lower, value) : value)
  }
  return Object.fromEntries(all) as T
}

const lexicons = oncePer((_: Registry) => new Map<string, Lexicon>())

/** The error with its message in a language; unchanged if no module has a translation. */
export function inLanguage(registry: Registry, lang: string, error: unknown): unknown {
  if (!(error instanceof ServiceError) || lang === BASE_LANGUAGE) return error
  error.message = lexiconOf(registry, lang).message(error.message)
  return error
}

/**
 * Translates texts for people, such as those of documents, into a language. Texts without a translation
 * are returned as they are.
 */
export function wordsIn({ unit: { registry } }: Environment, lang: string): (text: string) => string {
  if (lang === BASE_LANGUAGE) return (text) => text
  const lexicon = lexiconOf(registry, lang)
  return (text) => lexicon.message(text)
}

function lexiconOf(registry: Registry, lang: string): Lexicon {
  const byLanguage = lexicons(registry)
  let lexicon = byLanguage.get(lang)
  if (!lexicon) {
    lexicon = new Lexicon(registry.declared, lang)
    byLanguage.set(lang, lexicon)
  }
  return lexicon
}
