// The same call in several languages, one at a time; the language that is chosen counts for all methods.
import { useRef } from 'preact/hooks'
import { CopyText } from '../shared/copy.tsx'
import { useUnique } from '../shared/unique.ts'
import { language } from './memory.ts'

export interface Example {
  readonly language: string
  readonly code: string
}

export function Examples({ of, list }: { readonly of: string; readonly list: readonly Example[] }) {
  const wanted = language.use()
  const tabs = useRef<HTMLDivElement>(null)
  const id = useUnique()
  const at = Math.max(
    0,
    list.findIndex((example) => example.language === wanted),
  )
  const chosen = list[at]
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = (at + step + list.length) % list.length
    language.set(list[next]?.language ?? wanted)
    tabs.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div role="tablist" aria-label={`Examples of ${of}`} class="row tabs" ref={tabs} onKeyDown={walk}>
        {list.map((example, index) => (
          <button
            key={example.language}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => language.set(example.language)}
          >
            {example.language}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${at}`}>
        {chosen ? (
          <CopyText key={chosen.language} label={`${chosen.language} example`} text={chosen.code} />
        ) : null}
      </div>
    </>
  )
}
