// Sends a form of an unlocked page without leaving it: the answer replaces the page, and the master password
// is kept.
import type { Report } from './report.ts'

/** Forms whose answer is the manager itself. */
export const inPlace: ReadonlySet<string> = new Set(['duplicate', 'drop', 'change_password'])

/** Shows the answer; `arrived` is called once the new parts stand in the page. */
export async function sendInPlace(
  form: HTMLFormElement,
  report: Report,
  arrived: (failed: boolean) => void,
): Promise<void> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
  try {
    const answer = await fetch(form.action, { method: 'POST', body })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const [next, old] = [page.querySelector('main'), document.querySelector('main')]
    if (!next || !old) return report.fail(`The server answered with status ${answer.status}.`)
    old.replaceChildren(...[...next.childNodes].map((node) => document.adoptNode(node)))
    arrived(old.querySelector('[role=alert]') !== null)
  } catch {
    report.fail('The server does not respond. Check the connection and try again.')
  }
}
