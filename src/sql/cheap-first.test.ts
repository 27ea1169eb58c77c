// Order of conditions: those that read other rows come after those on columns of their own row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cheapFirst, or, raw, readsRows, sql } from './index.ts'

test('conditions that read other rows are told apart from those on a column, and parts of dates are columns', () => {
  assert.ok(readsRows(sql`a IN (${sql`SELECT b FROM t`})`))
  assert.ok(!readsRows(sql`floor(EXTRACT(${raw('MONTH')} FROM a)) = ${6}`))
  assert.ok(!readsRows(sql`a = ANY((SELECT ${[1]}::int[])::int[])`))
})

test('conditions that read other rows come last, all others stay in their order', () => {
  const parts = [sql`a IN (SELECT b FROM t)`, sql`c = ${1}`, sql`d IN (SELECT e FROM t)`, sql`f`]
  assert.equal(
    or(cheapFirst(parts)).compile().text,
    '(c = $1 OR f OR a IN (SELECT b FROM t) OR d IN (SELECT e FROM t))',
  )
  const alike = parts.slice(0, 1)
  assert.equal(cheapFirst(alike), alike)
})
