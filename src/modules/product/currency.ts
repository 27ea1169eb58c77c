// A second active currency switches pricelists on: prices in more than one currency need them.
import { extend, implement, type Records } from '#models'
import { featureIsOn, switchFeature } from '../base/index.ts'
import { PRICELISTS, provideLists } from './pricelist-choice.ts'

const currency = extend('res.currency', { fields: {} })

async function followCurrencies({ env }: Records<'res.currency'>): Promise<void> {
  // Currencies of a new database are no reason to switch pricelists on.
  if (env.context['server:install_mode']) return
  if (
    (await env
      .sudo()
      .model('res.currency')
      .searchCount([['active', '=', true]], 2)) < 2 ||
    (await featureIsOn(env, PRICELISTS))
  )
    return
  await switchFeature(env, PRICELISTS, true)
  await provideLists(env)
}

export default implement(currency, {
  wrapWrite: (next) => async (currencies, changes) => {
    await next(currencies, changes)
    if (changes.some(({ vals }) => vals.active)) await followCurrencies(currencies)
  },
  wrapGeneric: {
    create: (next) => async (currencies, params) => {
      const created = await next(currencies, params)
      await followCurrencies(currencies)
      return created
    },
  },
})
