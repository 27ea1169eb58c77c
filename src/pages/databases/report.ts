// The line below a form that shows the progress of its work: a bar, and text for screen readers.

/** Least milliseconds between two texts: screen readers read each of them. */
const WORDS_MS = 2000

export class Report {
  readonly #form: HTMLFormElement
  readonly #box = document.createElement('div')
  readonly #bar = document.createElement('progress')
  readonly #words = document.createElement('p')
  #spoken = 0

  constructor(form: HTMLFormElement) {
    this.#form = form
    for (const old of form.querySelectorAll('.report')) old.remove()
    this.#box.className = 'report'
    this.#words.setAttribute('role', 'status')
    this.#bar.setAttribute('aria-label', 'Progress')
    this.#box.append(this.#bar, this.#words)
    form.append(this.#box)
    this.#button.disabled = true
    this.#say('Working …')
  }

  get #button(): HTMLButtonElement {
    const button = this.#form.querySelector<HTMLButtonElement>('.row.end button')
    if (!button) throw new Error('The form has no button.')
    return button
  }

  /** `done` from 0 to 1. */
  show(step: string, done: number): void {
    this.#bar.value = done
    if (performance.now() - this.#spoken >= WORDS_MS) this.#say(`${Math.round(done * 100)} % ${step}`)
  }

  /** Work whose measure is not known. */
  wait(words: string): void {
    this.#bar.removeAttribute('value')
    this.#say(words)
  }

  /** A button to cancel; the work then fails. */
  offer(label: string, run: () => void): void {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label })
    button.addEventListener('click', run)
    this.#box.append(button)
  }

  end(words: string): void {
    this.#free()
    this.#bar.remove()
    this.#box.querySelector('button')?.remove()
    this.#say(words)
  }

  fail(words: string): void {
    this.#free()
    this.#box.replaceChildren(this.#words)
    this.#words.className = 'notice bad'
    this.#words.setAttribute('role', 'alert')
    this.#say(words)
  }

  #free(): void {
    delete this.#form.dataset.busy
    this.#button.disabled = false
  }

  #say(words: string): void {
    this.#spoken = performance.now()
    this.#words.textContent = words
  }
}
