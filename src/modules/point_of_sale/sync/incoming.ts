// Parses orders that tills send, without values that only the server may set. Pure functions.

import { InvalidValue } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { shown } from '../../../kit/text.ts'

type Fields = Readonly<Record<string, unknown>>

/** A command on a line or payment: what is new, or what changes. */
export interface Entry {
  /** Null for what is new, or only known by its uuid. */
  readonly id: number | null
  readonly uuid: string | null
  readonly vals: Fields
}

export interface Incoming {
  readonly uuid: string | null
  readonly session: number
  readonly paid: boolean
  readonly partner: number | null
  readonly toInvoice: boolean
  /** Money given back, negative. */
  readonly change: number
  readonly total: number
  readonly tax: number
  /** Values that the order keeps unchanged. */
  readonly vals: Fields
  readonly lines: readonly Entry[]
  readonly payments: readonly Entry[]
  /** Other commands on lines, such as deletions of what a draft had. */
  readonly otherLines: readonly (readonly unknown[])[]
  readonly otherPayments: readonly (readonly unknown[])[]
  /** Parts of combos: the uuid of each by that of the line it belongs to. */
  readonly comboParents: ReadonlyMap<string, string>
}

/** The server's own: names, ids, states, what follows from other records. */
const ofServer = new Set([
  'id',
  'name',
  'state',
  'lines',
  'payment_ids',
  'session_id',
  'config_id',
  'company_id',
  'currency_id',
  'currency_rate',
  'relations_uuid_mapping',
  'refunded_order_id',
  'account_move',
  'session_move_id',
  'partner_id',
  'to_invoice',
  'amount_difference',
  'price_check',
  'checked_total',
  'checked_tax',
  'picking_ids',
  'order_id',
  'pos_order_id',
  'total_cost',
  'is_total_cost_computed',
  'combo_parent_id',
  'combo_line_ids',
  'refund_orderline_ids',
  'custom_attribute_value_ids',
  'is_change',
  'account_move_id',
  'create_date',
  'create_uid',
  'write_date',
  'write_uid',
  'display_name',
])

/** Values that a till may set; among those of the server, the ones in `keep`. */
const allowed = (vals: Fields, keep: readonly string[] = []): Fields =>
  Object.fromEntries(Object.entries(vals).filter(([name]) => keep.includes(name) || !ofServer.has(name)))

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** The id of a many2one as tills write it: an id, a pair, or nothing. */
export function idOf(value: unknown): number | null {
  const id = Array.isArray(value) ? value[0] : value
  return isInteger(id) && id > 0 ? id : null
}

/**
 * A number that a till sent, 0 for none. Throws InvalidValue for anything else: a text that is stored as a
 * number would count for nothing where amounts are judged.
 */
export function numeric(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value === undefined || value === null || value === false) return 0
  throw new InvalidValue(`Amounts and quantities of an order are numbers, not ${shown(value, 80)}.`)
}

function commandsOf(vals: Fields, name: string): { entries: Entry[]; others: (readonly unknown[])[] } {
  const commands = vals[name] ?? []
  const [entries, others]: [Entry[], (readonly unknown[])[]] = [[], []]
  if (commands === false) return { entries, others }
  if (!Array.isArray(commands)) throw new InvalidValue(`${name} of an order must be a list of commands.`)
  for (const command of commands) {
    if (!Array.isArray(command))
      throw new InvalidValue(`${name} of an order must be a list of commands such as [0, 0, {…}].`)
    const [kind, id, values] = command as readonly unknown[]
    if (kind !== 0 && kind !== 1) others.push(command)
    else if (!isObject(values)) throw new InvalidValue(`A command on ${name} needs an object of values.`)
    else
      entries.push({
        id: kind === 1 ? idOf(id) : null,
        uuid: textOf(values.uuid),
        vals: allowed(values, name === 'payment_ids' ? ['name'] : []),
      })
  }
  return { entries, others }
}

/**
 * Lines that are not stored yet refer to each other by uuid, in `relations_uuid_mapping` or as values of
 * their own.
 */
function comboParentsOf(vals: Fields): Map<string, string> {
  const parents = new Map<string, string>()
  const mapping = vals.relations_uuid_mapping
  const mapped = isObject(mapping) ? mapping['pos.order.line'] : undefined
  const lines = (Array.isArray(vals.lines) ? vals.lines : []).flatMap((command: unknown) => {
    const line: unknown = Array.isArray(command) ? command[2] : undefined
    return isObject(line) && typeof line.uuid === 'string' ? [[line.uuid, line] as const] : []
  })
  for (const [uuid, relations] of [...lines, ...Object.entries(isObject(mapped) ? mapped : {})]) {
    if (!isObject(relations)) continue
    const parts = relations.combo_line_ids
    if (Array.isArray(parts)) for (const part of parts) if (typeof part === 'string') parents.set(part, uuid)
    if (typeof relations.combo_parent_id === 'string') parents.set(uuid, relations.combo_parent_id)
  }
  return parents
}

const STATES: readonly unknown[] = ['draft', 'paid', 'done', 'invoiced', undefined]

/**
 * Takes one order apart, with quantities as they will be stored: closing computes amounts from these. Throws
 * InvalidValue for what is not an order.
 */
export function parseOrder(sent: unknown, roundQuantity: (quantity: number) => number): Incoming {
  if (!isObject(sent)) throw new InvalidValue('Orders must be objects.')
  if (!STATES.includes(sent.state))
    throw new InvalidValue(`Tills send orders as draft or paid, not as ${shown(sent.state, 80)}.`)
  const day = sent.date_order
  if (typeof day === 'string' && (day < '1900' || day >= '2200'))
    throw new InvalidValue(
      `An order has the date ${shown(day, 40)}: correct the clock of the till, and send the order again.`,
    )
  const session = idOf(sent.session_id)
  if (session === null) throw new InvalidValue('The session of the order is required.')
  const lines = commandsOf(sent, 'lines')
  const payments = commandsOf(sent, 'payment_ids')
  return {
    uuid: textOf(sent.uuid),
    session,
    paid: sent.state !== undefined && sent.state !== 'draft',
    partner: idOf(sent.partner_id),
    toInvoice: sent.to_invoice === true,
    change: numeric(sent.amount_return),
    total: numeric(sent.amount_total),
    tax: numeric(sent.amount_tax),
    vals: allowed(sent),
    lines: lines.entries.map(({ vals, ...line }) => ({
      ...line,
      vals: typeof vals.qty === 'number' ? { ...vals, qty: roundQuantity(vals.qty) } : vals,
    })),
    payments: payments.entries,
    otherLines: lines.others,
    otherPayments: payments.others,
    comboParents: comboParentsOf(sent),
  }
}

/**
 * An order that is sent several times in one call counts once: as paid if any of them is, else as the
 * last one.
 */
export function oncePerUuid(orders: readonly Incoming[]): Incoming[] {
  const once = new Map<string | object, Incoming>()
  for (const order of orders) {
    const previous = order.uuid === null ? undefined : once.get(order.uuid)
    if (!previous?.paid) once.set(order.uuid ?? {}, order)
  }
  return [...once.values()]
}
