// Checks the statements of a backup from an unknown source: an allow-list of statements, types and functions.
// It is the second line of defence: the first is the role that runs them (postgres/restorer.ts).
import type { Copying } from '../../postgres/index.ts'
import { assertExpression, assertType, type Keywords } from './expressions.ts'
import { Refused, Tokens } from './tokens.ts'

/**
 * Extensions that databases of this kind use. Others that need no trust bring languages, or functions that
 * run the text they are given (`tablefunc`).
 */
const EXTENSIONS = new Set([
  'btree_gin',
  'btree_gist',
  'citext',
  'fuzzystrmatch',
  'hstore',
  'intarray',
  'ltree',
  'pg_trgm',
  'unaccent',
])
const METHODS = new Set(['btree', 'gin', 'gist', 'hash', 'brin'])
const SEQUENCE_WORDS = new Set(
  'as smallint integer bigint increment by minvalue maxvalue no start with cache cycle owned none sequence name'.split(
    ' ',
  ),
)
/** Words that may follow the definition of a foreign key or a check. */
const TAIL_WORDS = new Set(
  'match full simple on delete update cascade restrict set null default no action not deferrable initially deferred immediate valid'.split(
    ' ',
  ),
)

/** Returns the reason why a statement is refused, or null. */
export type StatementCheck = (statement: string) => string | null

/** A check that knows the keywords of the connection's server. */
export async function statementCheckOf(connection: Copying): Promise<StatementCheck> {
  const rows = await connection.query("SELECT word::text FROM pg_get_keywords() WHERE catcode <> 'U'")
  const keywords: Keywords = new Set(rows.map(([word]) => String(word)))
  return (statement) => {
    try {
      assertStatement(new Tokens(statement), keywords)
      return null
    } catch (error) {
      if (error instanceof Refused) return error.message
      throw error
    }
  }
}

function assertStatement(tokens: Tokens, keywords: Keywords): void {
  const kind = KINDS.find(([words]) => tokens.skip(words))
  if (!kind) throw new Refused(`${tokens.peek().value} begins no statement of a backup`)
  kind[1](tokens, keywords)
  tokens.skip(';')
  if (tokens.peek().kind !== 'end') throw new Refused(`it goes on with ${tokens.peek().value}`)
}

const KINDS: readonly (readonly [words: string, assert: (tokens: Tokens, keywords: Keywords) => void])[] = [
  ['create extension if not exists', assertExtension],
  ['create sequence', assertSequence],
  ['create table', assertTable],
  ['create unique index', assertIndex],
  ['create index', assertIndex],
  ['alter table', assertAlteration],
  ['alter sequence', assertSequence],
  ['comment on', assertComment],
  ['select pg_catalog . setval (', assertCounter],
]

function assertExtension(tokens: Tokens): void {
  const name = tokens.name()
  if (!EXTENSIONS.has(name)) throw new Refused(`the extension ${name} is not for everybody`)
  tokens.skip('with schema public')
}

/** A name in the schema `public`: PostgreSQL's own begin with `pg_`. */
function assertRelation(tokens: Tokens): void {
  tokens.skip('public .')
  const name = tokens.name()
  if (/^pg_/i.test(name)) throw new Refused(`it names ${name}`)
}

function assertSequence(tokens: Tokens): void {
  assertRelation(tokens)
  assertSequenceOptions(tokens)
}

function assertSequenceOptions(tokens: Tokens): void {
  while (!ends(tokens)) {
    if (tokens.skip('owned by') || tokens.skip('sequence name')) {
      if (tokens.skip('none')) continue
      assertRelation(tokens)
      if (tokens.skip('.')) tokens.name()
      continue
    }
    const { kind, value } = tokens.take()
    if (kind !== 'number' && value !== '-' && !SEQUENCE_WORDS.has(value))
      throw new Refused(`a sequence has no ${value}`)
  }
}

const ends = (tokens: Tokens): boolean => {
  const { kind, value } = tokens.peek()
  return kind === 'end' || (kind === 'sign' && (value === ';' || value === ')'))
}

