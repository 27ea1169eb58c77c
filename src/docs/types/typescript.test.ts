// Python's annotations as TypeScript, on both sides of a call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoted, typeOf } from './typescript.ts'

const names = { domain: 'DOMAIN', values: 'VALUES' }
const parameterType = (text: string | undefined) => typeOf(text, 'given', names)
const got = (text: string | undefined) => typeOf(text, 'got', names)

test('plain types, unions and what stands for nothing', () => {
  const table: [string, string][] = [
    ['int', 'number'],
    ['float | None', 'number | null'],
    ['None | str', 'string | null'],
    ['int | float', 'number'],
    ['bool|str', 'boolean | string'],
    ['typing.Optional[str]', 'string | null'],
    ['Union[int, str, None]', 'number | string | null'],
    ['datetime.date', 'string'],
    ["Literal['a', 'it is', 3, True]", "'a' | 'it is' | 3 | true"],
    ["'Self'", 'number[]'],
    ['None', 'null'],
  ]
  for (const [python, type] of table) assert.equal(got(python), type, python)
})

test('lists, tuples and objects; what is given may be read-only', () => {
  const table: [string, given: string, got: string][] = [
    ['list[int]', 'readonly number[]', 'number[]'],
    ['list[int | str]', 'readonly (number | string)[]', '(number | string)[]'],
    ['list', 'readonly unknown[]', 'unknown[]'],
    ['list[tuple[int, str]]', 'readonly (readonly [number, string])[]', '[number, string][]'],
    ['tuple[int, ...]', 'readonly number[]', 'number[]'],
    ['Iterable[str]', 'readonly string[]', 'string[]'],
    ['dict[str, list[int]]', 'Readonly<Record<string, readonly number[]>>', 'Record<string, number[]>'],
    ['dict[int, str]', 'Readonly<Record<string, string>>', 'Record<string, string>'],
    ['dict', 'Readonly<Record<string, unknown>>', 'Record<string, unknown>'],
    ['DomainType', 'DOMAIN', 'unknown[]'],
    ['list[ValuesType]', 'readonly VALUES[]', 'Record<string, unknown>[]'],
  ]
  for (const [python, ...types] of table)
    assert.deepEqual([parameterType(python), got(python)], types, python)
})

test('annotations: unknown types and incomplete text become unknown', () => {
  for (const python of [
    undefined,
    'Any',
    'Callable[[int], str]',
    'int | Whatever',
    'list[',
    ']',
    'a b',
    '',
    '{}',
    'Literal[',
  ])
    assert.match(got(python), /unknown/)
})

test('texts become TypeScript literal types', () => {
  assert.equal(quoted(`it's "so" \\ \n`), `'it\\'s "so" \\\\ \\n'`)
})
