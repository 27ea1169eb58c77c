// The report on sales (report.point_of_sale.report_saledetails), as clients ask for it.
import { abstract, type Environment, implement, type Of, optional, returns } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { isMoment } from '../../../kit/dates.ts'
import { givenIds } from '../../base/index.ts'
import { saleDetails } from './details.ts'

const anything = (annotation: string) => optional<unknown>('any', false, { annotation })

const report = abstract('report.point_of_sale.report_saledetails', {
  label: 'Point of Sale Details',
  fields: {},
  methods: {
    get_sale_details: {
      doc: 'Sales and payments of sessions or of a span of time.',
      level: 'model',
      readonly: true,
      params: {
        date_start: anything('str | bool'),
        date_stop: anything('str | bool'),
        config_ids: anything('list[int] | bool'),
        session_ids: anything('list[int] | bool'),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'report.point_of_sale.report_saledetails': ReportSaleDetails
  }
  interface ReportSaleDetails extends Of<typeof report> {}
}

function moment(value: unknown): string | null {
  if (value === false || value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || !isMoment(value))
    throw new InvalidValue('Invalid date for the report: use a form such as 2026-01-31 00:00:00.')
  return value
}

/** Selection of a report, from the arguments of clients. */
const askedOf = (
  env: Environment,
  params: { date_start: unknown; date_stop: unknown; config_ids: unknown; session_ids: unknown },
) =>
  saleDetails(env, {
    sessions: givenIds(params.session_ids),
    configs: givenIds(params.config_ids),
    from: moment(params.date_start),
    to: moment(params.date_stop),
  })

export default implement(report, {
  methods: { get_sale_details: (reports, params) => askedOf(reports.env, params) },
})
