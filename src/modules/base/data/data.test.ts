// Checks the committed base data: keys are unique, references lead somewhere, and the values that clients
// know are there.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import countries from './countries.json' with { type: 'json' }
import groups from './country-groups.json' with { type: 'json' }
import currencies from './currencies.json' with { type: 'json' }
import industries from './industries.json' with { type: 'json' }
import languages from './languages.json' with { type: 'json' }
import states from './states.json' with { type: 'json' }
import translations from './translations.json' with { type: 'json' }

/** Fails on the first value that comes twice. */
function assertUnique(values: string[]): void {
  const seen = new Set<string>()
  for (const value of values) {
    assert.ok(!seen.has(value), `${value} comes twice`)
    seen.add(value)
  }
}

/** The record of an id; fails when there is none. */
function byId<T extends { id: string }>(records: T[], id: string): T {
  const match = records.find((record) => record.id === id)
  assert.ok(match, `${id} is missing`)
  return match
}

const countryIds = new Set(countries.map((country) => country.id))

describe('countries', () => {
  it('have unique ids, names and two-letter codes', () => {
    assert.equal(countries.length, 251)
    for (const key of ['id', 'name', 'code'] as const) assertUnique(countries.map((country) => country[key]))
    for (const country of countries) {
      assert.match(country.code, /^[A-Z]{2}$/)
      assert.equal(country.id, country.code === 'GB' ? 'uk' : country.code.toLowerCase())
      assert.ok(Number.isInteger(country.phone_code))
      assert.match(country.name_position, /^(before|after)$/)
    }
  })

  it('point to known currencies, all but Antarctica', () => {
    const currencyIds = new Set(currencies.map((currency) => currency.id))
    for (const { id, currency } of countries)
      assert.ok(currency ? currencyIds.has(currency) : id === 'aq', `${id}: ${currency}`)
  })

  it('format addresses with known parts only, street and country in each', () => {
    for (const { id, address_format: format } of countries) {
      const rest = format.replaceAll(
        /%\((street|street2|city|state_code|state_name|zip|country_name)\)s/g,
        '',
      )
      assert.match(rest, /^[\n ]*$/, id)
      assert.ok(format.startsWith('%(street)s\n%(street2)s\n') && format.endsWith('\n%(country_name)s'), id)
      assert.ok(format.includes('%(city)s'), id)
    }
  })

  it('hold what clients know', () => {
    const us = byId(countries, 'us')
    assert.deepEqual([us.name, us.currency, us.phone_code], ['United States', 'USD', 1])
    assert.equal(
      us.address_format,
      '%(street)s\n%(street2)s\n%(city)s %(state_code)s %(zip)s\n%(country_name)s',
    )
    const be = byId(countries, 'be')
    assert.deepEqual([be.name, be.currency, be.phone_code], ['Belgium', 'EUR', 32])
    assert.equal(be.address_format, '%(street)s\n%(street2)s\n%(zip)s %(city)s\n%(country_name)s')
    assert.deepEqual(
      [byId(countries, 'uk').code, byId(countries, 'pa').currency, byId(countries, 'vn').name],
      ['GB', 'PAB', 'Vietnam'],
    )
    // Those that share 1 are told apart by the area code behind it, the youngest of several.
    assert.deepEqual(
      ['ca', 'as', 'bb', 'do', 'jm', 'pr', 'gg'].map((id) => byId(countries, id).phone_code),
      [1, 1684, 1246, 1849, 1876, 1939, 44],
    )
    assert.deepEqual(
      countries.filter((country) => !country.zip_required).map(({ id }) => id),
      ['hk', 'ie'],
    )
  })
})

describe('states', () => {
  it('have unique ids, unique codes in a country, and a known country', () => {
    assertUnique(states.map((state) => state.id))
    assertUnique(states.map((state) => `${state.country} ${state.code}`))
    assertUnique(states.map((state) => `${state.country} ${state.name}`))
    for (const state of states) {
      assert.ok(countryIds.has(state.country), state.id)
      assert.match(state.code, /^[A-Z0-9]{1,3}$/)
      assert.notEqual(state.name, '')
    }
  })

  it('number the fifty of the United States by name', () => {
    const numbered = states.filter((state) => /^state_us_\d+$/.test(state.id))
    assert.equal(numbered.length, 50)
    assert.deepEqual(
      numbered.map((state) => state.id),
      numbered.map((_, index) => `state_us_${index + 1}`),
    )
    assert.deepEqual([byId(states, 'state_us_5').name, byId(states, 'state_us_5').code], ['California', 'CA'])
    assert.deepEqual([byId(states, 'state_us_50').name, byId(states, 'state_us_dc').code], ['Wyoming', 'DC'])
  })

  it('cover the countries that sell by state', () => {
    const counts = { br: 27, ca: 13, ch: 26, de: 16, es: 52, it: 107, jp: 47, mx: 32, in: 36, id: 38, ie: 26 }
    for (const [country, count] of Object.entries(counts)) {
      assert.equal(states.filter((state) => state.country === country).length, count, country)
    }
  })
})

