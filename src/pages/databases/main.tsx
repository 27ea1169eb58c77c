// The database manager's script: the forms work without it; it shows how far the work has come, and keeps the
// page while a backup is uploaded.
import '../shared/style.css'
import './databases.css'
import { inPlace, sendInPlace } from './in-place.ts'
import { readProgress } from './progress.ts'
import { Report } from './report.ts'
import { changeMaster, isUnlocked, prepareUnlock } from './unlock.ts'
import { upload } from './upload.ts'

prepare()

function prepare(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('main details form')) enhance(form)
  prepareUnlock()
}

function enhance(form: HTMLFormElement): void {
  const action = new URL(form.action).pathname.split('/').at(-1) ?? ''
  if (action === 'drop') sameName(form)
  form.addEventListener('submit', (event) => {
    if (form.dataset.busy) return event.preventDefault()
    form.dataset.busy = 'yes'
    const report = new Report(form)
    const name = nameFor(form)
    if (action === 'restore') {
      event.preventDefault()
      upload(form, name, report)
    } else if (isUnlocked() && inPlace.has(action)) {
      event.preventDefault()
      const next = form.querySelector<HTMLInputElement>('input[name=master_pwd_new]')?.value
      void sendInPlace(form, report, (failed) => {
        if (next !== undefined && !failed) changeMaster(next)
        prepare()
      })
    } else void follow(name, report)
  })
}

/** The name for the progress of this submission: a hidden input, placed before a file. */
function nameFor(form: HTMLFormElement): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const name = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  let input = form.querySelector<HTMLInputElement>('input[name=progress]')
  if (!input) {
    input = Object.assign(document.createElement('input'), { type: 'hidden', name: 'progress' })
    form.prepend(input)
  }
  input.value = name
  return name
}

/** Shows the server's progress until the work is done; leaving the page ends it too. */
async function follow(name: string, report: Report): Promise<void> {
  for (;;) {
    await new Promise((done) => setTimeout(done, 400))
    const progress = await readProgress(name)
    if (progress?.state === 'done') return report.end('Done.')
    if (progress?.state === 'failed')
      return report.fail('The operation failed. The database was not changed.')
    if (progress) report.show(progress.step, progress.done)
  }
}

/** Dropping needs the name typed again: the browser checks it before the form is sent. */
function sameName(form: HTMLFormElement): void {
  const chosen = form.querySelector<HTMLSelectElement>('select[name=name]')
  const typed = form.querySelector<HTMLInputElement>('input[name=confirm]')
  if (!chosen || !typed) return
  const judge = () =>
    typed.setCustomValidity(typed.value === chosen.value ? '' : `Type ${chosen.value} to delete it.`)
  chosen.addEventListener('change', judge)
  typed.addEventListener('input', judge)
  judge()
}
