// Companies (res.company): when tills move stock.
import { boolean, extend, implement, type Of, type Records, selection } from '#models'
import { ValidationError } from '../../errors.ts'
import { assertAllowedAndExisting } from '../base/index.ts'

const company = extend('res.company', {
  fields: {
    point_of_sale_update_stock_quantities: selection(
      { closing: 'At the session closing', real: 'In real time' },
      {
        label: 'Update quantities in stock',
        default: 'real',
        help: 'When goods that are sold leave the stock.',
      },
    ),
    point_of_sale_use_ticket_qr_code: boolean({ label: 'Self-service invoicing', default: true }),
    point_of_sale_ticket_unique_code: boolean({ label: 'Generate a code on ticket' }),
    point_of_sale_ticket_portal_url_display_mode: selection(
      { qr_code: 'QR code', url: 'URL', qr_code_and_url: 'QR code + URL' },
      { label: 'Print', required: true, default: 'qr_code_and_url' },
    ),
  },
  methods: {
    validate_lock_dates: {
      doc: 'Raises an error if the lock date covers the opening date of a session that is still open.',
      params: {},
    },
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

const locks = ['fiscalyear_lock_date', 'tax_lock_date', 'sale_lock_date', 'hard_lock_date'] as const

/** Throws ValidationError for sessions that are closed into a locked period. */
async function assertSessionsClosed(companies: Records<'res.company'>): Promise<null> {
  await assertAllowedAndExisting(companies, 'read')
  for (const row of await companies.load([...locks])) {
    const day = locks
      .flatMap((lock) => row[lock] ?? [])
      .sort()
      .at(-1)
    if (!day) continue
    const sessions = await companies.env
      .sudo()
      .model('pos.session')
      .search(
        [
          ['config_id.company_id', '=', row.id],
          ['state', '!=', 'closed'],
          ['start_at', '<=', `${day} 23:59:59`],
        ],
        { limit: 1 },
      )
    const [session] = await sessions.load(['name'])
    if (session)
      throw new ValidationError(
        `The session ${session.name} of the days up to ${day} is open: close it before you lock them.`,
      )
  }
  return null
}

export default implement(company, { methods: { validate_lock_dates: assertSessionsClosed } })
