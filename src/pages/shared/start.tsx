// Starts a page: reads the facts that the server wrote into it and renders into <main>.
import { type ComponentType, render } from 'preact'
import './style.css'

/** Renders `Page` with the facts of the element `#facts`, whose shape the page and its route agree on. */
export function start<Facts extends object>(Page: ComponentType<Facts>): void {
  const main = document.querySelector('main')
  const facts = document.getElementById('facts')?.textContent
  if (!main || !facts) throw new Error('The page came without its facts')
  main.replaceChildren()
  render(<Page {...(JSON.parse(facts) as Facts)} />, main)
}
