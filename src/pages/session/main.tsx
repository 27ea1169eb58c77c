// Script of pages that also work without it: login, selector, home.
import { render } from 'preact'
import '../shared/style.css'
import './session.css'
import { CopyText } from '../shared/copy.tsx'
import { distance, exactly } from '../shared/moment.tsx'
import { countDown } from './count-down.ts'
import { revealPassword } from './reveal.ts'

for (const time of document.querySelectorAll('time')) {
  const date = new Date(time.dateTime)
  time.title = exactly(date)
  time.textContent = distance(date)
}

for (const place of document.querySelectorAll<HTMLElement>('.curl')) {
  const text = place.textContent
  place.replaceChildren()
  render(<CopyText label={place.dataset.label ?? 'Call'} text={text} />, place)
}

const form = document.querySelector<HTMLFormElement>('form[action^="/web/login"]')
if (form) {
  // The fragment after # never reaches the server, but the page to return to may need it.
  const back = form.querySelector<HTMLInputElement>('input[name="redirect"]')
  if (back && location.hash && !back.value.includes('#')) back.value += location.hash
  revealPassword(form)
  countDown(form)
  const button = form.querySelector<HTMLButtonElement>('button:not([type])')
  form.addEventListener('submit', () => {
    if (button) button.disabled = true
  })
  // The browser's history shows the page in its former state.
  addEventListener('pageshow', ({ persisted }) => {
    if (button && persisted) button.disabled = false
  })
}
