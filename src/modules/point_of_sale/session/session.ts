// Implementation of sessions (pos.session). Opening: opening.ts; figures: figures.ts; cash: cash.ts;
// closing: ../closing/.
import { computed, implement, type Records, type Vals } from '#models'
import { assertAllowed } from '../../base/index.ts'
import { closeFromUi, closeWithForm } from '../closing/close.ts'
import { countCash, startClosing } from '../closing/count.ts'
import { zReports } from '../reports/z/figures.ts'
import { sessionWritable } from '../writable.ts'
import { cashMoves, moveCash, noteOpened } from './cash.ts'
import { closingData, totalDiscount } from './closing-data.ts'
import { session } from './contract.ts'
import { figures } from './figures.ts'
import { deleteUnused, setOpeningControl, withSessionValues } from './opening.ts'

type Sessions = Records<'pos.session'>

export default implement(session, {
  writable: sessionWritable,
  defaults: { user_id: (env) => env.uid },
  computed: {
    ...figures,
    is_in_company_currency: computed(
      session,
      ['currency_id', 'company_id.currency_id'],
      (session) => session.currency_id?.id === session.company_id?.currency_id.id,
    ),
  },
  methods: {
    set_opening_control: (sessions, { cashbox_value, notes }) =>
      setOpeningControl(sessions, cashbox_value, notes || null),
    delete_opening_control_session: deleteUnused,
    get_closing_control_data: closingData,
    get_total_discount: totalDiscount,
    get_z_report: zReports,
    post_closing_cash_details: (sessions, { counted_cash }) => countCash(sessions, counted_cash),
    update_closing_control_state_session: (sessions, { notes }) => startClosing(sessions, notes || null),
    close_session_from_ui: (sessions, { bank_payment_method_diff_pairs }) =>
      closeFromUi(sessions, bank_payment_method_diff_pairs),
    action_pos_session_closing_control: (sessions, params) => closeWithForm(sessions, params),
    try_cash_in_out: (sessions, params) => moveCash(sessions, params),
    note_drawer_opened: (sessions, { reason }) => noteOpened(sessions, reason),
    get_cash_in_out_list: cashMoves,
  },
  wrapGeneric: {
    create: (next) => async (sessions, params) => {
      await assertAllowed(sessions.browse([]), 'create')
      const list = params.vals_list as readonly Vals<'pos.session'>[]
      return (await next(sessions, {
        ...params,
        vals_list: await withSessionValues(sessions.env, list),
      })) as Sessions
    },
  },
})
