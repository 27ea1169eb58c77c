// Fields of forms: a label, the control, a hint and an error below it, connected for screen readers.
import type { ComponentChildren, Ref } from 'preact'
import { useState } from 'preact/hooks'
import { useUnique } from './unique.ts'

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | null
  /** Draws the control with the attributes that tie it to label and texts. */
  readonly control: (tied: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ComponentChildren
}

/** Any control with its label. */
export function Field({ label, hint, error, control }: FieldProps) {
  const id = useUnique()
  const described =
    [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint ? (
        <small id={`${id}-hint`} class="faint">
          {hint}
        </small>
      ) : null}
      {error ? (
        <small id={`${id}-error`} class="wrong">
          {error}
        </small>
      ) : null}
    </div>
  )
}

interface InputProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | null
  readonly value: string
  readonly onValue: (value: string) => void
  readonly inputRef?: Ref<HTMLInputElement>
  readonly name?: string
  readonly required?: boolean
  readonly autocomplete?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly placeholder?: string
}

interface TextProps extends InputProps {
  readonly type?: 'text' | 'search' | 'date' | 'tel' | 'email' | 'url'
  readonly min?: string
  readonly max?: string
}

/** A text field, or one of another `type` of input. */
export function TextField({
  label,
  hint,
  error,
  value,
  onValue,
  inputRef,
  type = 'text',
  ...attributes
}: TextProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(tied) => (
        <input
          {...attributes}
          {...tied}
          // One form of the input has its own type in the declarations; all of these are texts.
          type={type as 'text'}
          ref={inputRef ?? null}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    />
  )
}

/** A password, with a button that shows what was typed. */
export function PasswordField({ label, hint, error, value, onValue, inputRef, ...attributes }: InputProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(tied) => (
        <span class="with-button">
          <input
            {...attributes}
            {...tied}
            ref={inputRef ?? null}
            type={(shown ? 'text' : 'password') as 'text'}
            spellcheck={false}
            autocapitalize="off"
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <button
            type="button"
            class="quiet"
            aria-pressed={shown}
            aria-label={`Show ${label.toLowerCase()}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Show'}
          </button>
        </span>
      )}
    />
  )
}
