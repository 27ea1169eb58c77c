// Methods of reports (ir.actions.report) that clients call: which apply to records, their paper, and the
// copies that are kept.
import {
  type Environment,
  extend,
  implement,
  type ModelName,
  type Of,
  type Records,
  required,
  returns,
} from '#models'
import { UserError, unknownModel } from '../../../errors.ts'
import { evaluate, parseExpression } from '../../../kit/expression/index.ts'
import { assertAllowedAndExisting } from '../rights/refusal.ts'

const paper = returns<number | false>('any', 'int | bool')

const report = extend('ir.actions.report', {
  fields: {},
  methods: {
    get_wkhtmltopdf_state: {
      doc: 'Whether documents can be printed as PDF: the server has its own printer, which is always there.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    get_valid_action_reports: {
      doc: 'Returns the reports whose domain matches one of the records, or that have none.',
      readonly: true,
      params: {
        model: required<string>('string', { annotation: 'str' }),
        record_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }),
      },
      returns: returns<number[]>('ids', 'list[int]'),
    },
    retrieve_attachment: {
      doc: 'Returns the stored copy of the printed document of a record, if there is one.',
      readonly: true,
      params: { record: required<number>('integer', { doc: 'Id of the record', annotation: 'int' }) },
      returns: returns<number | false>('any', 'int | bool'),
    },
    get_paperformat: {
      doc: 'Returns the paper format of a report, or else that of the company.',
      readonly: true,
      params: {},
      returns: paper,
    },
    get_paperformat_by_xmlid: {
      doc: 'Returns the paper format of the report with an external id; that of the company if the id is empty.',
      level: 'model',
      readonly: true,
      params: { xml_id: required<unknown>('any', { annotation: 'str | bool' }) },
      returns: paper,
    },
  },
})

declare module '#models' {
  interface Report extends Of<typeof report> {}
}

type Reports = Records<'ir.actions.report'>

/** The domain of a report as a list. Throws UserError for a text that is no list. */
function conditionOf(name: string, text: string | null): readonly unknown[] {
  const condition: unknown = text?.trim() ? evaluate(parseExpression(text.trim()), {}) : []
  if (Array.isArray(condition)) return condition
  throw new UserError(`The domain of the report ${name} is not a list: ${text}`)
}

/** Reports about a model that apply to one of its records at least. */
async function applying(reports: Reports, model: string, record_ids: readonly number[]): Promise<number[]> {
  const { env } = reports
  const def = env.unit.registry.get(model)
  if (!def) throw unknownModel(model)
  const valid: number[] = []
  for (const { id, name, domain, model: subject } of await reports.load(['name', 'domain', 'model'])) {
    if (subject !== model) continue
    const condition = conditionOf(name, domain)
    const fitting = [['id', 'in', record_ids], ...condition]
    const count = condition.length
      ? await env.model(def.name as ModelName).invoke('search_count', { domain: fitting, limit: 1 })
      : 1
    if (Number(count) > 0) valid.push(id)
  }
  return valid
}

/** The id of a format of paper, or false where neither report nor company says one. */
async function paperOf(env: Environment, reports: Reports | null): Promise<number | false> {
  const paperFormat = reports && (await reports.one(['paperformat_id'])).paperformat_id
  if (paperFormat) return paperFormat.id
  const company = await env.sudo().model('res.company').browse([env.companyId]).one(['paperformat_id'])
  return company.paperformat_id?.id ?? false
}

/** The report with an external id. Throws UserError for other ids. */
async function reportNamed({ env }: Reports, xmlid: string): Promise<Reports> {
  const reports = env.model('ir.actions.report').browse([(await env.find(xmlid)) ?? 0])
  if ((await reports.exists()).length === 0) throw new UserError(`Unknown report ${xmlid}.`)
  await assertAllowedAndExisting(reports, 'read')
  return reports
}

/** The copy of a printed document that is kept with its record, the last one. */
async function copyOf(reports: Reports, record: number): Promise<number | false> {
  const { model, report_name } = await reports.one(['model', 'report_name'])
  const { ids } = await reports.env.model('ir.attachment').search(
    [
      ['res_model', '=', model],
      ['res_id', '=', record],
      ['sealed', '=', true],
      ['description', '=like', `print:${report_name}:%`],
    ],
    { order: 'id desc', limit: 1 },
  )
  return ids[0] ?? false
}

export const reportMethods = implement(report, {
  methods: {
    get_wkhtmltopdf_state: () => 'ok',
    get_valid_action_reports: (reports, { model, record_ids }) => applying(reports, model, record_ids),
    get_paperformat: (reports) => paperOf(reports.env, reports),
    get_paperformat_by_xmlid: async (reports, { xml_id }) =>
      paperOf(reports.env, typeof xml_id === 'string' && xml_id ? await reportNamed(reports, xml_id) : null),
    retrieve_attachment: (reports, { record }) => copyOf(reports, record),
  },
})
