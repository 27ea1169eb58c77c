// One cell of an import into the value that `create` and `write` take, or what is wrong with it.
import { InvalidValue, UserError } from '../../errors.ts'
import { parseJson } from '../../kit/json-text.ts'
import { assertTaken } from '../kinds/cleaning.ts'
import { selectionOf } from '../kinds/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Labels } from '../terms/labels.ts'

/** Something to tell about a cell. */
export interface Flaw {
  readonly message: string
  /** What would have been possible. */
  readonly moreinfo?: string | readonly string[]
}
export type Cell = { readonly value: unknown; readonly flaw?: undefined } | { readonly flaw: Flaw }

const truths = new Set(['1', 'true', 'yes'])
const falsehoods = new Set(['0', 'false', 'no'])
/**
 * The value of a field that is no relation. An empty cell is false: it clears (spec/models-api.md section 9).
 */
export function cellValue(field: FieldDef, text: string, labels: Labels): Cell {
  if (text === '') return { value: false }
  if (field.kind === 'boolean') return booleanValue(field, text)
  if (field.kind === 'selection') return selectionValue(field, text, labels)
  const value = field.kind === 'json' || field.kind.startsWith('properties') ? parsed(text) : text
  if (value === undefined) return { flaw: { message: `The cell for field '${field.label}' is no JSON.` } }
  try {
    assertTaken(field, value)
    return { value }
  } catch (error) {
    // What only its contents say, as of a file that is no image, comes in words of its own.
    if (error instanceof UserError) return { flaw: { message: error.message } }
    if (!(error instanceof InvalidValue)) throw error
    const words = field.type.expected
    return {
      flaw: {
        message: words ? `'${text}' does not seem to be ${words} for field '${field.label}'` : error.message,
      },
    }
  }
}

function booleanValue(field: FieldDef, text: string): Cell {
  const word = text.toLowerCase()
  if (truths.has(word)) return { value: true }
  if (falsehoods.has(word)) return { value: false }
  return {
    flaw: {
      message: `Unknown value '${text}' for boolean field '${field.label}'`,
      moreinfo: "Use '1' for yes and '0' for no",
    },
  }
}

/**
 * By key or label, in any case, the label in the caller's language or in English; a label that is another's
 * key loses to the key.
 */
function selectionValue(field: FieldDef, text: string, labels: Labels): Cell {
  const entries = Object.entries(labels.options(field))
  const word = text.toLowerCase()
  const found =
    entries.find(([key]) => key === text) ??
    entries.find(([key, label]) => [key, label].some((name) => name.toLowerCase() === word)) ??
    Object.entries(selectionOf(field)).find(([, label]) => label.toLowerCase() === word)
  if (found) return { value: found[0] }
  return {
    flaw: {
      message: `Value '${text}' not found in selection field '${field.label}'`,
      moreinfo: entries.map(([key, label]) => label || key),
    },
  }
}

/** The JSON in a text, undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
