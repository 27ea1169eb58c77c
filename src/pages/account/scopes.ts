// Scopes of API keys in words: a choice of a few, and any scope as a sentence.
import type { Key } from './keys.ts'

/** Choices for a new key, by scope. */
export const choices: readonly (readonly [scope: string, label: string, hint: string])[] = [
  ['rpc', 'Everything I may do', 'Programs with this key act as you, over the API.'],
  ['rpc read', 'Read only', 'Reads everything that you may read; changes nothing.'],
  [
    'rpc model:product.*:r model:uom.*:r',
    'Read products',
    'For a web shop or a price list: no customers, no orders.',
  ],
  [
    'rpc model:sale.*:rwc model:product.*:r model:uom.*:r model:res.partner:rwc',
    'Sales',
    'Contacts and orders of customers, with the products that they need; deletes nothing.',
  ],
  [
    'rpc read mcp',
    'Assistant that reads',
    'For AI agents (MCP endpoint /x/1/mcp): read everything that you may read; change nothing.',
  ],
  [
    'rpc mcp mcp:write model:sale.*:rwc model:product.*:r model:uom.*:r model:res.partner:rwc',
    'Assistant for sales',
    'For AI agents (MCP endpoint /x/1/mcp): contacts and orders, each change after a dry run; delete nothing.',
  ],
  ['rpc dry', 'Try out', 'Every call is a dry run: for programs in development.'],
]

/** Whether a key is meant for an agent: those live short. */
export const isForAgents = (scope: string): boolean => scope.split(' ').includes('mcp')

/** Rates of a key; empty: the server's general limit. */
const speeds: readonly (readonly [rate: string, label: string])[] = [
  ['', 'No limit'],
  ['6000/60s', '6,000 calls a minute'],
  ['600/60s', '600 calls a minute'],
  ['60/60s', '60 calls a minute'],
]

/** Choices of a list, with the current value if it is not one of them. */
const withNow = (
  list: readonly (readonly [value: string, label: string])[],
  now: string,
  words: string,
): readonly (readonly [value: string, label: string])[] =>
  list.some(([value]) => value === now) ? list : [[now, words], ...list]

export const speedsWith = (rate: string) =>
  withNow(speeds, rate, `${rate.replace('/', ' calls in ')} (as now)`)

const counts = ['', '16', '4', '1']

/** Choices for the number of calls of a key that run at a time. */
export const countsWith = (count: string) =>
  withNow(
    counts.map((most) => [most, most === '' ? 'Any number' : most === '1' ? 'One at a time' : most]),
    count,
    `${count} (as now)`,
  )

/** Choices for a key's scope, with the current one; null: everything, pages included. */
export const scopesWith = (scope: string) =>
  withNow(
    choices.map(([text, label]) => [text, label]),
    scope,
    `${scopeInWords(scope || false)} (as now)`,
  )

const LETTERS: Readonly<Record<string, string>> = { r: 'read', w: 'change', c: 'create', d: 'delete' }

const DOORS: Readonly<Record<string, string>> = {
  mcp: 'for agents',
  'mcp:write': 'agents may change',
  changes: 'follows changes',
  webhooks: 'webhooks',
  jobs: 'jobs',
  batch: 'several calls at once',
}

/** Limits of a key's policy, in words: addresses, rates and conditions. */
export const limitsOf = (key: Key): readonly string[] =>
  [
    key.addresses ? `from ${key.addresses}` : false,
    key.rate ? key.rate.replace('/', ' calls in ') : false,
    key.concurrency !== false &&
      (key.concurrency === 1 ? 'one call at a time' : `${key.concurrency} calls at a time`),
    key.idempotency_required && 'each change with an Idempotency-Key',
    key.replica && 'reads from a replica too',
  ].filter((words) => typeof words === 'string')

/** A scope in words. */
export function scopeInWords(scope: string | false): string {
  if (!scope) return 'Everything'
  const [first, ...tokens] = scope.split(' ')
  if (first !== 'rpc') return 'No API access'
  const choice = choices.find(([text]) => text === scope)
  if (tokens.length === 0) return 'Everything, over the API'
  return choice ? choice[1] : tokens.map(tokenWords).join(', ')
}

function tokenWords(token: string): string {
  if (token === 'read') return 'Read only'
  if (token === 'dry') return 'Try out'
  const ability = Object.hasOwn(DOORS, token) ? DOORS[token] : undefined
  if (ability) return ability
  const [kind, value = '', letters = ''] = token.split(':')
  if (kind === 'model')
    return `${value}: ${[...letters].map((letter) => LETTERS[letter] ?? letter).join(', ')}`
  if (kind === 'method') return `only ${value.replace('/', ' ')}`
  if (kind === 'company') return `company ${value}`
  return token
}
