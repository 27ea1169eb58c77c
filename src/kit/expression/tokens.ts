// Text to tokens, by the lexical rules of Python as far as literals and operators go.
import { InvalidValue } from '../../errors.ts'

export interface Token {
  readonly kind: 'name' | 'keyword' | 'number' | 'string' | 'operator' | 'end'
  /** The operator, keyword or name; the value of a string. */
  readonly text: string
  readonly value?: number
  readonly at: number
}

const keywords = new Set([
  ...['and', 'or', 'not', 'in', 'is', 'if', 'else', 'True', 'False', 'None'],
  // Reserved in Python and unsupported here: refused where a name is expected.
  ...[
    'as',
    'assert',
    'async',
    'await',
    'break',
    'class',
    'continue',
    'def',
    'del',
    'elif',
    'except',
    'finally',
    'for',
    'from',
    'global',
  ],
  ...['import', 'lambda', 'nonlocal', 'pass', 'raise', 'return', 'try', 'while', 'with', 'yield'],
])
const blank = /(?:[ \t\r\n\f]|\\\r?\n|#[^\n]*)+/y
const name = /[\p{L}_][\p{L}\p{N}_]*/uy
const number = /0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y
const string =
  /([rRuU]?)('''(?:[^\\]|\\.)*?'''|"""(?:[^\\]|\\.)*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/sy
const operator = /==|!=|<>|<=|>=|\/\/|\*\*|[-+*/%<>()[\]{},:.]/y

/** The error of an expression that cannot be read or run; positions count from 1. */
export function expressionError(what: string, at: number): InvalidValue {
  return new InvalidValue(`${what} at position ${at + 1} of the expression.`)
}

/** Splits a text. Throws InvalidValue for characters that fit nothing. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = lengthOf(blank, text, 0)
  while (at < text.length) {
    const { token, length } = tokenAt(text, at)
    tokens.push(token)
    at += length
    at += lengthOf(blank, text, at)
  }
  tokens.push({ kind: 'end', text: 'the end', at })
  return tokens
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  return match(pattern, text, at)?.[0].length ?? 0
}

function tokenAt(text: string, at: number): { token: Token; length: number } {
  const quoted = match(string, text, at)
  if (quoted) {
    const [whole, prefix, literal] = quoted as unknown as [string, string, string]
    return { token: { kind: 'string', text: stringValue(prefix, literal, at), at }, length: whole.length }
  }
  const digits = match(number, text, at)?.[0]
  if (digits)
    return {
      token: { kind: 'number', text: digits, value: numberValue(digits, at), at },
      length: digits.length,
    }
  const word = match(name, text, at)?.[0]
  if (word)
    return { token: { kind: keywords.has(word) ? 'keyword' : 'name', text: word, at }, length: word.length }
  const sign = match(operator, text, at)?.[0]
  if (sign) return { token: { kind: 'operator', text: sign === '<>' ? '!=' : sign, at }, length: sign.length }
  throw expressionError('Unexpected character', at)
}

function numberValue(text: string, at: number): number {
  const value = Number(text.replaceAll('_', ''))
  const whole = !/[.eE]/.test(text) || /^0x/i.test(text)
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
    throw expressionError('Number out of range', at)
  if (whole && /^0\d/.test(text) && value !== 0) throw expressionError('Number with leading zeros', at)
  return value
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}

function stringValue(prefix: string, quoted: string, at: number): string {
  const width = quoted.length >= 6 && /^('''|""")/.test(quoted) ? 3 : 1
  const body = quoted.slice(width, -width)
  if (prefix.toLowerCase() === 'r') return body
  return body.replace(
    /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)/gs,
    (whole, sequence: string) => {
      if (/^[xuU][0-9a-fA-F]{2}/.test(sequence)) return character(Number.parseInt(sequence.slice(1), 16), at)
      if (/^[0-7]/.test(sequence)) return character(Number.parseInt(sequence, 8), at)
      if (/^[xuUN]/.test(sequence)) throw expressionError('Broken escape', at)
      // An unknown escape is left unchanged, as in Python.
      return escapes[sequence] ?? whole
    },
  )
}

function character(code: number, at: number): string {
  if (code > 0x10ffff) throw expressionError('Broken escape', at)
  return String.fromCodePoint(code)
}
