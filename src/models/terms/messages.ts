// Messages of errors in the caller's language, by the translations of the database's modules.

import { ServiceError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { Lexicon } from './lexicon.ts'

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
