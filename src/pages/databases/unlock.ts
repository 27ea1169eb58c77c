// The master password, entered once: it fills the forms, shows facts for managers, and gives each database
// its actions in its row. It is kept only in the memory of the page, and is gone when the page is left.

/** One line of `/web/database/facts`. */
interface Facts {
  readonly name: string
  readonly bytes: number | null
  readonly backup: string | null
}

/** Databases per request for facts. */
const AT_ONCE = 50

let master: string | null = null

/** Replaces the master password of an unlocked page. */
export function changeMaster(next: string): void {
  if (master !== null) master = next
}

export const isUnlocked = (): boolean => master !== null

/** Shows the form that asks for it, or, if it was entered already, the unlocked page. */
export function prepareUnlock(): void {
  const form = document.querySelector<HTMLFormElement>('#unlock')
  if (!form) return
  if (master !== null) return void open(form, master)
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const input = form.querySelector<HTMLInputElement>('input')
    if (input) void open(form, input.value)
  })
}

async function open(form: HTMLFormElement, password: string): Promise<void> {
  const names = [...document.querySelectorAll('.databases li a')].map((link) => link.textContent)
  const facts = await askFacts(password, names.slice(0, AT_ONCE))
  form.querySelector('[role=alert]')?.remove()
  if (typeof facts === 'string') {
    form.hidden = false
    const line = Object.assign(document.createElement('p'), { className: 'notice bad', textContent: facts })
    line.setAttribute('role', 'alert')
    form.append(line)
    return form.querySelector('input')?.select()
  }
  master = password
  form.hidden = true
  fillForms(password)
  show(facts)
  document.querySelector<HTMLElement>('.databases button')?.focus()
  for (let at = AT_ONCE; at < names.length; at += AT_ONCE) {
    const more = await askFacts(password, names.slice(at, at + AT_ONCE))
    // Facts that cannot be read now are read when the page is opened again; the forms work without them.
    if (typeof more === 'string') return
    show(more)
  }
}

function show(facts: readonly Facts[]): void {
  const factsByName = new Map(facts.map((entry) => [entry.name, entry]))
  for (const item of document.querySelectorAll<HTMLLIElement>('.databases li')) {
    const entry = factsByName.get(item.querySelector('a')?.textContent ?? '')
    if (entry && !item.querySelector('.facts')) item.append(factsOf(entry), actionsOf(entry.name))
  }
}

/** The facts of some databases, or why there are none. */
async function askFacts(password: string, names: readonly string[]): Promise<readonly Facts[] | string> {
  const body = new URLSearchParams({ master_pwd: password, names: names.join(',') })
  try {
    const answer = await fetch('/web/database/facts', { method: 'POST', body })
    if (answer.ok) return (await answer.json()) as readonly Facts[]
    return answer.status === 403
      ? 'This is not the master password.'
      : `The server answered with status ${answer.status}.`
  } catch {
    return 'The server does not respond. Check the connection and try again.'
  }
}

/** Fills and hides the password field of all forms. */
function fillForms(password: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('details form input[name=master_pwd]')) {
    input.value = password
    const label = input.closest('label')
    if (label) label.hidden = true
  }
}

const size = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function factsOf({ bytes, backup }: Facts): HTMLElement {
  const words = [
    bytes === null ? '' : `${size.format(bytes / 1_000_000)} MB`,
    backup ? `backed up ${moment.format(new Date(backup))}` : 'never backed up',
  ]
  return Object.assign(document.createElement('small'), {
    className: 'facts faint',
    textContent: words.filter(Boolean).join(', '),
  })
}

/** Each leads to its form, with the database chosen. */
const ACTIONS = [
  ['backup', 'Back up'],
  ['duplicate', 'Duplicate'],
  ['drop', 'Drop'],
] as const

function actionsOf(name: string): HTMLElement {
  const row = Object.assign(document.createElement('span'), { className: 'row actions' })
  for (const [action, text] of ACTIONS) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text })
    if (action === 'drop') button.className = 'danger'
    button.setAttribute('aria-label', `${text} ${name}`)
    button.addEventListener('click', () => goTo(action, name))
    row.append(button)
  }
  return row
}

/** Opens the form of an action for a database; focuses the next empty field, or the button. */
function goTo(action: string, name: string): void {
  const part = document.querySelector<HTMLDetailsElement>(`#${action}`)
  const chosen = part?.querySelector<HTMLSelectElement>('select[name=name]')
  if (!part || !chosen) return
  part.open = true
  chosen.value = name
  chosen.dispatchEvent(new Event('change'))
  part.scrollIntoView()
  const empty = [
    ...part.querySelectorAll<HTMLInputElement>('input:not([type=checkbox]):not([type=hidden])'),
  ].find((input) => input.value === '' && !input.closest('[hidden]'))
  ;(empty ?? part.querySelector<HTMLElement>('.row.end button'))?.focus()
}
