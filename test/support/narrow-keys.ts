// The rights that tokens of a narrow key give, in an implementation independent of the server's.
import fc from 'fast-check'

type Letter = 'r' | 'w' | 'c' | 'd'

/** A method of a model, and the letter that it needs. */
export interface Opened {
  readonly model: string
  readonly method: string
  readonly letter: Letter
}

const abilities = ['changes', 'webhooks', 'mcp', 'mcp:write', 'jobs', 'batch']

export const isDoorOpen = (tokens: readonly string[], ability: string): boolean =>
  tokens.includes(ability) || !tokens.some((token) => abilities.includes(token))

const valuesOf = (tokens: readonly string[], word: string) =>
  tokens.filter((token) => token.startsWith(word)).map((token) => token.slice(word.length))

const fits = (pattern: string, name: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name)

/** Whether tokens leave something to be done to a model at all, by whatever method. */
export function touches(tokens: readonly string[], model: string, letter: Letter): boolean {
  const models = valuesOf(tokens, 'model:')
  if (tokens.includes('read') && letter !== 'r') return false
  // Users change by a key that says so, and by one that is not narrow.
  const says = tokens.some((token) => /^(?:model:res\.users:|method:res\.users\/)/.test(token))
  if (model === 'res.users' && letter !== 'r' && tokens.length > 0 && !says) return false
  return (
    models.length === 0 ||
    models.some(
      (pattern) => fits(pattern.split(':')[0] as string, model) && pattern.split(':')[1]?.includes(letter),
    )
  )
}

/** Whether tokens open a method of a model; where methods are listed, nothing else is open. */
export function opens(tokens: readonly string[], { model, method, letter }: Opened): boolean {
  const methods = valuesOf(tokens, 'method:')
  if (methods.length > 0 && !methods.some((pattern) => fits(pattern, `${model}/${method}`))) return false
  return touches(tokens, model, letter)
}

export const listsMethods = (tokens: readonly string[]): boolean =>
  tokens.some((token) => token.startsWith('method:'))

/** Tokens that take something away, among them some that open what others close. */
export const token = fc.constantFrom(
  'read',
  'dry',
  'batch',
  'changes',
  'webhooks',
  'jobs',
  'mcp',
  'mcp:write',
  'company:1',
  'model:res.partner:r',
  'model:res.partner:c',
  'model:res.partner:rwc',
  'model:res.*:r',
  'model:res.*:rwcd',
  'model:res.country:r',
  'model:res.users:w',
  'model:comptoir.*:rwcd',
  'method:res.partner/*',
  'method:comptoir.webhook/*',
  'method:res.partner/read',
  'method:res.country/search_read',
)
