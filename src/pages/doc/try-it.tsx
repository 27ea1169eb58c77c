// Calling a method from the page, with a key that stays in its memory.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { CopyText } from '../shared/copy.tsx'
import { Field, PasswordField } from '../shared/field.tsx'
import { Failure } from '../shared/notice.tsx'
import { key } from './memory.ts'
import type { Target } from './target.ts'

interface Answer {
  readonly status: string
  readonly ok: boolean
  readonly text: string
}

interface Props {
  readonly target: Target
  readonly method: string
  /** What is sent unless somebody changes it. */
  readonly body: string
  readonly readonly: boolean
}

/** Characters of an answer that are shown. */
const MOST = 100_000

export function TryIt({ target, method, body: first, readonly }: Props) {
  const secret = key.use()
  const [body, setBody] = useState(first)
  const [answer, setAnswer] = useState<Answer | null>(null)
  const send = useAction(async () => {
    setAnswer(null)
    setAnswer(await call(target, method, secret, body))
  })
  return (
    <form
      class="attempt"
      onSubmit={(event) => {
        event.preventDefault()
        void send.run()
      }}
    >
      <h4>Try it</h4>
      <PasswordField
        label="API key"
        hint={
          <>
            It stays in this page and is gone when you leave. <a href="/web/account">Make one</a>
          </>
        }
        required
        autocomplete="off"
        value={secret}
        onValue={key.set}
      />
      <Field
        label="Body"
        hint="Ctrl+Enter sends it."
        control={(tied) => (
          <textarea
            {...tied}
            rows={Math.min(14, body.split('\n').length + 1)}
            spellcheck={false}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
            }}
          />
        )}
      />
      {readonly ? null : (
        <p class="notice warn">
          This may change data in the database <b>{target.database}</b>, as any call does.
        </p>
      )}
      <button type="submit" class="primary" disabled={send.busy}>
        Try {method}
      </button>
      <Failure error={send.error} />
      <div role="status">
        {answer ? (
          <p class={answer.ok ? 'notice good' : 'notice bad'}>
            {answer.ok ? 'Answer' : 'Refused'}: {answer.status}
          </p>
        ) : null}
      </div>
      {answer ? (
        <div class="answer">
          <CopyText label="Answer" text={answer.text} />
        </div>
      ) : null}
    </form>
  )
}

/** Sends the call without the session's cookie: the key alone decides. Throws for a body that is no JSON, and where no answer comes. */
async function call({ database, model }: Target, method: string, secret: string, body: string): Promise<Answer> {
  try {
    JSON.parse(body)
  } catch (error) {
    throw new Error(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const headers = { authorization: `bearer ${secret.trim()}`, 'x-service-database': database, 'content-type': 'application/json' }
  const began = performance.now()
  const answer = await fetch(`/json/2/${model}/${method}`, { method: 'POST', headers, body, credentials: 'omit' }).catch(() => {
    throw new Error('The server does not answer. Check the connection and try again.')
  })
  const text = await answer.text()
  const took = Math.round(performance.now() - began)
  return { status: `${answer.status} ${answer.statusText}, ${took} ms`, ok: answer.ok, text: pretty(text) }
}

function pretty(text: string): string {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > MOST ? `${shown.slice(0, MOST)}\n… ${shown.length - MOST} characters more` : shown
  } catch {
    return text.slice(0, MOST)
  }
}
