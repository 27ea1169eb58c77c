// Translations of modules: one file per language in the module's folder (decisions/0015).

import { existsSync, readFileSync } from 'node:fs'
import { DeclarationError } from '../../errors.ts'
import type { TermSource, Terms } from '../language/module.ts'

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
