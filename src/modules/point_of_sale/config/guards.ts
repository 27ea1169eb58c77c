// Checks of points of sale, and fields that cannot change while a session is open.
import type { Environment, Records, WriteChange } from '#models'
import { AccessError, UserError, ValidationError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

type Configs = Records<'pos.config'>

/** Fields on which an open session relies. */
const frozen = ['active', 'payment_method_ids', 'module_pos_restaurant', 'company_id', 'journal_id'] as const
const ofAdministrators = ['receipt_header', 'receipt_footer'] as const

/**
 * Throws UserError for what stays while a session is open, AccessError for what is the administrators' to
 * say.
 */
export async function assertChanges(configs: Configs, changes: readonly WriteChange[]): Promise<void> {
  const { env } = configs
  if (
    !env.su &&
    !env.hasGroup('base.group_system') &&
    changes.some(({ vals }) => ofAdministrators.some((name) => name in vals))
  )
    throw new AccessError('Only administrators may change headers and footers of receipts.')
  const ids = changes
    .filter(({ vals }) => frozen.some((name) => name in vals))
    .flatMap((change) => change.ids)
  if (ids.length === 0) return
  const open = await env.rows(
    sql`SELECT 1 FROM pos_session WHERE config_id = ANY(${idList(ids)}) AND state <> 'closed' LIMIT 1`,
    { reads: ['pos.session'], row: ['int'] },
  )
  if (open.length)
    throw new UserError(
      'This point of sale has an open session: close it before you change payment methods, journals or the company.',
    )
}

/** Throws ValidationError for a point of sale with an open session, or one that has sold. */
export async function assertRemovable(configs: Configs): Promise<void> {
  const sold = await configs.env.rows(
    sql`SELECT 1 FROM pos_session WHERE config_id = ANY(${idList(configs.ids)}) LIMIT 1`,
    { reads: ['pos.session'], row: ['int'] },
  )
  if (sold.length)
    throw new ValidationError('A point of sale with sessions cannot be deleted: archive it instead.')
}

const paths = [
  'name',
  'company_id.currency_id',
  'journal_id.currency_id',
  'invoice_journal_id.currency_id',
  'use_pricelist',
  'pricelist_id.currency_id',
  'available_pricelist_ids.currency_id',
  'cash_rounding',
  'rounding_method.strategy',
  'payment_method_ids.company_id',
  'payment_method_ids.journal_id.type',
  'payment_method_ids.journal_id.currency_id',
  'payment_method_ids.journal_id.profit_account_id',
  'payment_method_ids.journal_id.loss_account_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env.sudo().model('pos.config').browse(ids).load(paths)
type Config = Awaited<ReturnType<typeof load>>[number]

/**
 * Throws ValidationError for points of sale that do not fit together. Three statements, however many there
 * are.
 */
export async function assertSound(env: Environment, ids: readonly number[]): Promise<void> {
  for (const config of await load(env, ids)) assertOne(config)
  const shared = await env.rows(
    sql`SELECT m.name->>'en_US' FROM pos_config_pos_payment_method_rel r
    JOIN pos_payment_method m ON m.id = r.pos_payment_method_id JOIN account_journal j ON j.id = m.journal_id AND j.type = 'cash'
    WHERE r.pos_config_id = ANY(${idList([...ids])}) AND EXISTS (
      SELECT FROM pos_config_pos_payment_method_rel x JOIN pos_payment_method o ON o.id = x.pos_payment_method_id
      WHERE o.journal_id = m.journal_id AND (x.pos_config_id <> r.pos_config_id OR o.id <> m.id)) LIMIT 1`,
    { reads: ['pos.payment.method', 'account.journal'], row: ['text'] },
  )
  if (shared.length)
    throw new ValidationError(
      `The drawer of ${shared[0]?.[0]} is already used by another point of sale or payment method: choose another one.`,
    )
}

function assertOne(config: Config): void {
  const refuse = (message: string): never => {
    throw new ValidationError(message)
  }
  const companyCurrency = config.company_id.currency_id.id
  const currency = config.journal_id?.currency_id?.id ?? companyCurrency
  if (
    config.invoice_journal_id &&
    (config.invoice_journal_id.currency_id?.id ?? companyCurrency) !== currency
  )
    refuse('The journals of a point of sale must have the same currency.')
  const lists = config.available_pricelist_ids
  if (config.use_pricelist && !config.pricelist_id)
    refuse('A point of sale that uses pricelists needs a default one.')
  if (config.use_pricelist && !lists.some(({ id }) => id === config.pricelist_id?.id))
    refuse('The default pricelist must be among the available ones.')
  if (
    [...lists, ...(config.pricelist_id ? [config.pricelist_id] : [])].some(
      (list) => list.currency_id.id !== currency,
    )
  )
    refuse('Pricelists of a point of sale must have its currency.')
  if (config.cash_rounding && config.rounding_method?.strategy !== 'add_invoice_line')
    refuse('The cash rounding of a point of sale must add a rounding line.')
  for (const { journal_id: journal, company_id: company } of config.payment_method_ids) {
    if (company.id !== config.company_id.id)
      refuse('Payment methods must belong to the company of the point of sale.')
    if (journal && (journal.currency_id?.id ?? companyCurrency) !== currency)
      refuse('Payment methods must have the currency of the point of sale.')
    if (journal?.type === 'cash' && !(journal.profit_account_id && journal.loss_account_id))
      refuse('The journal of a drawer needs accounts for profits and losses of counts.')
  }
}
