// Expressions: their values, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InvalidValue } from '../../errors.ts'
import {
  Attributes,
  assertReadable,
  attributePathsOf,
  evaluate,
  type Names,
  namesOf,
  parseExpression,
  timeNames,
} from './index.ts'

const user = new Attributes((name) => {
  if (name === 'id') return 7
  if (name === 'name') return 'Ann'
  if (name === 'has_group') return (group: unknown) => group === 'base.group_user'
  if (name === 'company_ids') return new Attributes((n) => (n === 'ids' ? [1, 2] : undefined))
  if (name === 'manager') return new Attributes((n) => (n === 'id' ? false : undefined), false)
  return undefined
})
const run = (text: string, names: Names = { user, company_ids: [1, 2], one: 1 }) =>
  evaluate(parseExpression(text), names)

const values: readonly (readonly [string, unknown])[] = [
  ['[]', []],
  ['()', []],
  ["[('name', '=', 'x'), ]", [['name', '=', 'x']]],
  ["['|', ('a', 'in', (1, 2)), ('b', '!=', False)]", ['|', ['a', 'in', [1, 2]], ['b', '!=', false]]],
  ['{"a": 1, 2: [None]}', { a: 1, 2: [null] }],
  ['user.id', 7],
  ['user.company_ids.ids + [False]', [1, 2, false]],
  ["user.has_group('base.group_user')", true],
  ["1 if user.name == 'Ann' else 2", 1],
  ['1 if False else 2 if False else 3', 3],
  ['not user.manager', true],
  ['[] or "x"', 'x'],
  ['user.company_ids.ids and []', []],
  ['not 1 == 2', true],
  ['1 < 2 < 3 and not 3 < 2 < 1', true],
  ['2 in company_ids and 3 not in company_ids', true],
  ["'b' in 'abc'", true],
  ["'a' in {'a': 1}", true],
  ['None is None and 1 is not None', true],
  ['True == 1', true],
  ['(1, 2) == [1, 2]', true],
  ['1 + 2 * 3 - 4 / 2', 5],
  ['-7 // 2', -4],
  ['-7 % 3', 2],
  ['2 - 3 - 4', -5],
  ['-one', -1],
  ['company_ids[0]', 1],
  ['company_ids[-1]', 2],
  ["{'a': 5}['a']", 5],
  ['1_000', 1000],
  ['0x1F', 31],
  ['.5e1', 5],
  ["'a' \"b\"\n'c'", 'abc'],
  ["'it\\'s \\x41\\u00e9\\n\\q'", "it's Aé\n\\q"],
  ["r'a\\n'", 'a\\n'],
  ["u'x'", 'x'],
  ["'''a\n'b'\\''''", "a\n'b''"],
  ["'%%'", '%%'],
  ['[1, # a comment\n 2]', [1, 2]],
]
for (const [text, expected] of values) {
  test(`${JSON.stringify(text)} has its value`, () =>
    assert.deepEqual(JSON.parse(JSON.stringify(run(text))), expected))
}

const refused = [
  '',
  "[('name', '=', ",
  '(1, "=", 1),',
  'import os',
  "__import__('os').getcwd()",
  'lambda: 1',
  '[x for x in y]',
  'a = 1',
  'user.no_such',
  'user.__class__',
  'user.constructor',
  "{'a': 1}.constructor",
  "'x'.upper()",
  'nobody.id',
  'toString',
  '__proto__',
  "{}['__proto__']",
  "{}['toString']",
  'user.id()',
  '(1)(2)',
  '[1][5]',
  '[1][0.5]',
  "'a' + 1",
  "'a' * 9",
  '[1] * 9',
  '2 ** 9',
  '1 / 0',
  '1 // 0',
  "1 < 'a'",
  '1 in 2',
  "-'a'",
  '007',
  '99999999999999999999',
  "'open",
  "'\\xZZ'",
  "f'{user}'",
  '1 if 2',
  'not',
  '1 2',
  '$',
  '[1,,2]',
  "{'a'}",
  'user.',
  'user.if',
  'a not b',
]
for (const text of refused) {
  test(`${JSON.stringify(text)} is refused`, () => assert.throws(() => run(text), InvalidValue))
}

test('nesting, chains and length have a limit', () => {
  for (const text of [
    '['.repeat(5000),
    `${'-'.repeat(5000)}1`,
    `1${'+1'.repeat(5000)}`,
    `user${'.a'.repeat(5000)}`,
    `'${'x'.repeat(200_000)}'`,
  ]) {
    assert.throws(() => parseExpression(text), InvalidValue)
  }
  assert.equal(run(`1${' and 1'.repeat(5000)}`), 1)
})

test('an error in an expression names its place', () => {
  assert.throws(() => parseExpression('[1, 2'), /the end at position 6/)
  assert.throws(() => parseExpression('user.id ; 2'), /position 9/)
})

test('trees are frozen and kept by text', () => {
  const tree = parseExpression('[user.id, (1 + 2)]')
  assert.equal(parseExpression('[user.id, (1 + 2)]'), tree)
  assert.ok(Object.isFrozen(tree) && tree.type === 'list' && tree.items.every(Object.isFrozen))
})

test('names and attribute paths are found everywhere', () => {
  const tree = parseExpression(
    "[('a', 'in', user.company_ids.ids), ('b', '=', x.y if user.has_group('g') else [user][0].id)] + [company_id]",
  )
  assert.deepEqual([...namesOf(tree)].sort(), ['company_id', 'user', 'x'])
  assert.deepEqual(attributePathsOf(tree, 'user'), [['company_ids', 'ids'], ['has_group'], []])
})

test('expressions read the clock that is given', () => {
  const names = timeNames('Asia/Tokyo', new Date('2024-02-28T20:00:00Z'))
  assert.equal(run("time.strftime('%Y-%m-%d %H:%M:%S%%')", names), '2024-02-28 20:00:00%')
  assert.equal(run("context_today().strftime('%Y-%m-%d')", names), '2024-02-29')
  assert.throws(() => run("time.strftime('%Q')", names), InvalidValue)
  assert.throws(() => run("time.sleep('1')", names), InvalidValue)
})

test('what is written as a literal comes back as it was', () => {
  const literal = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
    ),
  })).value
  fc.assert(
    fc.property(literal, (value) => assert.deepEqual(evaluate(parseExpression(python(value)), {}), value)),
    { numRuns: 300 },
  )
})

test('any text is read or refused, never anything else', () => {
  const piece = fc.constantFrom(
    'user',
    '.',
    'id',
    '(',
    ')',
    '[',
    ']',
    ',',
    "'",
    '"',
    '\\',
    '1',
    '.5',
    ' not ',
    ' in ',
    ' if ',
    ' else ',
    '==',
    '-',
    '{',
    ':',
    '}',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        run(pieces.join(''))
      } catch (error) {
        assert.ok(error instanceof InvalidValue, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('blanks count: what is too long is not read', () => {
  const long = `${' '.repeat(100_000)}1`
  for (const read of [assertReadable, parseExpression]) assert.throws(() => read(long), /Too long a text/)
  assertReadable(long.slice(1))
})

function python(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string')
    return `'${value.replace(/[\\'\n\r]/g, (c) => ({ '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r' })[c] as string)}'`
  return String(value)
}