describe('currencies', () => {
  it('have unique ISO 4217 codes, names, a symbol and a rounding', () => {
    assertUnique(currencies.map((currency) => currency.id))
    assertUnique(currencies.map((currency) => currency.full_name))
    assert.ok(currencies.length >= 150)
    for (const currency of currencies) {
      assert.match(currency.id, /^[A-Z]{3}$/)
      assert.equal(currency.name, currency.id)
      assert.match(currency.symbol, /^\S/)
      assert.ok([1, 0.01, 0.001, 0.0001].includes(currency.rounding), currency.id)
      assert.match(currency.position, /^(before|after)$/)
      assert.ok((currency.iso_numeric > 0 || currency.id === 'CNH') && currency.iso_numeric < 1000)
    }
  })

  it('start with the euro and the dollar switched on', () => {
    const active = currencies.filter((currency) => currency.active)
    assert.deepEqual(
      active.map(({ id, symbol, position, iso_numeric, unit_label, subunit_label }) =>
        [id, symbol, position, iso_numeric, unit_label, subunit_label].join(' '),
      ),
      ['EUR € after 978 Euros Cents', 'USD $ before 840 Dollars Cents'],
    )
    assert.equal(byId(currencies, 'JPY').rounding, 1)
    assert.equal(byId(currencies, 'KWD').rounding, 0.001)
  })
})

describe('languages', () => {
  it('have unique ids and codes, and formats made of known parts', () => {
    for (const key of ['id', 'code', 'name', 'iso_code', 'url_code'] as const)
      assertUnique(languages.map((language) => language[key]))
    assert.ok(languages.length >= 90)
    for (const language of languages) {
      assert.match(language.code, /^[a-z]{2,3}(_([A-Z]{2}|\d{3})|@[A-Za-z]+)$/)
      assert.match(language.direction, /^(ltr|rtl)$/)
      assert.deepEqual(language.date_format.match(/%./g)?.sort(), ['%Y', '%d', '%m'], language.code)
      assert.match(language.date_format, /^%[Ydm][-./ ]{1,2}%[Ydm][-./ ]{1,2}%[Ydm]$/, language.code)
      assert.match(language.time_format, /^(%H[:.]%M[:.]%S|%I:%M:%S %p)$/)
      assert.equal(language.time_format.replace(/[:.]%S/, ''), language.short_time_format)
      assert.match(language.week_start, /^[1-7]$/)
      assert.match(language.grouping, /^\[3,(2,)?0\]$/)
      assert.equal(language.decimal_point.length, 1)
      assert.notEqual(language.decimal_point, language.thousands_sep)
    }
  })

  it('hold what clients know of English and French', () => {
    assert.deepEqual(byId(languages, 'lang_en'), {
      id: 'lang_en',
      code: 'en_US',
      name: 'English (US)',
      iso_code: 'en',
      url_code: 'en',
      direction: 'ltr',
      date_format: '%m/%d/%Y',
      time_format: '%I:%M:%S %p',
      short_time_format: '%I:%M %p',
      week_start: '7',
      grouping: '[3,0]',
      decimal_point: '.',
      thousands_sep: ',',
    })
    const { name, date_format, week_start, decimal_point, thousands_sep, url_code } = byId(
      languages,
      'lang_fr',
    )
    assert.deepEqual(
      [name, date_format, week_start, decimal_point, thousands_sep, url_code],
      ['French / Français', '%d/%m/%Y', '1', ',', '\u00a0', 'fr'],
    )
    const codes = [
      'nl',
      'de',
      'es',
      'it',
      'pt',
      'pt_BR',
      'en_GB',
      'fr_BE',
      'fr_CA',
      'nl_BE',
      'zh_CN',
      'zh_TW',
      'ar',
      'sr@latin',
    ]
    for (const code of codes) byId(languages, `lang_${code}`)
    assert.equal(byId(languages, 'lang_ar').direction, 'rtl')
    assert.equal(byId(languages, 'lang_hi').grouping, '[3,2,0]')
  })
})

describe('country groups and industries', () => {
  it('list known countries once', () => {
    assertUnique(groups.map((group) => group.id))
    for (const group of groups) {
      assertUnique(group.countries)
      for (const country of group.countries) assert.ok(countryIds.has(country), `${group.id}: ${country}`)
    }
    assert.equal(byId(groups, 'europe').countries.length, 27)
    assert.ok(byId(groups, 'europe').countries.includes('be'))
    assert.ok(byId(groups, 'sepa_zone').countries.includes('uk'))
    assert.ok(byId(groups, 'south_america').countries.includes('br'))
  })

  it('have one industry a section from A to U', () => {
    assert.deepEqual(
      industries.map((industry) => industry.id.replace('res_partner_industry_', '')),
      [...'ABCDEFGHIJKLMNOPQRSTU'],
    )
    for (const { id, full_name: full } of industries) assert.ok(full.startsWith(`${id.at(-1)} - `), id)
  })
})

describe('translations', () => {
  const ids: Record<string, Set<string>> = {
    'res.country': countryIds,
    'res.currency': new Set(currencies.map((currency) => currency.id)),
    'res.lang': new Set(languages.map((language) => language.id)),
  }

  it('translate known records into known languages', () => {
    const codes = new Set(languages.map((language) => language.code))
    for (const [code, models] of Object.entries(translations)) {
      assert.ok(codes.has(code), code)
      for (const [model, records] of Object.entries(models)) {
        const entries: [string, object][] = Object.entries(records)
        assert.ok(entries.length > 70, `${code} ${model}`)
        for (const [id, fields] of entries) {
          assert.ok(ids[model]?.has(id), `${code} ${model} ${id}`)
          assert.deepEqual(Object.keys(fields), [model === 'res.currency' ? 'full_name' : 'name'])
        }
      }
    }
  })

  it('say Belgium in four ways', () => {
    const names = Object.values(translations).map((models) => models['res.country'].be.name)
    assert.deepEqual(names, ['Belgien', 'Bélgica', 'Belgique', 'België'])
  })
})
