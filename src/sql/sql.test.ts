// Fragments nest, parameters are numbered in order, identifiers and literals are quoted, conditions fold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  and,
  decisive,
  FALSE,
  id,
  join,
  limited,
  literal,
  not,
  or,
  quote,
  settled,
  sql,
  TRUE,
} from './index.ts'

test('nested fragments number their parameters in order', () => {
  const inner = sql`a = ${1} AND b = ${'x'}`
  const { text, values } =
    sql`SELECT ${id('t', 'c')} FROM t WHERE (${inner}) OR c IN (${join([sql`${2}`, sql`${3}`])})`.compile()
  assert.equal(text, 'SELECT "t"."c" FROM t WHERE (a = $1 AND b = $2) OR c IN ($3, $4)')
  assert.deepEqual(values, [1, 'x', 2, 3])
})

test('a fragment may stand in a text more than once', () => {
  const value = sql`${7}`
  assert.deepEqual(sql`${value} + ${value}`.compile(), { text: '$1 + $2', values: [7, 7], each: false })
})

test('identifiers and literals cannot break out', () => {
  assert.equal(quote('a"; DROP TABLE x; --'), '"a""; DROP TABLE x; --"')
  assert.equal(literal("o'neil").compile().text, "'o''neil'")
  assert.equal(literal("a\\'b").compile().text, "E'a\\\\''b'")
})

test('conditions fold what is certain', () => {
  const a = sql`a`
  assert.equal(and([]), TRUE)
  assert.equal(or([]), FALSE)
  assert.equal(and([TRUE, a]), a)
  assert.equal(and([a, FALSE]), FALSE)
  assert.equal(or([a, TRUE]), TRUE)
  assert.equal(not(not(TRUE)), TRUE)
  assert.equal(and([a, sql`b`]).compile().text, '(a AND b)')
  assert.equal(not(a).compile().text, 'NOT (a)')
})

test('a fragment prints itself with its values', () => {
  assert.equal(String(sql`x = ${1}`), 'x = $1  -- [1]')
})

test('a decisive value below a limit is planned each time, either alone is not', () => {
  const pattern = sql`name LIKE ${decisive('%x%')}`
  assert.deepEqual(pattern.compile(), { text: 'name LIKE $1', values: ['%x%'], each: false })
  assert.equal(sql`SELECT 1${limited(80)}`.compile().each, false)
  assert.deepEqual(sql`SELECT 1 WHERE ${and([pattern, TRUE])}${limited(80)}`.compile(), {
    text: 'SELECT 1 WHERE name LIKE $1 LIMIT 80',
    values: ['%x%'],
    each: true,
  })
})

test('a text with the character zero stays a parameter', () => {
  assert.deepEqual(settled(sql`a LIKE ${decisive('x\0y')}`).compile().values, ['x\0y'])
})

test('decisive texts and numbers can be settled into the text, quoted; other values stay', () => {
  const condition = sql`a LIKE ${decisive("o'%\\_")} AND b > ${decisive(-5)}::int AND c = ${7} AND d < ${decisive(null)} AND e > ${decisive(Number.NaN)}`
  const { text, values, each } = sql`SELECT 1 WHERE ${settled(condition)}${limited(1)}`.compile()
  assert.equal(
    text,
    "SELECT 1 WHERE a LIKE E'o''%\\\\_' AND b > (-5)::int AND c = $1 AND d < $2 AND e > $3 LIMIT 1",
  )
  assert.deepEqual(values, [7, null, Number.NaN])
  assert.equal(each, true)
})
