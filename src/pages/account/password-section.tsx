// Changing one's own password.
import { useRef, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { CallError, call } from '../shared/call.ts'
import { PasswordField } from '../shared/field.tsx'
import { Failure } from '../shared/notice.tsx'

export function PasswordSection({ login }: { readonly login: string }) {
  const { before, setBefore, after, setAfter, again, setAgain, ...change } = usePasswordChange()
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">Change password</h2>
      <p class="faint">You will sign in again, here and on every other device. API keys go on working.</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void change.run()
        }}
      >
        {/* Password managers want to know whose password it is. */}
        <input type="text" name="username" autocomplete="username" value={login} readOnly hidden />
        <PasswordField
          label="Current password"
          autocomplete="current-password"
          required
          value={before}
          onValue={setBefore}
          inputRef={change.beforeInput}
          error={change.wrong ? 'This is not your current password.' : null}
        />
        <PasswordField
          label="New password"
          autocomplete="new-password"
          required
          value={after}
          onValue={setAfter}
        />
        <PasswordField
          label="New password again"
          autocomplete="new-password"
          required
          value={again}
          onValue={setAgain}
          inputRef={change.againInput}
          error={change.differs ? 'The two new passwords differ.' : null}
        />
        <Failure error={change.error} />
        <button type="submit" disabled={change.busy}>
          Change password
        </button>
      </form>
    </section>
  )
}

/** The typed passwords, the errors in them, and the change itself. */
function usePasswordChange() {
  const [before, setBefore] = useState('')
  const [after, setAfter] = useState('')
  const [again, setAgain] = useState('')
  const [differs, setDiffers] = useState(false)
  const [wrong, setWrong] = useState(false)
  const beforeInput = useRef<HTMLInputElement>(null)
  const againInput = useRef<HTMLInputElement>(null)
  const change = useAction(async () => {
    setWrong(false)
    setDiffers(after !== again)
    if (after !== again) return againInput.current?.focus()
    try {
      await call('res.users', 'change_password', [before, after])
    } catch (error) {
      if (!(error instanceof CallError) || error.message !== 'Access Denied') throw error
      setWrong(true)
      beforeInput.current?.select()
      return
    }
    // Every session ends with the password it began with, this one too.
    location.assign('/web/login?reason=password&redirect=%2Fweb%2Faccount')
    await new Promise(() => undefined)
  })
  return {
    before,
    setBefore,
    after,
    setAfter,
    again,
    setAgain,
    differs,
    wrong,
    beforeInput,
    againInput,
    ...change,
  }
}
