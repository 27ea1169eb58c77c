// API keys as a table; on a phone as a list.
import { deviceOf } from '../shared/device.ts'
import { Moment } from '../shared/moment.tsx'
import type { Key } from './keys.ts'
import { limitsOf, scopeInWords } from './scopes.ts'

export interface KeysProps {
  readonly keys: readonly Key[]
  readonly everybody: boolean
  readonly onRemove: (key: Key) => void
  readonly onNarrow: (key: Key) => void
}

export function KeyTable({ keys, everybody, onRemove, onNarrow }: KeysProps) {
  return (
    <table class="cards keys">
      <thead>
        <tr>
          <th scope="col">Description</th>
          {everybody ? <th scope="col">User</th> : null}
          <th scope="col">Scope</th>
          <th scope="col">Created</th>
          <th scope="col">Expires</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="unseen">Change or revoke</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} of={key} everybody={everybody} onRemove={onRemove} onNarrow={onNarrow} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Omit<KeysProps, 'keys'> {
  readonly of: Key
}

function KeyRow({ of: key, everybody, onRemove, onNarrow }: RowProps) {
  return (
    <tr>
      <th scope="row">{key.name}</th>
      {everybody ? (
        <td data-label="User">
          <span>{key.user_id[1]}</span>
        </td>
      ) : null}
      <td data-label="Scope">
        <span title={key.scope || undefined}>
          {scopeInWords(key.scope)}
          {limitsOf(key).map((words) => (
            <small key={words} class="faint block">
              {words}
            </small>
          ))}
        </span>
      </td>
      <td data-label="Created">
        <Moment text={key.create_date} empty="Unknown" />
      </td>
      <td data-label="Expires">
        <span>
          <Moment text={key.expiration_date} empty="Never" /> <Expiring of={key} />
        </span>
      </td>
      <td data-label="Last used">
        <Use of={key} />
      </td>
      <td>
        {key.expiring === 'expired' ? null : (
          <button
            type="button"
            aria-label={`Change the key ${key.name}${everybody ? ` of ${key.user_id[1]}` : ''}`}
            onClick={() => onNarrow(key)}
          >
            Change
          </button>
        )}{' '}
        <button
          type="button"
          class="danger"
          aria-label={`Revoke the key ${key.name}${everybody ? ` of ${key.user_id[1]}` : ''}`}
          onClick={() => onRemove(key)}
        >
          Revoke
        </button>
      </td>
    </tr>
  )
}

function Expiring({ of: { expiring } }: { readonly of: Key }) {
  if (!expiring) return null
  return expiring === 'expired' ? (
    <span class="tag bad">Expired</span>
  ) : (
    <span class="tag warn">Expires soon</span>
  )
}

function Use({ of: { last_used, last_address, last_user_agent, uses } }: { readonly of: Key }) {
  if (!last_used) return <span class="faint">Never</span>
  const from = [deviceOf(last_user_agent), last_address].filter(Boolean).join(', ')
  return (
    <span>
      <Moment text={last_used} empty="Never" />
      <small class="faint block" title={last_user_agent || undefined}>
        {uses === 1 ? 'once' : `${uses} times`}
        {from ? `, last by ${from}` : ''}
      </small>
    </span>
  )
}
