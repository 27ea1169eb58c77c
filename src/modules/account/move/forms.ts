// Small forms about entries: posting of several (validate.account.move), and whether bills of a vendor are
// posted by themselves (account.autopost.bills.wizard).
import {
  boolean,
  char,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  type Records,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { actionMethod, assertNoneMissing, givenIds } from '../../base/index.ts'

const validation = transient('validate.account.move', {
  label: 'Validate Account Move',
  fields: {
    move_ids: many2many('account.move', {
      label: 'Moves',
      relation: { table: 'validate_account_move_rel', column: 'form_id', other: 'move_id' },
      help: 'Drafts to post. Default: those of the context.',
    }),
    force_post: boolean({ label: 'Force', help: 'Also posts entries with a future date.' }),
  },
  methods: {
    validate_move: actionMethod('Posts the drafts of the form.'),
  },
})

const autopost = transient('account.autopost.bills.wizard', {
  label: 'Autopost Bills Wizard',
  fields: {
    partner_id: many2one('res.partner', { label: 'Vendor' }),
    partner_name: char({ label: 'Vendor Name', related: 'partner_id.name' }),
    nb_unmodified_bills: integer({ label: 'Number of Unmodified Bills' }),
  },
  methods: {
    action_automate_partner: { doc: 'Posts bills of the vendor automatically from now on.', params: {} },
    action_never_automate_partner: { doc: 'Never posts bills of the vendor automatically.', params: {} },
    action_ask_later: { doc: 'Closes the form without changing the vendor.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'validate.account.move': ValidateMove
    'account.autopost.bills.wizard': AutopostBills
  }
  interface ValidateMove extends Of<typeof validation> {}
  interface AutopostBills extends Of<typeof autopost> {}
}

export const validateMove = implement(validation, {
  defaults: {
    move_ids: (env) => (env.context.active_model === 'account.move' ? givenIds(env.context.active_ids) : []),
  },
  methods: {
    validate_move: async (forms) => {
      forms.ensureOne()
      const { move_ids: moves } = await forms.one(['move_ids.state'])
      const drafts = moves.filter(({ state }) => state === 'draft').map(({ id }) => id)
      if (drafts.length === 0) throw new UserError('No drafts selected: choose the drafts to post.')
      await forms.env.model('account.move').browse(drafts).action_post()
      return { type: 'ir.actions.act_window_close' }
    },
  },
})

async function setAutopost(
  forms: Records<'account.autopost.bills.wizard'>,
  autopost_bills: 'always' | 'never',
): Promise<null> {
  const { partner_id: vendor } = await forms.one(['partner_id'])
  if (vendor) await forms.env.model('res.partner').browse([vendor.id]).write({ autopost_bills })
  return null
}

export const autopostBills = implement(autopost, {
  methods: {
    action_automate_partner: (forms) => setAutopost(forms, 'always'),
    action_never_automate_partner: (forms) => setAutopost(forms, 'never'),
    action_ask_later: async (forms) => {
      assertNoneMissing(forms, await forms.load(['partner_id']))
      return null
    },
  },
})
