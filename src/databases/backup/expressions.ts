// Expressions in the statements of a backup (defaults, checks, generated columns, indexes): only types,
// functions and operators of this list.
// A function is called by its name and a parenthesis and in no other way: a dot could call one on a record
// (`(g).pg_read_file`), a name before a text reads it as a type (`xml '…'`), and keywords such as `xmlparse`
// have forms of their own. So each of these is refused.
import { Refused, type Token, type Tokens } from './tokens.ts'

/** Words that PostgreSQL does not accept as names of columns. */
export type Keywords = ReadonlySet<string>

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/**
 * Types of columns and of casts. Types whose text is more than a value (`xml`, with its entities; `regproc`)
 * are left out.
 */
const TYPES =
  set(`smallint integer bigint int int2 int4 int8 numeric decimal real float4 float8 boolean bool text varchar char bpchar name uuid date
  timestamp timestamptz time timetz interval json jsonb bytea bit varbit inet cidr macaddr macaddr8 tsvector tsquery point int4range int8range
  numrange tsrange tstzrange daterange int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange
  smallserial serial bigserial double character citext hstore ltree`)
/** Further words of a type's name. */
const TYPE_TAILS = ['precision', 'varying', 'without time zone', 'with time zone'] as const

const FUNCTIONS =
  set(`abs array_length btrim cardinality ceil char_length clock_timestamp coalesce concat date_part date_trunc extract floor
  gen_random_uuid greatest initcap jsonb_array_length jsonb_typeof least left length lower ltrim make_date md5 mod nextval now nullif
  num_nonnulls num_nulls octet_length position random replace reverse right round rtrim sign split_part sqrt starts_with
  statement_timestamp strpos substr substring timezone transaction_timestamp trim trunc upper uuidv4 uuidv7`)

/** Keywords of expressions; those of the second list stand before a parenthesis too. */
const WORDS =
  set(`and or not is null true false distinct from in any all array case when then else end between symmetric like ilike similar to
  escape collate at time zone as current_date current_timestamp localtimestamp both leading trailing asc desc nulls first last`)
const BEFORE_PARENTHESIS = set('and or not in any all when then else case from between to like ilike is as')
const BEFORE_TEXT = set(
  'and or not is in from when then else case between like ilike to escape zone default symmetric',
)
/** Of definitions of columns. */
const COLUMN_WORDS = set('default constraint check with')
const COLUMN_BEFORE_PARENTHESIS = set('default check as identity')

const OPERATORS = set(
  `+ - * / % = <> != < > <= >= || ~ ~* !~ !~* ~~ ~~* !~~ !~~* -> ->> #> #>> @> <@ && ? ?| ?& ::`,
)

type Place = 'expression' | 'column' | 'index'

/**
 * Takes an expression, or what a column or an element of an index consists of, up to a comma or parenthesis
 * of its surroundings. Throws Refused.
 */
export function assertExpression(tokens: Tokens, keywords: Keywords, place: Place = 'expression'): void {
  for (let depth = 0; ; ) {
    const token = tokens.peek()
    if (token.kind === 'end' || isSign(token, ';')) {
      if (depth === 0) return
      throw new Refused('a parenthesis stays open')
    }
    if (depth === 0 && (isSign(token, ',') || isSign(token, ')'))) return
    if (isSign(token, '(') || isSign(token, '[')) depth++
    else if (isSign(token, ')') || isSign(token, ']')) depth--
    assertToken(tokens, keywords, place)
  }
}

/** Takes one token, or several that belong together. */
function assertToken(tokens: Tokens, keywords: Keywords, place: Place): void {
  const [before, token] = [tokens.peek(-1), tokens.take()]
  if (token.kind === 'sign') assertSign(tokens, token)
  else if (token.kind === 'text') assertText(before)
  else if (token.kind === 'name') assertName(tokens, token)
  else if (token.kind === 'word') assertWord(tokens, token, keywords, place)
}

