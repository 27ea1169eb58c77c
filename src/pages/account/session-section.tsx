// The browsers that one is signed in with: which they are, the end of one or of all.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { call } from '../shared/call.ts'
import { deviceOf } from '../shared/device.ts'
import { Dialog } from '../shared/dialog.tsx'
import { useFocus } from '../shared/focus.ts'
import { Moment } from '../shared/moment.tsx'
import { Failure, Status } from '../shared/notice.tsx'

/** One line of `res.users.sessions`. Moments are UTC. */
interface Session {
  readonly id: string
  readonly began: string
  readonly used: string
  readonly address: string | false
  readonly user_agent: string | false
  readonly current: boolean
}

export function SessionSection() {
  const [sessions, setSessions] = useState<readonly Session[] | null>(null)
  const [asking, setAsking] = useState(false)
  const [status, setStatus] = useState('')
  const load = useAction(async () => setSessions(await call<readonly Session[]>('res.users', 'sessions')))
  useEffect(() => void load.run(), [])
  const end = useAction(async ({ id, user_agent }: Session) => {
    await call('res.users', 'end_sessions', [], { sessions: [id] })
    setStatus(`${deviceOf(user_agent) ?? 'The browser'} is signed out.`)
    await load.run()
  })
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions" tabIndex={-1}>
        Sessions
      </h2>
      <p class="faint">
        Browsers stay signed in for up to 30 days. Sign out devices that you no longer use; API keys are not
        affected.
      </p>
      <Failure error={load.error ?? end.error} />
      <Status>{status}</Status>
      {sessions ? <SessionTable sessions={sessions} busy={end.busy} onEnd={end.run} /> : null}
      <button type="button" onClick={() => setAsking(true)}>
        Sign out everywhere
      </button>
      {asking ? (
        <Dialog title="Sign out everywhere?" role="alertdialog" onClose={() => setAsking(false)}>
          <Question onCancel={() => setAsking(false)} />
        </Dialog>
      ) : null}
    </section>
  )
}

interface TableProps {
  readonly sessions: readonly Session[]
  readonly busy: boolean
  readonly onEnd: (session: Session) => void
}

function SessionTable({ sessions, busy, onEnd }: TableProps) {
  return (
    <table class="cards sessions">
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="unseen">Sign out</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <th scope="row" title={session.user_agent || undefined}>
              {deviceOf(session.user_agent) ?? 'Unknown device'}
              <small class="faint block">{session.address || ''}</small>
            </th>
            <td data-label="Signed in">
              <Moment text={session.began} empty="Unknown" />
            </td>
            <td data-label="Last used">
              <Moment text={session.used} empty="Unknown" />
            </td>
            <td>
              {session.current ? (
                <span class="tag">This browser</span>
              ) : (
                <button
                  type="button"
                  class="danger"
                  aria-label={`Sign out ${deviceOf(session.user_agent) ?? 'the unknown device'}`}
                  disabled={busy}
                  onClick={() => onEnd(session)}
                >
                  Sign out
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
      <p>
        Every session of yours ends, on all devices and in this browser too. You sign in again with your
        password.
      </p>
      <Failure error={leave.error} />
      <div class="row end">
        <button type="button" ref={safe} onClick={onCancel} disabled={leave.busy}>
          Stay
        </button>
        <button type="button" class="primary" onClick={() => leave.run()} disabled={leave.busy}>
          Sign out everywhere
        </button>
      </div>
    </>
  )
}
