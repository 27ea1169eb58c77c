// Actions that open windows have all that clients read of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownForm, shownRecords, shownWindow } from './shown.ts'

test('shownRecords: one record opens as a form, several as a list', () => {
  const shared = {
    type: 'ir.actions.act_window',
    name: 'Orders',
    res_model: 'res.partner',
    target: 'current',
  }
  assert.deepEqual(shownRecords('Orders', 'res.partner', [7]), {
    ...shared,
    view_mode: 'form',
    views: [[false, 'form']],
    res_id: 7,
    context: {},
  })
  assert.deepEqual(shownRecords('Orders', 'res.partner', [7, 8], { context: { lang: 'de_DE' } }), {
    ...shared,
    view_mode: 'list,form',
    views: [
      [false, 'list'],
      [false, 'form'],
    ],
    domain: [['id', 'in', [7, 8]]],
    context: { lang: 'de_DE' },
  })
})

test('shownWindow: views, target and context of an action are kept', () => {
  const views = [[3, 'list']]
  const { target, context, views: kept } = shownWindow({ res_model: 'res.partner', views, target: 'new' })
  assert.deepEqual([target, context, kept], ['new', {}, views])
  assert.partialDeepStrictEqual(shownForm('Pay', 'res.partner'), { target: 'new', view_mode: 'form' })
})
