// A button next to the password that shows the typed text.

/** Adds the button to the form's password. */
export function revealPassword(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type="password"]')
  if (!input) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.setAttribute('aria-label', 'Show password')
  const show = (shown: boolean) => {
    input.type = shown ? 'text' : 'password'
    button.textContent = shown ? 'Hide' : 'Show'
    button.setAttribute('aria-pressed', String(shown))
  }
  show(false)
  button.addEventListener('click', () => show(input.type === 'password'))
  // Browsers offer to save a password only from a password field.
  form.addEventListener('submit', () => show(false))
  input.after(button)
}
