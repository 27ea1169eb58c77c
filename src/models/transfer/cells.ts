// Converts a cell of an import to a value for `create` and `write`, or to a description of what is wrong
// with it.
import { InvalidValue, UserError } from '../../errors.ts'
import { parseJson } from '../../kit/json-text.ts'
import { assertTaken } from '../kinds/cleaning.ts'
import { selectionOf } from '../kinds/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Labels } from '../terms/labels.ts'

/** A problem with a cell. */
export interface Flaw {
  readonly message: string
  /** The valid values. */
  readonly moreinfo?: string | readonly string[]
}
export type Cell = { readonly value: unknown; readonly flaw?: undefined } | { readonly flaw: Flaw }

const truths = new Set(['1', 'true', 'yes'])
const falsehoods = new Set(['0', 'false', 'no'])
/**
 * The value of a field that is not a relation. An empty cell is false: it clears the field
 * (spec/models-api.md section 9).
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
    // Errors about a cell's contents, such as a file that is not an image, have a message of their own.
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
 * By key or label, ignoring case, the label in the caller's language or in English. Keys take precedence
 * over labels.
 */
function selectionValue(field: FieldDef, text: string, labels: Labels): Cell {
  const entries = Object.entries(labels.options(field))
  const word = text.toLowerCase()
  const entry =
    entries.find(([key]) => key === text) ??
    entries.find(([key, label]) => [key, label].some((name) => name.toLowerCase() === word)) ??
    Object.entries(selectionOf(field)).find(([, label]) => label.toLowerCase() === word)
  if (entry) return { value: entry[0] }
  return {
    flaw: {
      message: `Value '${text}' not found in selection field '${field.label}'`,
      moreinfo: entries.map(([key, label]) => label || key),
    },
  }
}

/** The JSON value of a text; undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
