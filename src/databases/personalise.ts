// Personalising: turns a copy of a template into a database of its own.
import { UserError } from '../errors.ts'
import { nowUtc } from '../kit/dates.ts'
import { hashPassword } from '../kit/secrets.ts'
import { flush } from '../models/compute/recompute.ts'
import type { Environment } from '../models/index.ts'
import { BASE_LANGUAGE } from '../models/unit/environment.ts'
import { sql } from '../sql/index.ts'
import type { CreateOptions } from './maker.ts'
import { renew, setParameter } from './renew.ts'

/** Makes a copy of the template a database of its own: identity, administrator, language, country. */
export async function personalise(env: Environment, options: CreateOptions, baseUrl?: string): Promise<void> {
  const { login = 'admin', password = 'admin', lang = 'en_US', country, phone } = options
  assertAccount(login, phone)
  await renew(env)
  if (baseUrl) await setParameter(env, 'web.base.url', baseUrl)
  await setParameter(env, 'database.create_date', nowUtc(env.now()))
  const [language] = await env.query<[number]>(
    sql`UPDATE res_lang SET active = true WHERE code = ${lang} RETURNING id`,
  )
  if (!language) throw new UserError(`Unknown language ${JSON.stringify(lang)}: use a code such as en_US.`)
  if (lang !== BASE_LANGUAGE) await installLanguage(env, language[0])
  const admin = await env.ref('base.user_admin')
  const email = login.includes('@') ? login : null
  await env.query(
    sql`UPDATE res_users SET login = ${login}, password = ${await hashPassword(password)} WHERE id = ${admin}`,
  )
  await env.query(
    sql`UPDATE res_partner SET lang = ${lang}, email = COALESCE(${email}, email) WHERE id IN (SELECT partner_id FROM res_users WHERE id = ${admin})`,
  )
  const company = await env.ref('base.main_company')
  if (email)
    await env.query(
      sql`UPDATE res_partner SET email = ${email} WHERE id IN (SELECT partner_id FROM res_company WHERE id = ${company})`,
    )
  const partner = env.model('res.company' as never).browse([company]) as unknown as {
    write(vals: Record<string, unknown>): Promise<void>
  }
  if (phone) await partner.write({ phone })
  if (country) await settle(env, company, country, partner)
  await flush(env)
}

/** Throws UserError for an invalid login, and for texts that a database cannot hold. */
function assertAccount(login: string, phone: string | undefined): void {
  if (login.trim() === '') throw new UserError("The administrator's login is empty.")
  for (const text of [login, phone ?? ''])
    if (text.includes('\0') || !text.isWellFormed())
      throw new UserError('The login and the phone number must not contain control characters.')
}

/** Enters the terms of a language, as the wizard for languages does. */
async function installLanguage(env: Environment, language: number): Promise<void> {
  type Wizard = { lang_install(): Promise<unknown>; unlink(): Promise<unknown> }
  const wizards = env.model('base.language.install' as never) as unknown as {
    create(list: object[]): Promise<Wizard>
  }
  const wizard = await wizards.create([{ lang_ids: [[6, 0, [language]]] }])
  await wizard.lang_install()
  await wizard.unlink()
}

/** Sets country and currency of the company; the time zone too if the country has only one. */
async function settle(
  env: Environment,
  company: number,
  country: string,
  record: { write(vals: Record<string, unknown>): Promise<void> },
): Promise<void> {
  const [row] = await env.query(
    sql`SELECT id, currency_id FROM res_country WHERE code = ${country.toUpperCase()}`,
  )
  if (!row)
    throw new UserError(`Unknown country ${JSON.stringify(country)}: use a two-letter code such as BE.`)
  await record.write({ country_id: row[0] })
  if (row[1]) {
    await env.query(sql`UPDATE res_currency SET active = true WHERE id = ${row[1]}`)
    await env.query(sql`UPDATE res_company SET currency_id = ${row[1]} WHERE id = ${company}`)
  }
  const zones =
    (
      new Intl.Locale(`und-${country.toUpperCase()}`) as unknown as { getTimeZones?(): string[] }
    ).getTimeZones?.() ?? []
  if (zones.length === 1)
    await env.query(
      sql`UPDATE res_partner SET tz = ${zones[0]} WHERE id IN (SELECT partner_id FROM res_users WHERE id > 1)`,
    )
}
