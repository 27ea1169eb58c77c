// The part of a page that the address names: opened, marked, in view and with the focus; or a line that says
// that it does not exist.

const LOST = 'lost'

/** Goes to the part that `location.hash` names; does nothing without one. */
export function follow(): void {
  document.querySelector('.here')?.classList.remove('here')
  document.getElementById(LOST)?.remove()
  const id = idIn(location.hash)
  if (id === '') return
  const part = document.getElementById(id)
  if (!part) return void tell(id)
  // The part itself, and what it is folded away in.
  for (let at: Element | null = part; at; at = at.parentElement)
    if (at instanceof HTMLDetailsElement) at.open = true
  // `:target` knows nothing of ways that a script took.
  part.classList.add('here')
  part.scrollIntoView()
  part.querySelector<HTMLElement>('summary, a')?.focus({ preventScroll: true })
}

function idIn(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}

/** Links outlive fields, and people may not see what others do. */
function tell(id: string): void {
  const [, kind, name] = /^(field|method)-(.+)$/s.exec(id) ?? []
  if (!kind) return
  const line = Object.assign(document.createElement('p'), {
    id: LOST,
    className: 'notice warn',
    textContent: `The ${kind} ${name} does not exist, or you may not see it.`,
  })
  line.setAttribute('role', 'status')
  document.querySelector('#doc h1')?.after(line)
}
