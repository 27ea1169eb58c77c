// Working hours that a database begins with, and rights to working hours.
import { companyIds, type DataSet, dataSet, recordRules, ruleDomain } from '#models'
import { accessLines, companyRule, ofCompaniesOrNone } from '../base/index.ts'

const hours = dataSet(
  'resource.calendar',
  { resource_calendar_std: { name: 'Standard 40 hours/week', company_id: false } },
  { noupdate: true },
)

const rights = { 'base.group_user': 'r', 'base.group_system': 'rwcd' } as const
const access = accessLines({
  'resource.calendar': rights,
  'resource.calendar.attendance': rights,
  'resource.calendar.leaves': rights,
  'resource.resource': rights,
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: recordRules(
    {
      'resource.calendar': ofCompaniesOrNone,
      'resource.calendar.attendance': ruleDomain([
        '|',
        ['calendar_id.company_id', '=', false],
        ['calendar_id.company_id', 'in', companyIds],
      ]),
      'resource.calendar.leaves': ofCompaniesOrNone,
      'resource.resource': ofCompaniesOrNone,
    },
    companyRule,
  ),
}

export const data: readonly DataSet[] = [access, rules, hours]
