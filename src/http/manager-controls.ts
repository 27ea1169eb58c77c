// The controls of the database manager's forms as HTML, filled with what was typed when one was sent in vain.
import { escapeHtml } from '../kit/html.ts'

/** What was typed, by the names of the controls. */
export type Filled = ReadonlyMap<string, string>

/** Values to choose from, with their labels. */
export type Choices = readonly (readonly [value: string, label: string])[]

/** The controls of one form. */
export interface Controls {
  readonly text: (
    name: string,
    label: string,
    attributes?: string,
    fallback?: string,
    hint?: string,
  ) => string
  readonly choice: (name: string, label: string, choices: Choices, fallback: string) => string
  readonly check: (name: string, value: string, label: string) => string
}

/** Controls that show what was typed in `filled`, or their fallback. */
export function controlsOf(filled: Filled): Controls {
  return {
    text: (name, label, attributes = '', fallback = '', hint = '') =>
      field(
        label,
        `<input name="${name}" value="${escapeHtml(filled.get(name) ?? fallback)}" ${attributes}>`,
        hint,
      ),
    choice: (name, label, choices, fallback) =>
      field(label, `<select name="${name}">${options(choices, filled.get(name) ?? fallback)}</select>`),
    check: (name, value, label) =>
      `<label class="check"><input type="checkbox" name="${name}" value="${value}"${filled.get(name) ? ' checked' : ''}> ${label}</label>`,
  }
}

/** A control inside of its label, which needs no id. */
export const field = (label: string, control: string, hint = ''): string =>
  `<label>${label}${control}${hint ? `<small class="faint">${hint}</small>` : ''}</label>`

function options(choices: Choices, chosen: string): string {
  return choices
    .map(
      ([value, text]) =>
        `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
    )
    .join('')
}
