// The Z report on paper (report.point_of_sale.report_session): the figures of a session, in the caller's
// language.

import { abstract, implement, type Of, type PrintBlock, type PrintDocument, type PrintRow } from '#models'
import { present } from '../../../../kit/present.ts'
import { languagesFor, letterheads, printMethods, type Written } from '../../../base/index.ts'
import { type ZReport, zReports } from './figures.ts'

const report = abstract('report.point_of_sale.report_session', {
  label: 'Point of Sale Session Report',
  fields: {},
  methods: printMethods,
})

declare module '#models' {
  interface Models {
    'report.point_of_sale.report_session': ReportSession
  }
  interface ReportSession extends Of<typeof report> {}
}

const row = (...cells: readonly string[]): PrintRow => ({ kind: 'values', cells })

/** A table of names, numbers and amounts; nothing where there are none. */
function tableOf(
  label: string,
  numbers: string,
  amounts: string,
  rows: readonly (readonly [name: string, number: string, amount: string])[],
): PrintBlock[] {
  if (rows.length === 0) return []
  const columns = [
    { label, width: 60 },
    { label: numbers, width: 20, align: 'right' },
    { label: amounts, width: 20, align: 'right' },
  ] as const
  return [{ kind: 'table', columns, rows: rows.map((cells) => row(...cells)) }]
}

function blocksOf(report: ZReport, { say, money, date }: Written): PrintBlock[] {
  const amount = (value: number) => money(value, report.currency)
  const moment = (value: string | false) => (value ? `${date(value)} ${value.slice(11, 16)} UTC` : '')
  const counted = (sums: ZReport['payments'], label: string) =>
    tableOf(
      say(label),
      say('Count'),
      say('Amount'),
      sums.map(({ name, count, total }) => [name || say('Not Categorized'), String(count), amount(total)]),
    )
  const { cash } = report
  const drawer = cash
    ? ([
        ['Opening balance', cash.opening],
        ['Cash payments', cash.paid],
        ['Cash in and out', cash.moved],
        ['Expected in the drawer', cash.expected],
        ['Counted', cash.counted],
        ['Difference', cash.difference],
      ] as const)
    : []
  return [
    { kind: 'heading', text: `${say('Z report')} ${report.name}` },
    {
      kind: 'facts',
      facts: [
        [say('Point of Sale'), report.config],
        [say('Opened By'), report.opened_by],
        [say('Opening Date'), moment(report.opened_at)],
        [say('Closing Date'), moment(report.closed_at)],
        [say('Orders'), String(report.orders)],
        [say('Refunds'), String(report.refunds)],
      ],
    },
    ...counted(report.payments, 'Payments'),
    ...tableOf(
      say('Taxes'),
      say('Base'),
      say('Amount'),
      report.taxes.map(({ name, base, tax }) => [name, amount(base), amount(tax)]),
    ),
    ...counted(report.categories, 'Sales by category'),
    ...counted(report.cashiers, 'Sales by cashier'),
    ...counted(report.hours, 'Sales by hour'),
    { kind: 'totals', rows: drawer.map(([label, value]) => ({ label: say(label), value: amount(value) })) },
    {
      kind: 'totals',
      rows: [
        { label: say('Sold'), value: amount(report.sold) },
        { label: say('Taken back'), value: amount(report.refunded) },
        ...(report.margin === false ? [] : [{ label: say('Margin'), value: amount(report.margin) }]),
        { label: say('Total'), value: amount(report.total), strong: true },
      ],
    },
  ]
}

export default implement(report, {
  methods: {
    documents: async ({ env }, { docids }) => {
      const reports = await zReports(env.model('pos.session').browse([...docids]))
      const write = (await languagesFor(env, [env.lang]))(env.lang)
      const heads = await letterheads(
        env,
        reports.map(({ company }) => company),
      )
      return reports.map(
        (report): PrintDocument => ({
          id: report.id,
          name: `Z ${report.name}`.replaceAll(/[/\\]/g, '_'),
          title: `${write.say('Z report')} ${report.name}`,
          lang: write.lang,
          ...present(heads.get(report.company)),
          blocks: blocksOf(report, write),
          page: write.say('Page'),
          final: report.state === 'closed',
        }),
      )
    },
  },
})
