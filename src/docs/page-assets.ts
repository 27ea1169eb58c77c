// Style and script of the page `/doc`, and the security policy that lets these two in and nothing else.
import { createHash } from 'node:crypto'

export const pageStyle = [
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}',
  'main{max-width:64rem;margin:0 auto;padding:1rem}h2{margin-top:2rem}label{display:block;margin:.8rem 0}',
  'input,textarea,button{font:inherit;box-sizing:border-box;padding:.4rem}input,textarea{width:100%}textarea{font-family:ui-monospace,monospace}',
  'code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre,output{display:block;overflow-x:auto;padding:.5rem;background:#8882;white-space:pre}',
  'output:empty{display:none}.models{list-style:none;padding:0}.models li{padding:.4rem 0;border-bottom:1px solid #8885}.models small{display:block}',
  '.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8885}',
  'details{border-bottom:1px solid #8885}summary{cursor:pointer;padding:.5rem 0;overflow-wrap:anywhere}dd{margin:0 0 .4rem 1.5rem}dd p{margin:0}',
  ':target{background:#fd02}[hidden]{display:none}[role=alert]{border-left:4px solid #b00020;padding:.5rem 1rem}',
].join('')

/** Searches as one types, opens what a link leads to, and sends calls with a key that is stored nowhere. */
export const pageScript = `'use strict'
for (const part of document.querySelectorAll('.scripted')) part.hidden = false
const box = document.getElementById('search')
const items = [...document.querySelectorAll('[data-words]')]
const narrow = () => {
  const wanted = box.value.toLowerCase().split(/\\s+/)
  for (const item of items) item.hidden = !wanted.every((word) => item.dataset.words.includes(word))
}
if (box) {
  box.addEventListener('input', narrow)
  narrow()
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return
    event.preventDefault()
    box.focus()
  })
}
const follow = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}
addEventListener('hashchange', follow)
follow()
document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const output = form.querySelector('output')
  output.textContent = '…'
  const headers = {
    authorization: 'bearer ' + document.getElementById('key').value,
    'content-type': 'application/json',
    'x-service-database': form.dataset.database,
  }
  try {
    const body = form.querySelector('textarea').value
    const answer = await fetch(form.dataset.path, { method: 'POST', headers, body, credentials: 'omit' })
    output.textContent = answer.status + '\\n' + JSON.stringify(await answer.json(), null, 1)
  } catch (error) {
    output.textContent = String(error)
  }
})
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(pageStyle)}`,
  `script-src ${hashOf(pageScript)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
