// Import and export, as clients call them (spec/models-api.md section 9).
import { UserError } from '../../errors.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { Environment } from '../language/environment.ts'
import { Rendered } from '../read/rendered.ts'
import { exportRows, exportText, longExport } from '../transfer/export.ts'
import { importRows } from '../transfer/load.ts'
import { type UpsertOutcome, upsert } from '../transfer/upsert/index.ts'
import { type GenericMethods, generic } from './bind.ts'

const EXPORTERS = 'base.group_allow_export'

/** Throws UserError for those who may not take data out in bulk. */
export function assertExporter(env: Environment): void {
  if (!env.su && !env.hasGroup(EXPORTERS))
    throw new UserError('You are not allowed to export data. Please ask an administrator.')
}

export const transferMethods: GenericMethods = {
  export_data: generic({
    doc: 'Rows of cells for records, by paths of fields such as `country_id/code`; `id` is the external id, which is created if missing.',
    params: {
      fields_to_export: required<unknown>('any', { doc: 'Paths of fields', annotation: 'list[str]' }),
    },
    returns: returns<object>('object', 'dict', 'The rows, as `datas`'),
    run: async ({ env, def, ids }, p) => {
      assertExporter(env)
      const isText = env.unit.answer.mayReturnText()
      const inLines = env.unit.answer.takePreferences().lines && env.unit.answer.mayStream()
      const long = inLines ? longExport(env, def, ids, p.fields_to_export) : null
      if (long) return long
      if (!isText) return { datas: await exportRows(env, def, ids, p.fields_to_export) }
      const rows = await exportText(env, def, ids, p.fields_to_export)
      return rows instanceof Rendered ? new Rendered(`{"datas":${rows.json}}`) : { datas: rows }
    },
  }),
  load: generic({
    doc: 'Creates and writes records from rows of texts, all of them or none, and says what is wrong by row and field. With `_import_limit` in the context so many records at a time: go on from `nextrow`.',
    level: 'model',
    params: {
      fields: required<unknown>('any', {
        doc: 'Columns: fields, paths, `id` for external ids, `.id` for ids',
        annotation: 'list[str]',
      }),
      data: required<unknown>('any', { doc: 'Rows of texts', annotation: 'list[list[str]]' }),
    },
    returns: returns<object>('object', 'dict', '`ids` (false when nothing was kept), `messages`, `nextrow`'),
    run: ({ env, def }, p) => importRows(env, def, p.fields, p.data),
  }),
  upsert: generic({
    doc: 'Creates missing records and writes existing ones, each found by its key; a record that has all the values already is not written. Returns the outcome of each row.',
    level: 'model',
    extension: 'upsert',
    params: {
      key: required<unknown>('any', {
        doc: '`external_id`, or fields that a rule of the model keeps unique, such as `["login"]`; an empty list only creates.',
        annotation: 'str | list[str]',
      }),
      vals_list: required<Record<string, unknown>[]>('valsList', {
        doc: 'Values of the records, their keys among them; 1,000 rows at most.',
        annotation: 'list[ValuesType]',
      }),
      on_error: optional<unknown>('any', 'fail', {
        doc: '`fail`: all rows or none, the error names the failing rows; `skip`: failing rows are reported, the others are saved.',
        annotation: 'str',
      }),
    },
    returns: returns<UpsertOutcome[]>(
      'array',
      'list[dict]',
      'For each row its `index`, `status` (`created`, `updated`, `unchanged`, `failed`), and `id` or `error`',
    ),
    run: ({ env, def }, p) => upsert(env, def, { key: p.key, rows: p.vals_list, onError: p.on_error }),
  }),
}
