// The controls of the database manager's forms as HTML, filled with what was typed when one was sent in vain.
import { type Html, html } from '../kit/html.ts'

/** Entered values, by the names of the controls. */
export type Filled = ReadonlyMap<string, string>

/** Values to choose from, with their labels. */
export type Choices = readonly (readonly [value: string, label: string])[]

/** The controls of one form. */
export interface Controls {
  readonly text: (name: string, label: string, attributes?: Html, fallback?: string, hint?: string) => Html
  readonly choice: (name: string, label: string, choices: Choices, fallback: string) => Html
  readonly check: (name: string, value: string, label: string) => Html
}

/** Controls that show what was typed in `filled`, or their fallback. */
export function controlsOf(filled: Filled): Controls {
  return {
    text: (name, label, attributes = html``, fallback = '', hint = '') =>
      field(label, html`<input name="${name}" value="${filled.get(name) ?? fallback}" ${attributes}>`, hint),
    choice: (name, label, choices, fallback) =>
      field(label, html`<select name="${name}">${options(choices, filled.get(name) ?? fallback)}</select>`),
    check: (name, value, label) =>
      html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${filled.get(name) ? html` checked` : ''}> ${label}</label>`,
  }
}

/** A control inside of its label, which needs no id. */
export const field = (label: string, control: Html, hint = ''): Html =>
  html`<label>${label}${control}${hint ? html`<small class="faint">${hint}</small>` : ''}</label>`

function options(choices: Choices, chosen: string): readonly Html[] {
  return choices.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`,
  )
}
