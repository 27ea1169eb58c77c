// The second factor of one's own login: whether it is on, and the ways to change that.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Failure, Status } from '../shared/notice.tsx'
import { RenewCodesDialog, SetUpDialog, SwitchOffDialog } from './factor-dialogs.tsx'
import type { SecondFactor } from './facts.ts'
import { readFactor } from './second-factor.ts'

interface Props {
  readonly factor: SecondFactor
  readonly onFactor: (factor: SecondFactor) => void
}

const dialogs = { setUp: SetUpDialog, renew: RenewCodesDialog, off: SwitchOffDialog } as const

export function SecondFactorSection({ factor, onFactor }: Props) {
  const [opened, setOpened] = useState<keyof typeof dialogs | null>(null)
  const [message, setMessage] = useState('')
  const load = useAction(async () => onFactor(await readFactor()))
  const Opened = opened && dialogs[opened]
  return (
    <section class="card" aria-labelledby="second-factor">
      <h2 id="second-factor" tabIndex={-1} data-focus-return>
        Second factor
      </h2>
      <Failure error={load.error} />
      <Status>{message}</Status>
      <State of={factor} />
      <div class="row">
        <button type="button" onClick={() => setOpened('setUp')}>
          {factor.enabled ? 'Set up another phone' : 'Set up a second factor'}
        </button>
        {factor.enabled ? (
          <button type="button" onClick={() => setOpened('renew')}>
            New recovery codes
          </button>
        ) : null}
        {factor.enabled && !factor.required ? (
          <button type="button" class="danger" onClick={() => setOpened('off')}>
            Switch off
          </button>
        ) : null}
      </div>
      {Opened ? (
        <Opened
          onDone={(words) => {
            setMessage(words)
            void load.run()
          }}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </section>
  )
}

function State({ of: factor }: { readonly of: SecondFactor }) {
  if (!factor.enabled)
    return (
      <p class="faint">
        You sign in with your password only. With a second factor you also need a code from an app on your
        phone, and programs need an API key.
      </p>
    )
  return (
    <p>
      <span class="tag">On</span>{' '}
      {factor.recovery_codes === 1
        ? 'One recovery code is left.'
        : `${factor.recovery_codes} recovery codes are left.`}
      {factor.required ? ' Administrators of this database must have a second factor.' : ''}
    </p>
  )
}
