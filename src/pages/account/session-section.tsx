// Signing out on every device.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { call } from '../shared/call.ts'
import { Dialog } from '../shared/dialog.tsx'
import { useFocus } from '../shared/focus.ts'
import { Failure } from '../shared/notice.tsx'

export function SessionSection() {
  const [asking, setAsking] = useState(false)
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p class="faint">A browser that you signed in with, and forgot about, is still signed in. API keys are not touched.</p>
      <button type="button" onClick={() => setAsking(true)}>
        Log out everywhere
      </button>
      {asking ? (
        <Dialog title="Log out everywhere?" role="alertdialog" onClose={() => setAsking(false)}>
          <Question onCancel={() => setAsking(false)} />
        </Dialog>
      ) : null}
    </section>
  )
}

function Question({ onCancel }: { readonly onCancel: () => void }) {
  const safe = useFocus<HTMLButtonElement>()
  const leave = useAction(async () => {
    await call('res.users', 'logout_everywhere')
    location.assign('/web/login?reason=everywhere&redirect=%2Fweb%2Faccount')
    await new Promise(() => undefined)
  })
  return (
    <>
      <p>Every session of yours ends, on all devices and in this browser too. You sign in again with your password.</p>
      <Failure error={leave.error} />
      <div class="row end">
        <button type="button" ref={safe} onClick={onCancel} disabled={leave.busy}>
          Stay
        </button>
        <button type="button" class="primary" onClick={() => leave.run()} disabled={leave.busy}>
          Log out everywhere
        </button>
      </div>
    </>
  )
}
