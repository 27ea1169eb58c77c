// Script of the documentation: search as one types, examples in one language, calls to try, and a key that is
// kept on the way to other models.
import { render } from 'preact'
import '../shared/style.css'
import './doc.css'
import { follow } from './follow.ts'
import { enhanceMethod, showExamples } from './method.tsx'
import { navigate } from './navigate.ts'
import { Search } from './search.tsx'
import { targetOf } from './target.ts'

/** Adds to the page as it came from the server. */
function enhance(): void {
  const root = document.getElementById('doc')
  const place = document.getElementById('search')
  if (!root) return
  const target = targetOf(root)
  if (place) render(<Search target={target} />, place)
  const first = root.querySelector<HTMLElement>('section > .examples')
  if (first) showExamples(first, 'a call')
  // Most methods are never looked at: each gets its parts when it is opened.
  root.addEventListener(
    'toggle',
    ({ target: part }) => {
      if (part instanceof HTMLDetailsElement && part.open) enhanceMethod(part, target)
    },
    true,
  )
}

enhance()
follow()
addEventListener('hashchange', follow)
navigate(() => {
  enhance()
  follow()
})
addEventListener('keydown', (event) => {
  const writing =
    event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
  if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return
  const box = document.querySelector<HTMLInputElement>('#search input')
  if (!box) return
  event.preventDefault()
  box.focus()
})
