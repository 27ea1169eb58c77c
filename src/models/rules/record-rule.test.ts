// Rules of modules as text: what is written is read as what was meant, whatever strings it holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evaluate, parseExpression } from '../../kit/expression/index.ts'
import { domainText } from './record-rule.ts'
import { companyIds, now, today, user } from './typed.ts'

const read = (text: string) => evaluate(parseExpression(text), { company_ids: [1, 2] })

test('terms, words and lists are written as rules have them', () => {
  const is = (domain: readonly unknown[], text: string) => assert.equal(domainText(domain), text)
  is([], '[]')
  is([[1, '=', 1]], "[(1, '=', 1)]")
  is(
    ['|', ['company_id', '=', false], ['company_id', 'in', companyIds]],
    "['|', ('company_id', '=', False), ('company_id', 'in', company_ids)]",
  )
  is(
    [['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]]],
    "[('partner_id', 'child_of', [user.partner_id.commercial_partner_id.id])]",
  )
  is([['company_id', 'in', companyIds.orNone()]], "[('company_id', 'in', company_ids + [False])]")
  is(
    [['line_ids', 'any', ['!', ['user_id', 'in', [user.id, null]]]]],
    "[('line_ids', 'any', ['!', ('user_id', 'in', [user.id, None])])]",
  )
  is([['day', '=', today]], "[('day', '=', context_today().strftime('%Y-%m-%d'))]")
  is([['day', '<', now]], "[('day', '<', time.strftime('%Y-%m-%d %H:%M:%S'))]")
})

test('what is written is read as what was meant', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
    ),
  })).any
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('=', 'in', 'ilike'),
      value,
      (path, operator, one) => {
        assert.deepEqual(read(domainText(['!', [path, operator, one]])), ['!', [path, operator, one]])
      },
    ),
  )
})

test('what no text of a rule can hold is refused', () => {
  for (const value of [undefined, Number.NaN, Infinity, {}, () => 1, 1n])
    assert.throws(() => domainText([['a', '=', value]]), /cannot contain/)
})
