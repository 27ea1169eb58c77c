// Notes in the thread of a session (pos.session): what a till reports of a contact, and that the register was
// closed.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { assertAllowedAndExisting, assertNoneMissing, languagesFor } from '../../base/index.ts'

type Sessions = Records<'pos.session'>

const session = extend('pos.session', {
  fields: {},
  methods: {
    log_partner_message: {
      doc: 'Records in the audit log what a till did for a contact.',
      params: {
        partner_id: required<number>('integer', { annotation: 'int' }),
        action: required<string>('string', { annotation: 'str' }),
        message_type: required<string>('string', { doc: 'The kind of action', annotation: 'str' }),
      },
      returns: returns<null>('nothing', 'None'),
    },
    post_close_register_message: {
      doc: 'Records in the audit log that the register was closed, with the counted amounts.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface PosSession extends Of<typeof session> {}
}

/** Characters of an action that are noted. */
const MOST = 500

async function noteAction(
  sessions: Sessions,
  { partner_id, action, message_type }: { partner_id: number; action: string; message_type: string },
): Promise<null> {
  sessions.ensureOne()
  await assertAllowedAndExisting(sessions, 'write')
  if (action.length > MOST || message_type.length > MOST)
    throw new InvalidValue(`The action and its kind are too long: at most ${MOST} characters.`)
  const partners = sessions.env.model('res.partner').browse([partner_id])
  const rows = await partners.load(['display_name'])
  assertNoneMissing(partners, rows)
  await sessions.message_post({ body: `${rows[0]?.display_name ?? ''}: ${action} (${message_type})` })
  return null
}

async function noteClosing(sessions: Sessions): Promise<null> {
  await assertAllowedAndExisting(sessions, 'write')
  const { env } = sessions
  const {
    partner_id: { lang },
  } = await env.model('res.users').browse([env.uid]).one(['partner_id.lang'])
  const language = (await languagesFor(env, [lang]))(lang)
  const rows = await sessions.load([
    'name',
    'cash_register_balance_end_real',
    'cash_register_difference',
    'currency_id.symbol',
    'currency_id.position',
    'currency_id.decimal_places',
  ])
  for (const row of rows) {
    const money = (amount: number) =>
      row.currency_id ? language.money(amount, row.currency_id) : String(amount)
    const counted = money(row.cash_register_balance_end_real)
    await sessions.browse([row.id]).message_post({
      body: `Register closed: ${counted} counted, difference ${money(row.cash_register_difference)}.`,
    })
  }
  return null
}

export const sessionNotes = implement(session, {
  methods: { log_partner_message: noteAction, post_close_register_message: noteClosing },
})
