// `like` and its forms in memory: patterns as PostgreSQL reads them, letters folded one by one as its C.UTF-8 locale does.

/**
 * A test for texts. `%` is any text and `_` any character; a backslash takes the next character as it is, one at the very end
 * stands for itself. Forms without `=` look for the pattern anywhere.
 */
export function likeTest(operator: 'like' | 'ilike' | '=like' | '=ilike', pattern: string): (text: string) => boolean {
  const fold = operator.endsWith('ilike') ? lower : (text: string) => text
  const body = expression(fold(pattern))
  const whole = new RegExp(operator[0] === '=' ? `^${body}$` : body, 'su')
  return (text) => whole.test(fold(text))
}

function expression(pattern: string): string {
  let out = ''
  let escaped = false
  for (const character of pattern) {
    if (escaped) out += quoted(character)
    else if (character === '%') out += '.*'
    else if (character === '_') out += '.'
    else if (character !== '\\') out += quoted(character)
    escaped = !escaped && character === '\\'
  }
  return escaped ? `${out}\\\\` : out
}

/** Characters that are syntax of expressions; all others stand for themselves. */
const quoted = (character: string): string => (/[\\^$.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character)

/** Each character by its own simple mapping: no word ends, no letters that become two. */
function lower(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let out = ''
  for (const character of text) out += character === 'İ' ? 'i' : character.toLowerCase()
  return out
}

/** Order of texts by code point, as the database's collation has it: negative, 0 or positive. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)]
    // Halves of pairs stand for characters above all others.
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1
  }
  return left.length - right.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