function assertTable(tokens: Tokens, keywords: Keywords): void {
  assertRelation(tokens)
  tokens.expect('(')
  if (tokens.skip(')')) return
  do {
    if (tokens.skip('constraint')) tokens.name()
    if (assertConstraint(tokens, keywords)) continue
    tokens.name()
    assertType(tokens)
    assertExpression(tokens, keywords, 'column')
  } while (tokens.skip(','))
  tokens.expect(')')
}

/** Names in parentheses. */
function assertColumns(tokens: Tokens): void {
  tokens.expect('(')
  do tokens.name()
  while (tokens.skip(','))
  tokens.expect(')')
}

/** Whether the next tokens are a constraint of a table; throws Refused for one that is not allowed. */
function assertConstraint(tokens: Tokens, keywords: Keywords): boolean {
  if (tokens.skip('primary key') || tokens.skip('unique')) {
    if (tokens.skip('nulls')) {
      tokens.skip('not')
      tokens.expect('distinct')
    }
    assertColumns(tokens)
    if (tokens.skip('include')) assertColumns(tokens)
  } else if (tokens.skip('foreign key')) {
    assertColumns(tokens)
    tokens.expect('references')
    assertRelation(tokens)
    assertColumns(tokens)
  } else if (tokens.skip('check (')) {
    assertExpression(tokens, keywords)
    tokens.expect(')')
  } else if (tokens.skip('not null')) tokens.name()
  else return false
  while (TAIL_WORDS.has(tokens.peek().value) && tokens.peek().kind === 'word') tokens.take()
  return true
}

function assertIndex(tokens: Tokens, keywords: Keywords): void {
  tokens.name()
  tokens.expect('on')
  tokens.skip('only')
  assertRelation(tokens)
  tokens.expect('using')
  const method = tokens.name()
  if (!METHODS.has(method)) throw new Refused(`${method} is not a supported type of index`)
  tokens.expect('(')
  do assertExpression(tokens, keywords, 'index')
  while (tokens.skip(','))
  tokens.expect(')')
  if (tokens.skip('include')) assertColumns(tokens)
  if (tokens.skip('nulls')) {
    tokens.skip('not')
    tokens.expect('distinct')
  }
  if (tokens.skip('with (')) assertParameters(tokens)
  if (tokens.skip('where')) assertExpression(tokens, keywords)
}

function assertParameters(tokens: Tokens): void {
  do {
    tokens.name()
    tokens.expect('=')
    const { kind, value } = tokens.take()
    if (kind !== 'text' && kind !== 'number' && kind !== 'word')
      throw new Refused(`${value} is not a valid value of a parameter`)
  } while (tokens.skip(','))
  tokens.expect(')')
}

function assertAlteration(tokens: Tokens, keywords: Keywords): void {
  tokens.skip('only')
  assertRelation(tokens)
  if (tokens.skip('add constraint')) {
    const name = tokens.name()
    if (!assertConstraint(tokens, keywords)) throw new Refused(`the constraint ${name} has an unknown type`)
    return
  }
  tokens.expect('alter column')
  tokens.name()
  if (tokens.skip('set default')) assertExpression(tokens, keywords)
  else assertIdentity(tokens)
}

function assertIdentity(tokens: Tokens): void {
  tokens.expect('add generated')
  if (!tokens.skip('always')) tokens.expect('by default')
  tokens.expect('as identity (')
  assertSequenceOptions(tokens)
  tokens.expect(')')
}

function assertComment(tokens: Tokens): void {
  if (tokens.skip('constraint')) {
    tokens.name()
    tokens.expect('on')
  } else if (!['table', 'column', 'index', 'sequence'].some((kind) => tokens.skip(kind))) {
    throw new Refused(`it is a comment on ${tokens.peek().value}`)
  }
  assertRelation(tokens)
  if (tokens.skip('.')) tokens.name()
  tokens.expect('is')
  if (!tokens.skip('null')) tokens.text()
}

function assertCounter(tokens: Tokens): void {
  tokens.text()
  tokens.expect(',')
  tokens.skip('-')
  if (tokens.take().kind !== 'number') throw new Refused('a sequence goes on from a number')
  tokens.expect(',')
  if (!tokens.skip('true')) tokens.expect('false')
  tokens.expect(')')
}
