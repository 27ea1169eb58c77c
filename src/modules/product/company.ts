// Where pricelists are in use, a new company has one of its own from the beginning.
import { extend, implement } from '#models'
import { featureIsOn } from '../base/index.ts'
import { PRICELISTS, provideLists } from './pricelist-choice.ts'

const company = extend('res.company', { fields: {} })

export default implement(company, {
  wrapCreate: (next) => async (companies, list) => {
    const created = await next(companies, list)
    const { env } = companies
    if (!env.context['server:install_mode'] && (await featureIsOn(env, PRICELISTS)))
      await provideLists(env, created.ids)
    return created
  },
})
