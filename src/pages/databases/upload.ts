// Sends a backup file while the page stays: how much is uploaded, then how far the restore has come, and a
// way to cancel.
import { readProgress } from './progress.ts'
import type { Report } from './report.ts'

/** Starts; ends on the page of the server's answer, or with its message below the form. */
export function upload(form: HTMLFormElement, name: string, report: Report): void {
  const request = new XMLHttpRequest()
  let uploaded = false
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    report.show('uploaded', total ? loaded / total : 0),
  )
  request.upload.addEventListener('load', () => {
    uploaded = true
    report.wait('Checking the backup …')
  })
  const asking = setInterval(async () => {
    const progress = uploaded ? await readProgress(name) : null
    if (progress?.state === 'running' && progress.step) report.show(progress.step, progress.done)
  }, 400)
  request.addEventListener('load', () => answered(request, report))
  request.addEventListener('error', () =>
    report.fail('The connection to the server was lost. No database was created.'),
  )
  request.addEventListener('abort', () => report.fail('Cancelled. No database was created.'))
  request.addEventListener('loadend', () => clearInterval(asking))
  report.offer('Cancel', () => request.abort())
  request.open('POST', form.action)
  request.send(new FormData(form))
}

/**
 * Success leads to another page; a failure is the manager page with a message, of which only the message is
 * shown.
 */
function answered(request: XMLHttpRequest, report: Report): void {
  const path = new URL(request.responseURL).pathname
  if (request.status === 200 && path.endsWith('/manager')) {
    location.assign(path)
    return
  }
  const page = new DOMParser().parseFromString(request.responseText, 'text/html')
  report.fail(
    page.querySelector('[role=alert]')?.textContent ?? `The server answered with status ${request.status}.`,
  )
}
