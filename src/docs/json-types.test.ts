// Types in the terms of JSON.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonType } from './json-types.ts'

test('types of JSON: annotations are described in the words of JSON Schema', () => {
  const table: [string | undefined, string][] = [
    ['int', 'integer'],
    ['int | None', 'integer or null'],
    ['list[int]', 'array of integers'],
    ['list[list[str]]', 'array of arrays of strings'],
    ['list[int | str]', 'array of (integer or string)'],
    ['list[ValuesType]', 'array of objects'],
    ['list', 'array'],
    ['dict[str, float]', 'object of numbers'],
    ['dict', 'object'],
    ['DomainType', 'array (a domain)'],
    ['list[tuple[int, str]]', 'array of [integer, string]'],
    ["Literal['a', 'b']", '"a" or "b"'],
    [undefined, 'any JSON'],
  ]
  for (const [annotation, words] of table) assert.equal(jsonType(annotation), words)
})
