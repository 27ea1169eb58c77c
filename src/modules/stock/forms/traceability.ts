// Where goods came from and went to (stock.traceability.report): the done details of moves of a lot, a
// transfer or a move, and step by step the ones before them.
import { type Environment, implement, type Of, optional, type Records, returns, transient } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { isId } from '../../../kit/present.ts'
import { assertWithin, limits } from '../../../limits.ts'
import { assertAllowedAndExisting } from '../../base/index.ts'

const lines = returns<readonly object[]>('array', 'list[dict]')
const named = (annotation: string) => optional<unknown>('any', null, { annotation })

const report = transient('stock.traceability.report', {
  label: 'Traceability Report',
  fields: {},
  methods: {
    get_main_lines: {
      doc: 'Done details of moves of a lot, a transfer or a move: `active_model` and `active_id` of the context.',
      level: 'model',
      readonly: true,
      params: {
        given_context: optional<unknown>('any', null, {
          doc: "Comes before the caller's context",
          annotation: 'dict | None',
        }),
      },
      returns: lines,
    },
    get_lines: {
      doc: 'Done details of moves that brought the goods of a line; those of a record where no line is named.',
      level: 'model',
      readonly: true,
      params: {
        line_id: optional<unknown>('any', false, { doc: 'A stock.move.line', annotation: 'int | bool' }),
        model_name: named('str'),
        model_id: named('int'),
        level: named('int'),
      },
      returns: lines,
    },
    get_pdf_lines: {
      doc: 'Lines that a client unfolded, as they are printed: in their order and at their levels.',
      readonly: true,
      params: { line_data: optional<readonly unknown[]>('array', [], { annotation: 'list[dict]' }) },
      returns: lines,
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.traceability.report': TraceabilityReport
  }
  interface TraceabilityReport extends Of<typeof report> {}
}

type Lines = Records<'stock.move.line'>

/** Models whose goods can be traced, and how details of moves lead to their records. */
const traced = {
  'stock.lot': 'lot_id',
  'stock.picking': 'picking_id',
  'stock.move': 'move_id',
  'stock.move.line': 'id',
} as const

/** Done details of moves that the caller may read, in the order of their days. */
async function doneLines(env: Environment, domain: readonly (readonly unknown[])[]): Promise<Lines> {
  const done = await env
    .model('stock.move.line')
    .search([['state', '=', 'done'], ...domain] as never, { order: 'date, id', limit: limits.records + 1 })
  assertWithin('records', done.length)
  return done
}

const isTraced = (model: unknown): model is keyof typeof traced =>
  typeof model === 'string' && model in traced

/** Throws InvalidValue for records of other models, MissingError and AccessError as reads do. */
async function linesOf(env: Environment, model: unknown, id: unknown): Promise<Lines> {
  if (!isTraced(model) || !isId(id))
    throw new InvalidValue(
      `Specify the record to trace: its model (one of ${Object.keys(traced).join(', ')}) and its id.`,
    )
  await assertAllowedAndExisting(env.model(model).browse([id]) as Records<'stock.move.line'>, 'read')
  return doneLines(env, [[traced[model], '=', id]])
}

/** Details of what the goods of a line were made from; else earlier details that brought goods of its lot to its place. */
async function before(env: Environment, id: number): Promise<Lines> {
  const line = env.model('stock.move.line').browse([id])
  await assertAllowedAndExisting(line, 'read')
  const { consume_line_ids, ...row } = await line.one([
    'consume_line_ids',
    'product_id',
    'lot_id',
    'location_id',
    'date',
    'move_id.move_orig_ids',
  ])
  if (consume_line_ids.length) return doneLines(env, [['id', 'in', consume_line_ids.map((one) => one.id)]])
  const goods = [
    ['product_id', '=', row.product_id.id],
    ['id', '!=', id],
  ] as const
  if (row.lot_id)
    return doneLines(env, [
      ...goods,
      ['lot_id', '=', row.lot_id.id],
      ['location_dest_id', '=', row.location_id.id],
      ['date', '<=', row.date],
    ])
  return doneLines(env, [
    ...goods,
    ['move_id', 'in', row.move_id?.move_orig_ids.map((move) => move.id) ?? []],
  ])
}

async function rowsOf(details: Lines, levelOf: (id: number) => number): Promise<object[]> {
  const rows = await details.load([
    'product_id.display_name',
    'product_uom_id.name',
    'quantity',
    'date',
    'lot_id.name',
    'reference',
    'picking_id',
    'move_id',
    'location_id.complete_name',
    'location_dest_id.complete_name',
  ])
  return rows.map((row) => ({
    id: row.id,
    model: 'stock.move.line',
    model_id: row.id,
    level: levelOf(row.id),
    unfoldable: true,
    reference: row.reference ?? false,
    res_model: row.picking_id ? 'stock.picking' : 'stock.move',
    res_id: row.picking_id?.id ?? row.move_id?.id ?? false,
    product_id: row.product_id.id,
    product_name: row.product_id.display_name,
    date: row.date,
    lot_id: row.lot_id?.id ?? false,
    lot_name: row.lot_id?.name ?? false,
    location_source: row.location_id.complete_name,
    location_destination: row.location_dest_id.complete_name,
    quantity: row.quantity,
    product_uom: row.product_uom_id.name,
  }))
}

const contextOf = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {}

/** Ids and levels of lines as clients hand them in. Throws InvalidValue for others. */
function unfolded(list: readonly unknown[]): Map<number, number> {
  assertWithin('records', list.length)
  return new Map(
    list.map((item) => {
      const { id, model_id, level } = contextOf(item)
      const line = model_id ?? id
      if (!isId(line))
        throw new InvalidValue('line_data must be a list of lines, such as [{"id": 7, "level": 1}].')
      return [line, typeof level === 'number' ? level : 1]
    }),
  )
}

export default implement(report, {
  methods: {
    get_main_lines: async ({ env }, { given_context }) => {
      const context = { ...env.context, ...contextOf(given_context) }
      return rowsOf(await linesOf(env, context.active_model ?? context.model, context.active_id), () => 1)
    },
    get_lines: async ({ env }, { line_id, model_name, model_id, level }) => {
      const depth = (typeof level === 'number' ? level : 0) + 1
      const details = isId(line_id) ? await before(env, line_id) : await linesOf(env, model_name, model_id)
      return rowsOf(details, () => depth)
    },
    get_pdf_lines: async ({ env }, { line_data }) => {
      const levels = unfolded(line_data)
      const details = env.model('stock.move.line').browse([...levels.keys()])
      await assertAllowedAndExisting(details, 'read')
      return rowsOf(details, (id) => levels.get(id) ?? 1)
    },
  },
})
