// What an API key opens, in words: a choice of a few, and any scope as a sentence.

/** What a new key may do, by its scope. */
export const choices: readonly (readonly [scope: string, label: string, hint: string])[] = [
  ['rpc', 'Everything that I may do', 'Programs with this key act as you, over the API.'],
  ['rpc read', 'Read only', 'Looks at everything that you may see, changes nothing.'],
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
  ['rpc dry', 'Try out', 'Every call is done and taken back: for programs in the making.'],
]

const LETTERS: Readonly<Record<string, string>> = { r: 'read', w: 'change', c: 'create', d: 'delete' }

/** A scope in words. */
export function wordsOf(scope: string | false): string {
  if (!scope) return 'Everything'
  const [first, ...tokens] = scope.split(' ')
  if (first !== 'rpc') return 'Nothing over the API'
  const known = choices.find(([text]) => text === scope)
  if (tokens.length === 0) return 'Calls'
  return known ? known[1] : tokens.map(tokenWords).join(', ')
}

function tokenWords(token: string): string {
  if (token === 'read') return 'Read only'
  if (token === 'dry') return 'Try out'
  const [kind, value = '', letters = ''] = token.split(':')
  if (kind === 'model')
    return `${value}: ${[...letters].map((letter) => LETTERS[letter] ?? letter).join(', ')}`
  if (kind === 'method') return `only ${value.replace('/', ' ')}`
  if (kind === 'company') return `company ${value}`
  return token
}
