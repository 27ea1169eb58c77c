// Terms of the base module in other languages: those of `i18n/*.json`, and the names of countries, currencies
// and languages that data packages give.
import { mergeTerms, type Terms } from '#engine'
import { termsIn } from '#models'
import { readData } from './data-files.ts'

/** Language → model → external id → field → text. */
type Names = Readonly<Record<string, NonNullable<Terms['records']>>>

const written = termsIn(new URL('./i18n/', import.meta.url))

/** Names of a language, or of the same language as it is spoken elsewhere. */
function namesIn(lang: string): Terms | null {
  const names = readData<Names>('translations')
  const [language = ''] = lang.split(/[_@]/)
  const code = Object.hasOwn(names, lang)
    ? lang
    : Object.keys(names).find((name) => name.startsWith(`${language}_`))
  const records = code === undefined ? undefined : names[code]
  return records ? { records } : null
}

export const terms = (lang: string): Terms | null => {
  const [names, writtenTerms] = [namesIn(lang), written(lang)]
  return mergeTerms(writtenTerms, names && { records: { ...writtenTerms?.records, ...names.records } })
}
