// Counts down the time until another attempt is accepted, if the server sent it.

/** Counts the seconds of `[data-wait]` down; the form's button waits with them. */
export function countDown(form: HTMLFormElement): void {
  const shown = document.querySelector<HTMLElement>('[data-wait]')
  const button = form.querySelector<HTMLButtonElement>('button:not([type])')
  if (!shown || !button) return
  const end = Date.now() + Number(shown.dataset.wait) * 1000
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000)
    button.disabled = left > 0
    shown.textContent = left > 0 ? `Time left: ${words(left)}.` : 'You can try again now.'
    if (left <= 0) clearInterval(timer)
  }
  // Read out once, when the page came; not again with every second.
  shown.parentElement?.setAttribute('aria-live', 'off')
  const timer = setInterval(tick, 250)
  tick()
}

function words(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
