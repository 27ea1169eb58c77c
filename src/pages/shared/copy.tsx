// Text for copying: shown in full, selected by one click, copied by a button that confirms it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** Names the text, as in "API key". */
  readonly label: string
  readonly text: string
  readonly onCopied?: () => void
  /** Whether the button has the focus when it appears. */
  readonly focused?: boolean
}

export function CopyText({ label, text, onCopied, focused = false }: Props) {
  const [status, setStatus] = useState('')
  const code = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (focused) button.current?.focus()
  }, [])
  const copy = async () => {
    const done = (await written(text)) || copiedBySelection(code.current)
    setStatus(done ? 'Copied' : 'Select the text and copy it by hand')
    if (done) onCopied?.()
  }
  return (
    <div class="copy">
      <div class="row apart">
        <span class="name">{label}</span>
        <span class="row">
          <span role="status" class="faint">
            {status}
          </span>
          <button type="button" ref={button} aria-label={`Copy ${label}`} onClick={copy}>
            Copy
          </button>
        </span>
      </div>
      <pre>
        <code ref={code}>{text}</code>
      </pre>
    </div>
  )
}

async function written(text: string): Promise<boolean> {
  // Pages without TLS have no clipboard, and people may forbid it.
  if (!navigator.clipboard) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

function copiedBySelection(element: HTMLElement | null): boolean {
  const selection = getSelection()
  if (!element || !selection) return false
  selection.selectAllChildren(element)
  return document.execCommand('copy')
}
