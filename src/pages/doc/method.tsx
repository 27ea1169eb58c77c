// A method that was opened: its examples in one language, and a form to call it.
import { render } from 'preact'
import { type Example, Examples } from './examples.tsx'
import type { Target } from './target.ts'
import { TryIt } from './try-it.tsx'

/** Adds to a method's part what it lacks; once. */
export function enhanceMethod(part: HTMLElement, target: Target): void {
  const [examples, attempt] = [
    part.querySelector<HTMLElement>('.examples'),
    part.querySelector<HTMLElement>('.try'),
  ]
  if (!attempt || attempt.hasChildNodes()) return
  const { method = '', body = '{}', readonly, records } = attempt.dataset
  render(
    <TryIt
      target={target}
      method={method}
      body={body}
      readonly={readonly !== undefined}
      onRecords={records !== undefined}
    />,
    attempt,
  )
  if (examples) showExamples(examples, method)
}

/** Makes tabs of examples that came one below the other. */
export function showExamples(place: HTMLElement, of: string): void {
  const list: Example[] = [...place.querySelectorAll<HTMLElement>('[data-language]')].map((section) => ({
    language: section.dataset.language ?? '',
    code: section.querySelector('pre')?.textContent ?? '',
  }))
  place.replaceChildren()
  render(<Examples of={of} list={list} />, place)
}
