// Files of posted vendor documents (ir.attachment): what was received stays, as the figures do.
import { extend, idsWhere, implement, type Records } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Fields that say what a file holds, and where it belongs. */
const EVIDENCE = [
  ...['name', 'type', 'url', 'raw', 'datas', 'mimetype'],
  ...['public', 'res_model', 'res_field', 'res_id'],
]

/** Refuses (`Unit.check`) with a UserError where people touch files of posted vendor documents. */
function assertNoneReceived({ env }: Records<'ir.attachment'>, ids: readonly number[]): void {
  if (!env.direct || env.su || ids.length === 0) return
  env.unit.buffer.check(
    sql`SELECT 1 FROM ir_attachment a JOIN account_move m ON m.id = a.res_id
      WHERE a.id = ANY(${idList(ids)}) AND a.res_model = 'account.move' AND m.state = 'posted'
        AND m.move_type IN ('in_invoice', 'in_refund', 'in_receipt')`,
    () =>
      new UserError(
        'A file of a posted vendor document cannot be changed: add another file, or reset the document to draft first.',
      ),
  )
}

export default implement(extend('ir.attachment', { fields: {} }), {
  wrapWrite: (next) => async (files, changes) => {
    assertNoneReceived(
      files,
      idsWhere(changes, (vals) => EVIDENCE.some((name) => name in vals)),
    )
    await next(files, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (files, params) => {
      assertNoneReceived(files, files.ids)
      return next(files, params)
    },
  },
})