const isSign = ({ kind, value }: Token, sign: string): boolean => kind === 'sign' && value === sign

function assertSign(tokens: Tokens, { value }: Token): void {
  if (value === '::') assertType(tokens, true)
  else if (value === '.') throw new Refused('it holds a dot')
  else if (!'()[],'.includes(value) && !OPERATORS.has(value))
    throw new Refused(`it uses the operator ${value}`)
}

function assertText(before: Token): void {
  const fits =
    before.kind === 'sign'
      ? !isSign(before, ')') && !isSign(before, ']')
      : before.kind === 'word' && BEFORE_TEXT.has(before.value)
  if (!fits) throw new Refused(`it reads a text as ${before.value}`)
}

/** A column in quotes. */
function assertName(tokens: Tokens, { value }: Token): void {
  if (isSign(tokens.peek(), '(')) throw new Refused(`it calls ${value}`)
}

function assertWord(tokens: Tokens, token: Token, keywords: Keywords, place: Place): void {
  const { value } = token
  if (value === 'pg_catalog' && tokens.skip('.')) assertBuiltIn(tokens)
  else if (value === 'public' && place === 'index' && tokens.skip('.')) assertOperatorClass(tokens)
  else if (isSign(tokens.peek(), '(')) {
    if (!mayCall(value, place)) throw new Refused(`it calls ${value}`)
  } else if (keywords.has(value) && !WORDS.has(value) && !(place === 'column' && COLUMN_WORDS.has(value))) {
    throw new Refused(`it holds ${value}`)
  }
}

const mayCall = (value: string, place: Place): boolean =>
  FUNCTIONS.has(value) ||
  BEFORE_PARENTHESIS.has(value) ||
  (place === 'column' && COLUMN_BEFORE_PARENTHESIS.has(value))

/** Requires a listed function or a collation after `pg_catalog.`. */
function assertBuiltIn(tokens: Tokens): void {
  const { kind, value } = tokens.take()
  const isCollation = kind === 'name' && (value === 'default' || value === 'C')
  const isFunction = kind === 'word' && FUNCTIONS.has(value) && isSign(tokens.peek(), '(')
  if (!isCollation && !isFunction) throw new Refused(`it calls ${value}`)
}

/** Of an extension: how an index compares. */
function assertOperatorClass(tokens: Tokens): void {
  const { kind, value } = tokens.take()
  if (kind !== 'word' || !value.endsWith('_ops') || isSign(tokens.peek(), '('))
    throw new Refused(`it calls ${value}`)
}

/** Takes the name of a type, with its size and brackets. Throws Refused for one that is not on the list. */
export function assertType(tokens: Tokens, isCast = false): void {
  if (!tokens.skip('pg_catalog .')) tokens.skip('public .')
  const text = tokens.peek(-2)
  const { kind, value } = tokens.take()
  // Of a text: the name of a sequence, to count by.
  const isSequence = isCast && value === 'regclass' && text.kind === 'text'
  if ((kind !== 'word' || !TYPES.has(value)) && !isSequence) throw new Refused(`it uses the type ${value}`)
  if (isSign(tokens.peek(), '(')) assertSize(tokens)
  for (const tail of TYPE_TAILS) if (tokens.skip(tail)) break
  if (isSign(tokens.peek(), '(')) assertSize(tokens)
  while (tokens.skip('[')) tokens.expect(']')
  // A name, a text or a parenthesis after a type would make it part of another expression.
  const next = tokens.peek()
  if (next.kind === 'text' || next.kind === 'name' || isSign(next, '(') || isSign(next, '.'))
    throw new Refused(`${next.value} follows a type`)
}

function assertSize(tokens: Tokens): void {
  tokens.expect('(')
  do if (tokens.take().kind !== 'number') throw new Refused('the size of a type is not a number')
  while (tokens.skip(','))
  tokens.expect(')')
}
