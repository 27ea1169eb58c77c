// Types of parameters and results in the terms of JSON, for people: `array of integers`, `string or null`.
import { type Annotation, annotationIn } from './annotation.ts'

/** The type of an annotation; `any JSON` for unknown ones. */
export const jsonType = (annotation: string | undefined): string =>
  annotation === undefined ? 'any JSON' : wordsOf(annotationIn(annotation))

function wordsOf(type: Annotation): string {
  switch (type.is) {
    case 'unknown':
      return 'any JSON'
    case 'domain':
      return 'array (a domain)'
    case 'values':
      return 'object'
    case 'literal':
      return JSON.stringify(type.value)
    case 'list':
      return type.of.is === 'unknown' ? 'array' : `array of ${pluralOf(wordsOf(type.of))}`
    case 'tuple':
      return `[${type.items.map(wordsOf).join(', ')}]`
    case 'object':
      return type.values.is === 'unknown' ? 'object' : `object of ${pluralOf(wordsOf(type.values))}`
    case 'union':
      return [...new Set(type.of.map(wordsOf))].join(' or ')
    default:
      return type.is
  }
}

/** The plural, such as `integers`; a type of several words stays in brackets. */
const pluralOf = (words: string): string => {
  if (words === 'any JSON' || words.startsWith('[')) return words
  const [first = '', ...rest] = words.split(' ')
  return rest.includes('or') ? `(${words})` : [`${first}s`, ...rest].join(' ')
}
