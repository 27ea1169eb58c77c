// Calling a method from the page: with the session of this browser, or with a key that stays in the page's
// memory. Deleting needs a confirmation.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { CopyText } from '../shared/copy.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { Field, PasswordField } from '../shared/field.tsx'
import { Failure } from '../shared/notice.tsx'
import { type Answer, callAsUser, callByKey, parsed } from './attempt.ts'
import { DeleteQuestion, losses } from './delete-question.tsx'
import { key } from './memory.ts'
import type { Target } from './target.ts'

interface Props {
  readonly target: Target
  readonly method: string
  /** The body that is sent unless the user changes it. */
  readonly body: string
  readonly readonly: boolean
  /** Whether it works on records, which `ids` of the body names. */
  readonly onRecords: boolean
}

export function TryIt({ target, method, body: first, readonly, onRecords }: Props) {
  const secret = key.use()
  const [body, setBody] = useState(first)
  const { answer, asking, setAsking, send } = useAttempt(body, (parameters, dry) =>
    secret.trim()
      ? callByKey(target, { method, secret, dry }, body)
      : callAsUser(target, { method, onRecords, dry }, parameters),
  )
  return (
    <form
      class="attempt"
      onSubmit={(event) => {
        event.preventDefault()
        if (Object.hasOwn(losses, method)) setAsking(true)
        else void send.run(false)
      }}
    >
      <h4>Try it</h4>
      <KeyField secret={secret} />
      <BodyField body={body} onBody={setBody} />
      {readonly ? null : (
        <p class="notice warn">
          This may change data in the database <b>{target.database}</b>, as any call does.
          {target.dryRuns ? ' A dry run returns the same result and changes nothing.' : ''}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={send.busy}>
          Try {method}
        </button>
        {readonly || !target.dryRuns ? null : (
          <button type="button" disabled={send.busy} onClick={() => void send.run(true)}>
            Dry run
          </button>
        )}
      </div>
      {asking ? (
        <Dialog title="Delete for good?" role="alertdialog" onClose={() => setAsking(false)}>
          <DeleteQuestion
            target={target}
            method={method}
            body={body}
            onKeep={() => setAsking(false)}
            onDelete={() => void send.run(false)}
          />
        </Dialog>
      ) : null}
      <Failure error={send.error} />
      <AnswerShown answer={answer} />
    </form>
  )
}

function KeyField({ secret }: { readonly secret: string }) {
  return (
    <PasswordField
      label="API key"
      hint={
        <>
          Without one the call is yours, by this browser's session. A key stays in this page and is gone when
          you leave. <a href="/web/account">Create one</a>
        </>
      }
      autocomplete="off"
      value={secret}
      onValue={key.set}
    />
  )
}

interface Shown extends Answer {
  /** Whether it was taken back. */
  readonly dry: boolean
}

/** The last answer, whether a confirmation is open, and the sending of a body by `call`. */
function useAttempt(
  body: string,
  call: (parameters: ReturnType<typeof parsed>, dry: boolean) => Promise<Answer>,
) {
  const [answer, setAnswer] = useState<Shown | null>(null)
  const [asking, setAsking] = useState(false)
  const send = useAction(async (dry: boolean) => {
    setAsking(false)
    setAnswer(null)
    const parameters = parsed(body)
    setAnswer({ ...(await call(parameters, dry)), dry })
  })
  return { answer, asking, setAsking, send }
}

interface BodyProps {
  readonly body: string
  readonly onBody: (body: string) => void
}

function BodyField({ body, onBody }: BodyProps) {
  return (
    <Field
      label="Body"
      hint="Ctrl+Enter sends it."
      control={(tied) => (
        <textarea
          {...tied}
          rows={Math.min(14, body.split('\n').length + 1)}
          spellcheck={false}
          value={body}
          onInput={(event) => onBody(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
      )}
    />
  )
}

/** The answer of the call; nothing before the first call. */
function AnswerShown({ answer }: { readonly answer: Shown | null }) {
  return (
    <>
      <div role="status">
        {answer ? (
          <p class={answer.ok ? 'notice good' : 'notice bad'}>
            {answer.ok ? (answer.dry ? 'Dry run, nothing was changed' : 'Answer') : 'Refused'}:{' '}
            {answer.status}
          </p>
        ) : null}
      </div>
      {answer ? (
        <div class="answer">
          <CopyText label="Answer" text={answer.text} />
          <details>
            <summary>Headers</summary>
            <pre>{answer.headers}</pre>
          </details>
        </div>
      ) : null}
    </>
  )
}
