// Charts over the API (account.chart.template): an administrator of accounting begins the books of a company.
import { abstract, implement, type Of, optional, required, returns } from '#models'
import { AccessError, UserError } from '../../errors.ts'
import { chartCodes, chartOf } from './chart/charts.ts'
import { loadChart } from './chart/load.ts'

const chartTemplate = abstract('account.chart.template', {
  label: 'Account Chart Template',
  fields: {},
  methods: {
    try_loading: {
      doc: 'Loads a chart of accounts into a company that has none. A company with a chart keeps it.',
      level: 'model',
      params: {
        template_code: required<string>('string', { doc: 'generic_coa', annotation: 'str' }),
        company: optional<number | false | null>('any', null, {
          doc: 'A company of the caller; the current one when left out',
          annotation: 'int',
        }),
        install_demo: optional<boolean>('boolean', false, {
          doc: 'Accepted for compatibility, without effect: charts have no demonstration data',
        }),
        force_create: optional<boolean>('boolean', true, {
          doc: 'Accepted for compatibility, without effect: a chart is always loaded completely',
        }),
      },
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.chart.template': ChartTemplate
  }
  interface ChartTemplate extends Of<typeof chartTemplate> {}
}

export default implement(chartTemplate, {
  methods: {
    try_loading: async ({ env }, { template_code, company }) => {
      if (!env.su && !env.hasGroup('account.group_account_manager'))
        throw new AccessError('Only administrators of accounting may load a chart of accounts.')
      if (!chartOf(template_code))
        throw new UserError(
          `Unknown chart of accounts ${JSON.stringify(template_code)}. Available: ${chartCodes.join(', ')}.`,
        )
      const companyId = company || env.companyId
      if (!env.su && !env.user.companyIds.includes(companyId))
        throw new AccessError('Access to unauthorized or invalid companies.')
      await loadChart(env, template_code, companyId)
      return null
    },
  },
})
