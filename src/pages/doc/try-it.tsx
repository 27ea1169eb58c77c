// Calling a method from the page: with the session of this browser, or with a key that stays in the page's
// memory. Deleting is asked about first.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { CallError, call as callBySession } from '../shared/call.ts'
import { CopyText } from '../shared/copy.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { Field, PasswordField } from '../shared/field.tsx'
import { useFocus } from '../shared/focus.ts'
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
  /** Whether it works on records, which `ids` of the body names. */
  readonly onRecords: boolean
}

/** Characters of an answer that are shown. */
const MOST = 100_000

export function TryIt({ target, method, body: first, readonly, onRecords }: Props) {
  const secret = key.use()
  const [body, setBody] = useState(first)
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [asking, setAsking] = useState(false)
  const send = useAction(async () => {
    setAsking(false)
    setAnswer(null)
    const given = parsed(body)
    setAnswer(
      await (secret.trim()
        ? callByKey(target, method, secret, body)
        : callAsUser(target.model, method, given, onRecords)),
    )
  })
  return (
    <form
      class="attempt"
      onSubmit={(event) => {
        event.preventDefault()
        if (Object.hasOwn(losses, method)) setAsking(true)
        else void send.run()
      }}
    >
      <h4>Try it</h4>
      <PasswordField
        label="API key"
        hint={
          <>
            Without one the call is yours, by this browser's session. A key stays in this page and is gone
            when you leave. <a href="/web/account">Create one</a>
          </>
        }
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
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit()
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
      {asking ? (
        <Dialog title="Delete for good?" role="alertdialog" onClose={() => setAsking(false)}>
          <Question
            target={target}
            method={method}
            body={body}
            onKeep={() => setAsking(false)}
            onDelete={() => void send.run()}
          />
        </Dialog>
      ) : null}
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

/** Methods after which something is gone for good, with what that is beside the records themselves. */
const losses: Readonly<Record<string, string>> = {
  unlink: 'with all that belongs to them',
  button_immediate_uninstall: 'and all records that only this module keeps',
}

interface QuestionProps {
  readonly target: Target
  readonly method: string
  readonly body: string
  readonly onKeep: () => void
  readonly onDelete: () => void
}

/** What is about to be deleted; keeping it has the focus. */
function Question({ target: { model, database }, method, body, onKeep, onDelete }: QuestionProps) {
  const safe = useFocus<HTMLButtonElement>()
  const ids = idsIn(body)
  const what =
    ids === null
      ? 'The records'
      : ids.length === 1
        ? `The record ${ids[0]}`
        : `${ids.length} records (${ids.join(', ')})`
  return (
    <>
      <p>
        {what} of <b>{model}</b> in the database <b>{database}</b>, {losses[method]}. Nobody can bring them
        back.
      </p>
      <div class="row end">
        <button type="button" ref={safe} onClick={onKeep}>
          Keep them
        </button>
        <button type="button" class="primary danger" onClick={onDelete}>
          Delete
        </button>
      </div>
    </>
  )
}

/** The records that a body names; null where that cannot be told. */
function idsIn(body: string): readonly unknown[] | null {
  try {
    const { ids } = parsed(body) as { ids?: unknown }
    return Array.isArray(ids) ? ids : null
  } catch {
    return null
  }
}

/** Throws for a body that is no JSON object. */
function parsed(body: string): Readonly<Record<string, unknown>> {
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch (error) {
    throw new Error(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('The body is a JSON object of named parameters.')
  return given as Readonly<Record<string, unknown>>
}

const since = (began: number): string => `${Math.round(performance.now() - began)} ms`

/** Calls as whoever is signed in. Throws where no answer comes. */
async function callAsUser(
  model: string,
  method: string,
  { ids, ...named }: Readonly<Record<string, unknown>>,
  onRecords: boolean,
): Promise<Answer> {
  const began = performance.now()
  try {
    const result = await callBySession<unknown>(
      model,
      method,
      onRecords ? [ids ?? []] : [],
      onRecords ? named : { ...named, ...(ids === undefined ? {} : { ids }) },
    )
    return { status: `by your session, ${since(began)}`, ok: true, text: pretty(JSON.stringify(result)) }
  } catch (error) {
    if (!(error instanceof CallError) || error.name === 'offline') throw error
    return { status: `${error.name}, ${since(began)}`, ok: false, text: error.message }
  }
}

/** Sends the call without the session's cookie: the key alone decides. Throws where no answer comes. */
async function callByKey(
  { database, model }: Target,
  method: string,
  secret: string,
  body: string,
): Promise<Answer> {
  const headers = {
    authorization: `bearer ${secret.trim()}`,
    'x-service-database': database,
    'content-type': 'application/json',
  }
  const began = performance.now()
  const answer = await fetch(`/json/2/${model}/${method}`, {
    method: 'POST',
    headers,
    body,
    credentials: 'omit',
  }).catch(() => {
    throw new Error('The server does not answer. Check the connection and try again.')
  })
  const text = await answer.text()
  return {
    status: `${answer.status} ${answer.statusText}, ${since(began)}`,
    ok: answer.ok,
    text: pretty(text),
  }
}

function pretty(text: string): string {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > MOST ? `${shown.slice(0, MOST)}\n… ${shown.length - MOST} characters more` : shown
  } catch {
    return text.slice(0, MOST)
  }
}
