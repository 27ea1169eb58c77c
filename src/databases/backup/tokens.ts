// The tokens of a statement of a backup, as PostgreSQL reads them with standard_conforming_strings on. Tokens
// that backups never contain are refused: comments, dollar-quoted texts ($$), names and texts with escapes,
// and all others that the two might read differently.

export interface Token {
  /**
   * `word`: a plain name or a keyword, in lower case; `name`: a quoted one; `text`: the text between its
   * quotes; `end`: after the last.
   */
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end'
  readonly value: string
}

/** Why a statement is refused. */
export class Refused extends Error {}

/**
 * Blanks, texts with escapes and without (where a backslash is an ordinary character), quoted names, names,
 * numbers, operators, and single signs.
 */
const TOKEN = new RegExp(
  [
    /([ \t\r\n]+)/,
    /[eE]'([^'\\]*(?:(?:''|\\[\s\S])[^'\\]*)*)'/,
    /'([^']*(?:''[^']*)*)'/,
    /"((?:[^"]|"")+)"/,
    /([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(\d+(?:\.\d+)?)/,
    /(::|[+\-*/<>=~!@#%^&|`?]+|[()[\],.;])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
)

/** Tokens of a statement at most: judging it must not hold up others. */
const MOST = 20_000

const END: Token = { kind: 'end', value: 'the end' }

/** Reads a statement, token by token. Throws Refused for what it does not know. */
export class Tokens {
  readonly #all: readonly Token[]
  #at = 0

  constructor(statement: string) {
    this.#all = tokensOf(statement)
  }

  /** A token without taking it: 0 is the next, 1 the one after it, -1 the one that was taken last. */
  peek(ahead = 0): Token {
    return this.#all[this.#at + ahead] ?? END
  }

  take(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Takes the next tokens if they are these words and signs; else false. */
  skip(words: string): boolean {
    const wanted = words.split(' ')
    if (!wanted.every((word, i) => isWord(this.peek(i), word))) return false
    this.#at += wanted.length
    return true
  }

  /** Takes these words and signs. Throws Refused for others. */
  expect(words: string): void {
    if (!this.skip(words)) throw new Refused(`${this.peek().value} stands where ${words} has to`)
  }

  /** A name, quoted or not. */
  name(): string {
    const { kind, value } = this.take()
    if (kind !== 'word' && kind !== 'name') throw new Refused(`${value} is not a name`)
    return value
  }

  text(): string {
    const { kind, value } = this.take()
    if (kind !== 'text') throw new Refused(`${value} is not a text`)
    return value
  }
}

const isWord = ({ kind, value }: Token, word: string): boolean =>
  (kind === 'word' || kind === 'sign') && value === word

function tokensOf(statement: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < statement.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(statement)
    if (!match) throw new Refused(`${statement.slice(at, at + 20)} cannot be read`)
    const token = tokenOf(match)
    if (token) push(tokens, token, statement[at - 1])
    if (tokens.length > MOST) throw new Refused('it is too long')
  }
  return tokens
}

function tokenOf([, blank, escaped, text, name, word, number, sign = '']: readonly (
  | string
  | undefined
)[]): Token | null {
  if (blank !== undefined) return null
  if (escaped !== undefined) return { kind: 'text', value: escaped }
  if (text !== undefined) return { kind: 'text', value: text }
  if (name !== undefined) return { kind: 'name', value: name.replaceAll('""', '"') }
  // Only letters of ASCII have their case folded, as PostgreSQL has it.
  if (word !== undefined)
    return { kind: 'word', value: word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) }
  return number === undefined ? { kind: 'sign', value: sign } : { kind: 'number', value: number }
}

/**
 * Adds a token. Refuses what PostgreSQL would read as one token: a text continued in a second one, a name or
 * a number that touches the token before.
 */
function push(tokens: Token[], token: Token, before: string | undefined): void {
  const last = tokens.at(-1)
  if (token.kind === 'text' && last?.kind === 'text') throw new Refused('a text goes on in another')
  const touches = before !== undefined && /[\w$"'\u0080-\uffff]/.test(before)
  if (touches && token.kind !== 'sign') throw new Refused(`${token.value} touches what stands before it`)
  if (token.kind === 'sign' && /--|\/\*/.test(token.value)) throw new Refused('it holds a comment')
  tokens.push(token)
}
