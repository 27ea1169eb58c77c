// Bank accounts that a company sets up with their journals, and addresses of what has no page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../test/support/ledger.ts'

let office: Accounting
let { ask, make, read, search } = {} as Ledger
before(async () => {
  office = await openAccounting()
  ;({ ask, make, read, search } = ledgerOf(office))
})
after(() => office?.close())
const SETUP = 'account.setup.bank.manual.config'

test('account.setup.bank.manual.config: an account goes to a journal that waits, or to a new one', async () => {
  const waiting = await ask<number | null>(`${SETUP}/default_linked_journal_id`, {
    ids: [],
    journal_type: 'bank',
  })
  const form = async (vals: object): Promise<number> => {
    const { status, body } = await office.call('boss', `${SETUP}/create`, { vals_list: [vals] })
    assert.equal(status, 200, JSON.stringify(body))
    return (body as number[])[0] as number
  }
  const shown = async (id: number): Promise<Row> =>
    ((await office.call('boss', `${SETUP}/read`, { ids: [id], load: null })).body as Row[])[0] ?? {}
  const first = await form({
    acc_number: 'BE42 0001',
    linked_journal_id: waiting,
    new_journal_name: 'House bank',
  })
  const { num_journals_without_account_bank: open } = await shown(first)
  assert.deepEqual((await office.call('boss', `${SETUP}/validate`, { ids: [first] })).body, {
    type: 'ir.actions.act_window_close',
  })
  const journal = await read('account.journal', Number(waiting), ['name', 'bank_acc_number'])
  assert.deepEqual([journal.name, journal.bank_acc_number], ['House bank', 'BE42 0001'])
  const second = await form({ acc_number: 'BE42 0002' })
  const row = await shown(second)
  assert.deepEqual(
    [row.new_journal_name, row.num_journals_without_account_bank],
    ['BE42 0002', Number(open) - 1],
  )
  await office.call('boss', `${SETUP}/set_linked_journal_id`, { ids: [second] })
  const [created] = await search('account.journal', [['bank_acc_number', '=', 'BE42 0002']], ['name', 'type'])
  assert.deepEqual([created?.name, created?.type], ['BE42 0002', 'bank'])
  const stranger = await form({
    acc_number: 'BE42 0003',
    partner_id: await make('res.partner', { name: 'Mill' }),
  })
  const refused = await office.call('boss', `${SETUP}/validate`, { ids: [stranger] })
  assert.match(JSON.stringify(refused.body), /belongs to another contact/)
  const company_id = await make('res.company', { name: 'Elsewhere' })
  const theirs = await make('account.journal', { name: 'Theirs', code: 'THR', type: 'bank', company_id })
  const [{ company_id: home } = {}] = await search('account.journal', [['id', '=', waiting]], ['company_id'])
  const context = { allowed_company_ids: [home, company_id] }
  const vals_list = [{ acc_number: 'BE42 0004', linked_journal_id: theirs }]
  const ids = await ask<number[]>(`${SETUP}/create`, { vals_list, context })
  const crossed = await office.call('admin', `${SETUP}/validate`, { ids, context })
  assert.equal(crossed.status, 422, JSON.stringify(crossed.body))
  assert.match(JSON.stringify(crossed.body), /belongs to another contact/)
  assert.equal((await office.call('biller', `${SETUP}/create`, { vals_list: [{}] })).status, 403)
})

test('get_portal_url: journals share a token, lines of the bank the address of their entry', async () => {
  const [journal] = await search('account.journal', [['type', '=', 'bank']], ['id'])
  const id = Number(journal?.id)
  const url = await ask<string>('account.journal/get_portal_url', { ids: [id] })
  const { access_token: token, access_url: path } = await read('account.journal', id, [
    'access_token',
    'access_url',
  ])
  assert.deepEqual([url, path], [`#?access_token=${token}`, '#'])
  const line = await make('account.bank.statement.line', { journal_id: id, amount: 5, payment_ref: 'Sale' })
  const { move_id: move } = await read('account.bank.statement.line', line, ['move_id'])
  const address = await ask<string>('account.bank.statement.line/get_portal_url', { ids: [line] })
  assert.match(address, new RegExp(`^/my/invoices/${move}\\?access_token=`))
})

test('threads: analytic accounts, reconciliation models and entries separate user messages from changes', async () => {
  const company = (await ask<Row[]>('res.company/search_read', { domain: [], fields: ['id'] }))[0]?.id
  const plan = await make('account.analytic.plan', { name: 'Projects' })
  const records = [
    ['account.analytic.account', await make('account.analytic.account', { name: 'Bridge', plan_id: plan })],
    ['account.reconcile.model', await make('account.reconcile.model', { name: 'Fees', company_id: company })],
  ] as const
  for (const [model, id] of records) {
    const [message] = await ask<number[]>(`${model}/message_post`, {
      ids: [id],
      body: 'Look',
      message_type: 'comment',
    })
    const row = await read(model, id, ['message_ids', 'website_message_ids'])
    assert.deepEqual(row.website_message_ids, [message])
    assert.ok((row.message_ids as number[]).length > 1)
  }
  const entry = await make('account.move', {})
  await ask('account.move/message_post', { ids: [entry], body: 'Look', message_type: 'comment' })
  const row = await read('account.move', entry, ['message_ids', 'audit_trail_message_ids'])
  assert.equal((row.message_ids as number[]).length, 2)
  assert.equal((row.audit_trail_message_ids as number[]).length, 1)
})
