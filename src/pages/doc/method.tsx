// A method that was opened: its examples in one language, and a form to call it.
import { render } from 'preact'
import { type Example, Examples } from './examples.tsx'
import type { Target } from './target.ts'
import { TryIt } from './try-it.tsx'

/** Adds to a method's part what it lacks; once. */
export function enhanceMethod(part: HTMLElement, target: Target): void {
  const [examples, attempt] = [part.querySelector<HTMLElement>('.examples'), part.querySelector<HTMLElement>('.try')]
  if (!attempt || attempt.hasChildNodes()) return
  const { method = '', body = '{}', readonly } = attempt.dataset
  render(<TryIt target={target} method={method} body={body} readonly={readonly !== undefined} />, attempt)
  if (!examples) return
  const list: Example[] = [...examples.querySelectorAll<HTMLElement>('[data-language]')].map((section) => ({
    language: section.dataset.language ?? '',
    code: section.querySelector('pre')?.textContent ?? '',
  }))
  examples.replaceChildren()
  render(<Examples of={method} list={list} />, examples)
}
