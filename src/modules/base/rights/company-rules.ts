// Rules by companies that many modules share: records of the caller's companies, and those of none.
import { companyIds, ruleDomain } from '#models'

/** Domain of records of the caller's companies. */
export const ofCompanies = ruleDomain([['company_id', 'in', companyIds]])

/** Domain of records of the caller's companies, and of records without a company. */
export const ofCompaniesOrNone = ruleDomain([
  '|',
  ['company_id', '=', false],
  ['company_id', 'in', companyIds],
])

/** External id and name of the company rule of a model. */
export const companyRule = (model: string) => ({
  id: `${model.replaceAll('.', '_')}_comp_rule`,
  name: `${model} of the companies`,
})
